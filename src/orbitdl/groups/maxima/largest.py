"""Global maxima of trigonometric polynomials ``p(theta) = Re sum_f C_f exp(i f theta)``.

If ``|p|`` of degree deg has its maximum V at theta*, then
``|p(theta)| >= V cos(deg (theta - theta*))`` within pi/deg of theta*. On a grid of M points the
nearest one therefore has ``|p| >= V cos(pi deg / M)``: only such grid points are candidates. Within
half a cell of a candidate, its neighbours and a bound on derivatives bound p
(`near_grid.may_exceed`). If this does not exclude V, p is expanded into a Taylor polynomial, whose
maxima are found by Newton's method on intervals where the slope changes sign. Derivatives of order
k are at most ``deg^k V`` (Bernstein), so with ORDER terms and M = 4 deg the remainder is below
1e-15 V.

The grid only excludes candidates, so single precision suffices: polynomials are scaled such that
``sum_f |C_f| <= 1``, and the bounds include rounding errors.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from scipy import fft

from orbitdl.arrays.blocks import Blocks, Floats, correlate, pairs
from orbitdl.groups.maxima.grid_kernels import BLOCK, ORDER, find_largest
from orbitdl.groups.maxima.polynomials import taylor_factors
from orbitdl.kernels import fast

ROUNDING = 1e-6
"""Rounding error of a grid value per doubling of the grid: 16 units of single precision, where an
FFT loses one or two."""
ROWS = 256
"""Polynomials evaluated on a grid at a time."""


def grid_size(cells: int, fineness: float) -> int:
    """Return a size of grids that is fast for the FFT, at least `fineness` points per cell."""
    return BLOCK * int(fft.next_fast_len(int(np.ceil(fineness * cells / BLOCK)), real=True))


def lowest_fraction(n_blocks: int, size: int) -> float:
    """Return ``cos(pi deg / M)``, the fraction of a maximum that a grid of M points attains."""
    return max(float(np.cos(np.pi * (n_blocks - 1) / size)), 0.0)


@fast
def scale_down(C, spectrum, scale):  # type: ignore[no-untyped-def]
    """Fill scale (n,), at most ``1 / sum_f |C_f|``, and the scaled one-sided spectra (n, q, F).

    Complex numbers are pairs, the last axis of C and of the spectra.
    """
    n, q, n_blocks, _ = C.shape
    for i in range(n):
        largest = 0.0
        for j in range(q):
            total = 0.0
            for f in range(n_blocks):
                total += abs(C[i, j, f, 0]) + abs(C[i, j, f, 1])
            largest = max(largest, total)
        scale[i] = 1.0 / max(largest, 1e-300)  # finite for C = 0
        for j in range(q):
            for f in range(n_blocks):
                half = scale[i] if f == 0 else 0.5 * scale[i]
                spectrum[i, j, f, 0] = half * C[i, j, f, 0]
                spectrum[i, j, f, 1] = half * C[i, j, f, 1]


@lru_cache(maxsize=16)
def factors_on(size: int, n_blocks: int) -> Floats:
    """Return the factors of Taylor coefficients in units of grid cells."""
    return taylor_factors(np.arange(n_blocks, dtype=np.float64) * (2 * np.pi / size), ORDER)


class MaximumSearch:
    """MaximumSearch for maxima of polynomials of one shape, with its workspace.

    Parameters
    ----------
    n, q, n_blocks, size : int
        Rows, polynomials per row, frequencies, and grid points.
    """

    def __init__(self, n: int, q: int, n_blocks: int, size: int) -> None:
        self.n_blocks, self.size, self.factors = n_blocks, size, factors_on(size, n_blocks)
        self.needed, self.error = lowest_fraction(n_blocks, size), ROUNDING * np.log2(size)
        self.rows = max(min(ROWS // q, n), 1)
        self.spectrum = np.zeros((self.rows, q, size // 2 + 1), np.complex64)
        width = self.factors.shape[1]
        tops = np.zeros(q * (size // BLOCK), np.float32)
        self.workspace = np.zeros((2, width)), np.zeros((3, max(width, ORDER))), tops

    def __call__(self, C: Blocks) -> tuple[Floats, Floats]:
        """Return the signed maximum (n,) of ``|p|`` over C (n, q, F) and its angle; n <= `rows`."""
        spectra, (value, position, scale) = self.spectrum[: len(C)], np.empty((3, len(C)))
        scale_down(pairs(C), pairs(spectra), scale)
        grid = fft.irfft(spectra, n=self.size, axis=-1, norm="forward")
        bounds = self.needed, self.error
        find_largest(C, grid, scale, *bounds, self.factors, self.workspace, value, position)
        return value, np.mod(position, self.size) * (2 * np.pi / self.size)


def find_largest_values(C: Blocks, size: int) -> tuple[Floats, Floats]:
    """Return the signed maximum (n,) of ``|p|`` over q polynomials C (n, q, F), and its angle."""
    n, q, n_blocks = C.shape
    search, (value, angle) = MaximumSearch(n, q, n_blocks, size), np.empty((2, n))
    for k in range(0, n, search.rows):
        rows = slice(k, k + search.rows)
        value[rows], angle[rows] = search(C[rows])
    return value, angle


def largest_product_of(Y: Blocks, A: Blocks, size: int) -> Floats:
    """Return ``max |p|`` over the polynomials ``C_ij = Y_i A_j^H``, (n,).

    Y has shape (n, F, 1, m) and A (q, F, 1, m). C is computed for a few rows at a time, which fit
    into the cache.
    """
    search, largest = MaximumSearch(len(Y), len(A), A.shape[1], size), np.empty(len(Y))
    for k in range(0, len(Y), search.rows):
        C = np.ascontiguousarray(correlate(Y[k : k + search.rows], A)[..., 0, 0])
        largest[k : k + len(C)] = np.abs(search(C)[0])
    return largest
