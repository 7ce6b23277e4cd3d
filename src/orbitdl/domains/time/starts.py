"""Initial waveforms: segments of recordings."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import fft

from orbitdl.arrays.blocks import Blocks, Floats
from orbitdl.arrays.validation import as_components
from orbitdl.dictionaries.base import Dictionary, Kind
from orbitdl.dictionaries.least_squares import unit_norm
from orbitdl.domains.time.coordinates import to_blocks
from orbitdl.domains.time.pool import Pool
from orbitdl.domains.time.splines import coefficients_of

CANDIDATES, JUDGES = 50, 500
"""Candidates of the greedy initialisation, and segments that they are scored on."""


def start_from_pool(pool: Pool, q: int, rng: np.random.Generator) -> Blocks:
    """Draw q dissimilar segments of unit norm (shift-invariant k-means++).

    The next segment is drawn with probability proportional to the energy that no shift of the
    previous ones explains, ``||y||^2 - max_{j,s} <y, a_j(. - s)>^2`` over integer shifts s. If
    recordings have fewer segments, the others are noise.
    """
    y, chosen = pool.to_start_from(q), rng.standard_normal((q, *pool.shape))
    spectra = padded_spectra(y)
    energy = np.sum(y**2, axis=(1, 2))
    left = energy.copy()
    for j in range(q):
        if left.sum() <= 0.0:
            break
        i = rng.choice(len(y), p=left / left.sum())
        chosen[j] = y[i] / np.sqrt(energy[i])
        left = np.minimum(left, np.maximum(energy - max_correlation(spectra, chosen[j]) ** 2, 0.0))
        left[energy == 0.0] = 0.0
    return unit_norm(to_blocks(coefficients_of(chosen)))


def greedy_start(pool: Pool, q: int) -> Blocks:
    """Choose q segments greedily by the energy that their shifts explain of the others.

    Each time the candidate that increases ``sum_i max_{j,s} <y_i, a_j(. - s)>^2`` most;
    deterministic.
    """
    chosen, y = np.random.default_rng(0).standard_normal((q, *pool.shape)), pool.typical(q)
    y = y[:: max(len(y) // JUDGES, 1)]
    candidates = y[:: max(len(y) // CANDIDATES, 1)]
    candidates = candidates / np.sqrt(np.sum(candidates**2, axis=(1, 2), keepdims=True))
    spectra = padded_spectra(y)
    explained = np.array([max_correlation(spectra, a) ** 2 for a in candidates])
    explained = explained.reshape(len(candidates), len(y))
    so_far = np.zeros(len(y))
    for j in range(min(q, len(candidates))):
        best = int(np.argmax(np.sum(np.maximum(explained - so_far, 0.0), axis=1)))
        chosen[j], so_far = candidates[best], np.maximum(so_far, explained[best])
    return unit_norm(to_blocks(coefficients_of(chosen)))


def padded_spectra(pool: Floats) -> NDArray[np.complex128]:
    """Return the zero-padded spectra (n, channels, F) of segments (n, W, channels)."""
    size = fft.next_fast_len(2 * pool.shape[1] - 1, real=True)
    return np.asarray(fft.rfft(pool.transpose(0, 2, 1), size, axis=2))


def max_correlation(spectra: NDArray[np.complex128], waveform: Floats) -> Floats:
    """Return ``max_s |<y_i, a(. - s)>|`` over integer shifts s, (n,), from `padded_spectra`."""
    size = fft.next_fast_len(2 * len(waveform) - 1, real=True)
    products = np.einsum("icf,cf->if", spectra, fft.rfft(waveform.T, size, axis=1).conj())
    return np.asarray(np.abs(fft.irfft(products, size, axis=1)).max(axis=1))


def choose_waveforms(
    init: str | ArrayLike, pool: Pool, q: int, kind: Kind, generators: list[np.random.Generator]
) -> list[Dictionary]:
    """Return q initial waveforms of unit norm for every generator, or once for an array.

    Segments are drawn from the pool; `kind` makes dictionaries of waveforms.
    """
    width, channels = pool.shape
    if isinstance(init, str):
        if init == "data":
            return [kind(start_from_pool(pool, q, rng)) for rng in generators]
        if init == "random":
            noise = (rng.standard_normal((q, width, channels)) for rng in generators)
            return [kind(unit_norm(to_blocks(u))) for u in noise]
        raise ValueError(f'init must be "data", "random" or an array, not {init!r}.')
    array = as_components(init, "init")
    expected = (q, width, channels) if channels > 1 else (q, width)
    if array.shape not in (expected, (q, width, channels)):
        raise ValueError(f"init must be an array of shape {expected}, not {array.shape}.")
    if not np.any(array.reshape(q, -1), axis=1).all():
        raise ValueError("init has a waveform that is zero; pass another.")
    u = coefficients_of(array.reshape(q, width, channels))
    return [kind(unit_norm(to_blocks(u)))]
