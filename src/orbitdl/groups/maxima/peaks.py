"""All local maxima of ``|p|``, from the grid points next to them."""

from __future__ import annotations

import numpy as np

from orbitdl.arrays.blocks import Blocks, Floats, Integers
from orbitdl.groups.maxima.cell import maximise_in_bracket
from orbitdl.groups.maxima.polynomials import (
    FIRST,
    LAST,
    apply_phases,
    as_real_imag,
    eight_terms,
    taylor_factors,
)
from orbitdl.kernels import allocating

ORDER = 16
"""Taylor coefficients around a grid point: two blocks of 8."""


def peaks_near(C: Blocks, grid: Floats, row: Integers, k: Integers) -> tuple[Floats, Floats]:
    """Return the signed values and angles of the local maxima next to grid points k of rows.

    C (n, F) are the polynomials, `grid` (n, M) their values at the angles ``2 pi k / M``.
    """
    size = grid.shape[1]
    factors = taylor_factors(2 * np.pi / size * np.arange(C.shape[1]), ORDER)
    sign = np.sign(grid[row, k])
    value, position = np.empty(len(row)), np.empty(len(row))
    fill_peaks(as_real_imag(C), row, k, sign, size, factors, value, position)
    return sign * value, np.mod(position, size) * (2 * np.pi / size)


@allocating
def fill_peaks(C, row, k, sign, size, factors, value, position):  # type: ignore[no-untyped-def]
    """Fill value and position (in grid cells) of the maxima of ``sign p`` within a cell of k."""
    n_blocks = C.shape[2]
    real, imag, a = np.empty(n_blocks), np.empty(n_blocks), np.empty(factors.shape[0])
    for i in range(len(row)):
        apply_phases(C[row[i]], 2.0 * np.pi * k[i] / size, real, imag)
        eight_terms(factors, FIRST, real, imag, a)
        eight_terms(factors, LAST, real, imag, a)
        value[i], x = maximise_in_bracket(a, sign[i], -1.0, 1.0)
        position[i] = k[i] + x
