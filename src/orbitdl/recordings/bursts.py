"""Bursts: stretches whose energy is far above all that recurs in a channel."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from orbitdl.groups.base import Floats, Integers
from orbitdl.recordings.artefacts import Artefact, Stretch
from orbitdl.recordings.stretches import runs_of_true

FINEST = 8
"""Samples in the shortest blocks that energy is taken of."""
FEWEST_STRETCHES, LONGEST_STRETCH = 16, 2**17
"""Events are what recurs in most stretches; a recording has at least so many, so long at most."""
BLOCKS_PER_STRETCH = 4
"""Blocks of which a stretch has fewer are too long to tell what recurs."""
DEVIATIONS = 4
"""How many deviations, too, a burst is above the stretches' peaks."""
PAUSE = 4
"""Fewest blocks of the finest size between loud ones, after which a burst has ended."""
APART = 16
"""Fewest such blocks between two bursts; what lies nearer is one."""


def find_bursts(
    x: Floats, channel: int, usable: NDArray[np.bool_], burst: float
) -> Iterator[Stretch]:
    """Find bursts of a channel (n_times,) among its usable samples.

    Energy is the mean square about the median, in blocks of 8, 16, 32, ... samples: a burst may be
    short and high, or long and only as high as events that are short.
    """
    for first, end, times in _loud_blocks(_standardised(x, usable), usable, burst):
        words = f"The energy is up to {times:.0f} times the highest that recurs in the channel."
        last = min(end * FINEST, len(x))
        yield Stretch(first * FINEST, last, channel, Artefact.burst, words)


def _loud_blocks(
    y: Floats, usable: NDArray[np.bool_], burst: float
) -> Iterator[tuple[int, int, float]]:
    """Yield first and end of bursts in the finest blocks, and how many times louder they are.

    What is found in short blocks is left out of longer ones, so that its edges stay sharp.
    """
    squares, counts = _in_blocks(y**2, FINEST), _in_blocks(usable, FINEST)
    finest, excess = _mean(squares, counts, FINEST), np.zeros(len(squares))
    n_stretches = max(FEWEST_STRETCHES, len(y) // LONGEST_STRETCH)
    total, count, size, highest = squares, counts, 1, 0.0
    while len(total) >= BLOCKS_PER_STRETCH * n_stretches:
        energy = _mean(total, count, FINEST * size)
        typical, limit = _recurring(energy, n_stretches, burst)
        highest = highest or typical
        edge = max(limit / 4, min(highest, limit / 2))
        loud = runs_of_true(energy > limit)
        if loud:
            starts, ends = _groups(finest > edge, PAUSE)
            for first, end in loud:
                inner = starts[np.searchsorted(ends, first * size, side="right")]
                outer = ends[np.searchsorted(starts, end * size) - 1]
                times = energy[first:end].max() / typical
                excess[inner:outer] = np.maximum(excess[inner:outer], times)
            rest = excess == 0
            total, count = _in_blocks(squares * rest, size), _in_blocks(counts * rest, size)
        total, count, size = _in_blocks(total, 2), _in_blocks(count, 2), 2 * size
    if excess.any():
        for first, end in zip(*_groups(excess > 0, APART), strict=True):
            yield int(first), int(end), float(excess[first:end].max())


def _standardised(x: Floats, usable: NDArray[np.bool_]) -> Floats:
    """Return usable values about their median, in a unit of their size; 0 elsewhere."""
    if not usable.any():
        return np.zeros(len(x))
    centred = np.where(usable, x - np.median(x[usable]), 0.0)
    size = np.abs(centred)
    unit = float(np.median(size[usable])) or float(size.max()) or 1.0
    with np.errstate(over="ignore"):  # wild values are clipped, so that their squares are finite
        return np.asarray(np.clip(centred / unit, -1e100, 1e100))


def _in_blocks(values: NDArray[np.generic], size: int) -> Floats:
    """Return the sums over blocks of `size` successive values; the last may have fewer."""
    return np.add.reduceat(values, np.arange(0, len(values), size), dtype=np.float64)


def _mean(total: Floats, count: Floats, size: int) -> Floats:
    """Return mean squares; a block that misses most of its samples is not louder for it."""
    return np.asarray(total / np.maximum(count, size / 2))


def _recurring(energy: Floats, n_stretches: int, burst: float) -> tuple[float, float]:
    """Return the energy of the peaks of most stretches, and that from which blocks are bursts.

    Deviations are those below the median, which bursts do not widen.
    """
    starts = np.linspace(0, len(energy), n_stretches, endpoint=False).astype(int)
    peaks = np.maximum.reduceat(energy, starts)
    if not (peaks > 0).any():
        return 1.0, np.inf
    peaks = np.log(peaks[peaks > 0])
    typical = float(np.median(peaks))
    deviation = 1.4826 * float(np.median(typical - peaks[peaks <= typical]))
    limit = typical + max(np.log(burst), DEVIATIONS * deviation)
    return float(np.exp(typical)), float(np.exp(limit))


def _groups(loud: NDArray[np.bool_], pause: int) -> tuple[Integers, Integers]:
    """Return first and end of groups of loud blocks, between which there is a pause."""
    place = np.flatnonzero(loud)
    apart = np.flatnonzero(np.diff(place) > pause)
    starts = place[np.concatenate([[0], apart + 1])]
    return starts, place[np.concatenate([apart, [len(place) - 1]])] + 1
