"""The noise level over time: robust, in blocks of two waveform lengths."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import median_filter

from orbitdl.discovery.background import GAUSSIAN
from orbitdl.groups.base import Floats

BLOCK, SMOOTH, LEAST = 2, 3, 0.2
"""Waveform lengths of a block, blocks of a running median, and least part of the median level."""


def local_level(r: Floats, observed: NDArray[np.bool_], length: int) -> Floats:
    """Return the standard deviation (n,) of a residual r (n, channels) around every sample.

    Blocks without enough observed samples take the level of those next to them.
    """
    size = BLOCK * length
    starts = np.arange(0, max(len(r) - size // 2, 1), size)
    levels = np.full(len(starts), np.nan)
    for k, first in enumerate(starts):
        last = first + size if k + 1 < len(starts) else len(r)
        there = observed[first:last]
        if there.sum() * 4 >= size:
            part = r[first:last]
            levels[k] = GAUSSIAN * np.median(np.abs(part if there.all() else part[there]))
    known = np.isfinite(levels)
    if not known.any():
        return np.ones(len(r))
    centres = starts + size / 2
    levels = np.interp(centres, centres[known], levels[known])
    levels = median_filter(levels, SMOOTH, mode="nearest")
    levels = np.maximum(levels, LEAST * np.median(levels))
    levels = np.maximum(levels, 1e-300)
    return np.asarray(np.interp(np.arange(len(r)), centres, levels))
