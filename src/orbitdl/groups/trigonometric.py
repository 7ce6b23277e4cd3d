"""Exact extrema of real trigonometric polynomials ``p(theta) = Re sum_f C_f exp(i f theta)``.

If ``|p|`` of degree deg takes its maximum V at theta*, then ``|p(theta)| >= V cos(deg (theta -
theta*))`` within pi/deg of it. On a grid of M points the nearest one therefore has ``|p| >= V
cos(pi deg / M)``: only grid values of at least ``cos(pi deg / M)`` times the largest can belong to
the maximum. Around each of them p is a Taylor polynomial: derivatives of order k are at most
``deg^k V`` (Bernstein), so with ORDER terms and M = 16 deg the remainder is below 1e-13 V. Its
maxima are found by Newton's method in the pieces where its slope changes sign.
"""

from __future__ import annotations

import numpy as np
from scipy.special import factorial

from orbitdl.compiled import fast, internal
from orbitdl.groups.base import Blocks, Floats

ORDER = 12
"""Taylor coefficients around a grid point."""
PIECES = 16
"""Pieces of the two grid cells around a peak in which the slope's sign is watched."""


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
            real[f], imag[f] = x * turn_re - y * turn_im, x * turn_im + y * turn_re
    for f in range(n):
        x, y = real[f], imag[f]
        real[f], imag[f] = C[0, f] * x - C[1, f] * y, C[0, f] * y + C[1, f] * x
    for p in range(0, out.shape[0], 4):
        a0, a1, a2, a3 = 0.0, 0.0, 0.0, 0.0
        for f in range(n):
            x, y = real[f], imag[f]
            a0 += factors[p, f] * x
            a1 += factors[p + 1, f] * y
            a2 += factors[p + 2, f] * x
            a3 += factors[p + 3, f] * y
        out[p], out[p + 1], out[p + 2], out[p + 3] = a0, a1, a2, a3


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
    """Return the maximum of ``sign * p`` within one grid cell on either side, and its place."""
    best, top, rising = -np.inf, 0.0, False
    for k in range(PIECES + 1):
        x = 2.0 * k / PIECES - 1.0
        value, slope, _ = taylor_at(a, x)
        if sign * value > best:
            best, top = sign * value, x
        if rising and sign * slope <= 0.0:
            value, place = climb(a, sign, x - 2.0 / PIECES, x)
            if value > best:
                best, top = value, place
        rising = sign * slope > 0.0
    return best, top


@fast
def largest_peaks(C, grid, needed, factors, value, place):  # type: ignore[no-untyped-def]
    """Fill value and place (in grid cells) with the signed maximum of ``|p|`` of every row.

    Grid values below the fraction `needed` of the largest cannot belong to the maximum.
    """
    size, n_blocks = grid.shape[1], C.shape[2]
    real, imag, a = np.empty(n_blocks), np.empty(n_blocks), np.empty(factors.shape[0])
    for i in range(C.shape[0]):
        height, top = 0.0, 0
        for k in range(size):
            if abs(grid[i, k]) > height:
                height, top = abs(grid[i, k]), k
        best, value[i], place[i] = height, grid[i, top], top
        for k in range(size):
            here = abs(grid[i, k])
            if here < needed * best:
                continue
            sign = 1.0 if grid[i, k] > 0.0 else -1.0
            after = grid[i, k + 1 - size * (k + 1 == size)]
            if here < sign * grid[i, k - 1] or here <= sign * after:
                continue
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
    needed = max(np.cos(np.pi * (C.shape[1] - 1) / size), 0.0)
    largest_peaks(split(C), grid, needed, factors, value, place)
    return value, np.mod(place, size) * (2 * np.pi / size)
