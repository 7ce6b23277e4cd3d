"""Local maxima of functions on a circle, from grid points next to them, by their slopes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from orbitdl.arrays.blocks import Floats, Integers
from orbitdl.kernels import fast

Slope = Callable[[Integers, Floats], Floats]
"""Returns the slopes of the functions numbered `row` (k,) at angles (k,)."""
CLOSE = 1e-6
"""Fraction of a grid cell to which a maximum is found: its value is then right to 1e-12."""
STEPS = 60
"""At most. Secants take four as a rule, and halving alone twenty."""
FLAT = 1e-3
"""Bend of a parabola, in parts of its height and per square of a grid cell, that counts as none."""


def climb_from_grid(slope: Slope, heights: Floats, row: Integers, k: Integers) -> Floats:
    """Return the angles of maxima next to grid points k of some rows, all (K,).

    `heights` (n, M) are values at the angles ``2 pi k / M``: those around a point say where a
    parabola through them has its vertex, and how much it is bent there.
    """
    size = heights.shape[1]
    width = 2 * np.pi / size
    here, left, right = heights[row, k], heights[row, k - 1], heights[row, (k + 1) % size]
    bend = np.maximum(2 * here - left - right, FLAT * here)
    offset = np.clip(quotient(0.5 * (right - left), bend, 0.0), -0.5, 0.5)
    return climb(slope, row, (k + offset) * width, bend / width**2, width)


def climb(slope: Slope, row: Integers, start: Floats, bend: Floats, reach: float) -> Floats:
    """Return angles, within `reach` of `start`, where functions have a maximum; all are (K,).

    A step goes to where a line through the last two slopes vanishes; the first one takes `bend`,
    minus the second derivative, for the steepness of that line. What rises and what falls keeps
    steps between two angles: where one would leave them, it halves the way instead.
    """
    place, low, high = start.copy(), start - reach, start + reach
    going, before, slope_before = np.arange(len(row)), start.copy(), np.zeros(len(row))
    for number in range(STEPS):
        here = place[going]
        now = slope(row[going], here)
        if number > 0:
            bend = quotient(slope_before - now, here - before, 0.0)
        kept = step(here, now, bend, CLOSE * reach, place, low, high, going, before, slope_before)
        if kept == 0:
            break
        going, before, slope_before = going[:kept], before[:kept], slope_before[:kept]
    return place


@fast
def step(here, now, bend, close, place, low, high, going, before, slope_before):  # type: ignore[no-untyped-def]
    """Take a step each; move those that went further than `close` to the front, and count them."""
    kept = 0
    for k in range(len(going)):
        i = going[k]
        if now[k] > 0.0:
            low[i] = here[k]
        else:
            high[i] = here[k]
        after = here[k] + now[k] / bend[k] if bend[k] != 0.0 else np.inf
        if not low[i] <= after <= high[i]:
            after = 0.5 * (low[i] + high[i])
        place[i] = after
        if abs(after - here[k]) > close:
            going[kept], before[kept], slope_before[kept] = i, here[k], now[k]
            kept += 1
    return kept


def quotient(a: Floats, b: Floats, otherwise: float) -> Floats:
    """Return a / b where b is not zero."""
    return np.asarray(np.divide(a, b, out=np.full_like(a, otherwise), where=b != 0.0))
