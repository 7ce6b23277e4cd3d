"""Codes along alphas: those of each alpha alone, in the order given, however they were begun."""

import numpy as np
import pytest
from registry import ACTIONS, CODERS, served

from orbitdl import OrbitDictionaryLearning, Status, WaveformLearning, encode, encode_path
from orbitdl.coding import Matching
from orbitdl.groups import ContinuousShift, IntegerShift
from reproduction.semidefinite import Semidefinite

ALPHAS = [0.3, 1.0, 0.05, 0.3, 1e6, 1e-4]
"""In no order, one twice, one at which nothing is coded and one at which nearly all is."""
CASES = [
    (name, coder)
    for name in ("integer shift", "continuous shift of channels", "orthogonal", "permutations")
    for coder in ("active set", "sliding", "growing", "proximal")
    if served(coder, name)
    and (coder, name) != ("growing", "continuous shift of channels")  # sliding serves it, quicker
]


def problem(name, n=4):
    """Return a group, random data, one of them zero, and two components."""
    rng = np.random.default_rng(0)
    group, shape = ACTIONS[name](7, 2)
    X, A = (
        rng.standard_normal((n, *shape)),
        group.on(shape).project(rng.standard_normal((2, *shape))),
    )
    X[1] = 0.0
    return group, X, A / np.linalg.norm(A.reshape(2, -1), axis=1).reshape(2, *[1] * len(shape))


def missing(X):
    """Return data of which some entries are missing, and all of one data point."""
    X = np.where(np.random.default_rng(1).random(X.shape) < 0.3, np.nan, X)
    X[2] = np.nan
    return X


def assert_both_are_optimal(one, other):
    """Both objectives are within their own certified gap of one optimum."""
    for first, second in ((one, other), (other, one)):
        least = second.objective * (1 - second.gap)
        assert np.all(first.objective >= least - 1e-12 * first.objective)


@pytest.mark.parametrize("gaps", [False, True], ids=["complete", "with gaps"])
@pytest.mark.parametrize(("name", "coder"), CASES)
def test_codes_along_a_path_are_as_good_as_those_of_every_alpha_alone(name, coder, gaps):
    group, X, A = problem(name)
    X, settings = missing(X) if gaps else X, {"group": group, "coder": CODERS[coder](tol=1e-6)}
    path = encode_path(X, A, ALPHAS, **settings)
    assert len(path) == len(ALPHAS)
    for alpha, codes in zip(ALPHAS, path, strict=True):
        alone = encode(X, A, alpha=alpha, **settings)
        assert_both_are_optimal(codes, alone)
        assert codes.gap.max() <= max(1e-6, alone.gap.max())
        assert codes.status[1] is Status.ZERO_DATA
        assert (codes.status[2] is Status.NOTHING_OBSERVED) is gaps


def test_a_path_is_the_same_in_any_order_and_with_threads():
    group, X, A = problem("continuous shift of channels", n=600)
    forth = encode_path(X, A, [1.0, 0.5], group=group)
    back = encode_path(X, A, iter([0.5, 1.0]), group=group, n_jobs=2)
    for one, other in zip(forth, back[::-1], strict=True):
        np.testing.assert_array_equal(one.atoms.coefficient, other.atoms.coefficient)
        np.testing.assert_array_equal(one.objective, other.objective)


@pytest.mark.parametrize("scale", [1e-90, 1e90])
def test_a_path_scales_with_the_data(scale):
    group, X, A = problem("continuous shift of channels")
    plain = encode_path(X, A, [0.5, 0.2], group=group)
    scaled = encode_path(scale * X, A, [scale * 0.5, scale * 0.2], group=group)
    for one, other in zip(plain, scaled, strict=True):
        np.testing.assert_allclose(other.objective / scale / scale, one.objective, rtol=1e-3)


def test_matching_along_a_path_keeps_to_its_number_of_atoms():
    group, X, A = problem("continuous shift of channels")
    path = encode_path(X, A, (0.1, 0.5), group=group, coder=Matching(n_atoms=1))
    for alpha, codes in zip((0.1, 0.5), path, strict=True):
        assert codes.atoms.invariants().max() > 0
        assert codes.atoms.counts.max() <= 2  # one of every component
        optimum = encode(X, A, group=group, alpha=alpha)
        assert np.all(codes.objective >= optimum.objective * (1 - optimum.gap) - 1e-12)
        assert np.all(codes.objective * (1 - codes.gap) <= optimum.objective + 1e-12)


@pytest.fixture(scope="module")
def points():
    group, X, _ = problem("continuous shift of channels", n=12)
    model = OrbitDictionaryLearning(2, group=group, alpha=0.3, random_state=0, max_iter=0)
    return model.fit(X), X


def test_a_model_codes_along_a_path_with_its_own_components(points):
    model, X = points
    for known in ({}, {"mask": np.random.default_rng(2).random(X.shape) < 0.7}):
        path = model.encode_path(X, [0.2, 0.6], **known)
        for alpha, codes in zip((0.2, 0.6), path, strict=True):
            assert_both_are_optimal(codes, model.encode(X, alpha=alpha, **known))
            assert codes.gap.max() <= 1e-4


# Recordings


@pytest.fixture(scope="module")
def waveforms():
    rng = np.random.default_rng(0)
    x = np.zeros(600)
    for time in range(20, 560, 45):
        x[time : time + 16] += np.hanning(16) * rng.uniform(1, 2)
    x += 0.05 * rng.standard_normal(600)
    x[100:110] = np.nan
    model = WaveformLearning(1, length=20, alpha=0.4, random_state=0, max_iter=0, noise="white")
    return model.fit(x), x


WEIGHTS = [0.4, 1.0, 0.2, 0.4, 1e6]


def test_recordings_along_a_path_are_coded_as_at_every_alpha_alone(waveforms):
    model, x = waveforms
    path = model.encode_path(x, WEIGHTS)
    for alpha, codes in zip(WEIGHTS, path, strict=True):
        assert_both_are_optimal(codes, model.encode(x, alpha=alpha))
        assert codes.gap <= model.tol
    assert len(path[-1].atoms.time) == 0


def test_several_recordings_and_delayed_ones_give_a_path_each(waveforms):
    delayed = pytest.importorskip("dask").delayed
    model, x = waveforms
    parts = [x[:300], x[300:], np.zeros(100)]
    several = model.encode_path(parts, [0.5, 1.0])
    later = model.encode_path([delayed(part) for part in parts], [0.5, 1.0])
    for k, (part, there) in enumerate(zip(parts, later, strict=True)):
        alone = model.encode_path(part, [0.5, 1.0])
        for here, one, other in zip(several, alone, there.compute(), strict=True):
            assert here.objective[k] == one.objective[0] == other.objective[0]
    assert several[0].status[2] is Status.ZERO_DATA
    (lazy,) = model.encode_path(delayed(x), [0.5]).compute()
    assert lazy.objective == model.encode_path(x, [0.5])[0].objective


def test_an_alpha_that_the_model_was_fitted_with_is_not_questioned(waveforms):
    model, x = waveforms
    noisy = np.nan_to_num(x[:60]) + 2.0 * np.random.default_rng(0).standard_normal(60)
    (codes,) = model.encode_path(noisy, [model.alpha_])  # no warning, as encode gives none
    assert_both_are_optimal(codes, model.encode(noisy))


def test_an_alpha_below_the_noise_is_warned_of_and_one_far_below_it_refused(waveforms):
    model, x = waveforms
    noisy = np.nan_to_num(x) + 1e4 * np.random.default_rng(0).standard_normal(len(x))
    with pytest.raises(ValueError, match=r"alpha=0.2 is too small: codes would need as many atoms"):
        model.encode_path(noisy, [1e5, 0.2])
    with pytest.warns(RuntimeWarning, match=r"^alpha=0.01 is below the noise level"):
        model.encode_path(x, [1.0, 0.01])


# What makes no sense


@pytest.mark.parametrize(
    ("alphas", "sentence"),
    [
        ([], "alphas is empty; pass at least one candidate"),
        (0.3, "alphas must be a list of candidates, not 0.3"),
        ([0.3, 0.0], "each of alphas must be a positive number, not 0.0"),
        ([0.3, np.nan], "each of alphas must be a positive number, not nan"),
        ([0.3, np.inf], "each of alphas must be a positive number, not inf"),
        (["auto"], "each of alphas must be a positive number, not 'auto'"),
        ("0.3", "each of alphas must be a positive number"),
        ([True], "each of alphas must be a positive number, not True"),
    ],
)
def test_alphas_that_make_no_sense_are_refused_everywhere(points, waveforms, alphas, sentence):
    (model, X), (lines, x) = points, waveforms
    for code in (
        lambda: encode_path(np.ones((2, 5)), np.ones((1, 5)), alphas, group=IntegerShift()),
        lambda: model.encode_path(X, alphas),
        lambda: lines.encode_path(x, alphas),
    ):
        with pytest.raises(ValueError, match=f"^{sentence}"):
            code()


def test_other_arguments_are_checked_as_those_of_encode():
    X, A, group = np.ones((2, 5)), np.ones((1, 5)), IntegerShift()
    with pytest.raises(ValueError, match=r"^components of shape \(4,\) cannot code data points"):
        encode_path(X, A[:, :4], [1.0], group=group)
    with pytest.raises(ValueError, match=r"^mask must be a boolean array"):
        encode_path(X, A, [1.0], group=group, mask=np.ones((2, 4), dtype=bool))
    with pytest.raises(ValueError, match=r"^n_jobs must be"):
        encode_path(X, A, [1.0], group=group, n_jobs=0)
    X[0, 0], settings = np.nan, {"group": ContinuousShift(), "coder": Semidefinite()}
    with pytest.raises(ValueError, match=r"^the coder Semidefinite does not code data with miss"):
        encode_path(X, A, [1.0], **settings)
