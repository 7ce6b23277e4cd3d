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
from numpy.typing import NDArray

from orbitdl.groups.blocks import Floats, Integers

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

    def take(self, chosen: NDArray[np.bool_]) -> Pieces:
        """Return some of them."""
        row, start, left, right = self
        return Pieces(row[chosen], start[chosen], left[chosen], right[chosen])


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
        above = _bound_pieces(pieces, degree, width, bend)
        closed = above <= (1.0 + eps) * value[pieces.row]
        closed |= np.bincount(pieces.row, ~closed, n)[pieces.row] > MOST
        np.maximum.at(upper, pieces.row[closed], above[closed])
        pieces, width = pieces.take(~closed), 0.5 * width
        if len(pieces.row) == 0:
            break
        middle = pieces.start + width
        height = evaluate(pieces.row, middle)
        _raise(value, place, pieces.row, height, middle)
        pieces = _halves(pieces, middle, height)
    above = _bound_pieces(pieces, degree, width, bend)
    np.maximum.at(upper, pieces.row, above)
    return np.maximum(upper, value), value, place


def bound_between(left: Floats, right: Floats, angle: float) -> Floats:
    """Bound the largest value of functions that lies between two others, K times `angle` apart.

    At x from the first, ``V <= left / cos x`` and ``V <= right / cos(angle - x)``. The worst x
    makes both equal: ``V^2 = (left^2 + right^2 - 2 left right cos(angle)) / sin(angle)^2``, unless
    it lies beyond one of the two, which then is the largest.
    """
    largest, least = np.maximum(left, right), np.minimum(left, right)
    inside = least > largest * np.cos(angle)
    rise = np.divide(largest - least, np.sin(angle), out=np.zeros_like(left), where=inside)
    between = np.hypot(rise, np.sqrt(left * right) / np.cos(0.5 * angle))
    return np.asarray(np.where(inside, between, largest))


def _bound_pieces(pieces: Pieces, degree: float, width: float, bend: Floats) -> Floats:
    """Bound the largest values of functions that lie in arcs: one end is half a width away."""
    above = bound_between(pieces.left, pieces.right, degree * width)
    rise = 0.5 * bend[pieces.row] * (0.5 * width) ** 2
    return np.minimum(above, np.maximum(pieces.left, pieces.right) + rise)


def _pieces_of_grid(values: Floats, angle: float) -> Pieces:
    """Return the arcs between grid points of which one is high enough to be next to the largest."""
    following = np.roll(values, -1, axis=1)
    enough = np.cos(0.5 * angle) * values.max(axis=1, keepdims=True)
    row, k = np.nonzero(np.maximum(values, following) >= enough)
    return Pieces(row, k * (2 * np.pi / values.shape[1]), values[row, k], following[row, k])


def _raise(value: Floats, place: Floats, row: Integers, height: Floats, angle: Floats) -> None:
    """Put heights that exceed the values of their rows in their place."""
    order = np.argsort(height, kind="stable")  # of several for one row, the last one stays
    order = order[height[order] > value[row[order]]]
    value[row[order]], place[row[order]] = height[order], angle[order]


def _halves(pieces: Pieces, middle: Floats, height: Floats) -> Pieces:
    """Return both halves of all arcs."""
    first = Pieces(pieces.row, pieces.start, pieces.left, height)
    second = Pieces(pieces.row, middle, height, pieces.right)
    return Pieces(*(np.concatenate(columns) for columns in zip(first, second, strict=True)))
