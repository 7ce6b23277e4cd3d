"""Choice of the segments stored at full resolution, if a recording exceeds the file size."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from orbitdl.events.intervals import runs
from orbitdl.groups.base import Floats, Integers

VALUES = 1_500_000
"""Maximum number of 16-bit values of the signal: 4 MB as text."""
AROUND = 12
"""Waveform lengths stored on either side of a listed event."""
SPREAD = 12
"""Number of evenly spaced segments."""


def bin_size(samples: int, channels: int) -> int:
    """Return samples per outline bin, a power of two; 1 if all samples fit.

    Per channel a sample takes two values, data and residual; a bin four, minimum and maximum of
    both. Bins may take half of the budget.
    """
    if 2 * samples * channels <= VALUES:
        return 1
    size = 2
    while 4 * -(-samples // size) * channels > VALUES // 2:
        size *= 2
    return size


def sampled_segments(
    samples: int, channels: int, length: int, positions: Iterable[float], minute: int
) -> Integers:
    """Return begins and ends (m, 2) of the segments at full resolution, sorted by time.

    These are the first and the last minute, each at most an eighth of the budget; segments around
    `positions` while the budget lasts; and evenly spaced segments for the rest of the budget.
    """
    size = bin_size(samples, channels)
    if size == 1:
        return np.array([[0, samples]])
    left = (VALUES - 4 * channels * -(-samples // size)) // (2 * channels)
    taken, ends = np.zeros(samples, dtype=bool), min(minute, left // 8)
    wanted = [(0, ends), (max(samples - ends, 0), samples)]
    wanted += [(max(int(p) - AROUND * length, 0), int(p) + AROUND * length) for p in positions]
    left = _take(taken, wanted, left)
    middles, half = np.linspace(0, samples, SPREAD + 2)[1:-1].astype(int), left // SPREAD // 2
    _take(taken, [(max(int(m) - half, 0), int(m) + half) for m in middles], left)
    return runs(taken)


def _take(taken: NDArray[np.bool_], segments: list[tuple[int, int]], left: int) -> int:
    """Take each segment that fits into what is left of the budget; return the rest."""
    for first, last in segments:
        new = int(np.count_nonzero(~taken[first:last]))
        if new <= left:
            taken[first:last] = True
            left -= new
    return left


def outline(values: Floats, size: int) -> Floats:
    """Return minimum and maximum of each bin, (bins, 2 m); NaN for bins without values.

    Of columns (n, m) the first m are the minima and the last m the maxima.
    """
    starts = np.arange(0, len(values), size)
    return np.hstack([f.reduceat(values, starts, axis=0) for f in (np.fmin, np.fmax)])
