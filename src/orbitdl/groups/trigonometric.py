"""Exact extrema of real trigonometric polynomials ``p(theta) = Re sum_f C_f exp(i f theta)``.

If ``|p|`` of degree deg takes its maximum V at theta*, then ``|p(theta)| >= V cos(deg (theta -
theta*))`` within pi/deg of it. On a grid of M points the nearest one therefore has ``|p| >= V
cos(pi deg / M)``: the maximum lies within half a cell of a grid point whose value is at least
``cos(pi deg / M)`` times the largest, and whose cell p does not cross strictly rising or falling
(differences of grid values show that, up to a bound on derivatives). There p is a Taylor
polynomial: derivatives of order k are at most ``deg^k V`` (Bernstein), so with ORDER terms and
M = 8 deg the remainder is below 1e-15 V. Its maxima are found by Newton's method where its slope
changes sign.
"""

from __future__ import annotations

import numpy as np
from scipy.special import factorial

from orbitdl.compiled import fast, internal
from orbitdl.groups.base import Blocks, Floats, Integers

ORDER = 16
"""Taylor coefficients around a grid point: a multiple of 8."""
PIECES = 8
"""Pieces of a grid cell in which the slope's sign is watched."""


def lowest_fraction(n_blocks: int, size: int) -> float:
    """Return ``cos(pi deg / M)``: what a grid of M points shows at least of a maximum."""
    return max(float(np.cos(np.pi * (n_blocks - 1) / size)), 0.0)


def split(C: Blocks) -> Floats:
    """Return C (..., F) as real and imaginary parts (..., 2, F'), F' a multiple of 8."""
    n_blocks = C.shape[-1]
    parts = np.zeros((*C.shape[:-1], 2, -(-n_blocks // 8) * 8))
    parts[..., 0, :n_blocks], parts[..., 1, :n_blocks] = C.real, C.imag
    return parts


def taylor_factors(omega: Floats, order: int) -> Floats:
    """Return the factors ``+- omega_f^p / p!`` of `expand`, shape (order, F')."""
    p = np.arange(order)[:, None]
    sign = np.array([1.0, -1.0, -1.0, 1.0])[p % 4]
    return np.pad(sign * omega**p / factorial(p), ((0, 0), (0, -len(omega) % 8)))


@internal
def expand(C, factors, angle, real, imag, out):  # type: ignore[no-untyped-def]
    """Fill `out` with the Taylor coefficients of ``Re sum_f C_f exp(i f theta)`` at an angle.

    C holds real and imaginary parts (2, F'); the unit of distance is that of `factors`; real and
    imag are scratch space of length F'.
    """
    n = C.shape[1]
    one_re, one_im = np.cos(angle), np.sin(angle)
    turn_re, turn_im = 1.0, 0.0
    for f in range(8):
        real[f], imag[f] = turn_re, turn_im
        turn_re, turn_im = turn_re * one_re - turn_im * one_im, turn_re * one_im + turn_im * one_re
    for start in range(8, n, 8):
        for f in range(start, start + 8):
            x, y = real[f - 8], imag[f - 8]
            real[f] = x * turn_re - y * turn_im
            imag[f] = x * turn_im + y * turn_re
    for f in range(n):
        x, y = real[f], imag[f]
        real[f] = C[0, f] * x - C[1, f] * y
        imag[f] = C[0, f] * y + C[1, f] * x
    for p in range(0, out.shape[0], 8):  # eight sums in one pass
        a0, a1, a2, a3, a4, a5, a6, a7 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for f in range(n):
            x, y = real[f], imag[f]
            a0 += factors[p, f] * x
            a1 += factors[p + 1, f] * y
            a2 += factors[p + 2, f] * x
            a3 += factors[p + 3, f] * y
            a4 += factors[p + 4, f] * x
            a5 += factors[p + 5, f] * y
            a6 += factors[p + 6, f] * x
            a7 += factors[p + 7, f] * y
        out[p], out[p + 1], out[p + 2], out[p + 3] = a0, a1, a2, a3
        out[p + 4], out[p + 5], out[p + 6], out[p + 7] = a4, a5, a6, a7


@internal
def taylor_at(a, dx):  # type: ignore[no-untyped-def]
    """Return value, slope and second derivative of a Taylor polynomial at distance dx."""
    last = a.shape[0] - 1
    g, g1, g2 = a[last], last * a[last], last * (last - 1) * a[last]
    for p in range(last - 1, 1, -1):
        g = g * dx + a[p]
        g1 = g1 * dx + p * a[p]
        g2 = g2 * dx + p * (p - 1) * a[p]
    return (g * dx + a[1]) * dx + a[0], g1 * dx + a[1], g2


@internal
def horner(a, x):  # type: ignore[no-untyped-def]
    """Return value, slope and second derivative at x of the first 8 terms of a polynomial."""
    value = ((((((a[7] * x + a[6]) * x + a[5]) * x + a[4]) * x + a[3]) * x + a[2]) * x + a[1]) * x
    slope = ((((7 * a[7] * x + 6 * a[6]) * x + 5 * a[5]) * x + 4 * a[4]) * x + 3 * a[3]) * x
    bend = (((42 * a[7] * x + 30 * a[6]) * x + 20 * a[5]) * x + 12 * a[4]) * x + 6 * a[3]
    return value + a[0], (slope + 2 * a[2]) * x + a[1], bend * x + 2 * a[2]


@internal
def climb(a, sign, low, high):  # type: ignore[no-untyped-def]
    """Maximise ``sign * p`` between a rising and a falling point: Newton kept by bisection."""
    x, best, top = 0.5 * (low + high), -np.inf, 0.0
    for _ in range(60):
        value, slope, bend = taylor_at(a, x)
        if sign * value > best:
            best, top = sign * value, x
        if sign * slope > 0.0:
            low = x
        else:
            high = x
        step = -slope / bend if sign * bend < 0.0 else np.inf
        if abs(step) < 1e-12 or high - low < 1e-12:
            break
        x = x + step if low < x + step < high else 0.5 * (low + high)
    return best, top


@internal
def highest_nearby(a, sign):  # type: ignore[no-untyped-def]
    """Return the highest maximum of ``sign * p`` within half a cell on either side, and its place.

    Eight terms show where the slope changes sign; all of them find the maximum there. Without a
    change there is none, and minus infinity is returned.
    """
    best, top, rising = -np.inf, 0.0, False
    for k in range(PIECES + 1):
        x = k / PIECES - 0.5
        falling = sign * horner(a, x)[1] <= 0.0
        if rising and falling:
            value, place = climb(a, sign, x - 1.0 / PIECES, x)
            if value > best:
                best, top = value, place
        rising = not falling
    return best, top


@internal
def is_monotone(p, k, error):  # type: ignore[no-untyped-def]
    """Tell whether p surely rises, or falls, all the way across the cell around grid point k.

    Four neighbours give the slope at an end of the cell up to ``3/640 |p^(5)|``; in between, p'
    is within ``1/8 |p^(3)|`` of linear. `error` bounds the sum (distances in grid cells).
    """
    size = p.shape[0]
    here, left, right = p[k], p[k - 1], p[(k + 1) % size]
    start = (27.0 * (here - left) - (right - p[k - 2])) / 24.0
    end = (27.0 * (right - here) - (p[(k + 2) % size] - left)) / 24.0
    return min(start, end) > error or max(start, end) < -error


@fast
def largest_peaks(C, grid, needed, factors, value, place):  # type: ignore[no-untyped-def]
    """Fill value and place (in grid cells) with the signed maximum of ``|p|`` of every row.

    Grid values below the fraction `needed` of the largest cannot belong to the maximum.
    """
    size, n_blocks = grid.shape[1], C.shape[2]
    real, imag, a = np.empty(n_blocks), np.empty(n_blocks), np.empty(factors.shape[0])
    for i in range(C.shape[0]):
        p, height, top, error = grid[i], 0.0, 0, 0.0
        for f in range(n_blocks):  # the k-th derivative is at most sum_f f^k |C_f|
            bound = 6.0 / 8.0 * abs(factors[3, f]) + 120.0 * 3.0 / 640.0 * abs(factors[5, f])
            error += bound * np.sqrt(C[i, 0, f] ** 2 + C[i, 1, f] ** 2)
        for k in range(size):
            if abs(p[k]) > height:
                height, top = abs(p[k]), k
        best, value[i], place[i] = height, p[top], top
        for k in range(size):
            if abs(p[k]) < needed * best:
                continue
            if is_monotone(p, k, error):
                continue
            sign = 1.0 if p[k] > 0.0 else -1.0
            expand(C[i], factors, 2.0 * np.pi * k / size, real, imag, a)
            found, x = highest_nearby(a, sign)
            if found > best:
                best, value[i], place[i] = found, sign * found, k + x


def maximise(C: Blocks, grid: Floats) -> tuple[Floats, Floats]:
    """Return the signed extreme values (n,) and angles (n,) of n polynomials C (n, F).

    `grid` (n, M) holds their values at the angles ``2 pi k / M``.
    """
    size = grid.shape[1]
    factors = taylor_factors(2 * np.pi / size * np.arange(C.shape[1]), ORDER)
    value, place = np.empty(len(C)), np.empty(len(C))
    needed = lowest_fraction(C.shape[1], size)
    largest_peaks(split(C), grid, needed, factors, value, place)
    return value, np.mod(place, size) * (2 * np.pi / size)


def climb_from(C: Blocks, grid: Floats, row: Integers, k: Integers) -> tuple[Floats, Floats]:
    """Return the signed local extreme values and angles next to the grid points k of some rows."""
    size = grid.shape[1]
    factors = taylor_factors(2 * np.pi / size * np.arange(C.shape[1]), ORDER)
    sign = np.sign(grid[row, k])
    value, place = np.empty(len(row)), np.empty(len(row))
    nearby_peaks(split(C), row, k, sign, size, factors, value, place)
    return sign * value, np.mod(place, size) * (2 * np.pi / size)


@fast
def nearby_peaks(C, row, k, sign, size, factors, value, place):  # type: ignore[no-untyped-def]
    """Fill value and place (in grid cells) with the maxima of ``sign p`` within a cell of k."""
    n_blocks = C.shape[2]
    real, imag, a = np.empty(n_blocks), np.empty(n_blocks), np.empty(factors.shape[0])
    for i in range(len(row)):
        expand(C[row[i]], factors, 2.0 * np.pi * k[i] / size, real, imag, a)
        value[i], x = climb(a, sign[i], -1.0, 1.0)
        place[i] = k[i] + x
