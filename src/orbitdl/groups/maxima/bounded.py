"""Bounds of the largest value of functions on a circle that fall no faster than a cosine.

If f >= 0 takes its largest value V at theta*, and ``f(theta) >= V cos(K (theta - theta*))`` within
``pi / (2 K)`` of it, f is said to be of degree K. Such are, for C with frequencies up to K, all
functions ``f(theta) = max_h |<C, h exp(-i theta frequency)>|``: the largest of trigonometric
polynomials of degree K.

If the second derivatives of these polynomials are known to be at most B, the largest value is at
most ``B delta^2 / 2`` above a value at a distance delta: where f is next to constant, that is less.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from orbitdl.arrays.blocks import Floats, Integers
from orbitdl.kernels import fast

Evaluate = Callable[[Integers, Floats], Floats]
"""Returns the values of the functions numbered `row` (k,) at angles (k,)."""
HALVINGS = 40
"""Of a piece between two grid points: rounding makes more of them useless."""
MOST = 2**15
"""Pieces of one function that are looked at together. Only where it is next to constant are there
more: its bound then stays a little wider than asked for."""


class Pieces(NamedTuple):
    """Arcs of one width of some functions: whose, the angle where each begins, values at its ends.

    All are arrays (k,).
    """

    row: Integers
    start: Floats
    left: Floats
    right: Floats

    def first(self, count: int) -> Pieces:
        """Return the first ones."""
        row, start, left, right = self
        return Pieces(row[:count], start[:count], left[:count], right[:count])


def bound_largest(
    evaluate: Evaluate,
    grid_values: Floats,
    degree: float,
    eps: float,
    bend: Floats | None = None,
) -> tuple[Floats, Floats, Floats]:
    """Bound the largest values of n functions by halving every arc that may hold them.

    Parameters
    ----------
    evaluate : callable
        Of numbers of functions (k,) and angles (k,) in [0, 2 pi), to values (k,) >= 0.
    grid_values : ndarray of shape (n, M)
        Values at the angles ``2 pi k / M``, with M more than four times the degree.
    degree : float
    eps : float
        Bounds are at most a factor ``1 + eps`` above what is attained.
    bend : ndarray of shape (n,), optional
        Bounds B of second derivatives, where they are known.

    Returns
    -------
    upper, value, place : ndarrays of shape (n,)
        No value of a function exceeds `upper`; `value` is attained at the angle `place`.

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
    value, place = grid_values[np.arange(n), best], best * width
    upper = value.copy()
    pieces = _pieces_of_grid(grid_values, degree * width)
    bend = np.full(n, np.inf) if bend is None else bend
    for _ in range(HALVINGS):
        above = _bound(pieces, degree, width, bend)
        kept = keep_open(*pieces, above, (1.0 + eps) * value, np.zeros(n, dtype=np.intp), upper)
        pieces, width = pieces.first(kept), 0.5 * width
        if kept == 0:
            break
        middle = pieces.start + width
        height = evaluate(pieces.row, middle)
        halves = Pieces(np.empty(2 * kept, dtype=np.intp), *np.empty((3, 2 * kept)))
        halve(*pieces, middle, height, value, place, *halves)
        pieces = halves
    np.maximum.at(upper, pieces.row, _bound(pieces, degree, width, bend))
    return np.maximum(upper, value), value, place


def _pieces_of_grid(values: Floats, angle: float) -> Pieces:
    """Return the arcs between grid points of which one is high enough to be next to the largest."""
    following = np.roll(values, -1, axis=1)
    enough = np.cos(0.5 * angle) * values.max(axis=1, keepdims=True)
    row, k = np.nonzero(np.maximum(values, following) >= enough)
    start = k * (2 * np.pi / values.shape[1])
    return Pieces(row.copy(), start, values[row, k], following[row, k])


def _bound(pieces: Pieces, degree: float, width: float, bend: Floats) -> Floats:
    """Bound the largest values of functions that lie in arcs: one end is half a width away."""
    above, rise = np.empty_like(pieces.left), 0.5 * bend * (0.5 * width) ** 2
    bound_between(pieces.row, pieces.left, pieces.right, degree * width, rise, above)
    return above


@fast
def bound_between(row, left, right, angle, rise, above):  # type: ignore[no-untyped-def]
    """Bound the largest value of functions that lies between two others, K times `angle` apart.

    At x from the first, ``V <= left / cos x`` and ``V <= right / cos(angle - x)``. The worst x
    makes both equal: ``V^2 = (left^2 + right^2 - 2 left right cos(angle)) / sin(angle)^2``, unless
    it lies beyond one of the two, which then is the largest. Nor is V higher above it than `rise`.
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
    """Move the arcs that may hold more than is enough to the front; return how many there are.

    The others leave their bounds in upper. So do all of a function of which there are too many.
    """
    for k in range(len(row)):
        count[row[k]] += not above[k] <= enough[row[k]]
    kept = 0
    for k in range(len(row)):
        i = row[k]
        if above[k] <= enough[i] or count[i] > MOST:
            upper[i] = max(upper[i], above[k])
        else:
            row[kept], start[kept], left[kept], right[kept] = i, start[k], left[k], right[k]
            kept += 1
    return kept


@fast
def halve(  # type: ignore[no-untyped-def]
    row, start, left, right, middle, height, value, place, rows, starts, lefts, rights
):
    """Put both halves of all arcs into the last four; raise the values that a middle exceeds."""
    n = len(row)
    for k in range(n):
        if height[k] > value[row[k]]:
            value[row[k]], place[row[k]] = height[k], middle[k]
        rows[k], starts[k], lefts[k], rights[k] = row[k], start[k], left[k], height[k]
        rows[n + k], starts[n + k] = row[k], middle[k]
        lefts[n + k], rights[n + k] = height[k], right[k]
