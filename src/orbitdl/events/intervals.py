"""Intervals between consecutive events: of any component, and of the same one.

An interval is the time since the previous event. It is NaN for the first event, and if a gap of
half a waveform or more in between may hide an event.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from orbitdl.arrays.blocks import Floats, Integers
from orbitdl.domains.time.inputs import read_in_parts
from orbitdl.domains.time.signal import Signal, complete_samples


def runs(flags: NDArray[np.bool_]) -> Integers:
    """Return begin and end of runs of True, (m, 2)."""
    steps = np.diff(flags.astype(np.int8), prepend=np.int8(0), append=np.int8(0))
    return np.flatnonzero(steps).reshape(-1, 2)


def missing_segments(signal: Signal) -> Integers:
    """Return begin and end, (m, 2), of segments in which a channel is missing."""
    return runs(np.concatenate([~complete_samples(part) for part in read_in_parts(signal)]))


def gap_middles(missing: Integers, length: int) -> Floats:
    """Return the sorted centres of missing segments (m, 2) of half a waveform or more."""
    return np.asarray(missing[missing[:, 1] - missing[:, 0] >= length / 2].mean(axis=1))


def intervals_of(time: Floats, holes: Floats) -> Floats:
    """Return the time since the previous event, (n,), of events sorted by time.

    Examples
    --------
    >>> intervals_of(np.array([1.0, 3.0, 7.0, 12.0]), holes=np.array([5.0]))
    array([nan,  2., nan,  5.])
    """
    across = np.diff(np.searchsorted(holes, time), prepend=0) > 0
    return np.where(across, np.nan, np.diff(time, prepend=np.nan))


def own_intervals_of(time: Floats, component: Integers, holes: Floats) -> Floats:
    """Return the time since the previous event of the same component, (n,)."""
    result = np.full(len(time), np.nan)
    for j in np.unique(component):
        own = component == j
        result[own] = intervals_of(time[own], holes)
    return result
