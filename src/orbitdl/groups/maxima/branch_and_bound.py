"""Branch and bound for the maximum of functions on a circle, and a secant method for local maxima.

A function f >= 0 with maximum V at theta* has degree K if ``f(theta) >= V cos(K (theta - theta*))``
within ``pi / (2 K)`` of theta*. Pointwise maxima of trigonometric polynomials of degree K have it,
such as ``f(theta) = max_h |<C, h exp(-i theta frequency)>|`` for C with frequencies up to K.

If the second derivatives of these polynomials are at most B, the maximum exceeds a value at
distance delta by at most ``B delta^2 / 2``, which is the better bound where f is nearly constant.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from orbitdl.arrays.blocks import Floats, Integers
from orbitdl.kernels import fast

Evaluate = Callable[[Integers, Floats], Floats]
"""Maps indices of functions (k,) and angles (k,) to values (k,)."""
HALVINGS = 40
"""Bisections of an arc between two grid points; its width is then at the level of rounding."""
MOST = 2**15
"""Open arcs of one function, at most. Only a nearly constant function has more; its bound may then
exceed the tolerance a little."""


CLOSE = 1e-6
"""Tolerance of positions, in grid cells: the relative error of values is then about 1e-12."""
STEPS = 60
"""Largest number of steps. The secant method usually takes four, bisection alone twenty."""
FLAT = 1e-3
"""Smallest curvature of the initial parabola, relative to its height, per squared grid cell."""


class Arcs(NamedTuple):
    """Arcs of equal width: function, start angle, and values at both ends, arrays (k,)."""

    row: Integers
    start: Floats
    left: Floats
    right: Floats

    def first(self, count: int) -> Arcs:
        """Return the first `count` arcs."""
        row, start, left, right = self
        return Arcs(row[:count], start[:count], left[:count], right[:count])


def bound_largest(
    evaluate: Evaluate,
    grid_values: Floats,
    degree: float,
    eps: float,
    curvature: Floats | None = None,
) -> tuple[Floats, Floats, Floats]:
    """Bound the maxima of n functions by bisection of every arc that may contain them.

    Parameters
    ----------
    evaluate : callable
        Maps indices of functions (k,) and angles (k,) in [0, 2 pi) to values (k,) >= 0.
    grid_values : ndarray of shape (n, M)
        Values at the angles ``2 pi k / M``, with M more than four times the degree.
    degree : float
    eps : float
        Bounds exceed an attained value by a factor of at most ``1 + eps``.
    curvature : ndarray of shape (n,), optional
        Bounds B of second derivatives.

    Returns
    -------
    upper, value, position : ndarrays of shape (n,)
        No value of a function exceeds `upper`; `value` is attained at the angle `position`.

    Examples
    --------
    >>> def wave(row, theta):
    ...     return 1.0 + np.cos(theta - 0.3)
    >>> grid = wave(0, np.arange(8) * np.pi / 4)[None]
    >>> [result.round(3).tolist() for result in bound_largest(wave, grid, 1, 1e-9)]
    [[2.0], [2.0], [0.3]]
    """
    n, size = grid_values.shape
    if size <= 4 * degree:
        raise ValueError(f"degree {degree} needs more than {4 * degree} grid values, not {size}.")
    width, best = 2 * np.pi / size, grid_values.argmax(axis=1)
    value, position = grid_values[np.arange(n), best], best * width
    upper = value.copy()
    arcs = _arcs_of_grid(grid_values, degree * width)
    curvature = np.full(n, np.inf) if curvature is None else curvature
    for _ in range(HALVINGS):
        above = _bound(arcs, degree, width, curvature)
        n_open = keep_open(*arcs, above, (1.0 + eps) * value, np.zeros(n, dtype=np.intp), upper)
        arcs, width = arcs.first(n_open), 0.5 * width
        if n_open == 0:
            break
        middle = arcs.start + width
        height = evaluate(arcs.row, middle)
        halves = Arcs(np.empty(2 * n_open, dtype=np.intp), *np.empty((3, 2 * n_open)))
        halve(*arcs, middle, height, value, position, *halves)
        arcs = halves
    np.maximum.at(upper, arcs.row, _bound(arcs, degree, width, curvature))
    return np.maximum(upper, value), value, position


def _arcs_of_grid(values: Floats, angle: float) -> Arcs:
    """Return the arcs between grid points that may contain the maximum."""
    following = np.roll(values, -1, axis=1)
    enough = np.cos(0.5 * angle) * values.max(axis=1, keepdims=True)
    row, k = np.nonzero(np.maximum(values, following) >= enough)
    start = k * (2 * np.pi / values.shape[1])
    return Arcs(row.copy(), start, values[row, k], following[row, k])


def _bound(arcs: Arcs, degree: float, width: float, curvature: Floats) -> Floats:
    """Return upper bounds of functions on arcs; one end is within half a width of any point."""
    above, rise = np.empty_like(arcs.left), 0.5 * curvature * (0.5 * width) ** 2
    bound_between(arcs.row, arcs.left, arcs.right, degree * width, rise, above)
    return above


@fast
def bound_between(row, left, right, angle, rise, above):  # type: ignore[no-untyped-def]
    """Bound the maximum V of functions between two values; `angle` is K times their distance.

    At x from the first, ``V <= left / cos x`` and ``V <= right / cos(angle - x)``. The worst x
    makes both equal: ``V^2 = (left^2 + right^2 - 2 left right cos(angle)) / sin(angle)^2``, unless
    it lies outside the arc; the larger end is then the maximum. V exceeds it by at most `rise`.
    """
    cosine, sine, half = np.cos(angle), np.sin(angle), np.cos(0.5 * angle)
    for k in range(len(row)):
        largest, least = max(left[k], right[k]), min(left[k], right[k])
        above[k] = largest
        if least > largest * cosine:
            above[k] = np.hypot((largest - least) / sine, np.sqrt(left[k] * right[k]) / half)
        above[k] = min(above[k], largest + rise[row[k]])


@fast
def keep_open(row, start, left, right, above, enough, count, upper):  # type: ignore[no-untyped-def]
    """Move the arcs whose bound exceeds `enough` to the front, and return their number.

    The bounds of closed arcs are stored in upper. A function with too many arcs is closed as well.
    """
    for k in range(len(row)):
        count[row[k]] += not above[k] <= enough[row[k]]
    n_open = 0
    for k in range(len(row)):
        i = row[k]
        if above[k] <= enough[i] or count[i] > MOST:
            upper[i] = max(upper[i], above[k])
        else:
            row[n_open], start[n_open], left[n_open], right[n_open] = i, start[k], left[k], right[k]
            n_open += 1
    return n_open


@fast
def halve(  # type: ignore[no-untyped-def]
    row, start, left, right, middle, height, value, position, rows, starts, lefts, rights
):
    """Store both halves of all arcs in the last four arrays; update maxima and their positions."""
    n = len(row)
    for k in range(n):
        if height[k] > value[row[k]]:
            value[row[k]], position[row[k]] = height[k], middle[k]
        rows[k], starts[k], lefts[k], rights[k] = row[k], start[k], left[k], height[k]
        rows[n + k], starts[n + k] = row[k], middle[k]
        lefts[n + k], rights[n + k] = height[k], right[k]


Slope = Callable[[Integers, Floats], Floats]
"""Maps indices of functions (k,) and angles (k,) to derivatives (k,)."""


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
