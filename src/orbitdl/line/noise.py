"""The level of noise in recordings as waveforms see it, and the alpha that keeps it out."""

from __future__ import annotations

import numpy as np

from orbitdl.groups.base import Floats
from orbitdl.line.chunk import Chunk
from orbitdl.line.correlations import correlations
from orbitdl.line.shards import RecordingShards
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
    seen = np.convolve(observed, np.ones(waveforms.length)) > 0
    margin = (e.shape[1] - len(seen)) // 2
    return np.abs(e[:, margin : margin + len(seen)][:, seen])


def correlation_level(shards: RecordingShards, waveforms: Waveforms) -> float:
    """Return the standard deviation of correlations with noise, robustly: most places are noise.

    The median absolute value at whole places, of the median waveform.
    """
    sizes = np.concatenate([sizes_of(chunk, waveforms) for chunk in spread(shards.parts)], axis=1)
    return float(GAUSSIAN * np.median(np.median(sizes, axis=1))) if sizes.size else 0.0


def alpha_above_noise(shards: RecordingShards, waveforms: Waveforms) -> float:
    """Return ``sigma sqrt(2 log T)``: what the largest of T correlations with noise comes to."""
    samples = sum(chunk.last - chunk.first for chunk in shards.parts)
    level = correlation_level(shards, waveforms)
    return level * float(np.sqrt(2.0 * np.log(max(samples, 2))))
