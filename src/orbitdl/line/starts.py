"""Waveforms to start learning from: stretches of recordings that have much to say."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy import fft
from scipy.ndimage import uniform_filter1d

from orbitdl.groups.base import Blocks, Floats
from orbitdl.learning.dictionary import unit_norm
from orbitdl.line.chunk import Chunk
from orbitdl.line.coordinates import to_blocks
from orbitdl.line.noise import spread
from orbitdl.line.shards import RecordingShards
from orbitdl.line.splines import coefficients_of
from orbitdl.validation import as_components

MOST = 2000
"""Stretches to choose from, of all recordings together."""
LEAST = 4
"""Of each chunk that is looked at."""
SHORT = 8
"""Into how many parts of a span energy is smoothed to find where an event is centred."""


def pool_of(shards: RecordingShards) -> Floats:
    """Return stretches of recordings to choose from, (n, W, channels)."""
    looked_at = spread(shards.parts, MOST // LEAST)
    each = max(MOST // len(looked_at), LEAST)
    return np.concatenate([stretches(chunk, each) for chunk in looked_at])


def start_from_pool(pool: Floats, q: int, rng: np.random.Generator) -> Blocks:
    """Choose q stretches that are unlike each other wherever they are moved, of unit norm.

    As k-means++: the next one is drawn with probability proportional to the energy that no moved
    copy of those before explains, ``||y||^2 - max_{j,s} <y, a_j(. - s)>^2`` at whole shifts s.
    Where recordings have fewer stretches, noise takes their place.
    """
    chosen = rng.standard_normal((q, *pool.shape[1:]))
    energy = np.sum(pool**2, axis=(1, 2))
    left = energy.copy()
    for j in range(q):
        if left.sum() <= 0.0:
            break
        i = rng.choice(len(pool), p=left / left.sum())
        chosen[j] = pool[i] / np.sqrt(energy[i])
        left = np.minimum(left, np.maximum(energy - likeness(pool, chosen[j]) ** 2, 0.0))
        left[energy == 0.0] = 0.0
    return unit_norm(to_blocks(coefficients_of(chosen)))


def stretches(chunk: Chunk, most: int) -> Floats:
    """Return the spans of a chunk with most energy, centred on it, none twice.

    Shape (n, W, channels). Spans that reach beyond an end, or into missing samples, are left out.
    """
    (signal, observed), _ = chunk.read(0, 0)
    width, n = chunk.width, len(signal)
    power = uniform_filter1d(np.sum(signal**2, axis=1), max(width // SHORT, 1))
    half = width // 2
    whole = np.zeros(n, dtype=bool)
    if n >= width:
        missing = np.concatenate([[0], np.cumsum(~observed)])
        whole[half : half + n - width + 1] = missing[width:] == missing[:-width]
    power = np.where(whole, power, 0.0)
    found = list[Floats]()
    for place in np.argsort(-power, kind="stable"):
        if len(found) == most or power[place] <= 0.0:
            break
        if whole[place]:
            found.append(signal[place - half : place - half + width])
            whole[max(place - width + 1, 0) : place + width] = False
    return np.array(found).reshape(-1, width, signal.shape[1])


def likeness(pool: Floats, waveform: Floats) -> Floats:
    """Return ``max_s |<y_i, a(. - s)>|`` over whole shifts for y (n, W, channels), shape (n,)."""
    size = fft.next_fast_len(2 * pool.shape[1] - 1, real=True)
    spectra = fft.rfft(pool, size, axis=1) * fft.rfft(waveform, size, axis=0).conj()
    products = fft.irfft(spectra.sum(axis=2), size, axis=1)
    return np.asarray(np.abs(products).max(axis=1))


def choose_starts(
    init: str | ArrayLike, shards: RecordingShards, q: int, generators: list[np.random.Generator]
) -> list[Blocks]:
    """Return q waveforms of unit norm for every generator, or once if they are given."""
    _, width, channels = shards.space.block_shape
    if isinstance(init, str):
        if init == "data":
            pool = pool_of(shards)
            return [start_from_pool(pool, q, rng) for rng in generators]
        if init == "random":
            noise = (rng.standard_normal((q, width, channels)) for rng in generators)
            return [unit_norm(to_blocks(u)) for u in noise]
        raise ValueError(f'init must be "data", "random" or an array, not {init!r}.')
    given = as_components(init, "init")
    if given.shape not in ((q, width, channels), (q, width, channels)[: 2 + (channels > 1)]):
        expected = (q, width, channels) if channels > 1 else (q, width)
        raise ValueError(f"init must be an array of shape {expected}, not {given.shape}.")
    if not np.any(given.reshape(q, -1), axis=1).all():
        raise ValueError("init has a waveform that is zero; give another.")
    return [unit_norm(to_blocks(coefficients_of(given.reshape(q, width, channels))))]
