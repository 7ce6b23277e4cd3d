"""Single-linkage clustering of atoms in time: neighbouring atoms merge to one event."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from orbitdl.arrays.blocks import Floats, Integers


class EventRows(NamedTuple):
    """Rows of an event table: the data point of each, and columns by name."""

    row: Integers
    columns: dict[str, NDArray[Any]]


class MergedEvents(NamedTuple):
    """E events of K atoms.

    Attributes
    ----------
    event : ndarray of shape (K,)
        Event of each atom.
    main : ndarray of shape (E,)
        Largest atom of each event.
    total : ndarray of shape (E,)
        ``sum |c|`` of its atoms.
    time : ndarray of shape (E,)
        Their mean time, weighted by ``|c|``.
    """

    event: Integers
    main: Integers
    total: Floats
    time: Floats


def merge_atoms(
    row: Integers, c: Floats, time: Floats, period: float, within: float
) -> MergedEvents:
    """Merge atoms of the same row linked by a chain of distances of at most `within`.

    Time is periodic; events are sorted by row, then by time.
    """
    event, size = _linked(row, time, period, within), np.abs(c)
    order = np.lexsort((-size, event))
    main = order[np.unique(event[order], return_index=True)[1]]
    total: Floats = np.bincount(event, size, len(main)).astype(np.float64, copy=False)
    apart = time - time[main][event]
    apart -= period * np.round(apart / period)
    mean = time[main] + np.bincount(event, size * apart, len(main)) / total
    return MergedEvents(event, main, total, np.mod(mean, period))


def _linked(row: Integers, time: Floats, period: float, within: float) -> Integers:
    """Return the event of each atom (K,); a gap in time or a new row separates events."""
    order = np.lexsort((time, row))
    own, when = row[order], time[order]
    new_row = np.diff(own, prepend=-1) != 0
    number = np.cumsum(new_row | (np.diff(when, prepend=-np.inf) > within)) - 1
    first = np.flatnonzero(new_row)
    last = np.append(first, len(own))[1:] - 1
    # the last event of a period may continue in the first one
    round_about = when[first] + period - when[last] <= within
    number = _renamed(number, number[last][round_about], number[first][round_about])
    event = np.empty_like(number)
    event[order] = number
    return event


def _renamed(number: Integers, old: Integers, new: Integers) -> Integers:
    """Replace old numbers by new ones, and renumber without gaps."""
    name = np.arange(number.max(initial=-1) + 1)
    name[old] = new
    return np.asarray(np.unique(name[number], return_inverse=True)[1])
