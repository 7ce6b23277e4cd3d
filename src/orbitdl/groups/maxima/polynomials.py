"""Real trigonometric polynomials ``p(theta) = Re sum_f C_f exp(i f theta)`` near one angle.

Their phases ``exp(i f angle)`` are computed by products instead of cosines, their Taylor
polynomials ``p(x) = sum_k a_k x^k`` are maximised within one grid cell, |x| <= 1/2, and
coefficients C_f may be matrices (`MatrixPolynomials`).
"""

from __future__ import annotations

from functools import cache

import numpy as np
from scipy.special import factorial

from orbitdl.arrays.blocks import Blocks, Floats, Integers
from orbitdl.kernels import allocating, internal

FIRST, LAST = np.int64(0), np.int64(8)
"""First index of either half of sixteen terms; typed, as each literal would compile a kernel."""
SUBINTERVALS = 8
"""Subintervals of a grid cell on which the sign of the slope is tested."""
WIDER = 1.02
"""Width of the tested interval, in cells. Above 1, so that a maximum on the border of two cells is
found in one of them despite rounding errors."""
NEIGHBOUR = 0.6
"""Distance, in cells, beyond which a maximum belongs to the neighbouring cell. Above 1/2: eight
terms of the Taylor polynomial locate it up to an error below 0.1."""
EXACT = 1e-12
"""Tolerance of positions, in cells: the value is then exact to machine precision."""
CLOSE = 1e-9
"""The same for Newton steps, which converge quadratically: the next one would be its square."""


@internal
def fill_phases(angle, real, imag):  # type: ignore[no-untyped-def]
    """Fill real and imag (F,), F a multiple of 8, with the parts of ``exp(i f angle)``.

    Eight phases are made one after the other, and all later ones from those 8 before by one
    product each, which the compiler vectorises.
    """
    one_re, one_im = np.cos(angle), np.sin(angle)
    step_re, step_im = 1.0, 0.0
    for f in range(8):
        real[f], imag[f] = step_re, step_im
        step_re, step_im = step_re * one_re - step_im * one_im, step_re * one_im + step_im * one_re
    for start in range(8, real.shape[0], 8):
        for f in range(start, start + 8):
            x, y = real[f - 8], imag[f - 8]
            real[f] = x * step_re - y * step_im
            imag[f] = x * step_im + y * step_re


def as_real_imag(C: Blocks) -> Floats:
    """Return C (..., F) as real and imaginary parts (..., 2, F'), F' a multiple of 8."""
    n_blocks = C.shape[-1]
    parts = np.zeros((*C.shape[:-1], 2, -(-n_blocks // 8) * 8))
    parts[..., 0, :n_blocks], parts[..., 1, :n_blocks] = C.real, C.imag
    return parts


def taylor_factors(omega: Floats, order: int) -> Floats:
    """Return the factors ``+- omega_f^p / p!`` of `eight_terms`, shape (order, F')."""
    factors = np.zeros((order, -(-len(omega) // 8) * 8))
    factors[:, : len(omega)] = omega ** np.arange(order)[:, None] / signed_factorials(order)
    return factors


@cache
def signed_factorials(order: int) -> Floats:
    """Return ``+- p!`` for all p below the order, shape (order, 1)."""
    p = np.arange(order)[:, None]
    return np.asarray(np.array([1.0, -1.0, -1.0, 1.0])[p % 4] * factorial(p))


@internal
def apply_phases(C, angle, real, imag):  # type: ignore[no-untyped-def]
    """Fill real and imag (F',) with the parts of ``C_f exp(i f angle)``; C holds parts (2, F')."""
    fill_phases(angle, real, imag)
    for f in range(C.shape[1]):
        x, y = real[f], imag[f]
        real[f] = C[0, f] * x - C[1, f] * y
        imag[f] = C[0, f] * y + C[1, f] * x


@internal
def eight_terms(factors, p, real, imag, out):  # type: ignore[no-untyped-def]
    """Fill ``out[p : p + 8]`` with Taylor coefficients of a polynomial with phases applied."""
    a0, a1, a2, a3, a4, a5, a6, a7 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for f in range(real.shape[0]):
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
def expand(C, factors, angle, real, imag, out):  # type: ignore[no-untyped-def]
    """Fill `out` with 8 Taylor coefficients of ``Re sum_f C_f exp(i f theta)`` at an angle.

    C holds real and imaginary parts (2, F'); the unit of distance is that of `factors`; real and
    imag are workspace of length F'.
    """
    apply_phases(C, angle, real, imag)
    eight_terms(factors, FIRST, real, imag, out)


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
    curvature = (((42 * a[7] * x + 30 * a[6]) * x + 20 * a[5]) * x + 12 * a[4]) * x + 6 * a[3]
    return value + a[0], (slope + 2 * a[2]) * x + a[1], curvature * x + 2 * a[2]


class MatrixPolynomials:
    """Functions X with coefficients C (n, F, d, d), stored for fast evaluation."""

    def __init__(self, C: Blocks) -> None:
        self._shape = C.shape[-2:]
        self._parts = as_real_imag(np.moveaxis(C, -3, -1).reshape(len(C), -1, C.shape[-3]))

    def at(self, row: Integers, theta: Floats) -> Floats:
        """Return X at angles (k,) of the functions `row` (k,), shape (k, d, d)."""
        value = np.empty((len(row), self._parts.shape[1]))
        fill_values(self._parts, row, theta, value)
        return value.reshape(len(row), *self._shape)

    def with_slopes(self, row: Integers, theta: Floats) -> tuple[Floats, Floats]:
        """Return X and its derivative X', shape (k, d, d) each."""
        value, slope = np.empty((2, len(row), self._parts.shape[1]))
        fill_values_and_slopes(self._parts, row, theta, value, slope)
        shape = (len(row), *self._shape)
        return value.reshape(shape), slope.reshape(shape)


@allocating
def fill_values(C, row, theta, value):  # type: ignore[no-untyped-def]
    """Fill value (k, e) with ``Re sum_f C_f exp(i f theta)``; C holds parts (n, e, 2, F')."""
    _, n_entries, _, width = C.shape
    real, imag = np.empty(width), np.empty(width)
    for k in range(row.shape[0]):
        fill_phases(theta[k], real, imag)
        for e in range(n_entries):
            own, total = C[row[k], e], 0.0
            for f in range(width):
                total += own[0, f] * real[f] - own[1, f] * imag[f]
            value[k, e] = total


@allocating
def fill_values_and_slopes(C, row, theta, value, slope):  # type: ignore[no-untyped-def]
    """Fill value and slope (k, e): the same and its derivative."""
    _, n_entries, _, width = C.shape
    real, imag = np.empty(width), np.empty(width)
    for k in range(row.shape[0]):
        fill_phases(theta[k], real, imag)
        for e in range(n_entries):
            own, total, rise = C[row[k], e], 0.0, 0.0
            for f in range(width):
                x, y = own[0, f], own[1, f]
                total += x * real[f] - y * imag[f]
                rise -= f * (x * imag[f] + y * real[f])
            value[k, e], slope[k, e] = total, rise


@internal
def maximise_in_bracket(a, sign, low, high):  # type: ignore[no-untyped-def]
    """Maximise ``sign * p`` on a bracket [low, high] by safeguarded Newton steps."""
    x, best, top = 0.5 * (low + high), -np.inf, 0.0
    for _ in range(60):  # bisection alone needs 41
        value, slope, curvature = taylor_at(a, x)
        if sign * value > best:
            best, top = sign * value, x
        if sign * slope > 0.0:
            low = x
        else:
            high = x
        step = -slope / curvature if sign * curvature < 0.0 else np.inf
        if abs(step) < EXACT or high - low < EXACT:
            break
        x = x + step if low < x + step < high else 0.5 * (low + high)
    return best, top


@internal
def largest_peak(a, sign):  # type: ignore[no-untyped-def]
    """Return the largest local maximum of ``sign * p`` in a cell, and its position.

    Minus infinity if the slope does not change sign.
    """
    best, top, rising = -np.inf, 0.0, False
    for k in range(SUBINTERVALS + 1):
        x = WIDER * (k / SUBINTERVALS - 0.5)
        falling = sign * taylor_at(a, x)[1] <= 0.0
        if rising and falling:
            value, position = maximise_in_bracket(a, sign, x - WIDER / SUBINTERVALS, x)
            if value > best:
                best, top = value, position
        rising = not falling
    return best, top


@internal
def curvature_remainder(a, eighth):  # type: ignore[no-untyped-def]
    """Bound ``|p''(x) - p''(0)|`` in a cell.

    ``p'' = 2 a_2 + sum_k k (k - 1) a_k x^(k - 2)`` with |x| <= 1/2; `eighth` bounds ``|p^(8)|``,
    and ``x^6 / 6!`` times it the truncated terms.
    """
    low = 3.0 * abs(a[3]) + 3.0 * abs(a[4]) + 2.5 * abs(a[5])
    return low + 1.875 * abs(a[6]) + 1.3125 * abs(a[7]) + eighth / 46080.0


@internal
def bound_of_peaks(a, sign, curvature):  # type: ignore[no-untyped-def]
    """Bound the maxima of 8 terms of ``sign * p`` in a cell, if ``|p''| <= curvature``.

    A maximum exceeds the nearest of samples at distance h by at most ``curvature h^2 / 8``.
    """
    top = -np.inf
    for k in range(SUBINTERVALS + 1):
        top = max(top, sign * horner(a, k / SUBINTERVALS - 0.5)[0])
    return top + curvature / (8.0 * SUBINTERVALS * SUBINTERVALS)


@internal
def only_peak(a, sign):  # type: ignore[no-untyped-def]
    """Return the maximum of a concave ``sign * p`` and its position, by Newton's method.

    Minus infinity if it belongs to a neighbouring cell.
    """
    x = -0.5 * a[1] / a[2]
    for _ in range(30):  # about five, unless rounding errors dominate the steps
        x = min(max(x, -NEIGHBOUR), NEIGHBOUR)
        value, slope, curvature = taylor_at(a, x)
        step = -slope / curvature if sign * curvature < 0.0 else np.inf
        if abs(step) < CLOSE:
            return sign * value, x
        if abs(x) == NEIGHBOUR and x * step > 0.0:
            break
        x += step
    return -np.inf, 0.0
