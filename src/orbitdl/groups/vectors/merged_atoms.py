"""Atoms of one component that lie at almost the same time, seen as one event."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from orbitdl.arrays.blocks import Floats, Integers


class Events(NamedTuple):
    """Rows of a table: to which row of data each belongs, and its columns by name."""

    row: Integers
    columns: dict[str, NDArray[Any]]


class Gathered(NamedTuple):
    """E events of K atoms.

    Attributes
    ----------
    event : ndarray of shape (K,)
        The number of each atom's event.
    main : ndarray of shape (E,)
        The number of each event's largest atom.
    total : ndarray of shape (E,)
        ``sum |c|`` of its atoms.
    time : ndarray of shape (E,)
        Their mean time, weighted by ``|c|``.
    """

    event: Integers
    main: Integers
    total: Floats
    time: Floats


def gather_events(row: Integers, c: Floats, time: Floats, period: float, within: float) -> Gathered:
    """Gather atoms of the same row whose times are at most `within` apart, or a chain of such.

    Time is a circle; events come in the order of rows, and of times in a row.
    """
    event, size = _linked(row, time, period, within), np.abs(c)
    order = np.lexsort((-size, event))
    main = order[np.unique(event[order], return_index=True)[1]]
    total: Floats = np.bincount(event, size, len(main)).astype(np.float64, copy=False)
    apart = time - time[main][event]
    apart -= period * np.round(apart / period)
    mean = time[main] + np.bincount(event, size * apart, len(main)) / total
    return Gathered(event, main, total, np.mod(mean, period))


def _linked(row: Integers, time: Floats, period: float, within: float) -> Integers:
    """Return numbers of events (K,): from one to the next there is a gap, or a new row."""
    order = np.lexsort((time, row))
    own, when = row[order], time[order]
    new_row = np.diff(own, prepend=-1) != 0
    number = np.cumsum(new_row | (np.diff(when, prepend=-np.inf) > within)) - 1
    first = np.flatnonzero(new_row)
    last = np.append(first, len(own))[1:] - 1
    # what ends a turn of the circle may belong to what begins it
    round_about = when[first] + period - when[last] <= within
    number = _renamed(number, number[last][round_about], number[first][round_about])
    event = np.empty_like(number)
    event[order] = number
    return event


def _renamed(number: Integers, old: Integers, new: Integers) -> Integers:
    """Replace some numbers, and close the gaps that this leaves."""
    name = np.arange(number.max(initial=-1) + 1)
    name[old] = new
    return np.asarray(np.unique(name[number], return_inverse=True)[1])
