"""Noise level of recordings, and of their correlations with waveforms."""

from __future__ import annotations

import numpy as np

from orbitdl.arrays.warnings import warn_user
from orbitdl.domains.time.chunk import Chunk
from orbitdl.domains.time.chunks import spread
from orbitdl.domains.time.correlations import correlations
from orbitdl.domains.time.shards import Recordings, RecordingShards
from orbitdl.domains.time.signal import reached
from orbitdl.domains.time.splines import ON_SAMPLES
from orbitdl.domains.time.waveforms import Waveforms
from orbitdl.groups.base import Floats

GAUSSIAN = 1.4826
"""Standard deviation of a Gaussian whose absolute values have median 1."""
FAR_BELOW = 1e-3
"""Ratio of alpha to the noise level below which codes would fit all noise."""
MAX_CHUNKS = 32
"""Number of equally spaced chunks for estimates of the noise level: two million samples suffice."""


def sizes_of(chunk: Chunk, waveforms: Waveforms) -> Floats:
    """Return the absolute correlations (q, positions) of a chunk at integer positions with samples.

    Correlations with the waveforms, ``eta_j(m) = (e_j[m-1] + 4 e_j[m] + e_j[m+1]) / 6``, not those
    with their spline coefficients, e, which are larger for short waveforms.
    """
    (x, observed), _ = chunk.read(0, 0)
    e = correlations(x, waveforms)
    eta = ON_SAMPLES[0] * e[:, :-2] + ON_SAMPLES[1] * e[:, 1:-1] + ON_SAMPLES[2] * e[:, 2:]
    is_observed = reached(observed, waveforms.length)
    margin = (eta.shape[1] - len(is_observed)) // 2
    return np.asarray(np.abs(eta[:, margin : margin + len(is_observed)][:, is_observed]))


def correlation_noise(shards: RecordingShards, waveforms: Waveforms) -> float:
    """Return the largest standard deviation, over waveforms, of correlations with noise.

    Estimated by the median absolute value over integer positions, most of which are noise. In
    coloured noise it differs between waveforms, and alpha must exceed each.
    """
    chunks = spread(shards.parts, MAX_CHUNKS)
    sizes = np.concatenate([sizes_of(chunk, waveforms) for chunk in chunks], axis=1)
    return float(GAUSSIAN * np.median(sizes, axis=1).max()) if sizes.size else 0.0


def white_noise(recordings: Recordings) -> float:
    """Return the standard deviation of white noise of the noisiest channel.

    Estimated by the median absolute second difference of a median chunk, which smooth events and
    drift hardly change. The second difference of white noise has six times its variance.
    """
    levels = [
        one for one in recordings.of_some(median_second_difference, MAX_CHUNKS) if one is not None
    ]
    return float(GAUSSIAN / np.sqrt(6.0) * np.median(levels, axis=0).max()) if levels else 0.0


def median_second_difference(chunk: Chunk) -> Floats | None:
    """Return the median absolute second difference of a chunk, (channels,), if there are any."""
    (x, observed), _ = chunk.read(0, 0)
    complete = observed[:-2] & observed[1:-1] & observed[2:]
    return np.median(np.abs(np.diff(x, 2, axis=0))[complete], axis=0) if complete.any() else None


def require_above_noise(alpha: float, recordings: Recordings) -> None:
    """Raise ValueError for an alpha far below the noise level; warn if it is below."""
    noise = white_noise(recordings)
    if alpha < FAR_BELOW * noise:
        raise ValueError(
            f"alpha={alpha:g} is too small: codes would need as many atoms as there are samples; "
            f'pass an alpha above the noise level, about {noise:.2g}, or alpha="auto".'
        )
    if alpha < noise:
        warn_user(
            f"alpha={alpha:g} is below the noise level, about {noise:.2g}: codes will have very "
            'many atoms and take long; a larger alpha, or alpha="auto", is faster.',
            RuntimeWarning,
        )
