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
from orbitdl.groups.maxima.grids import BLOCK, lowest_fraction
from orbitdl.groups.maxima.polynomials import (
    FIRST,
    LAST,
    apply_phases,
    bound_of_peaks,
    curvature_remainder,
    eight_terms,
    largest_peak,
    only_peak,
    taylor_factors,
)
from orbitdl.kernels import fast, internal, internal_finite

ORDER = 16
"""Taylor coefficients around a grid point."""
TAIL = 256.0 * 40320.0
"""``2^8 8!``: the remainder of 8 terms within half a cell is at most the 8th derivative over it."""
STEEP = 645120.0 / 20.0
"""The slope of 8 terms has an error of at most the 8th derivative over ``2^7 7! = 645120``. With a
second derivative 20 times this error, the position of a maximum is exact to 0.1 cells (with a
margin of 2)."""


@internal
def may_exceed(p, k, fifth, best, error):  # type: ignore[no-untyped-def]
    """Return whether a maximum of at least `best` may lie within half a cell of grid point k.

    Stirling's interpolation through five points bounds ``|p|``: the vertex of a parabola, bounds of
    the cubic and the quartic term, and ``x (1 - x^2) (4 - x^2) / 120`` times the bound `fifth` on
    ``|p^(5)|``. Four of the points give the slope at either end of the cell up to
    ``3/640 |p^(5)|``, and p' is within ``1/8 |p^(3)|`` of linear in between: if its sign is
    certain to be constant, there is no maximum. `error` bounds the rounding of grid values.
    """
    # |x (1 - x^2)| / 6 <= 0.0625, x^2 (1 - x^2) / 24 <= 0.0079 and the factor of the fifth
    # derivative <= 0.0118 for |x| <= 1/2. Weights of grid values add up to less than 2, and in the
    # slopes to less than 5. p^(3) is within half of `fourth` and a quarter of `fifth` of `third`:
    # 1/32 + 3/640 of `fifth` would suffice, 0.083 is a safe bound.
    size = p.shape[0]
    sign = 1.0 if p[k] > 0.0 else -1.0
    here, left, right = sign * p[k], sign * p[k - 1], sign * p[(k + 1) % size]
    before, after = sign * p[k - 2], sign * p[(k + 2) % size]
    slope, curvature = 0.5 * abs(right - left), left - 2.0 * here + right
    rise = (
        0.5 * slope * slope / -curvature
        if slope < -0.5 * curvature
        else 0.5 * slope + 0.125 * curvature
    )
    third = 0.5 * abs(after - before - 2.0 * (right - left))
    fourth = abs(before + after - 4.0 * (left + right) + 6.0 * here)
    if here + rise + 0.0625 * third + 0.0079 * fourth + 0.0118 * fifth + 2.0 * error < best:
        return False
    start = (27.0 * (here - left) - (right - before)) / 24.0
    end = (27.0 * (right - here) - (after - left)) / 24.0
    doubt = 0.125 * third + 0.0625 * fourth + 0.083 * fifth + 5.0 * error
    return min(start, end) <= doubt and max(start, end) >= -doubt


@internal_finite
def largest_of_blocks(grid, tops):  # type: ignore[no-untyped-def]
    """Fill `tops` with the largest absolute value of every block; return the largest, and where."""
    flat = grid.reshape(-1)
    height, at = np.float32(0.0), 0
    for s in range(tops.shape[0]):
        top = np.float32(0.0)
        for m in range(s * BLOCK, s * BLOCK + BLOCK):
            top = max(top, abs(flat[m]))
        tops[s] = top
        if top > height:
            height, at = top, s
    return height, at


@internal
def load_polynomial(C, scale, factors, parts):  # type: ignore[no-untyped-def]
    """Copy one scaled polynomial into parts (2, F'); bound its 5th and 8th derivatives."""
    fifth, eighth = 0.0, 0.0
    for f in range(C.shape[0]):
        x, y = scale * C[f].real, scale * C[f].imag
        parts[0, f], parts[1, f] = x, y
        size = np.sqrt(x * x + y * y)
        fifth += 120.0 * abs(factors[5, f]) * size
        eighth += 40320.0 * abs(factors[8, f]) * size
    return fifth, eighth


@internal
def largest_in_cell(parts, angle, sign, best, eighth, factors, work):  # type: ignore[no-untyped-def]
    """Return ``sign * p`` at an angle, or at the largest maximum in its cell if above `best`.

    Also the distance from the angle, in cells. Eight terms of the Taylor polynomial decide whether
    the maximum can exceed `best`; all terms determine it.
    """
    order, width = factors.shape
    real, imag, a = work[0, :width], work[1, :width], work[2, :order]
    apply_phases(parts, angle, real, imag)
    eight_terms(factors, FIRST, real, imag, a)
    value, position = sign * a[0], 0.0
    rest = curvature_remainder(a, eighth)
    # concave: at most one maximum, whose position eight terms give up to 0.1 cells
    concave = -2.0 * sign * a[2] > rest + eighth / STEEP
    if concave:
        bound = only_peak(a[:8], sign)[0]
    else:
        bound = bound_of_peaks(a, sign, 2.0 * abs(a[2]) + rest)
    if bound + eighth / TAIL > max(best, value):
        eight_terms(factors, LAST, real, imag, a)
        found, x = only_peak(a, sign) if concave else largest_peak(a, sign)
        if found > value:
            value, position = found, x
    return value, position


@fast
def find_largest(C, grid, scale, needed, error, factors, workspace, value, position):  # type: ignore[no-untyped-def]
    """Fill value and position (in grid cells) with the signed maximum of ``|p|`` over q rows.

    C holds polynomials (n, q, F), grid their scaled values (n, q, M) up to `error`. The grid point
    nearest to the maximum has at least the fraction `needed` of it.
    """
    size, (parts, work, tops) = grid.shape[2], workspace
    for i in range(grid.shape[0]):
        height, at = largest_of_blocks(grid[i], tops)
        best, taken, fifth, eighth = height - error, -1, 0.0, 0.0
        value[i], position[i] = 0.0, 0.0
        if height == 0.0:
            continue
        for t in range(tops.shape[0]):  # the largest first
            s = (at + t) % tops.shape[0]
            if tops[s] < needed * best - error:
                continue
            j, start = s * BLOCK // size, s * BLOCK % size
            p = grid[i, j]
            if taken != j:
                fifth, eighth = load_polynomial(C[i, j], scale[i], factors, parts)
                taken = j
            for k in range(start, start + BLOCK):
                if abs(p[k]) < needed * best - error:
                    continue
                if may_exceed(p, k, fifth, best, error):
                    sign, angle = 1.0 if p[k] > 0.0 else -1.0, 2.0 * np.pi * k / size
                    found, x = largest_in_cell(parts, angle, sign, best, eighth, factors, work)
                    if found >= best:
                        best, value[i], position[i] = found, sign * found / scale[i], k + x


ROUNDING = 1e-6
"""Rounding error of a grid value per doubling of the grid: 16 units of single precision, where an
FFT loses one or two."""
ROWS = 256
"""Polynomials evaluated on a grid at a time."""


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
