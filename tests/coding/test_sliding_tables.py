"""What the sliding coder looks up is what it stands for, as exactly as is promised."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from orbitdl.coding.sliding.search import targets_of
from orbitdl.coding.sliding.tables import (
    DENSITIES,
    PHASES,
    build_tables,
    highest_frequency,
    trust,
)
from orbitdl.dictionaries.norm_constraint import unit_norm
from orbitdl.groups import ContinuousShift
from orbitdl.groups.base import correlate, inner

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
