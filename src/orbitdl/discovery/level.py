"""The noise level over time: robust, in blocks of one and two waveform lengths."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import median_filter

from orbitdl.arrays.blocks import Floats
from orbitdl.discovery.background import MAD_SCALE

LONG, SMOOTH, LEAST = 2, 3, 0.2
"""Waveform lengths of a long block, blocks of a running median, and least part of the median level.
"""
ENOUGH = 100
"""Samples of a block at least, evenly spread, that its level is the median of."""
CHANGED = 2.0
"""Where the level changes, short blocks of n values differ from long ones by a factor of more than
``1 + CHANGED / sqrt(n)``: chance does so in one of a hundred."""

FREEDOM = 0.74
"""Degrees of freedom of a level per value of a long block: a median of magnitudes is as precise as
a root mean square of .37 as many values, and a running median of three twice as precise as one."""


def level_uncertainty(length: int, channels: int) -> float:
    """Return the factor of standard errors that accounts for that of the noise level.

    An error over an estimated deviation has Student's t distribution, whose standard deviation is
    ``sqrt(nu / (nu - 2))`` with nu degrees of freedom.
    """
    nu = max(FREEDOM * LONG * length * channels, 4.0)
    return float(np.sqrt(nu / (nu - 2.0)))


def local_level(r: Floats, observed: NDArray[np.bool_], length: int) -> Floats:
    """Return the standard deviation (n,) of a residual r (n, channels) around every sample."""
    short, long = (block_levels(r, observed, size) for size in (length, LONG * length))
    at, levels = combined_levels(short, long, length, r.shape[1])
    return np.asarray(np.interp(np.arange(len(r)), at, levels))


def combined_levels(
    short: Floats, long: Floats, length: int, channels: int
) -> tuple[Floats, Floats]:
    """Return places in samples, and the level there, from those of short and long blocks.

    That of long blocks, which is precise, or of short ones where these are far from it: in bursts
    of noise and between them.
    """
    at, fast = centres(len(short), length), smoothed(short)
    steady = np.interp(at, centres(len(long), LONG * length), smoothed(long))
    by_chance = 1.0 + CHANGED / np.sqrt(length * channels)
    changes = np.maximum(fast / steady, steady / fast) > by_chance
    return at, np.where(changes, fast, steady)


def block_levels(r: Floats, observed: NDArray[np.bool_], size: int) -> Floats:
    """Return the robust standard deviation of every block, NaN where too little was observed.

    The last block has from half a block to one and a half.
    """
    starts = np.arange(0, max(len(r) - size // 2, 1), size)
    count = len(starts) - 1  # of whole blocks
    levels = np.full(len(starts), np.nan)
    blocks = r[: count * size].reshape(count, size, r.shape[1])
    some = np.abs(blocks[:, :: max(size // ENOUGH, 1)])
    some = some.reshape(count, some.shape[1] * some.shape[2])
    levels[:count] = np.median(some, axis=1, overwrite_input=True)
    partly = ~np.append(observed[: count * size].reshape(count, size).all(axis=1), False)
    for k in np.flatnonzero(partly):
        block = slice(starts[k], starts[k] + size if k < count else len(r))
        part = r[block][observed[block]]
        levels[k] = np.median(np.abs(part)) if len(part) * 4 >= size else np.nan
    return MAD_SCALE * levels


def smoothed(levels: Floats) -> Floats:
    """Return levels of blocks as running medians, of their neighbours where they are not known."""
    known = np.isfinite(levels)
    if not known.any():
        return np.ones(len(levels))
    place = np.arange(len(levels))
    levels = np.interp(place, place[known], levels[known])
    levels = median_filter(levels, SMOOTH, mode="nearest")
    least = LEAST * float(np.median(levels)) or 1.0  # that of the model, without any noise
    return np.asarray(np.maximum(levels, least))


def centres(count: int, size: int) -> Floats:
    """Return the middles of so many blocks of one size, in samples."""
    return np.asarray(size * (np.arange(count) + 0.5), dtype=np.float64)
