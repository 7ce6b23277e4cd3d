"""Maxima of a Taylor polynomial ``p(x) = sum_k a_k x^k`` within one grid cell, |x| <= 1/2."""

from __future__ import annotations

import numpy as np

from orbitdl.compiled import internal
from orbitdl.groups.trigonometric.polynomials import horner, taylor_at

PIECES = 8
"""Pieces of a grid cell in which the slope's sign is watched."""


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
def highest_of_several(a, sign):  # type: ignore[no-untyped-def]
    """Return the highest maximum of ``sign * p`` in a cell, where its slope changes sign.

    Without a change there is none, and minus infinity is returned.
    """
    best, top, rising = -np.inf, 0.0, False
    for k in range(PIECES + 1):
        x = 1.02 * (k / PIECES - 0.5)
        falling = sign * taylor_at(a, x)[1] <= 0.0
        if rising and falling:
            value, place = climb(a, sign, x - 1.02 / PIECES, x)
            if value > best:
                best, top = value, place
        rising = not falling
    return best, top


@internal
def bend_beyond(a, eighth):  # type: ignore[no-untyped-def]
    """Bound the second derivative in a cell, apart from its value in the middle.

    `eighth` bounds ``|p^(8)|``, and so the terms left out.
    """
    some = 3.0 * abs(a[3]) + 3.0 * abs(a[4]) + 2.5 * abs(a[5])
    return some + 1.875 * abs(a[6]) + 1.3125 * abs(a[7]) + eighth / 46080.0


@internal
def bound_of_several(a, sign, bend):  # type: ignore[no-untyped-def]
    """Bound the maxima of 8 terms of ``sign * p`` in a cell by values, given ``|p''| <= bend``."""
    top = -np.inf
    for k in range(PIECES + 1):
        top = max(top, sign * horner(a, k / PIECES - 0.5)[0])
    return top + bend / (8.0 * PIECES * PIECES)


@internal
def only_maximum(a, sign):  # type: ignore[no-untyped-def]
    """Return the maximum of a concave ``sign * p`` and its place, by Newton's method.

    Minus infinity if it lies beyond six tenths of a cell: there it is a neighbour's.
    """
    x = -0.5 * a[1] / a[2]
    for _ in range(30):
        x = min(max(x, -0.6), 0.6)
        value, slope, bend = taylor_at(a, x)
        step = -slope / bend if sign * bend < 0.0 else np.inf
        if abs(step) < 1e-9:
            return sign * value, x
        if abs(x) == 0.6 and x * step > 0.0:
            break
        x += step
    return -np.inf, 0.0
