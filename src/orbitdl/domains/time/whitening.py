"""Whitening of recordings, with a penalty that follows the noise level.

A detrended recording x is coded as ``y = h * x / scale``. Its background noise is white, with a
slowly varying standard deviation sigma(t). The penalty of an event at tau is
``alpha sigma(tau + W / 2)``: the same number of noise standard deviations everywhere.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from orbitdl.arrays.blocks import Floats
from orbitdl.coding.parallel import in_threads
from orbitdl.discovery.background import Background
from orbitdl.discovery.level import LONG, block_levels, combined_levels
from orbitdl.domains.time.penalty import LevelField
from orbitdl.domains.time.signal import Signal

TOGETHER = 64
"""Blocks read at a time."""


def whitened(signal: Signal, noise: Background, length: int, n_jobs: int | None) -> Signal:
    """Whiten a recording, with a penalty that follows its noise level."""
    white = replace(signal, noise=noise).without_trend(n_jobs)
    return replace(white, penalty=noise_field(white, length, n_jobs))


def noise_field(signal: Signal, length: int, n_jobs: int | None) -> LevelField:
    """Return the noise level of a whitened recording at the centre of waveforms."""
    short, long = (block_noise(signal, size, n_jobs) for size in (length, LONG * length))
    at, levels = combined_levels(short, long, length, signal.channels)
    return LevelField(at - length / 2, levels[None])


def block_noise(signal: Signal, size: int, n_jobs: int | None) -> Floats:
    """Return the noise level of every block."""
    count = len(np.arange(0, max(len(signal) - size // 2, 1), size))

    def some(first: int) -> Floats:
        last = min(first + TOGETHER, count)
        end = len(signal) if last == count else last * size
        return block_levels(*signal.read(first * size, end), size)

    return np.concatenate(in_threads(some, range(0, count, TOGETHER), n_jobs))
