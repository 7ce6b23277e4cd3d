"""Numbers of unusual kinds and sizes: they work like the usual ones, or are refused by name."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from registry import action
from test_bad_input import assert_reads_well

from orbitdl import OrbitDictionaryLearning, Status, dictionary_distance, encode
from orbitdl.coding import ActiveSet, Matching, Proximal, Sliding, parallel
from orbitdl.domains.time.certificate import Certificate
from orbitdl.groups import ContinuousShift, IntegerShift
from reproduction.semidefinite import Semidefinite

# fits end early here, on purpose
pytestmark = pytest.mark.filterwarnings("ignore:max_iter=:sklearn.exceptions.ConvergenceWarning")
examples = settings(max_examples=25, derandomize=True, database=None, deadline=None)

RNG = np.random.default_rng(0)
X = RNG.standard_normal((10, 8))
A = RNG.standard_normal((2, 8))
CODERS = [ActiveSet, Proximal, Matching, Sliding, Semidefinite]

# Kinds of numbers

QUARTERS = [np.longdouble(0.25), np.float16(0.25), np.float32(0.25), Fraction(1, 4)]
ONES = [1, np.int8(1), np.uint8(1), np.int64(1), Fraction(10**400, 10**400 - 1)]
REFUSED = {
    "an integer beyond floats": 10**400,
    "one that Python does not write out": 10**5000,
    "a long double beyond doubles": np.longdouble("1e400"),
    "a long double below doubles": np.longdouble("1e-400"),
    "a fraction below doubles": Fraction(1, 10**400),
    "a decimal": Decimal("0.25"),
    "an array without axes": np.array(0.25),
    "a boolean of NumPy": np.bool_(True),  # noqa: FBT003
}


def fit(data=X, **settings) -> OrbitDictionaryLearning:
    settings = {"n_components": 2, "max_iter": 1, "n_restarts": 1, "random_state": 0, **settings}
    return OrbitDictionaryLearning(**settings).fit(data)


def uses(name: str, value: object) -> list:
    """Return ways to use a number as alpha or tol, each a function without arguments."""
    if name == "alpha":
        return [
            lambda: encode(X, A, group=IntegerShift(), alpha=value).objective,
            lambda: fit(alpha=value).encode(X).objective,
        ]
    coder = ActiveSet if name == "tol of ActiveSet" else None
    if coder is None:
        return [lambda: fit(alpha=0.3, tol=value).encode(X).objective]
    return [lambda: encode(X, A, group=IntegerShift(), alpha=0.3, coder=coder(tol=value)).objective]


@pytest.mark.parametrize("value", QUARTERS + ONES, ids=lambda v: f"{type(v).__name__}")
@pytest.mark.parametrize("name", ["alpha", "tol", "tol of ActiveSet"])
def test_numbers_of_any_kind_work_like_the_float(name, value):
    for use, same in zip(uses(name, value), uses(name, float(value)), strict=True):
        assert_allclose(use(), same(), rtol=1e-12)


@pytest.mark.parametrize("case", REFUSED)
@pytest.mark.parametrize("name", ["alpha", "tol", "tol of ActiveSet"])
def test_what_is_no_float_is_refused_by_name(name, case):
    for use in uses(name, REFUSED[case]):
        with pytest.raises(ValueError, match=f"^{name} must be a positive number") as caught:
            use()
        assert_reads_well(caught.value)


@pytest.mark.parametrize("tol", [Fraction(1, 10**6), np.longdouble(1e-6), np.float32(1e-6)])
def test_a_fit_that_ends_early_says_so_whatever_its_tolerance_is(tol):
    with pytest.warns(UserWarning, match=r"still falling by more than tol=1e-06 of it"):
        fit(alpha=0.3, tol=tol)


@examples
@given(value=st.floats(1e-3, 1.0), kind=st.sampled_from([np.longdouble, np.float16, Fraction]))
def test_any_weight_works_like_the_float(value, kind):
    odd = kind(value)
    usual = encode(X[:3], A, group=IntegerShift(), alpha=float(odd))
    other = encode(X[:3], A, group=IntegerShift(), alpha=odd)
    assert_allclose(other.objective, usual.objective, rtol=1e-12)


@pytest.mark.parametrize("coder", CODERS)
@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int64])
def test_counts_of_any_kind_are_plain_numbers_in_a_coder(coder, kind):
    assert coder(max_iter=kind(7)) == coder(max_iter=7)
    assert type(coder(max_iter=kind(7)).max_iter) is int


@pytest.mark.parametrize("coder", CODERS)
@pytest.mark.parametrize("many", [2**53, 2**53 + 1, 2**63 - 1, 2**63, 10**400])
def test_a_limit_on_iterations_beyond_all_counting_is_refused_or_works(coder, many):
    if many > 2**53:
        with pytest.raises(ValueError, match=f"max_iter of {coder.__name__} must be at") as caught:
            coder(max_iter=many)
        assert_reads_well(caught.value)
    else:
        group = ContinuousShift() if coder in (Sliding, Semidefinite) else IntegerShift()
        codes = encode(X[:2], A, group=group, alpha=1.0, coder=coder(max_iter=many))
        assert np.isfinite(codes.gap).all()


@pytest.mark.parametrize("name", ["n_components", "max_iter", "n_restarts"])
def test_an_estimator_refuses_what_cannot_be_counted(name):
    with pytest.raises(ValueError, match=f"{name} must be at most") as caught:
        fit(**{name: 10**400})
    assert_reads_well(caught.value)


def test_a_fit_takes_small_whole_numbers():
    small = {name: np.int8(2) for name in ("n_components", "max_iter", "n_restarts")}
    data = np.random.default_rng(0).standard_normal((130, 130))  # more than int8 holds
    model = fit(data, alpha=0.3, **small, n_jobs=np.int8(1))
    usual = fit(data, alpha=0.3, **dict.fromkeys(small, 2))
    assert_allclose(model.score(data), usual.score(data), rtol=1e-9)


# Threads


@pytest.mark.parametrize("n_jobs", [100_000, np.int64(2**40), 10**400, -1, -(10**6)])
def test_no_more_threads_than_cores_are_asked_for(n_jobs, monkeypatch):
    asked = []

    class Recorded(parallel.ThreadPoolExecutor):
        def __init__(self, threads):
            asked.append(threads)
            super().__init__(threads)

    monkeypatch.setattr(parallel, "ThreadPoolExecutor", Recorded)
    monkeypatch.setattr(parallel, "cpu_count", lambda: 2)
    data = np.tile(X, (120, 1))  # three chunks
    codes = encode(data, A, group=IntegerShift(), alpha=0.3, n_jobs=n_jobs)
    assert all(many <= 2 for many in asked)
    alone = encode(data, A, group=IntegerShift(), alpha=0.3)
    assert_allclose(codes.objective, alone.objective, rtol=1e-12)
    if n_jobs > 0:
        assert asked == [2, 2]  # to transform the data, and to code them


# Units

GROUPS = [
    "trivial", "integer shift", "interpolated shift 3", "continuous shift", "orthogonal",
    "permutations", "square on images",
]  # fmt: skip


def data_for(name: str):
    """Return representation, data (5, ...), components (2, ...) and a mask for a group."""
    rep, rng = action(name, 8), np.random.default_rng(1)
    data, components = rng.standard_normal((5, *rep.shape)), rng.standard_normal((2, *rep.shape))
    mask = np.ones(data.shape, dtype=bool)
    mask.reshape(5, -1)[1:3, 0] = False
    return rep, data, components, mask


@pytest.mark.parametrize("is_masked", [False, True])
@pytest.mark.parametrize("name", GROUPS)
@examples
@given(k=st.integers(-90, 90), size=st.integers(-90, 90))
def test_codes_scale_with_the_units_of_data_and_components(name, is_masked, k, size):
    rep, data, components, mask = data_for(name)
    kept = {"group": rep.group, "mask": mask if is_masked else None}
    usual = encode(data, components, alpha=0.3, **kept)
    unit, norm = 10.0**k, 10.0**size
    codes = encode(data * unit, components * norm, alpha=0.3 * unit * norm, **kept)
    assert set(codes.status) == {Status.CONVERGED}
    assert codes.gap.max() <= 1e-4
    assert_allclose(codes.objective / unit / unit, usual.objective, rtol=2.1e-4)
    weight, same = codes.invariants().sum(axis=1) * norm / unit, usual.invariants().sum(axis=1)
    assert_allclose(weight, same, rtol=0.05)


@pytest.mark.parametrize("k", [-90, -40, 40, 90])
@pytest.mark.parametrize("name", GROUPS)
def test_a_fit_with_automatic_weight_scales_with_the_unit(name, k):
    rep, data, _, mask = data_for(name)
    same = {"group": rep.group, "alpha": "auto"}
    usual, other = fit(data, **same), fit(data * 10.0**k, **same)
    assert other.alpha_ == pytest.approx(usual.alpha_ * 10.0**k, rel=2e-6)
    assert other.score(data * 10.0**k) == pytest.approx(usual.score(data), rel=1e-3)
    assert dictionary_distance(usual.components_, other.components_, rep.group) < 1e-3
    holed = fit(np.where(mask, data, np.nan) * 10.0**k, **same)
    assert np.isfinite(holed.components_).all()
    assert holed.alpha_ > 0


@pytest.mark.parametrize("is_masked", [False, True])
@pytest.mark.parametrize("name", GROUPS)
def test_samples_tiny_beside_others_are_not_called_zero(name, is_masked):
    rep, data, components, mask = data_for(name)
    data *= 1e90
    data[0] *= 1e-180
    data[2] *= 1e-60
    data[4] = 0.0
    observed = mask if is_masked else None
    codes = encode(data, components, group=rep.group, alpha=0.3e90, mask=observed)
    assert list(codes.status == Status.ZERO_DATA) == [False] * 4 + [True]
    assert codes.gap.max() <= 1e-4


@pytest.mark.parametrize("size", [1.0, 1e8])
def test_a_gap_is_never_below_the_rounding_error(size):
    """Evaluated exactly, no objective is further above the optimum than its gap says."""
    a = np.array([0.6, 0.8, 0.0, 0.0, 0.0])
    x = size * np.array([a, np.roll(a, 2), np.zeros(5)])
    codes = encode(x, [a], group=IntegerShift(), alpha=1e-3)
    optimum = 1e-3 * size - 0.5e-6  # ||x|| alpha - alpha^2 / 2
    rounding = 2.0**-52 * size**2 / optimum
    assert np.all(codes.gap[:2] >= rounding)
    assert codes.gap[2] == 0.0
    exact = Certificate(energy=1e-6, product=1e-3 * size, data=size**2, weight=size, polar=1e-3)
    assert exact.gap(1e-3) >= 2.0**-52 * size**2 / exact.objective(1e-3)
