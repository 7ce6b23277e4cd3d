"""The level of noise in recordings as waveforms see it."""

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
"""Part of the level of noise below which alpha leaves nothing of it out."""
LOOKED_AT = 32
"""Chunks that the level is taken from, evenly spread: two million samples say enough."""


def sizes_of(chunk: Chunk, waveforms: Waveforms) -> Floats:
    """Return the absolute correlations (q, positions) of a chunk at integer positions with samples.

    Correlations with the waveforms, ``eta_j(m) = (e_j[m-1] + 4 e_j[m] + e_j[m+1]) / 6``, not those
    with their spline coefficients, e, which are larger for short waveforms.
    """
    (x, observed), _ = chunk.read(0, 0)
    e = correlations(x, waveforms)
    eta = ON_SAMPLES[0] * e[:, :-2] + ON_SAMPLES[1] * e[:, 1:-1] + ON_SAMPLES[2] * e[:, 2:]
    seen = reached(observed, waveforms.length)
    margin = (eta.shape[1] - len(seen)) // 2
    return np.asarray(np.abs(eta[:, margin : margin + len(seen)][:, seen]))


def correlation_level(shards: RecordingShards, waveforms: Waveforms) -> float:
    """Return the standard deviation of correlations with noise, of the waveform with the largest.

    From the median absolute value over integer positions, for most positions are noise. In coloured
    noise it differs between waveforms; one alpha for all must exceed that of each.
    """
    chunks = spread(shards.parts, LOOKED_AT)
    sizes = np.concatenate([sizes_of(chunk, waveforms) for chunk in chunks], axis=1)
    return float(GAUSSIAN * np.median(sizes, axis=1).max()) if sizes.size else 0.0


def white_level(recordings: Recordings) -> float:
    """Return the standard deviation of white noise, of the noisiest channel.

    From the median size of second differences in a typical chunk, which events that are smooth,
    and drift, hardly have; that of white noise has six times its variance.
    """
    levels = [one for one in recordings.of_some(roughness, LOOKED_AT) if one is not None]
    return float(GAUSSIAN / np.sqrt(6.0) * np.median(levels, axis=0).max()) if levels else 0.0


def roughness(chunk: Chunk) -> Floats | None:
    """Return the median size of second differences in a chunk, (channels,), if there are any."""
    (x, observed), _ = chunk.read(0, 0)
    whole = observed[:-2] & observed[1:-1] & observed[2:]
    return np.median(np.abs(np.diff(x, 2, axis=0))[whole], axis=0) if whole.any() else None


def require_above_noise(alpha: float, recordings: Recordings) -> None:
    """Refuse an alpha far below the noise, which wants atoms for all of it; say if it is slow."""
    noise = white_level(recordings)
    if alpha < FAR_BELOW * noise:
        raise ValueError(
            f"alpha={alpha:g} is so small that as many atoms would be needed as there are samples:"
            f' the level of noise is about {noise:.2g}; pass a larger one, or alpha="auto".'
        )
    if alpha < noise:
        warn_user(
            f"alpha={alpha:g} is below the level of noise, about {noise:.2g}: codes will have very "
            'many atoms and take long; a larger alpha, or alpha="auto", is quicker.',
            RuntimeWarning,
        )
