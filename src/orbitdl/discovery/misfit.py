"""What is learned from a coding for the next: misfit of events, noise, better waveforms.

A waveform is an average, and a real event deviates from it. The misfit variance

    V_jl(d) = max(0, (median_k |eta_l(t_k + d)| / c_k / 0.6745)^2
                     - (1 + z / sqrt(n)) g_l^2 median_k (sigma_k/c_k)^2)

over n primary events k of component j says how large correlations with waveform l are at lag d of
an event, beyond what noise makes of them by chance. What occurs at a lag of most events (a T wave,
jitter, ringing) is misfit; what occurs near a few of them (another event) is not: a median does not
see it.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.ndimage import maximum_filter1d

from orbitdl.arrays.blocks import Floats, Integers
from orbitdl.discovery.background import MAD_SCALE
from orbitdl.discovery.coding import HALF, Detector, DetectorCoding, Whitened, noise_gain
from orbitdl.discovery.pursuit import put_back

EVENTS, AVERAGED = 200, 400
"""Events of a component that misfit is estimated from, and that a waveform is averaged over."""
CHANCE = 4.7
"""The number z of a calibrated detector: the square of a median of n magnitudes of noise has a
relative standard deviation of ``2.33 / sqrt(n)``, and two of these are no misfit. While components
are still to be found z is 0, so that none grows from what others leave."""
LAGS, WIDER = 64, 32
"""Steps into which a waveform length of lags is divided, and part of it by which V is widened."""


def learned(
    w: Whitened, coded: DetectorCoding, rng: np.random.Generator, chance: float = 0.0
) -> tuple[Detector, Floats]:
    """Return the detector with what this coding teaches, and the local noise level (P,)."""
    sigma = w.level(coded.residual)
    g = noise_gain(w, coded.eta, sigma)
    counts = np.bincount(coded.atoms.component, minlength=len(g)).astype(np.float64)
    V = misfit(w, coded, g, sigma, rng, chance)
    detector = replace(
        coded.detector, g=g, V=V, counts=counts, median=coded.median, least=coded.least
    )
    return detector, sigma


def misfit(
    w: Whitened,
    coded: DetectorCoding,
    g: Floats,
    sigma: Floats,
    rng: np.random.Generator,
    chance: float,
) -> Floats:
    """Return V (q, q, 2 L + 1)."""
    atoms, (q, n), length = coded.atoms, coded.eta.shape, w.length
    V = np.zeros((q, q, 2 * length + 1))
    secondary = atoms.larger_within(length // 2, 2.0)
    back, eta = atoms.take(secondary), coded.eta.copy()
    put_back(eta, back, coded.detector.A)
    step = max(length // LAGS, 1)
    lags, every = np.arange(-length, length + 1, step), np.arange(-length, length + 1)
    for j in range(q):
        own = np.flatnonzero(~secondary & (atoms.component == j))
        if len(own) == 0:
            continue
        size = np.abs(atoms.c[own])
        own = some(own[size >= HALF * np.median(size)], EVENTS, rng)
        at, c = atoms.sample[own][:, None] + lags, np.abs(atoms.c[own])
        inside = (at >= 0) & (at < n)
        noise = np.median(sigma[atoms.sample[own] + length // 2] / c) ** 2
        for l in range(q):  # noqa: E741
            there = np.where(inside, np.abs(eta[l][np.clip(at, 0, n - 1)]), 0.0) / c[:, None]
            by_chance = (1.0 + chance / np.sqrt(len(own))) * g[l] ** 2 * noise
            square = (MAD_SCALE * np.median(there, axis=0)) ** 2 - by_chance
            wide = np.interp(every, lags, np.maximum(square, 0.0))
            V[j, l] = maximum_filter1d(wide, 2 * max(length // WIDER, step) + 1)
    return V


def some(which: Integers, most: int, rng: np.random.Generator) -> Integers:
    """Return so many at most, drawn at random."""
    return which if len(which) <= most else rng.choice(which, most, replace=False)


def windows(coded: DetectorCoding, which: Integers) -> Floats:
    """Return the residual at some atoms with each of them added back, (K, L, channels)."""
    atoms, A = coded.atoms.take(which), coded.detector.A
    at = atoms.sample[:, None] + np.arange(A.shape[1])
    return np.asarray(coded.residual[at] + atoms.c[:, None, None] * A[atoms.component])


def updated_waveforms(coded: DetectorCoding, rng: np.random.Generator) -> Floats:
    """Return waveforms moved towards the robust mean of their events.

    ``a_j + sum_k w_k c_k r_k / sum_k w_k c_k^2``, ``w_k = 1 / (||r_k||^2 + median)``, centred and
    of unit norm.
    """
    A, atoms = coded.detector.A.copy(), coded.atoms
    for j in range(len(A)):
        own = some(coded.own(j), AVERAGED, rng)
        if len(own) == 0:
            continue
        r, c = coded.residual[atoms.sample[own][:, None] + np.arange(A.shape[1])], atoms.c[own]
        energy = np.sum(r**2, axis=(1, 2))
        weight = c / (energy + np.median(energy) + 1e-300)
        A[j] = centred(A[j] + np.einsum("k,knc->nc", weight, r) / np.sum(weight * c))
    return A


def centred(a: Floats) -> Floats:
    """Move the centre of energy of a waveform (L, channels) to the middle, at unit norm."""
    energy = np.sum(a**2, axis=1)
    if energy.sum() <= 0.0:
        return a
    middle = np.sum(np.arange(len(a)) * energy) / energy.sum()
    return unit(shifted(a, round((len(a) - 1) / 2 - float(middle))))


def shifted(a: Floats, by: int) -> Floats:
    """Return a waveform later by an integer number of samples, zero where nothing was."""
    out = np.zeros_like(a)
    if by >= 0:
        out[by:] = a[: len(a) - by]
    else:
        out[:by] = a[-by:]
    return out


def unit(a: Floats) -> Floats:
    """Return a waveform at unit norm."""
    return np.asarray(a / max(float(np.sqrt(np.sum(a**2))), 1e-300))
