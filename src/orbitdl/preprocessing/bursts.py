"""Bursts: segments with energy far above that of recurring events."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from orbitdl.groups.base import Floats, Integers
from orbitdl.preprocessing.artefacts import Artefact, Segment
from orbitdl.preprocessing.runs import runs_of_true

FINEST = 8
"""Length of the shortest blocks, in samples."""
MIN_SEGMENTS, MAX_SEGMENT = 16, 2**17
"""Minimum number of segments of a recording, and their maximum length in samples; events recur in
most segments."""
BLOCKS_PER_SEGMENT = 4
"""Minimum number of blocks per segment."""
DEVIATIONS = 4
"""Threshold of bursts above the median of segment peaks, in robust standard deviations."""
PAUSE = 4
"""Number of quiet shortest blocks that end a burst."""
APART = 16
"""Number of shortest blocks below which two bursts are merged."""


def detect_bursts(
    x: Floats, channel: int, usable: NDArray[np.bool_], burst: float
) -> Iterator[Segment]:
    """Detect bursts of a channel (n_times,) among its usable samples.

    Energy is the mean square about the median, in blocks of 8, 16, 32, ... samples: bursts may be
    short and high, or long and as high as short events.
    """
    for first, end, times in _loud_blocks(_standardised(x, usable), usable, burst):
        text = f"The energy is up to {times:.0f} times that of recurring events of the channel."
        last = min(end * FINEST, len(x))
        yield Segment(first * FINEST, last, channel, Artefact.burst, text)


def _loud_blocks(
    y: Floats, usable: NDArray[np.bool_], burst: float
) -> Iterator[tuple[int, int, float]]:
    """Yield bursts as half-open ranges of shortest blocks, and their relative energy.

    Bursts found in short blocks are excluded from longer ones, which keeps their edges sharp.
    """
    squares, counts = _in_blocks(y**2, FINEST), _in_blocks(usable, FINEST)
    finest, excess = _mean(squares, counts, FINEST), np.zeros(len(squares))
    n_segments = max(MIN_SEGMENTS, len(y) // MAX_SEGMENT)
    total, count, size, highest = squares, counts, 1, 0.0
    while len(total) >= BLOCKS_PER_SEGMENT * n_segments:
        energy = _mean(total, count, FINEST * size)
        median, limit = _recurring(energy, n_segments, burst)
        highest = highest or median
        edge = max(limit / 4, min(highest, limit / 2))
        loud = runs_of_true(energy > limit)
        if loud:
            starts, ends = _groups(finest > edge, PAUSE)
            for first, end in loud:
                inner = starts[np.searchsorted(ends, first * size, side="right")]
                outer = ends[np.searchsorted(starts, end * size) - 1]
                times = energy[first:end].max() / median
                excess[inner:outer] = np.maximum(excess[inner:outer], times)
            rest = excess == 0
            total, count = _in_blocks(squares * rest, size), _in_blocks(counts * rest, size)
        total, count, size = _in_blocks(total, 2), _in_blocks(count, 2), 2 * size
    if excess.any():
        for first, end in zip(*_groups(excess > 0, APART), strict=True):
            yield int(first), int(end), float(excess[first:end].max())


def _standardised(x: Floats, usable: NDArray[np.bool_]) -> Floats:
    """Return usable values standardised by median and median deviation; 0 otherwise."""
    if not usable.any():
        return np.zeros(len(x))
    centred = np.where(usable, x - np.median(x[usable]), 0.0)
    size = np.abs(centred)
    unit = float(np.median(size[usable])) or float(size.max()) or 1.0
    with np.errstate(over="ignore"):  # clipped, so that squares are finite
        return np.asarray(np.clip(centred / unit, -1e100, 1e100))


def _in_blocks(values: NDArray[np.generic], size: int) -> Floats:
    """Return the sums over blocks of `size` values; the last may be shorter."""
    return np.add.reduceat(values, np.arange(0, len(values), size), dtype=np.float64)


def _mean(total: Floats, count: Floats, size: int) -> Floats:
    """Return mean squares; a block counts at least half of its samples."""
    return np.asarray(total / np.maximum(count, size / 2))


def _recurring(energy: Floats, n_segments: int, burst: float) -> tuple[float, float]:
    """Return the median of segment peaks, and the energy threshold of bursts.

    The deviation is estimated below the median, where bursts have no effect.
    """
    starts = np.linspace(0, len(energy), n_segments, endpoint=False).astype(int)
    peaks = np.maximum.reduceat(energy, starts)
    if not (peaks > 0).any():
        return 1.0, np.inf
    peaks = np.log(peaks[peaks > 0])
    median = float(np.median(peaks))
    deviation = 1.4826 * float(np.median(median - peaks[peaks <= median]))
    limit = median + max(np.log(burst), DEVIATIONS * deviation)
    return float(np.exp(median)), float(np.exp(limit))


def _groups(loud: NDArray[np.bool_], pause: int) -> tuple[Integers, Integers]:
    """Return start and end of groups of loud blocks separated by pauses."""
    index = np.flatnonzero(loud)
    breaks = np.flatnonzero(np.diff(index) > pause)
    starts = index[np.concatenate([[0], breaks + 1])]
    return starts, index[np.concatenate([breaks, [len(index) - 1]])] + 1
