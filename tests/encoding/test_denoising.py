"""Denoising: the proximal map of the dictionary norm, debiasing, the level of noise."""

import numpy as np
import pytest
from reference import reference_objective
from registry import ACTIONS
from test_masked import holed, unit

from orbitdl import OrbitDictionaryLearning, denoise, noise_level
from orbitdl.groups import ContinuousShift, Finite, IntegerShift, Orthogonal, Trivial

GROUPS = {
    "trivial": (Trivial(), (40,)),
    "integer": (IntegerShift(), (40,)),
    "continuous": (ContinuousShift(), (41,)),
    "channels": (ContinuousShift(), (31, 2)),
    "orthogonal": (Orthogonal(), (3, 20)),
    "finite": (Finite([[1, 2, 3, 4, 5, 0]]), (6, 8)),
}


def planted(name, noise, n=150, seed=0):
    """Return a group, components, clean sums of two atoms, and the same with noise."""
    group, shape = GROUPS[name]
    rng = np.random.default_rng(seed)
    representation = group.on(shape)
    A = unit(representation.project(rng.standard_normal((3, *shape))))
    clean = np.zeros((n, *shape))
    for _ in range(2):
        size = rng.uniform(1, 2, n).reshape(-1, *[1] * len(shape))
        clean += size * representation.act(
            representation.sample(rng, n), A[rng.integers(3, size=n)]
        )
    return group, A, clean, clean + noise * rng.standard_normal(clean.shape)


def error(estimate, truth):
    return np.sum((estimate - truth) ** 2)


@pytest.mark.parametrize("name", GROUPS)
def test_denoising_lowers_the_error_and_debiasing_lowers_it_further(name):
    group, A, clean, noisy = planted(name, 0.1)
    settings = {"group": group, "alpha": "noise"}
    plain = denoise(noisy, A, **settings)
    debiased = denoise(noisy, A, **settings, debias=True)
    assert error(plain, clean) < 0.7 * error(noisy, clean)
    assert error(debiased, clean) < 0.7 * error(plain, clean)


@pytest.mark.parametrize("name", GROUPS)
@pytest.mark.parametrize("noise", [0.03, 0.2])
def test_the_level_of_known_noise_is_found(name, noise):
    group, A, _, noisy = planted(name, noise)
    assert noise_level(noisy, A, group=group) == pytest.approx(noise, rel=0.1)


def test_without_noise_the_level_is_below_that_of_all_steps_and_small(monkeypatch):
    group, A, clean, _ = planted("continuous", 0.0)
    monkeypatch.setattr("orbitdl.encoding.denoise.PATIENCE", 1000)
    assert noise_level(clean, A, group=group) < 1e-2 * np.sqrt(np.mean(clean**2))


def test_the_level_is_found_in_what_was_observed():
    group, A, _, noisy = planted("continuous", 0.1)
    assert noise_level(holed(noisy), A, group=group) == pytest.approx(0.1, rel=0.1)


@pytest.mark.parametrize("name", ["trivial", "integer shift", "continuous shift", "orthogonal"])
def test_denoising_is_the_proximal_map_of_the_dictionary_norm(name):
    # the objective at the denoised point is the optimum of the program written with CVXPY:
    # 1/2 ||y - x||^2 + <y - x, x>, since <y - x, x> = alpha ||x|| at the proximal point
    group, shape = ACTIONS[name](7, 2)
    rng = np.random.default_rng(0)
    A = unit(group.on(shape).project(rng.standard_normal((2, *shape))))
    y = group.on(shape).project(rng.standard_normal((3, *shape)))
    model = OrbitDictionaryLearning(
        n_components=2, group=group, alpha=0.2, tol=1e-9, init=A, max_iter=0
    ).fit(y)
    x = model.denoise(y)
    axes = tuple(range(1, y.ndim))
    value = 0.5 * np.sum((y - x) ** 2, axis=axes) + np.sum((y - x) * x, axis=axes)
    np.testing.assert_allclose(value, reference_objective(group, y, A, 0.2), rtol=1e-5)


def test_noise_alone_is_nearly_removed():
    rng = np.random.default_rng(1)
    noise = rng.standard_normal((200, 40))
    A = unit(rng.standard_normal((2, 40)))
    left = denoise(noise, A, group=IntegerShift(), alpha="noise")
    assert error(left, 0) < 0.05 * error(noise, 0)
    assert noise_level(noise, A, group=IntegerShift()) == pytest.approx(1.0, rel=0.1)


def test_data_without_noise_or_without_anything_are_kept():
    group, A, clean, _ = planted("integer", 0.0)
    kept = denoise(clean, A, group=group, alpha="noise")
    assert error(kept, clean) < 1e-3 * error(clean, 0)
    np.testing.assert_array_equal(denoise(0 * clean, A, group=group, alpha="noise"), 0.0)


def test_an_unknown_way_to_choose_alpha_is_refused():
    _, A, _, noisy = planted("integer", 0.1, n=2)
    with pytest.raises(
        ValueError, match=r'^alpha must be a positive number or "noise", not "?.auto'
    ):
        denoise(noisy, A, group=IntegerShift(), alpha="auto")
    with pytest.raises(ValueError, match="alpha must be a positive number"):
        denoise(noisy, A, group=IntegerShift(), alpha=-1.0)


def test_what_no_component_explains_is_noise_of_the_size_of_what_was_observed():
    X, nothing = [[1.0, np.nan], [2.0, 1.0]], [[0.0, 0.0]]
    assert noise_level(X, nothing, group=IntegerShift()) == pytest.approx(np.sqrt(2))
    np.testing.assert_array_equal(
        denoise(X, nothing, group=IntegerShift(), alpha="noise"), np.zeros((2, 2))
    )
