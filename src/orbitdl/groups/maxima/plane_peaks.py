"""All peaks of trigonometric polynomials on the torus, from grid points next to them."""

from __future__ import annotations

import numpy as np

from orbitdl.arrays.blocks import Floats, Integers
from orbitdl.groups.maxima.plane_climb import climb_plane
from orbitdl.groups.maxima.plane_values import make_work
from orbitdl.kernels import allocating

SAME = 1e-4
"""Peaks that are as close as this, in radians of the last waves, are one."""


def plane_peaks_near(
    tables: Floats, grid: Floats, row: Integers, place: Integers
) -> tuple[Integers, Floats, Floats]:
    """Return the row, signed value and place (s, t) of the peaks next to grid points of some rows.

    Tables (n, 2, R, K) are the polynomials, `grid` (n, M_1, M_2) holds their values; rows ascend.
    """
    value, where = np.empty(len(row)), np.empty((len(row), 2))
    is_new = np.zeros(len(row), dtype=np.bool_)
    climb_from_grid(tables, grid, row, place, value, where, is_new)
    return row[is_new], value[is_new], where[is_new]


@allocating
def climb_from_grid(tables, grid, row, place, value, where, is_new):  # type: ignore[no-untyped-def]
    """Fill signed values (K,) and places (K, 2) of peaks; mark those that are new in their row."""
    _, height, width = grid.shape
    last = np.empty(2)
    last[0], last[1] = tables.shape[2] // 2, tables.shape[3] - 1
    work = make_work(tables[0])
    first = 0
    for i in range(row.shape[0]):
        if row[i] != row[first]:
            first = i
        k, l = place[i] // width, place[i] % width
        start = grid[row[i], k, l]
        sign = 1.0 if start > 0.0 else -1.0
        s, t, jet = climb_plane(
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
