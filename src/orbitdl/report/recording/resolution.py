"""What of a recording is kept sample by sample, where not all of it has room in the file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from orbitdl.events.intervals import runs
from orbitdl.groups.base import Floats, Integers

VALUES = 1_500_000
"""Values of 16 bits that the strip may take: 4 MB as text."""
AROUND = 12
"""Lengths of a waveform that are kept on either side of an event that is worth a look."""
SPREAD = 12
"""Stretches that are kept evenly spread over the recording."""

Stretch = tuple[int, int]


def bin_size(samples: int, channels: int) -> int:
    """Return samples per outline bin, a power of two; 1 if every sample has room.

    A sample takes two values of a channel, data and what is left; a bin four, the least and the
    greatest of both, and bins may take half of the room.
    """
    if 2 * samples * channels <= VALUES:
        return 1
    size = 2
    while 4 * -(-samples // size) * channels > VALUES // 2:
        size *= 2
    return size


def kept_stretches(
    samples: int, channels: int, length: int, places: Iterable[float], minute: int
) -> Integers:
    """Return begins and ends (m, 2) of what is kept sample by sample, sorted by time.

    The first and the last minute, or what an eighth of the room holds of it; around `places`, as
    long as there is room; and the rest of the room evenly spread.
    """
    size = bin_size(samples, channels)
    if size == 1:
        return np.array([[0, samples]])
    bins = 4 * channels * -(-samples // size)
    room = Room(samples, (VALUES - bins) // (2 * channels))
    ends = min(minute, room.left // 8)
    room.add([(0, ends), (max(samples - ends, 0), samples)])
    room.add((max(int(p) - AROUND * length, 0), int(p) + AROUND * length) for p in places)
    each = room.left // SPREAD
    room.add(spread_out(samples, each))
    return runs(room.taken)


def spread_out(samples: int, each: int) -> Iterator[Stretch]:
    """Yield stretches around evenly spread places."""
    for middle in np.linspace(0, samples, SPREAD + 2)[1:-1].astype(int):
        yield max(int(middle) - each // 2, 0), int(middle) + each - each // 2


class Room:
    """Samples that are kept; what would not fit any more is left out."""

    def __init__(self, samples: int, most: int) -> None:
        self.taken: NDArray[np.bool_] = np.zeros(samples, dtype=bool)
        self.left = most

    def add(self, stretches: Iterable[Stretch]) -> None:
        """Keep these stretches, each if all of it has room."""
        for first, last in stretches:
            new = int(np.count_nonzero(~self.taken[first:last]))
            if new <= self.left:
                self.taken[first:last] = True
                self.left -= new


def outline(values: Floats, size: int) -> Floats:
    """Return the least and the greatest value of every bin, (bins, 2 m); NaN where none is known.

    Columns (n, m) give first all that is least, then all that is greatest.
    """
    starts = np.arange(0, len(values), size)
    return np.hstack([f.reduceat(values, starts, axis=0) for f in (np.fmin, np.fmax)])
