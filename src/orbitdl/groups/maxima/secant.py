"""Local maxima of functions on a circle by a safeguarded secant method on their derivatives."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from orbitdl.arrays.blocks import Floats, Integers
from orbitdl.kernels import fast

Slope = Callable[[Integers, Floats], Floats]
"""Maps indices of functions (k,) and angles (k,) to derivatives (k,)."""
CLOSE = 1e-6
"""Tolerance of positions, in grid cells: the relative error of values is then about 1e-12."""
STEPS = 60
"""Largest number of steps. The secant method usually takes four, bisection alone twenty."""
FLAT = 1e-3
"""Smallest curvature of the initial parabola, relative to its height, per squared grid cell."""


def maxima_from_grid(slope: Slope, heights: Floats, row: Integers, k: Integers) -> Floats:
    """Return the angles of maxima next to grid points k of given rows, all (K,).

    `heights` (n, M) are values at the angles ``2 pi k / M``. The parabola through three neighbours
    gives the initial point and curvature.
    """
    size = heights.shape[1]
    width = 2 * np.pi / size
    here, left, right = heights[row, k], heights[row, k - 1], heights[row, (k + 1) % size]
    curvature = np.maximum(2 * here - left - right, FLAT * here)
    offset = np.clip(safe_divide(0.5 * (right - left), curvature, 0.0), -0.5, 0.5)
    return secant_maxima(slope, row, (k + offset) * width, curvature / width**2, width)


def secant_maxima(
    slope: Slope, row: Integers, start: Floats, curvature: Floats, radius: float
) -> Floats:
    """Return angles of maxima within `radius` of `start`, all (K,).

    Secant method on the derivative; the first step uses `curvature`, minus the second derivative.
    The signs of derivatives maintain a bracket; a step that leaves it becomes a bisection.
    """
    position, low, high = start.copy(), start - radius, start + radius
    active, before, slope_before = np.arange(len(row)), start.copy(), np.zeros(len(row))
    for number in range(STEPS):
        here = position[active]
        now = slope(row[active], here)
        if number > 0:
            curvature = safe_divide(slope_before - now, here - before, 0.0)
        n_active = secant_step(
            here, now, curvature, CLOSE * radius, position, low, high, active, before, slope_before
        )
        if n_active == 0:
            break
        active, before, slope_before = active[:n_active], before[:n_active], slope_before[:n_active]
    return position


@fast
def secant_step(here, now, curvature, close, position, low, high, active, before, slope_before):  # type: ignore[no-untyped-def]
    """Take one step for each; move those longer than `close` to the front, return their number."""
    n_active = 0
    for k in range(len(active)):
        i = active[k]
        if now[k] > 0.0:
            low[i] = here[k]
        else:
            high[i] = here[k]
        after = here[k] + now[k] / curvature[k] if curvature[k] != 0.0 else np.inf
        if not low[i] <= after <= high[i]:
            after = 0.5 * (low[i] + high[i])
        position[i] = after
        if abs(after - here[k]) > close:
            active[n_active], before[n_active], slope_before[n_active] = i, here[k], now[k]
            n_active += 1
    return n_active


def safe_divide(a: Floats, b: Floats, otherwise: float) -> Floats:
    """Return a / b, or `otherwise` where b is zero."""
    return np.asarray(np.divide(a, b, out=np.full_like(a, otherwise), where=b != 0.0))
