"""What the sliding coder looks up is what it stands for, as exactly as is promised."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from reference import newton_step

from orbitdl.coding.sliding.newton import fill_newton_direction
from orbitdl.coding.sliding.oracle import Correlations, look
from orbitdl.coding.sliding.peaks import make_peaks, refine
from orbitdl.coding.sliding.search import targets_of
from orbitdl.coding.sliding.state import make_state
from orbitdl.coding.sliding.tables import (
    DENSITIES,
    PHASES,
    build_tables,
    highest_frequency,
    subtract_rows,
    trust,
)
from orbitdl.dictionaries.least_squares import unit_norm
from orbitdl.groups import ContinuousShift
from orbitdl.groups.base import correlate, inner
from orbitdl.kernels import fast

SHIFTS = ContinuousShift().on((21, 2))


def draw(smooth, q=2, seed=0):
    """Return components of unit norm, white or without high frequencies: (q, F, 1, 2)."""
    A = SHIFTS.analyze(np.random.default_rng(seed).standard_normal((q, 21, 2)))
    damping = np.exp(-smooth * np.arange(A.shape[1]))
    return unit_norm(A * damping[:, None, None])


def exactly(C, tau):
    """Return ``Re sum_f C_f exp(2 pi i f tau / 21)`` of C (F, 1, 1) at places tau."""
    f = np.arange(len(C))
    return np.real(np.exp(2j * np.pi / 21 * np.multiply.outer(tau, f)) @ C[:, 0, 0])


@pytest.mark.parametrize("smooth", [0.0, 1.0, 30.0])
@pytest.mark.parametrize("accuracy", [1e-4, 1e-6, 1e-9])
def test_expansions_are_as_exact_as_they_are_trusted(smooth, accuracy):
    A = draw(smooth)
    (density,), (reach,) = trust(np.array([accuracy]), highest_frequency(A, 21))
    tables, rng = build_tables(A, 21, density), np.random.default_rng(1)
    place = rng.integers(21 * int(density), size=50)
    for j, l in np.ndindex(2, 2):  # noqa: E741
        C = correlate(A, A)[j, l]
        for farthest in {reach, 0.5 / density} if 0.5 / density <= reach else {reach}:
            dx = rng.uniform(-farthest, farthest, 50)
            found = [
                np.polyval(tables.taylor[j, l, p][::-1], x) for p, x in zip(place, dx, strict=True)
            ]
            error = np.abs(found - exactly(C, place / density + dx)).max()
            assert error <= max(accuracy, 1e-13)


def test_smooth_components_are_tabulated_at_fewer_points():
    accuracy = np.array([1e-8])
    few, many = (trust(accuracy, highest_frequency(draw(s), 21))[0] for s in (1.0, 0.0))
    assert few < many
    assert {*few, *many} <= set(DENSITIES)


def test_both_halves_of_the_grid_show_what_data_and_components_have_in_common():
    A, Y = draw(0.0), draw(0.0, 3, seed=1)
    half, n = 32, np.zeros(3)
    targets = targets_of(Y, A, half, inner(Y, Y), n, n)
    C = correlate(Y, A)
    for i, j, h in np.ndindex(3, 2, 2):
        values = targets.on_grid[i, h].reshape(half, 2)[:, j]
        assert_allclose(values, exactly(C[i, j], 21 / half * (np.arange(half) + h / 2)), atol=1e-5)
    F = C.shape[2]
    assert_allclose(targets.C[:, :, 0, :F] + 1j * targets.C[:, :, 1, :F], C[..., 0, 0], atol=1e-14)


def test_rows_hold_inner_products_with_all_of_the_grid():
    A = draw(0.0)
    tables = build_tables(A, 21, float(DENSITIES[0]))
    half = tables.half_size
    for j, l, phase in np.ndindex(2, 2, PHASES + 1):  # noqa: E741
        row = tables.rows[j, phase].reshape(2 * half, 2)[:, l]
        tau = (np.arange(2 * half) - half - phase / PHASES) * 21 / half
        assert_allclose(row, exactly(correlate(A, A)[j, l], tau), atol=1e-5)


def test_the_largest_product_is_the_largest_of_all_correlations():
    A, Y = draw(0.0, 3), draw(0.0, 40, seed=1)
    brute = np.abs(SHIFTS.on_grid(correlate(Y, A), 21 * 512)).max(axis=(1, 2))
    found = SHIFTS.largest_product(Y, A)
    assert np.all(found >= brute * (1 - 1e-12))
    assert_allclose(found, brute, rtol=1e-5)


def test_the_curvature_of_a_component_is_that_of_its_inner_products():
    A, h = draw(0.0), 1e-3
    for j, found in enumerate(build_tables(A, 21, float(DENSITIES[0])).curvature):
        before, here, after = exactly(correlate(A, A)[j, j], np.array([-h, 0.0, h]))
        assert found == pytest.approx((2 * here - before - after) / h**2, rel=1e-4)


@fast
def subtract(tables, component, shift, c, out):
    """Subtract the rows of two atoms from both halves of the grid."""
    for h in range(2):
        subtract_rows(tables, component, shift, c, 0, 1, h, out)


def test_rows_of_atoms_are_subtracted_where_they_are():
    A, shift, c = draw(1.0), np.array([3.3, 17.8]), np.array([2.0, -1.0])
    tables = build_tables(A, 21, float(DENSITIES[0]))
    half, C = tables.half_size, correlate(A, A)
    out = np.zeros((2, half * 2), np.float32)
    subtract(tables, np.array([0, 1]), shift, c, out)
    for h, l in np.ndindex(2, 2):  # noqa: E741
        grid = 21 / half * (np.arange(half) + h / 2)
        expected = -sum(c[k] * exactly(C[k, l], grid - shift[k]) for k in range(2))
        assert_allclose(out[h].reshape(half, 2)[:, l], expected, atol=0.01)


def state_of(A, Y, c, shift, alpha):
    """Return the state of two atoms in one data point, its oracle, and a room for peaks."""
    tables = build_tables(A, 21, float(DENSITIES[-1]))._replace(radius=0.05)
    half, n = tables.half_size, np.zeros(1)
    targets = targets_of(Y, A, half, inner(Y, Y), n, n)
    state = make_state(4, targets.C.shape[-1])
    state.component[:2], state.shift[:2], state.c[:2] = [0, 1], shift, c
    state.sign[:2], state.centre[:] = np.sign(c), np.inf
    return state, Correlations(targets.C[0], tables, float(targets.energy[0])), make_peaks(2, half)


@fast
def step_from(state, oracle, alpha):
    """Fill in the Newton step of two atoms."""
    look(state, 2, oracle)
    fill_newton_direction(state, 2, oracle.tables, alpha)


def test_a_step_of_atoms_is_that_of_newton_on_coefficients_and_shifts():
    """Near a solution, with moves u over the coefficient that is left; by differences."""
    A, shift, c, alpha = draw(1.0), np.array([3.3, 5.8]), np.array([2.0, -1.0]), 0.1
    Y = np.tensordot(c, SHIFTS.act_on_blocks(shift[:, None], A), 1)[None]

    def objective(x):
        size, place = c + x[:2], shift + x[2:] / (c + x[:2])
        fit = np.tensordot(size, SHIFTS.act_on_blocks(place[:, None], A), 1)
        return 0.5 * inner(Y - fit, Y - fit)[0] + alpha * np.abs(size).sum()

    for _ in range(5):
        x = newton_step(objective, 4)
        c, shift = c + x[:2], shift + x[2:] / (c + x[:2])
    c, shift = c + np.array([0.02, 0.01]), shift + np.array([2e-3, -1e-3])
    state, oracle, _ = state_of(A, Y, c, shift, alpha)
    step_from(state, oracle, alpha)
    expected = newton_step(objective, 4)
    assert_allclose(state.step[:4], expected, atol=0.02 * np.abs(expected).max())


@fast
def refined(state, oracle, peaks, close):
    """Refine the first peak, beside two atoms."""
    look(state, 2, oracle)
    refine(state, 2, peaks, 0, oracle, close)


def test_a_refined_peak_is_the_maximum_of_what_atoms_leave():
    A, shift, c = draw(1.0), np.array([3.3, 11.8]), np.array([2.0, -1.0])
    Y = SHIFTS.analyze(np.random.default_rng(3).standard_normal((1, 21, 2)))
    state, oracle, peaks = state_of(A, Y, c, shift, 0.1)
    tau = np.linspace(0, 21, 21 * 400, endpoint=False)
    data, C = correlate(Y, A)[0], correlate(A, A)
    for j in range(2):
        eta = exactly(data[j], tau)
        eta -= sum(c[k] * exactly(C[k, j], tau - shift[k]) for k in range(2))
        top = np.abs(eta).argmax()
        peaks.component[0], peaks.shift[0] = j, (tau[top] + 0.15) % 21
        peaks.height[0] = 0.9 * eta[top]
        refined(state, oracle, peaks, 1e-6)
        assert_allclose(peaks.height[0], eta[top], rtol=1e-5)
        assert_allclose(peaks.shift[0], tau[top], atol=5e-3)
