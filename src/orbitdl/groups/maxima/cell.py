"""Maxima of a Taylor polynomial ``p(x) = sum_k a_k x^k`` within one grid cell, |x| <= 1/2."""

from __future__ import annotations

import numpy as np

from orbitdl.groups.maxima.polynomials import horner, taylor_at
from orbitdl.kernels import internal

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
