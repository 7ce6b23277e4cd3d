"""Numbers of unusual kind or size: they work, or one sentence says what is wrong."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from registry import action

from orbitdl import OrbitDictionaryLearning, Status, encode, load
from orbitdl.coding import ActiveSet, Proximal, Sliding
from orbitdl.coding.choice import default_coder
from orbitdl.groups import IntegerShift

NAMES = ["trivial", "integer shift", "continuous shift", "orthogonal", "hexagon"]
TENTHS = [np.longdouble(0.125), np.float16(0.125), np.float32(0.125), Fraction(1, 8), 0.125]
NO_NUMBERS = [
    10**400, 10**5000, -(10**400), np.longdouble("1e400"), Fraction(1, 10**400), 0, -0.0, np.nan,
    np.inf, True, np.True_, Decimal("0.1"), np.array([0.1]), 1 + 0j, "0.1", None,
]  # fmt: skip


def draw(name: str, seed: int = 0) -> tuple[object, np.ndarray, np.ndarray]:
    """Return a group, data and components of unit norm."""
    rep, rng = action(name, 8), np.random.default_rng(seed)
    X, A = (rng.standard_normal((k, *rep.shape)) for k in (6, 2))
    norms = np.sqrt((A**2).reshape(2, -1).sum(axis=1))
    return rep.group, X, A / norms.reshape(2, *[1] * len(rep.shape))


@pytest.mark.parametrize("number", TENTHS, ids=lambda number: type(number).__name__)
@pytest.mark.parametrize("name", NAMES)
def test_every_kind_of_number_is_that_number(name, number):
    group, X, A = draw(name)
    usual = encode(X, A, group=group, alpha=0.125)
    assert_array_equal(encode(X, A, group=group, alpha=number).objective, usual.objective)
    coder = type(default_coder(usual.representation))
    assert coder(tol=number) == coder(tol=0.125)
    assert type(coder(tol=number).tol) is float
    encode(X, A, group=group, alpha=number, coder=coder(tol=number))


@pytest.mark.parametrize("number", TENTHS, ids=lambda number: type(number).__name__)
def test_a_model_of_every_kind_of_number_is_fitted_and_saved(number, tmp_path):
    _, X, _ = draw("integer shift")
    model = OrbitDictionaryLearning(2, alpha=number, tol=number, random_state=0).fit(X)
    model.save(tmp_path / "model")
    again = load(tmp_path / "model")
    assert (again.alpha, again.alpha_, again.tol) == (0.125, 0.125, 0.125)
    assert_array_equal(again.transform(X), model.transform(X))


@pytest.mark.parametrize("k", range(len(NO_NUMBERS)))
def test_what_is_no_positive_number_is_refused_in_a_short_sentence(k):
    group, X, A = draw("integer shift")
    for refused in (
        lambda: encode(X, A, group=group, alpha=NO_NUMBERS[k]),
        lambda: OrbitDictionaryLearning(2, alpha=NO_NUMBERS[k]).fit(X),
        lambda: OrbitDictionaryLearning(2, tol=NO_NUMBERS[k]).fit(X),
        lambda: ActiveSet(tol=NO_NUMBERS[k]),
        lambda: Sliding(tol=NO_NUMBERS[k]),
        lambda: Proximal(tol=NO_NUMBERS[k]),
    ):
        with pytest.raises(ValueError, match=r"must be a positive number.*, not ") as error:
            refused()
        assert len(str(error.value)) < 200


@pytest.mark.parametrize("n_jobs", [100_000, 10**30, -100_000])
def test_more_threads_than_work_are_not_started(n_jobs):
    X = np.random.default_rng(0).standard_normal((1100, 6))
    settings = {"group": IntegerShift(), "alpha": 0.5}
    codes = encode(X, X[:2], **settings, n_jobs=n_jobs)
    assert_array_equal(codes.objective, encode(X, X[:2], **settings).objective)


@settings(max_examples=25, deadline=None, derandomize=True)
@given(
    name=st.sampled_from(NAMES),
    size=st.integers(-95, 95),
    length=st.integers(-95, 95),
    seed=st.integers(0, 3),
    holed=st.booleans(),
)
def test_units_of_data_and_components_do_not_matter(name, size, length, seed, holed):
    """Without a warning, for those are errors; objectives scale with the square of the unit."""
    group, X, A = draw(name, seed)
    if holed:
        X.flat[:: 7 + seed] = np.nan
    usual = encode(X, A, group=group, alpha=0.2)
    unit, scale = 10.0**size, 10.0**length
    other = encode(X * unit, A * scale, group=group, alpha=0.2 * unit * scale)
    assert other.gap.max() <= 1e-4
    assert_allclose(other.objective / unit**2, usual.objective, rtol=3e-4)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("alpha", [1e100, 1e200, 1.7e308])
def test_beyond_every_correlation_codes_are_empty_however_large_alpha(name, alpha):
    group, X, A = draw(name)
    codes = encode(X, A, group=group, alpha=alpha)
    assert len(codes.to_frame()) == 0
    assert codes.gap.max() <= 1e-12


@pytest.mark.parametrize("holed", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_a_sample_whose_square_vanishes_is_not_called_zero(name, holed):
    group, X, A = draw(name)
    X[1], X[2] = X[1] * 1e-170, 0.0
    if holed:
        X[:, 0] = np.nan
    codes = encode(X, A, group=group, alpha=0.2)
    assert codes.status[1] is Status.CONVERGED
    assert codes.status[2] is Status.ZERO_DATA


@pytest.mark.parametrize("norms", [(1.0, 0.01), (0.1, 0.1), (30.0, 30.0), (1.0, 1e-30)])
def test_components_of_any_norm_are_coded_within_tolerance(norms):
    """On an orbit whose members are close to each other, too."""
    rep = action("hexagon", 8)
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X = rng.standard_normal((6, *rep.shape))
        A = rng.standard_normal((2, *rep.shape)) * np.array(norms)[:, None]
        assert encode(X, A, group=rep.group, alpha=0.1 * max(norms)).gap.max() <= 1e-4
