"""Peaks of a Taylor polynomial ``p(x) = sum_k a_k x^k`` within one grid cell, |x| <= 1/2."""

from __future__ import annotations

import numpy as np

from orbitdl.groups.maxima.polynomials import horner, taylor_at
from orbitdl.kernels import internal

PIECES = 8
"""Pieces of a grid cell in which the slope's sign is watched."""
WIDER = 1.02
"""Cells that are watched: a little more than one, for a peak on the border of two must be in one of
them, whatever rounding does."""
NEIGHBOUR = 0.6
"""Distance, in cells, from which on a peak is left to the cell next to it. More than a half: eight
terms of its Taylor polynomial misplace it by less than 0.1."""
EXACT = 1e-12
"""Distance, in cells, to which a peak is found: its value is then right to the last digit."""
CLOSE = 1e-9
"""The same where steps are Newton's: the next one would be the square of it."""


@internal
def climb(a, sign, low, high):  # type: ignore[no-untyped-def]
    """Maximise ``sign * p`` between a rising and a falling point: Newton kept by bisection."""
    x, best, top = 0.5 * (low + high), -np.inf, 0.0
    for _ in range(60):  # halving alone needs 41
        value, slope, bend = taylor_at(a, x)
        if sign * value > best:
            best, top = sign * value, x
        if sign * slope > 0.0:
            low = x
        else:
            high = x
        step = -slope / bend if sign * bend < 0.0 else np.inf
        if abs(step) < EXACT or high - low < EXACT:
            break
        x = x + step if low < x + step < high else 0.5 * (low + high)
    return best, top


@internal
def largest_peak(a, sign):  # type: ignore[no-untyped-def]
    """Return the largest peak of ``sign * p`` in a cell, where its slope changes sign.

    Without a change there is none, and minus infinity is returned.
    """
    best, top, rising = -np.inf, 0.0, False
    for k in range(PIECES + 1):
        x = WIDER * (k / PIECES - 0.5)
        falling = sign * taylor_at(a, x)[1] <= 0.0
        if rising and falling:
            value, place = climb(a, sign, x - WIDER / PIECES, x)
            if value > best:
                best, top = value, place
        rising = not falling
    return best, top


@internal
def bend_beyond(a, eighth):  # type: ignore[no-untyped-def]
    """Bound the second derivative in a cell, apart from its value in the middle.

    ``p'' = 2 a_2 + sum_k k (k - 1) a_k x^(k - 2)`` with |x| <= 1/2; `eighth` bounds ``|p^(8)|``,
    and ``x^6 / 6!`` of it the terms left out.
    """
    some = 3.0 * abs(a[3]) + 3.0 * abs(a[4]) + 2.5 * abs(a[5])
    return some + 1.875 * abs(a[6]) + 1.3125 * abs(a[7]) + eighth / 46080.0


@internal
def bound_of_peaks(a, sign, bend):  # type: ignore[no-untyped-def]
    """Bound the peaks of 8 terms of ``sign * p`` in a cell by values, given ``|p''| <= bend``.

    From the nearest of points h apart, a value rises by ``bend h^2 / 8`` at most.
    """
    top = -np.inf
    for k in range(PIECES + 1):
        top = max(top, sign * horner(a, k / PIECES - 0.5)[0])
    return top + bend / (8.0 * PIECES * PIECES)


@internal
def only_peak(a, sign):  # type: ignore[no-untyped-def]
    """Return the peak of a concave ``sign * p`` and its place, by Newton's method.

    Minus infinity if it lies where it is a neighbour's.
    """
    x = -0.5 * a[1] / a[2]
    for _ in range(30):  # a handful, unless rounding keeps steps from getting small
        x = min(max(x, -NEIGHBOUR), NEIGHBOUR)
        value, slope, bend = taylor_at(a, x)
        step = -slope / bend if sign * bend < 0.0 else np.inf
        if abs(step) < CLOSE:
            return sign * value, x
        if abs(x) == NEIGHBOUR and x * step > 0.0:
            break
        x += step
    return -np.inf, 0.0
