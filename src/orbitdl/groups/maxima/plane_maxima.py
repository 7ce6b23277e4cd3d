"""Newton's method for local maxima of a trigonometric polynomial on the torus."""

from __future__ import annotations

import numpy as np

from orbitdl.arrays.blocks import Floats, Integers
from orbitdl.groups.maxima.plane_values import Jet, jet_at, make_work
from orbitdl.kernels import allocating, internal

LONGEST = 0.7
"""Longest step, in radians of the highest frequencies."""
CLOSE = 1e-8
"""Length of the last Newton step: by quadratic convergence the next one is below rounding."""
MOST_STEPS = 60
"""Largest number of steps; about five, except on a ridge or at the level of rounding."""
SAME = 1e-4
"""Distance of identical maxima, in radians of the highest frequencies."""


@internal
def newton_step(jet, highest):  # type: ignore[no-untyped-def]
    """Return an ascent step (x, y); `highest` bounds the polynomial.

    A Newton step where p is concave, otherwise a gradient step with the inverse of the Lipschitz
    constant: second derivatives are at most ``highest (|x| + |y|)^2 <= 2 highest (x^2 + y^2)``.
    """
    det = jet.xx * jet.yy - jet.xy * jet.xy
    if jet.xx + jet.yy < 0.0 and det > 1e-6 * (jet.xx + jet.yy) ** 2:
        x, y = (jet.xy * jet.y - jet.yy * jet.x) / det, (jet.xy * jet.x - jet.xx * jet.y) / det
    else:
        x, y = 0.5 * jet.x / highest, 0.5 * jet.y / highest
    shrink = min(1.0, LONGEST / max(abs(x) + abs(y), 1e-300))
    return shrink * x, shrink * y


@internal
def newton_maximum(table, s, t, sign, highest, last, work):  # type: ignore[no-untyped-def]
    """Return a local maximum (s, t) of ``sign * p``, ascending from a starting point, and its jet.

    A step that does not ascend is shortened. A step below `CLOSE` is the last one.
    """
    per_s, per_t = 1.0 / max(last[0], 1.0), 1.0 / max(last[1], 1.0)
    x, y, best = 0.0, 0.0, Jet(-np.inf, 0.0, 0.0, 0.0, 0.0, 0.0)
    for k in range(MOST_STEPS):
        jet = jet_at(table, s + x * per_s, t + y * per_t, sign, last, work)
        short = k > 0 and abs(x) + abs(y) < CLOSE
        if jet.value >= best.value:
            s, t, best = s + x * per_s, t + y * per_t, jet
            x, y = newton_step(jet, highest)
        else:
            x, y = 0.3 * x, 0.3 * y
        if short:
            break
    return s % (2.0 * np.pi), t % (2.0 * np.pi), best


def plane_peaks_near(
    tables: Floats, grid: Floats, row: Integers, position: Integers
) -> tuple[Integers, Floats, Floats]:
    """Return row, signed value and position (s, t) of the maxima next to grid points of rows.

    Tables (n, 2, R, K) are the polynomials, `grid` (n, M_1, M_2) their values; rows ascend.
    """
    value, where = np.empty(len(row)), np.empty((len(row), 2))
    is_new = np.zeros(len(row), dtype=np.bool_)
    plane_maxima_from_grid(tables, grid, row, position, value, where, is_new)
    return row[is_new], value[is_new], where[is_new]


@allocating
def plane_maxima_from_grid(tables, grid, row, position, value, where, is_new):  # type: ignore[no-untyped-def]
    """Fill signed values (K,) and positions (K, 2) of maxima; mark the distinct ones of a row."""
    _, height, width = grid.shape
    last = np.empty(2)
    last[0], last[1] = tables.shape[2] // 2, tables.shape[3] - 1
    work = make_work(tables[0])
    first = 0
    for i in range(row.shape[0]):
        if row[i] != row[first]:
            first = i
        k, l = position[i] // width, position[i] % width
        start = grid[row[i], k, l]
        sign = 1.0 if start > 0.0 else -1.0
        s, t, jet = newton_maximum(
            tables[row[i]], 2.0 * np.pi * k / height, 2.0 * np.pi * l / width, sign,
            2.0 * abs(start), last, work,
        )  # fmt: skip
        value[i], where[i, 0], where[i, 1] = sign * jet.value, s, t
        is_new[i] = True
        for other in range(first, i):
            x = abs(np.sin(0.5 * (s - where[other, 0]))) * last[0]
            y = abs(np.sin(0.5 * (t - where[other, 1]))) * last[1]
            if value[i] * value[other] > 0.0 and 2.0 * (x + y) < SAME:
                is_new[i] = False
