"""Products of cyclic groups laid out over two periods, so that quotients are differences."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from orbitdl.groups.base import Integers


class Unrolled(NamedTuple):
    """Where elements lie in a list that repeats them.

    Attributes
    ----------
    number : ndarray of shape (K,)
        The element at every place of the list.
    place : ndarray of shape (size,)
        Of every element, such that ``g^-1 h`` is at ``place[h] - place[g] + origin``.
    origin : int
    """

    number: Integers
    place: Integers
    origin: int


def unroll(cycles: tuple[int, ...]) -> Unrolled:
    """Lay out a product of cyclic groups, elements in order, the last cycle fastest.

    Notes
    -----
    A difference of two coordinates in a cycle of size N is one of ``-(N - 1) .. N - 1``: the list
    has them all, ``2 N - 1`` in a row. The last cycle has one more, so that a single cycle is
    just there twice. As far as the last cycle runs, consecutive elements have consecutive places.

    Examples
    --------
    >>> unroll((3,))
    Unrolled(number=array([0, 1, 2, 0, 1, 2]), place=array([0, 1, 2]), origin=3)
    """
    lowest = [size - 1 for size in cycles[:-1]] + [cycles[-1]]
    widths = [2 * size - 1 for size in cycles[:-1]] + [2 * cycles[-1]]
    steps = np.indices(widths).reshape(len(cycles), -1) - np.array(lowest)[:, None]
    number = np.asarray(np.ravel_multi_index(tuple(steps), cycles, mode="wrap"))
    own = tuple(np.indices(cycles).reshape(len(cycles), -1))
    place = np.asarray(np.ravel_multi_index(own, tuple(widths)))
    return Unrolled(number, place, int(np.ravel_multi_index(tuple(lowest), tuple(widths))))
