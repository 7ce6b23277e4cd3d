"""Bad input gives a ValueError of one sentence that names the argument, or works where it can."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from registry import KINDS, PERMUTATIONS, action
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from orbitdl import OrbitDictionaryLearning, Status, align, decode, dictionary_distance, encode
from orbitdl.coding import ActiveSet, Matching, Proximal, Sliding
from orbitdl.groups import ContinuousShift, IntegerShift, Orthogonal, Trivial
from reproduction.semidefinite import Semidefinite

# fits end early here, on purpose
pytestmark = pytest.mark.filterwarnings("ignore:max_iter=:sklearn.exceptions.ConvergenceWarning")

RNG = np.random.default_rng(0)
X = RNG.standard_normal((10, 8))
A = RNG.standard_normal((2, 8))


def holed(value: float, data: np.ndarray = X) -> np.ndarray:
    damaged = data.copy()
    damaged[1, 2] = value
    return damaged


def fit(X=X, **settings) -> OrbitDictionaryLearning:
    settings = {"n_components": 2, "max_iter": 2, "random_state": 0, **settings}
    return OrbitDictionaryLearning(**settings).fit(X)


def code(X=X, components=A, **settings):
    return encode(X, components, **{"group": IntegerShift(), "alpha": 0.1, **settings})


# Data: the same for fit, transform and encode

BAD_DATA = {
    "infinite": (holed(-np.inf), "X contains infinite values"),
    "one point without its axis": (X[0], r"X must have one data point a row, .* X\[None\]"),
    "a number": (3.0, "X must have one data point a row"),
    "nothing": (None, "X must be an array of numbers, not NoneType"),
    "no samples": (X[:0], r"X has 0 sample\(s\) .*; pass at least one data point"),
    "no features": (X[:, :0], r"X has 0 feature\(s\)"),
    "complex": (X + 1j, "Complex data not supported: pass real X"),
    "text": (X.astype(str), "X must be an array of numbers, not text"),
    "words": ([["a", "b"], ["c", "d"]], "X must be an array of numbers, not text"),
    "a word": ("abc", "X must be an array of numbers, not text"),
    "ragged": ([[1.0, 2.0], [3.0]], "X must be one array, but its rows differ in length; trunc"),
    "a dict": ({"a": 1}, "X must be an array of numbers, not dict"),
    "dates": (np.zeros((3, 8), dtype="datetime64[s]"), "X must be an array of numbers, not date"),
    "sparse": (sparse.csr_array(X), r"X is sparse; pass X.toarray\(\)"),
    "huge": (1e150 * X, "X has values of size .*; change its unit, and that of alpha"),
    "tiny": (1e-150 * X, "X has values of size .*; change its unit, and that of alpha"),
}


@pytest.mark.parametrize("case", BAD_DATA)
@pytest.mark.parametrize("method", ["fit", "encode", "transform", "score"])
def test_bad_data_are_refused(case, method):
    data, message = BAD_DATA[case]
    if method == "fit":
        call = fit
    elif method == "encode":
        call = code
    else:
        call = getattr(fit(), method)
    with pytest.raises(ValueError, match=message) as caught:
        call(data)
    assert_reads_well(caught.value)


def assert_reads_well(error: Exception) -> None:
    """One or two short sentences on one line, with a full stop."""
    text = str(error)
    assert "\n" not in text
    assert text.endswith(".")
    assert len(text) < 250


@pytest.mark.parametrize(
    ("components", "message"),
    [
        (holed(np.nan, A), "components contains NaN"),
        (A[0], r"components must have one component a row, .* components\[None\]"),
        (A[:0], "components has 0 sample.*pass at least one component"),
        (A[:, :5], r"components of shape \(5,\) cannot code data points of shape \(8,\)"),
        (1j * A, "pass real components"),
        (None, "components must be an array of numbers"),
    ],
)
def test_bad_components_are_refused(components, message):
    with pytest.raises(ValueError, match=message) as caught:
        code(components=components)
    assert_reads_well(caught.value)


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (X[:, :5], "X has 5 features, but OrbitDictionaryLearning is expecting 8 features"),
        (
            np.zeros((3, 8, 2)),
            r"X has data points of shape \(8, 2\), but .* fitted on shape \(8,\)",
        ),
    ],
)
def test_data_of_another_shape_are_refused_after_fitting(other, message):
    model = fit()
    for method in (model.encode, model.transform, model.reconstruct, model.score):
        with pytest.raises(ValueError, match=message):
            method(other)


@pytest.mark.parametrize("group", [IntegerShift(), Trivial(), ContinuousShift()])
def test_a_group_of_axes_works_or_is_refused(group):
    data = np.random.default_rng(0).standard_normal((5, 3, 3, 3))
    if isinstance(group, Trivial):
        assert fit(data, group=group).components_.shape == (2, 3, 3, 3)
    else:
        with pytest.raises(ValueError, match="flatten or reshape X"):
            fit(data, group=group)


# Settings

BAD_SETTINGS = [
    *[("alpha", value) for value in (0, -1.0, np.nan, np.inf, "0.1", None, True, [0.1], 1j)],
    *[("n_components", value) for value in (0, -1, 1.5, "3", None)],
    *[("max_iter", value) for value in (-1, 1.5, None)],
    *[("tol", value) for value in (0, -1e-3, np.nan, None, "a")],
    *[("n_restarts", value) for value in (0, -1, None)],
    *[("n_jobs", value) for value in (0, "all", 1.5)],
    *[("random_state", value) for value in ("a", -1, 0.5)],
    *[("group", value) for value in (IntegerShift, "shift", IntegerShift().on((8,)), 3)],
    *[("coder", value) for value in ("active", ActiveSet, 3)],
    ("callback", 3),
    *[("checkpoint", value) for value in (3, b"run", "", "r\0n", ["run"])],
    ("init", "noise"),
    ("init", np.ones((3, 8))),
    ("init", np.ones((2, 7))),
    ("init", np.ones(8)),
    ("init", np.zeros((2, 8))),
    ("init", np.full((2, 8), np.nan)),
    ("init", 1j * np.ones((2, 8))),
    ("init", None),
    ("init", max),
]


@pytest.mark.parametrize(
    ("setting", "value"),
    [pytest.param(*case, id=f"{case[0]}={str(case[1])[:30]}") for case in BAD_SETTINGS],
)
def test_bad_settings_are_refused_by_name(setting, value):
    with pytest.raises(ValueError, match=rf"\b{setting}\b") as caught:
        fit(**{setting: value})
    assert_reads_well(caught.value)


@pytest.mark.parametrize(
    ("setting", "value"),
    [case for case in BAD_SETTINGS if case[0] in ("alpha", "group", "coder", "n_jobs")],
)
def test_encode_refuses_the_same_settings(setting, value):
    with pytest.raises(ValueError, match=rf"\b{setting}\b") as caught:
        code(**{setting: value})
    assert_reads_well(caught.value)


def test_a_start_that_the_group_cannot_move_is_refused():
    alternating = np.tile([1.0, -1.0], 4)
    start = np.stack([alternating, np.ones(8)])
    with pytest.raises(ValueError, match="init has a component that is zero or outside the range"):
        fit(group=ContinuousShift(), init=start)
    fit(group=IntegerShift(), init=start)


@pytest.mark.parametrize(
    ("group", "shape", "message"),
    [
        (ContinuousShift(), (3, 3, 3), "ContinuousShift acts on data points of shape"),
        (IntegerShift(), (3, 3, 3), "IntegerShift acts on data points of shape"),
        (Orthogonal(), (3, 3, 3), "Orthogonal acts on data points of shape"),
        (PERMUTATIONS, (8,), "reshape X or pass other generators"),
    ],
)
def test_a_group_that_cannot_act_on_the_data_is_refused(group, shape, message):
    data = np.ones((5, *shape))
    for call in (lambda: fit(data, group=group), lambda: code(data, data[:2], group=group)):
        with pytest.raises(ValueError, match=message) as caught:
            call()
        assert_reads_well(caught.value)


def test_a_coder_that_does_not_serve_the_group_is_refused():
    for group, coder in [(Orthogonal(), ActiveSet()), (IntegerShift(), Sliding())]:
        with pytest.raises(ValueError, match="does not serve .* leave coder=None"):
            fit(group=group, coder=coder)


@pytest.mark.parametrize("coder", [ActiveSet, Proximal, Matching, Sliding, Semidefinite])
@pytest.mark.parametrize(
    "settings", [{"tol": 0.0}, {"tol": np.nan}, {"tol": "a"}, {"max_iter": 0}, {"max_iter": 1.5}]
)
def test_coders_refuse_bad_settings_by_name(coder, settings):
    (name,) = settings
    with pytest.raises(ValueError, match=f"{name} of {coder.__name__} must be"):
        coder(**settings)


def test_matching_needs_at_least_one_atom():
    with pytest.raises(ValueError, match="n_atoms of Matching must be an integer"):
        Matching(n_atoms=0)


# Other functions


def test_codes_are_decoded_with_their_own_components_only():
    codes = code()
    for wrong in (A[:1], A[:, :7], np.ones((2, 8, 2))):
        with pytest.raises(ValueError, match="cannot be decoded with components of shape"):
            decode(codes, wrong)
    with pytest.raises(ValueError, match="codes must be what encode returns, not None"):
        decode(None, A)


def test_distances_refuse_what_does_not_fit_together():
    for function in (dictionary_distance, align):
        with pytest.raises(ValueError, match="A and B must hold components of one shape"):
            function(A, A[:, :5], IntegerShift())
        with pytest.raises(
            ValueError, match=r"group must be an object .* such as IntegerShift\(\)"
        ):
            function(A, A, IntegerShift)
        with pytest.raises(ValueError, match="B contains NaN"):
            function(A, holed(np.nan, A), IntegerShift())
    with pytest.raises(ValueError, match="A and B must have equally many components"):
        align(A, A[:1], IntegerShift())


# What works all the same


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("value", [0.0, 1.0])
def test_zero_and_constant_data_leave_no_nan(name, value):
    rep = action(name, 8)
    data = np.full((5, *rep.shape), value)
    model = fit(data, group=rep.group)
    assert np.isfinite(model.components_).all()
    energy = (model.components_**2).reshape(2, -1).sum(axis=1)
    assert_allclose(energy, 1.0)
    codes = model.encode(data)
    assert np.isfinite(codes.objective).all()
    assert np.isfinite(codes.gap).all()
    if value == 0.0:
        assert len(codes.to_frame()) == 0
        assert set(codes.status) == {Status.ZERO_DATA}
        assert_array_equal(model.transform(data), 0.0)
        assert model.score(data) == 0.0


@pytest.mark.parametrize("name", KINDS)
def test_one_sample_is_enough(name):
    rep = action(name, 8)
    data = np.random.default_rng(0).standard_normal((1, *rep.shape))
    model = fit(data, group=rep.group, n_components=1)
    assert np.isfinite(model.components_).all()
    assert model.score(data) > 0


@pytest.mark.parametrize("name", KINDS)
def test_more_components_than_samples_work(name):
    rep = action(name, 8)
    data = np.random.default_rng(0).standard_normal((2, *rep.shape))
    model = fit(data, group=rep.group, n_components=5)
    assert model.components_.shape == (5, *rep.shape)
    assert np.isfinite(model.components_).all()


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("scale", [1e-90, 1e90])
def test_unusual_units_give_the_same_components(name, scale):
    rep = action(name, 8)
    data = np.random.default_rng(0).standard_normal((6, *rep.shape))
    usual = fit(data, group=rep.group, alpha=0.3)
    other = fit(data * scale, group=rep.group, alpha=0.3 * scale)
    assert other.score(data * scale) == pytest.approx(usual.score(data), rel=1e-3)
    assert dictionary_distance(usual.components_, other.components_, rep.group) < 1e-3


def test_a_weight_below_the_rounding_of_the_data_is_told_and_leaves_no_nan():
    data = X * np.logspace(-60, 60, 10)[:, None]
    with pytest.warns(ConvergenceWarning, match="4 of 10 samples stopped above the gap"):
        model = fit(data, alpha=1e-3)
    assert np.isfinite(model.components_).all()


def test_samples_of_different_size_code_alike():
    sizes = np.logspace(-4, 4, 10)
    together = code(X * sizes[:, None], alpha=1e-6)
    assert together.gap.max() <= 1e-4
    for i, size in enumerate(sizes):
        alone = code(X[i : i + 1], alpha=1e-6 / size)
        assert_allclose(together.objective[i], alone.objective[0] * size**2, rtol=1e-3)


def test_components_of_any_norm_code():
    for size in (1e-20, 1e20):
        codes = code(components=A * size, alpha=0.1 * size)
        usual = code()
        assert_allclose(codes.objective, usual.objective, rtol=1e-3)


def test_zero_components_code_to_nothing():
    codes = code(components=np.zeros((2, 8)))
    assert len(codes.to_frame()) == 0
    assert_allclose(codes.gap, 0.0, atol=1e-12)


def test_signals_of_length_one_and_two_work():
    for length in (1, 2):
        data = np.random.default_rng(0).standard_normal((10, length))
        for group in (IntegerShift(), ContinuousShift(), Orthogonal(), Trivial()):
            model = fit(data, group=group, n_components=1)
            assert np.isfinite(model.components_).all()
            assert np.isfinite(model.transform(data)).all()
