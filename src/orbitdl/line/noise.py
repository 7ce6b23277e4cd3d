"""The level of noise in recordings as waveforms see it."""

from __future__ import annotations

import numpy as np

from orbitdl.groups.base import Floats
from orbitdl.line.chunk import Chunk
from orbitdl.line.correlations import correlations
from orbitdl.line.shards import RecordingShards
from orbitdl.line.signal import reached
from orbitdl.line.waveforms import Waveforms

GAUSSIAN = 1.4826
"""Standard deviation of a Gaussian whose absolute values have median 1."""
LOOKED_AT = 32
"""Chunks that the level is taken from, evenly spread: two million samples say enough."""


def spread(parts: tuple[Chunk, ...], most: int = LOOKED_AT) -> list[Chunk]:
    """Return so many chunks at most, evenly spread over all."""
    chosen = np.unique(np.linspace(0, len(parts) - 1, min(len(parts), most)).round().astype(int))
    return [parts[k] for k in chosen]


def sizes_of(chunk: Chunk, waveforms: Waveforms) -> Floats:
    """Return the absolute correlations (q, places) of a chunk at whole places with samples."""
    (x, observed), _ = chunk.read(0, 0)
    e = correlations(x, waveforms)
    seen = reached(observed, waveforms.length)
    margin = (e.shape[1] - len(seen)) // 2
    return np.abs(e[:, margin : margin + len(seen)][:, seen])


def levels_of(shards: RecordingShards, waveforms: Waveforms) -> tuple[float, float]:
    """Return the standard deviation of correlations with noise, and the largest correlation.

    The first is robust, for most places are noise: from the median absolute value at whole places,
    of the median waveform.
    """
    sizes = np.concatenate([sizes_of(chunk, waveforms) for chunk in spread(shards.parts)], axis=1)
    if not sizes.size:
        return 0.0, 0.0
    return float(GAUSSIAN * np.median(np.median(sizes, axis=1))), float(sizes.max())
