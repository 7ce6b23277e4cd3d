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
from orbitdl.line.noise import GAUSSIAN, spread
from orbitdl.line.shards import RecordingShards
from orbitdl.line.splines import coefficients_of
from orbitdl.validation import as_components

MOST = 2000
"""Stretches to choose from, of all recordings together."""
LEAST = 4
"""Of each chunk that is looked at."""
SHORT = 8
"""Into how many parts of a span energy is smoothed to find where an event is centred."""


FAR, ENOUGH = 4.0, 8
"""Standard deviations of noise that events stand out by, and how many of them a waveform wants."""
CANDIDATES, JUDGES = 50, 500
"""Stretches that a typical start is chosen from, and by."""
QUIET = 2.0
"""Stretches with more than so many times the energy of white noise are not noise."""


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
    pool = outstanding(pool, q)
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


def typical_start(pool: Floats, q: int) -> Blocks:
    """Choose q stretches that moved copies of explain most of the others, one after the other.

    Out of some candidates, the one whose ``sum_i max_s <y_i, a(. - s)>^2`` adds most; no chance is
    in it.
    """
    chosen = np.random.default_rng(0).standard_normal((q, *pool.shape[1:]))
    pool = outstanding(pool, q)
    pool = pool[:: max(len(pool) // JUDGES, 1)]
    energy = np.sum(pool**2, axis=(1, 2))
    known = np.flatnonzero(energy)
    candidates = pool[known[:: max(len(known) // CANDIDATES, 1)]]
    candidates = candidates / np.sqrt(np.sum(candidates**2, axis=(1, 2), keepdims=True))
    explained = np.array([likeness(pool, a) ** 2 for a in candidates]).reshape(-1, len(pool))
    so_far = np.zeros(len(pool))
    for j in range(min(q, len(candidates))):
        best = int(np.argmax(np.sum(np.maximum(explained - so_far, 0.0), axis=1)))
        chosen[j], so_far = candidates[best], np.maximum(so_far, explained[best])
    return unit_norm(to_blocks(coefficients_of(chosen)))


def outstanding(pool: Floats, q: int) -> Floats:
    """Return the stretches with far more energy than most, where most are noise.

    Most are if their energy is about that of white noise, ``W sum_c sigma_c^2``; and those that
    stand out must be enough to choose from.
    """
    if len(pool) == 0:
        return pool
    energy = np.sum(pool**2, axis=(1, 2))
    typical = np.median(energy)
    rough = np.median(np.abs(np.diff(pool, 2, axis=1)), axis=(0, 1)) * GAUSSIAN / np.sqrt(6.0)
    if typical > QUIET * pool.shape[1] * np.sum(rough**2):
        return pool
    far = energy > typical + FAR * GAUSSIAN * np.median(np.abs(energy - typical))
    return pool[far] if far.sum() >= ENOUGH * q else pool


def typical_size(pool: Floats, q: int) -> float:
    """Return the median norm of the stretches that starts are drawn from."""
    norms = np.sqrt(np.sum(outstanding(pool, q) ** 2, axis=(1, 2)))
    return float(np.median(norms)) if len(norms) else 0.0


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
    init: str | ArrayLike, pool: Floats, q: int, generators: list[np.random.Generator]
) -> list[Blocks]:
    """Return q waveforms of unit norm for every generator, or once if they are given.

    The pool (n, W, channels) is what starts from data are drawn from.
    """
    _, width, channels = pool.shape
    if isinstance(init, str):
        if init == "data":
            return [start_from_pool(pool, q, rng) for rng in generators]
        if init == "random":
            noise = (rng.standard_normal((q, width, channels)) for rng in generators)
            return [unit_norm(to_blocks(u)) for u in noise]
        raise ValueError(f'init must be "data", "random" or an array, not {init!r}.')
    given = as_components(init, "init")
    expected = (q, width, channels) if channels > 1 else (q, width)
    if given.shape not in (expected, (q, width, channels)):
        raise ValueError(f"init must be an array of shape {expected}, not {given.shape}.")
    if not np.any(given.reshape(q, -1), axis=1).all():
        raise ValueError("init has a waveform that is zero; give another.")
    return [unit_norm(to_blocks(coefficients_of(given.reshape(q, width, channels))))]
