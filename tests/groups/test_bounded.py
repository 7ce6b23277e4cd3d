"""Bounds of functions on a circle against dense grids and closed forms."""

import numpy as np
import pytest

from orbitdl.groups.maxima import branch_and_bound
from orbitdl.groups.maxima.branch_and_bound import bound_between, bound_largest


def moduli(C, theta):
    """Return ``|sum_f C_f exp(i f theta)|`` for C (..., F) and angles (...)."""
    return np.abs(np.sum(C * np.exp(1j * theta[..., None] * np.arange(C.shape[-1])), axis=-1))


def bounds(C, fineness, eps):
    degree = C.shape[1] - 1
    size = int(fineness * degree) + 1
    theta = 2 * np.pi * np.arange(size) / size
    grid = moduli(C[:, None], theta[None])
    return bound_largest(lambda row, angle: moduli(C[row], angle), grid, degree, eps)


def draw(n, frequencies, seed):
    rng = np.random.default_rng(seed)
    C = rng.standard_normal((n, frequencies)) + 1j * rng.standard_normal((n, frequencies))
    return C * rng.uniform(0, 1, (n, 1)) ** np.arange(frequencies)  # smooth ones among them


@pytest.mark.parametrize("fineness", [4, 4.5, 9])
@pytest.mark.parametrize("eps", [1e-2, 1e-6])
def test_no_value_exceeds_the_bound_which_is_as_close_as_asked_for(fineness, eps):
    C = draw(200, 9, seed=0)
    upper, value, place = bounds(C, fineness, eps)
    dense = moduli(C[:, None], np.linspace(0, 2 * np.pi, 5000)[None]).max(axis=1)
    assert np.all(upper >= dense)
    assert np.all(upper <= (1 + eps) * value * (1 + 1e-14))
    np.testing.assert_allclose(moduli(C, place), value, rtol=1e-12)


def test_a_grid_that_misses_the_peak_as_far_as_it_can_still_bounds_it():
    """The cosine itself, halfway between two grid points, is the worst case: the bound is met."""
    for size in (6, 12):
        grid = np.abs(np.cos(2 * np.pi * (np.arange(size) - 0.5) / size))[None]
        upper, value, _ = bound_largest(lambda row, theta: 0.0 * theta, grid, 1, 0.3)
        np.testing.assert_allclose(upper, 1.0, rtol=1e-12)
        assert value[0] < 1.0


def test_a_search_that_ends_early_still_returns_a_bound(monkeypatch):
    monkeypatch.setattr(branch_and_bound, "HALVINGS", 1)
    C = draw(200, 9, seed=1)
    upper, value, _ = bounds(C, 4, 1e-9)
    dense = moduli(C[:, None], np.linspace(0, 2 * np.pi, 5000)[None]).max(axis=1)
    assert np.all(upper >= dense)
    assert np.any(value < 0.999 * dense)


def test_nearly_equal_peaks_are_both_looked_at():
    theta = np.array([0.4, 3.1])
    for tilt in (1e-7, -1e-7):
        C = np.exp(-1j * np.outer(theta, np.arange(20))).T @ np.array([1 + tilt, 1 - tilt])
        upper, _, place = bounds(C[None], 5, 1e-9)
        dense = moduli(C[None], np.linspace(0, 2 * np.pi, 400_001)[:, None]).max()
        assert upper[0] >= dense
        assert abs(place[0] - theta[int(tilt < 0)]) < 0.1


def test_constant_functions_are_bounded_closely_with_limited_work():
    calls = []

    def constant(row, theta):
        calls.append(len(row))
        return np.ones(len(row))

    upper, value, _ = bound_largest(constant, np.ones((3, 201)), 50, 1e-9)
    np.testing.assert_array_equal(value, 1.0)
    assert np.all(upper >= 1.0)
    assert np.all(upper < 1 + 1e-4)
    assert max(calls) <= 3 * 2**15


def test_nothing_and_constants_of_degree_zero_are_their_own_bound():
    upper, value, _ = bound_largest(lambda row, theta: 0.0 * theta, np.zeros((2, 9)), 2, 1e-6)
    assert not upper.any()
    assert not value.any()
    upper, value, _ = bound_largest(lambda row, theta: 2 + 0 * theta, np.full((1, 3), 2.0), 0, 0)
    assert upper[0] == value[0] == 2.0


def test_the_bound_between_two_values_is_the_largest_cosine_through_or_above_both():
    rng = np.random.default_rng(0)
    left, right = rng.uniform(0, 1, (2, 300))
    for angle in (0.01, 0.7, 1.5):
        x = np.linspace(0, angle, 2001)[:, None]
        brute = np.minimum(left / np.cos(x), right / np.cos(angle - x)).max(axis=0)
        found = np.empty(300)
        bound_between(np.zeros(300, np.intp), left, right, angle, np.full(1, np.inf), found)
        assert np.all(found >= brute * (1 - 1e-12))
        close = np.maximum(brute, np.maximum(left, right))  # what is attained counts as well
        np.testing.assert_allclose(found, close, rtol=1e-3)


def test_a_grid_that_is_too_coarse_is_refused():
    with pytest.raises(ValueError, match="more than 12 grid values"):
        bound_largest(lambda row, theta: theta, np.ones((1, 12)), 3, 1e-3)


def test_functions_next_to_constant_need_few_values_where_their_bends_are_known():
    """They are ``1 + x cos(5 theta - phase)``: their largest values are 1 + x."""
    small, phase, seen = np.array([0.0, 1e-9, 1e-5, 1e-2]), np.array([0.0, 1.0, 2.0, 3.0]), []

    def wave(row, theta):
        seen.append(len(theta))
        return 1.0 + small[row] * np.cos(5 * theta - phase[row])

    grid = wave(np.arange(4)[:, None], np.arange(23)[None] * (2 * np.pi / 23))
    upper, value, _ = bound_largest(wave, grid, 5, 1e-8, 25 * small)
    assert np.all(upper >= 1 + small)
    assert np.all(upper <= (1 + 1e-8) * value * (1 + 1e-14))
    assert sum(seen) < 2000
