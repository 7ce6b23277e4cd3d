"""Candidates for new waveforms: what recurs in the residual of a coding.

Seeds are positions whose residual has far more energy than noise, and than the misfit of the event
that is there. Around each a snippet of two waveform lengths is taken, with that event added back,
so that a new waveform competes for the whole occurrence. Snippets are tried as waveforms: one that
gains ``max_shift <s, a>^2`` minus what the event explains, over many snippets, is a candidate.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from scipy.ndimage import uniform_filter1d

from orbitdl.discovery.coding import Coded
from orbitdl.discovery.misfit import centred, some, unit
from orbitdl.discovery.pursuit import peaks_apart
from orbitdl.groups.base import Floats, Integers

RECURS = 5
"""Events that make a component."""
SEEDS, TRIED, EVENTS = 300, 40, 200
"""Seeds that are drawn, snippets that are tried as waveforms, and events that misfit is from."""
ABOVE = 3.0
"""Standard deviations of noise that the energy at a seed exceeds it by."""
LOCKED = 4.0
"""Medians of an event's own misfit that the energy next to it exceeds."""
SHARE = 0.25
"""Part of what is unexplained at a seed that a waveform must gain there."""
CAP = 4.0
"""Medians of an energy that it counts for at most: one large artefact is not many events."""
REFINED, SHIFTS = 5, 100
"""Rounds of aligning and averaging, and shifts per waveform length that are tried."""


@dataclass(frozen=True, eq=False)
class Snippets:
    """Windows (n, 2 L, channels) around seeds, in units of the local noise level.

    Attributes
    ----------
    values : ndarray of shape (n, 2 L, channels)
    explained : ndarray of shape (n,)
        Energy that the present event explains.
    unexplained : ndarray of shape (n,)
        Energy of the residual within L / 4 of the seed, beyond noise.
    weight : ndarray of shape (n,)
        Probability with which each is tried.
    """

    values: Floats
    explained: Floats
    unexplained: Floats
    weight: Floats


def candidate(coded: Coded, sigma: Floats, rng: np.random.Generator) -> Floats | None:
    """Return a waveform (L, channels) that explains what recurs in the residual, if any does."""
    at, energy = seeds(coded, sigma, rng)
    if len(at) < RECURS:
        return None
    return best_of(snippets(coded, sigma, at, energy), rng)


def seeds(coded: Coded, sigma: Floats, rng: np.random.Generator) -> tuple[Integers, Floats]:
    """Return the centres of what is left, and their energy beyond noise and misfit."""
    residual, atoms, length = coded.residual, coded.atoms, coded.detector.A.shape[1]
    size, channels = max(length // 4, 2), residual.shape[1]
    square = np.sum((residual / sigma[:, None]) ** 2, axis=1)
    excess = uniform_filter1d(square, size) * size - size * channels
    left, lags = excess.copy(), np.arange(-(length // 2), length + length // 2)
    ratio = np.abs(atoms.c) / sigma[atoms.sample + length // 2]
    for j in range(len(coded.detector)):
        own = coded.own(j)
        few = some(own, EVENTS, rng)
        if len(few) == 0:
            continue
        around = np.clip(atoms.sample[few][:, None] + lags, 0, len(excess) - 1)
        usual = np.median(excess[around] / ratio[few][:, None] ** 2, axis=0)
        for k in own:
            first, last = max(atoms.sample[k] + lags[0], 0), atoms.sample[k] + lags[-1] + 1
            there = left[first:last]
            skipped = first - atoms.sample[k] - lags[0]
            locked = np.maximum(usual[skipped : skipped + len(there)], 0.0)
            there -= LOCKED * ratio[k] ** 2 * locked
    left[left < ABOVE * np.sqrt(2.0 * size * channels)] = 0.0
    left[:length], left[len(left) - length :] = 0.0, 0.0
    at = peaks_apart(left, length // 2)
    if len(at) > SEEDS:
        at = np.sort(rng.choice(at, SEEDS, replace=False, p=shares(left[at])))
    return at, left[at]


def snippets(coded: Coded, sigma: Floats, at: Integers, weight: Floats) -> Snippets:
    """Return the windows around seeds, with the largest event there added back."""
    atoms, A = coded.atoms, coded.detector.A
    length, level = A.shape[1], sigma[at]
    values = coded.residual[at[:, None] + np.arange(-length, length)]
    near = values[:, length - length // 4 : length + length // 4 + 1] / level[:, None, None]
    unexplained = np.sum(near**2, axis=(1, 2)) - near[0].size
    order = np.argsort(atoms.sample, kind="stable")
    centre = atoms.sample[order] + length // 2
    first = np.searchsorted(centre, at - length // 2)
    last = np.searchsorted(centre, at + length // 2, "right")
    explained = np.zeros(len(at))
    for i in np.flatnonzero(last > first):
        own = order[first[i] : last[i]]
        k = own[np.argmax(np.abs(atoms.c[own]))]
        start = atoms.sample[k] - at[i] + length
        begin, end = max(start, 0), min(start + length, 2 * length)
        own_waveform = A[atoms.component[k], begin - start : end - start]
        values[i, begin:end] += atoms.c[k] * own_waveform
        explained[i] = (atoms.c[k] / level[i]) ** 2
    return Snippets(values / level[:, None, None], explained, np.maximum(unexplained, 0.0), weight)


def best_of(pool: Snippets, rng: np.random.Generator) -> Floats | None:
    """Return the snippet that gains most as a waveform, aligned and averaged with its kind."""
    count, length, channels = len(pool.values), pool.values.shape[1] // 2, pool.values.shape[2]
    tried = rng.choice(count, min(TRIED, count), replace=False, p=shares(pool.weight))
    trials = windowed(pool.values[tried])
    views = sliding_window_view(pool.values, length, axis=1)[:, :: max(length // SHIFTS, 1)]
    views = np.ascontiguousarray(views.swapaxes(2, 3), dtype=np.float32)  # (n, shifts, L, channels)
    rows = views.reshape(-1, length * channels)
    products = rows @ trials.reshape(len(trials), -1).T.astype(np.float32)
    gain = gains(products.reshape(count, -1, len(trials)).max(axis=1), pool)
    gain[np.tile(tried, 3), np.arange(len(trials))] = 0.0  # nothing recurs by itself
    limit = CAP * float(np.median(pool.unexplained + pool.explained))
    gained = np.minimum(gain, limit) - 2.0 * np.log(2 * length)
    score = np.where(gain > 0.0, gained, 0.0).sum(axis=0)
    if score.max() <= 0.0:
        return None
    a = trials[int(np.argmax(score))]
    for _ in range(REFINED):
        value = (rows @ a.ravel().astype(np.float32)).reshape(count, -1)
        c, shift = value.max(axis=1), value.argmax(axis=1)
        own = np.flatnonzero(gains(c[:, None], pool)[:, 0] > 2.0 * np.log(2 * length))
        if len(own) < 2:
            break
        size = np.minimum(c[own], np.median(c[own])) / c[own]
        a = unit(np.einsum("k,knc->nc", size, views[own, shift[own]]).astype(np.float64))
    return centred(a)


def loudest(coded: Coded, sigma: Floats) -> Floats:
    """Return the stretch of the residual (L, channels) with most energy, at unit norm."""
    length = coded.detector.A.shape[1]
    square = np.sum((coded.residual / sigma[:, None]) ** 2, axis=1)
    first = int(np.argmax(sliding_window_view(square, length).sum(axis=1)))
    return centred(coded.residual[first : first + length])


def shares(energy: Floats) -> Floats:
    """Return probabilities in proportion to energies, the largest of which are limited."""
    limited = np.minimum(energy, CAP * np.median(energy))
    return np.asarray(limited / limited.sum())


def gains(correlation: Floats, pool: Snippets) -> Floats:
    """Return what waveforms gain (n, m); 0 where it is a small part of what is unexplained."""
    gain = np.maximum(correlation, 0.0).astype(np.float64) ** 2 - pool.explained[:, None]
    return np.where(gain > SHARE * pool.unexplained[:, None], gain, 0.0)


def windowed(values: Floats) -> Floats:
    """Return the middles of snippets under windows of three widths, of unit norm, (3 n, L, C)."""
    length = values.shape[1] // 2
    middle = values[:, length - length // 2 : length - length // 2 + length]
    result = list[Floats]()
    for size in (length, max(length // 2, 4), max(length // 4, 4)):
        window, first = np.zeros(length), (length - min(size, length)) // 2
        window[first : first + size] = np.hanning(size + 2)[1:-1][: length - first]
        result += [unit(one * window[:, None]) for one in middle]
    return np.stack(result)
