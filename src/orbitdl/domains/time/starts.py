"""Waveforms to start learning from: stretches of recordings that have much to say."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import fft

from orbitdl.arrays.validation import as_components
from orbitdl.dictionaries.norm_constraint import unit_norm
from orbitdl.dictionaries.unit_ball import UnitBall
from orbitdl.domains.time.coordinates import to_blocks
from orbitdl.domains.time.pool import Pool
from orbitdl.domains.time.splines import coefficients_of
from orbitdl.groups.base import Blocks, Floats

CANDIDATES, JUDGES = 50, 500
"""Stretches that a typical start is chosen from, and by."""


def start_from_pool(pool: Pool, q: int, rng: np.random.Generator) -> Blocks:
    """Choose q stretches that are unlike each other wherever they are moved, of unit norm.

    As k-means++: the next one is drawn with probability proportional to the energy that no moved
    copy of those before explains, ``||y||^2 - max_{j,s} <y, a_j(. - s)>^2`` at whole shifts s.
    Where recordings have fewer stretches, noise takes their place.
    """
    y, chosen = pool.to_start_from(q), rng.standard_normal((q, *pool.shape))
    spectra = spectra_of(y)
    energy = np.sum(y**2, axis=(1, 2))
    left = energy.copy()
    for j in range(q):
        if left.sum() <= 0.0:
            break
        i = rng.choice(len(y), p=left / left.sum())
        chosen[j] = y[i] / np.sqrt(energy[i])
        left = np.minimum(left, np.maximum(energy - likeness(spectra, chosen[j]) ** 2, 0.0))
        left[energy == 0.0] = 0.0
    return unit_norm(to_blocks(coefficients_of(chosen)))


def typical_start(pool: Pool, q: int) -> Blocks:
    """Choose q stretches that moved copies of explain most of the others, one after the other.

    Out of some candidates, the one whose ``sum_i max_s <y_i, a(. - s)>^2`` adds most; no chance is
    in it.
    """
    chosen, y = np.random.default_rng(0).standard_normal((q, *pool.shape)), pool.typical(q)
    y = y[:: max(len(y) // JUDGES, 1)]
    candidates = y[:: max(len(y) // CANDIDATES, 1)]
    candidates = candidates / np.sqrt(np.sum(candidates**2, axis=(1, 2), keepdims=True))
    spectra = spectra_of(y)
    explained = np.array([likeness(spectra, a) ** 2 for a in candidates])
    explained = explained.reshape(len(candidates), len(y))
    so_far = np.zeros(len(y))
    for j in range(min(q, len(candidates))):
        best = int(np.argmax(np.sum(np.maximum(explained - so_far, 0.0), axis=1)))
        chosen[j], so_far = candidates[best], np.maximum(so_far, explained[best])
    return unit_norm(to_blocks(coefficients_of(chosen)))


def spectra_of(pool: Floats) -> NDArray[np.complex128]:
    """Return the transforms (n, channels, F) of stretches (n, W, channels), with room to move."""
    size = fft.next_fast_len(2 * pool.shape[1] - 1, real=True)
    return np.asarray(fft.rfft(pool.transpose(0, 2, 1), size, axis=2))


def likeness(spectra: NDArray[np.complex128], waveform: Floats) -> Floats:
    """Return ``max_s |<y_i, a(. - s)>|`` over whole shifts s, (n,), given `spectra_of` y."""
    size = fft.next_fast_len(2 * len(waveform) - 1, real=True)
    products = np.einsum("icf,cf->if", spectra, fft.rfft(waveform.T, size, axis=1).conj())
    return np.asarray(np.abs(fft.irfft(products, size, axis=1)).max(axis=1))


def choose_starts(
    init: str | ArrayLike, pool: Pool, q: int, generators: list[np.random.Generator]
) -> list[UnitBall]:
    """Return q waveforms of unit norm for every generator, or once if they are given.

    The pool is what starts from data are drawn from.
    """
    width, channels = pool.shape
    if isinstance(init, str):
        if init == "data":
            return [UnitBall(start_from_pool(pool, q, rng)) for rng in generators]
        if init == "random":
            noise = (rng.standard_normal((q, width, channels)) for rng in generators)
            return [UnitBall(unit_norm(to_blocks(u))) for u in noise]
        raise ValueError(f'init must be "data", "random" or an array, not {init!r}.')
    given = as_components(init, "init")
    expected = (q, width, channels) if channels > 1 else (q, width)
    if given.shape not in (expected, (q, width, channels)):
        raise ValueError(f"init must be an array of shape {expected}, not {given.shape}.")
    if not np.any(given.reshape(q, -1), axis=1).all():
        raise ValueError("init has a waveform that is zero; give another.")
    u = coefficients_of(given.reshape(q, width, channels))
    return [UnitBall(unit_norm(to_blocks(u)))]
