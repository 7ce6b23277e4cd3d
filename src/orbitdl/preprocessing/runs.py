"""Runs of equal values."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from orbitdl.groups.base import Integers


def equal_runs(x: NDArray[np.generic]) -> tuple[Integers, Integers]:
    """Return start and length of runs of equal values.

    Examples
    --------
    >>> equal_runs(np.array([5.0, 5.0, 2.0, 5.0]))
    (array([0, 2, 3]), array([2, 1, 1]))
    """
    start = np.concatenate([[0], np.flatnonzero(x[1:] != x[:-1]) + 1])
    return start, np.diff(start, append=len(x))


def runs_of_true(wanted: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Return runs of True as half-open ranges.

    Examples
    --------
    >>> runs_of_true(np.array([False, True, True, False, True]))
    [(1, 3), (4, 5)]
    """
    padded = np.concatenate([[False], wanted, [False]]).astype(np.int8)
    change = np.diff(padded)
    start, end = np.flatnonzero(change == 1), np.flatnonzero(change == -1)
    return list(zip(start.tolist(), end.tolist(), strict=True))
