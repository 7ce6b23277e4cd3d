"""The level of noise in a recording as waveforms see it, and the alpha that keeps it out."""

from __future__ import annotations

import numpy as np

from orbitdl.recordings.line.correlations import correlations
from orbitdl.recordings.line.recording_shard import RecordingShard
from orbitdl.recordings.line.waveforms import Waveforms

GAUSSIAN = 1.4826
"""Standard deviation of a Gaussian whose absolute values have median 1."""


def correlation_level(shard: RecordingShard, waveforms: Waveforms) -> float:
    """Return the standard deviation of correlations with noise, robustly: most places are noise.

    The median absolute value at whole places, of the median waveform.
    """
    e = correlations(shard.signal, waveforms)
    seen = np.convolve(shard.observed, np.ones(waveforms.length)) > 0
    places = e[:, (e.shape[1] - len(seen)) // 2 :][:, : len(seen)][:, seen]
    return float(GAUSSIAN * np.median(np.median(np.abs(places), axis=1)))


def alpha_above_noise(shards: tuple[RecordingShard, ...], waveforms: Waveforms) -> float:
    """Return ``sigma sqrt(2 log T)``: what the largest of T correlations with noise comes to.

    sigma is the largest level of a recording, T the number of samples in all.
    """
    samples = sum(int(shard.observed.sum()) for shard in shards)
    level = max(correlation_level(shard, waveforms) for shard in shards)
    return level * float(np.sqrt(2.0 * np.log(max(samples, 2))))
