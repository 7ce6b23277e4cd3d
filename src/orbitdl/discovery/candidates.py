"""Candidates for new waveforms: recurring shapes in the residual of a coding.

Seeds are positions at which the energy of the residual is far above noise and the misfit of the
event there. Around each a snippet of two waveform lengths is taken, with that event added back, so
that a new waveform competes for the complete occurrence. Snippets are tried as waveforms: one that
gains ``max_shift <s, a>^2`` minus what the event explains, over many snippets, is a candidate.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from scipy.ndimage import uniform_filter1d

from orbitdl.arrays.blocks import Floats, Integers
from orbitdl.discovery.coding import DetectorCoding
from orbitdl.discovery.misfit import centred, some, unit
from orbitdl.discovery.pursuit import peaks_apart

MIN_EVENTS = 5
"""Minimum number of events of a component."""
SEEDS, TRIED, EVENTS = 300, 40, 200
"""Number of seeds, of snippets tried as waveforms, and of events for the estimate of misfit."""
ENERGY_THRESHOLD = 3.0
"""Minimum excess of the energy at a seed, in standard deviations of the energy of noise."""
MISFIT_FACTOR = 4.0
"""Minimum energy next to an event, in medians of its own misfit."""
SHARE = 0.25
"""Minimum gain of a waveform at a seed, as a fraction of the unexplained energy."""
CAP = 4.0
"""Clipping of energies, in medians: one large artefact is not many events."""
REFINED, SHIFTS = 5, 100
"""Rounds of aligning and averaging, and trial shifts per waveform length."""


@dataclass(frozen=True, eq=False)
class Snippets:
    """Windows (n, 2 L, channels) around seeds, in units of the local noise level.

    Attributes
    ----------
    values : ndarray of shape (n, 2 L, channels)
    explained : ndarray of shape (n,)
        Energy explained by the present event.
    unexplained : ndarray of shape (n,)
        Energy of the residual within L / 4 of the seed, beyond noise.
    weight : ndarray of shape (n,)
        Sampling probability.
    """

    values: Floats
    explained: Floats
    unexplained: Floats
    weight: Floats


def candidate(coded: DetectorCoding, sigma: Floats, rng: np.random.Generator) -> Floats | None:
    """Return a waveform (L, channels) that recurs in the residual, if any."""
    at, energy = seeds(coded, sigma, rng)
    if len(at) < MIN_EVENTS:
        return None
    return best_snippet(snippets(coded, sigma, at, energy), rng)


def seeds(
    coded: DetectorCoding, sigma: Floats, rng: np.random.Generator
) -> tuple[Integers, Floats]:
    """Return the seeds, and their energy above noise and misfit."""
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
            there -= MISFIT_FACTOR * ratio[k] ** 2 * locked
    left[left < ENERGY_THRESHOLD * np.sqrt(2.0 * size * channels)] = 0.0
    left[:length], left[len(left) - length :] = 0.0, 0.0
    at = peaks_apart(left, length // 2)
    if len(at) > SEEDS:
        at = np.sort(rng.choice(at, SEEDS, replace=False, p=sampling_probabilities(left[at])))
    return at, left[at]


def snippets(coded: DetectorCoding, sigma: Floats, at: Integers, weight: Floats) -> Snippets:
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


def best_snippet(pool: Snippets, rng: np.random.Generator) -> Floats | None:
    """Return the snippet with the largest gain as a waveform, averaged with similar ones."""
    count, length, channels = len(pool.values), pool.values.shape[1] // 2, pool.values.shape[2]
    tried = rng.choice(
        count, min(TRIED, count), replace=False, p=sampling_probabilities(pool.weight)
    )
    trials = windowed_snippets(pool.values[tried])
    views = sliding_window_view(pool.values, length, axis=1)[:, :: max(length // SHIFTS, 1)]
    views = np.ascontiguousarray(views.swapaxes(2, 3), dtype=np.float32)  # (n, shifts, L, channels)
    rows = views.reshape(-1, length * channels)
    products = rows @ trials.reshape(len(trials), -1).T.astype(np.float32)
    gain = explained_energy(products.reshape(count, -1, len(trials)).max(axis=1), pool)
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
        own = np.flatnonzero(explained_energy(c[:, None], pool)[:, 0] > 2.0 * np.log(2 * length))
        if len(own) < 2:
            break
        size = np.minimum(c[own], np.median(c[own])) / c[own]
        a = unit(np.einsum("k,knc->nc", size, views[own, shift[own]]).astype(np.float64))
    return centred(a)


def strongest_segment(coded: DetectorCoding, sigma: Floats) -> Floats:
    """Return the segment of the residual (L, channels) with the largest energy, at unit norm."""
    length = coded.detector.A.shape[1]
    square = np.sum((coded.residual / sigma[:, None]) ** 2, axis=1)
    first = int(np.argmax(sliding_window_view(square, length).sum(axis=1)))
    return centred(coded.residual[first : first + length])


def sampling_probabilities(energy: Floats) -> Floats:
    """Return probabilities proportional to energies, with the largest energies clipped."""
    limited = np.minimum(energy, CAP * np.median(energy))
    return np.asarray(limited / limited.sum())


def explained_energy(correlation: Floats, pool: Snippets) -> Floats:
    """Return the gains of waveforms (n, m); 0 below a fraction of the unexplained energy."""
    gain = np.maximum(correlation, 0.0).astype(np.float64) ** 2 - pool.explained[:, None]
    return np.where(gain > SHARE * pool.unexplained[:, None], gain, 0.0)


def windowed_snippets(values: Floats) -> Floats:
    """Return the centres of snippets, tapered at three widths, at unit norm, (3 n, L, C)."""
    length = values.shape[1] // 2
    middle = values[:, length - length // 2 : length - length // 2 + length]
    result = list[Floats]()
    for size in (length, max(length // 2, 4), max(length // 4, 4)):
        window, first = np.zeros(length), (length - min(size, length)) // 2
        window[first : first + size] = np.hanning(size + 2)[1:-1][: length - first]
        result += [unit(one * window[:, None]) for one in middle]
    return np.stack(result)
