"""All peaks, the local maxima of ``|p|``, from grid points next to them."""

from __future__ import annotations

import numpy as np

from orbitdl.arrays.blocks import Blocks, Floats, Integers
from orbitdl.groups.maxima.cell import climb
from orbitdl.groups.maxima.polynomials import (
    FIRST,
    LAST,
    eight_terms,
    split,
    taylor_factors,
    turn,
)
from orbitdl.kernels import allocating

ORDER = 16
"""Taylor coefficients around a grid point: two times 8."""


def peaks_near(C: Blocks, grid: Floats, row: Integers, k: Integers) -> tuple[Floats, Floats]:
    """Return the signed values and angles of the peaks next to the grid points k of some rows.

    C (n, F) are the polynomials, `grid` (n, M) holds their values at the angles ``2 pi k / M``.
    """
    size = grid.shape[1]
    factors = taylor_factors(2 * np.pi / size * np.arange(C.shape[1]), ORDER)
    sign = np.sign(grid[row, k])
    value, place = np.empty(len(row)), np.empty(len(row))
    fill_peaks(split(C), row, k, sign, size, factors, value, place)
    return sign * value, np.mod(place, size) * (2 * np.pi / size)


@allocating
def fill_peaks(C, row, k, sign, size, factors, value, place):  # type: ignore[no-untyped-def]
    """Fill value and place (in grid cells) with the peaks of ``sign p`` within a cell of k."""
    n_blocks = C.shape[2]
    real, imag, a = np.empty(n_blocks), np.empty(n_blocks), np.empty(factors.shape[0])
    for i in range(len(row)):
        turn(C[row[i]], 2.0 * np.pi * k[i] / size, real, imag)
        eight_terms(factors, FIRST, real, imag, a)
        eight_terms(factors, LAST, real, imag, a)
        value[i], x = climb(a, sign[i], -1.0, 1.0)
        place[i] = k[i] + x
