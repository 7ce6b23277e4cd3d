"""Whether a component recurs, and is a kind of its own; how one that holds two kinds is split.

Two similar waveforms are two kinds if the events of both, projected onto their difference so that
those of one kind are at -1 and of the other at +1, have a valley in between: fewer than half as
many within 1/3 of zero as within 1/3 of either. A normal or uniform cloud that was divided in two
has no valley; two normals have one from 3.5 standard deviations apart.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from orbitdl.discovery.candidates import RECURS
from orbitdl.discovery.coding import Coded, Whitened
from orbitdl.discovery.misfit import shifted, some, unit, windows
from orbitdl.discovery.occurrences import is_event
from orbitdl.discovery.pursuit import gram_of
from orbitdl.groups.base import Floats, Integers

SIMILAR = 0.9
"""Cosine at the best shift above which two components must have a valley between them."""
THIRD, SHALLOW = 1 / 3, 0.5
"""Half-width of the valley and of the hills, and how full the valley is at most."""
AXES, EVENTS = 3, 1000
"""Principal axes along which a component is split, and events that they are from."""


def recurrences(w: Whitened, coded: Coded, j: int) -> int:
    """Return how many events of a component are predicted by its others.

    ``<s_k, a_{-k}> / ||a_{-k}|| > u_j s_k`` with the local noise s_k and the mean a_{-k} of all events but k: without
    this, an average of n stretches of noise fits each of them. None, if most are next to larger
    atoms, more often than by chance: such a component mends the misfit of others.
    """
    own, atoms = coded.own(j), coded.atoms
    if len(own) < RECURS:
        return 0
    by_chance = 1.0 - np.exp(-len(atoms) * w.length / w.samples)
    if np.mean(atoms.larger_within(w.length // 2)[own]) > 0.5 * (1.0 + by_chance):
        return 0
    s, c = windows(coded, own), atoms.c[own]
    total, square = np.einsum("k,knc->nc", c, s), np.sum(c**2)
    others = (total - c[:, None, None] * s) / (square - c**2)[:, None, None]
    size = np.sqrt(np.sum(others**2, axis=(1, 2)))
    predicted = np.sum(s * others, axis=(1, 2)) / np.maximum(size, 1e-300)
    threshold = coded.u[j] * coded.noise[own]
    return int(np.sum((np.abs(predicted) > threshold) & is_event(coded, w.samples)[own]))


def has_valley(z: Floats) -> bool:
    """Tell whether values have two hills, at -1 and 1, with a valley in between.

    Examples
    --------
    >>> has_valley(np.repeat([-1.0, 1.0], 50)), has_valley(np.linspace(-1.3, 1.3, 100))
    (True, False)
    """
    middle = np.sum(np.abs(z) < THIRD)
    hills = (np.sum(np.abs(z - side) < THIRD) for side in (-1.0, 1.0))
    # a Poisson deviation is added, so that few events seldom have one by chance
    return bool(middle + np.sqrt(middle) < SHALLOW * min(hills))


def is_own_kind(coded: Coded, j: int) -> bool:
    """Tell whether there is a valley between a component and every one that is similar to it."""
    A, gram = coded.detector.A, gram_of(coded.detector.A)
    for i in range(len(A)):
        at = int(np.argmax(gram[j, i]))
        lag, cosine = at - A.shape[1] + 1, float(gram[j, i, at])
        if i == j or cosine <= SIMILAR:
            continue
        difference = shifted(A[i], lag) - A[j]
        events = [(coded.own(j), 0), (coded.own(i), lag)]
        z = [projections(coded, own, difference, by) for own, by in events]
        if not has_valley(np.concatenate(z) / max(1.0 - cosine, 1e-12)):
            return False
    return True


def projections(coded: Coded, own: Integers, direction: Floats, lag: int) -> Floats:
    """Return ``<s_k / c_k, direction>`` of events, each later by `lag` samples."""
    s = windows(coded, own) / coded.atoms.c[own][:, None, None]
    return np.asarray(np.einsum("knc,nc->k", s, shifted(direction, -lag)))


def halves(coded: Coded, j: int, rng: np.random.Generator) -> Iterator[Floats]:
    """Yield pairs of waveforms (2, L, channels) that a component may be a mixture of.

    Along the principal axes of its events above the Marchenko-Pastur edge, those with a valley.
    """
    own = some(coded.own(j), EVENTS, rng)
    if len(own) < 4 * RECURS:
        return
    s, c = windows(coded, own), coded.atoms.c[own]
    x = (s / c[:, None, None]).reshape(len(own), -1)
    x = x - x.mean(axis=0)
    n, d = x.shape
    values, vectors = np.linalg.eigh(x @ x.T if n <= d else x.T @ x)
    edge = np.median(np.sum(x**2, axis=1)) * n / d * (1.0 + np.sqrt(d / n)) ** 2
    for k in range(1, min(AXES, len(values)) + 1):
        if values[-k] < edge:
            return
        score = vectors[:, -k] if n <= d else x @ vectors[:, -k]
        high = score > best_cut(score)
        if min(high.sum(), (~high).sum()) < RECURS:
            continue
        means = score[high].mean(), score[~high].mean()
        if has_valley(2.0 * (score - 0.5 * sum(means)) / (means[0] - means[1])):
            sides = (np.einsum("k,knc->nc", c[side], s[side]) for side in (high, ~high))
            yield np.stack([unit(side) for side in sides])


def best_cut(values: Floats) -> float:
    """Return the value that divides values into two groups of least variance (Otsu).

    Examples
    --------
    >>> best_cut(np.array([0.0, 1.0, 9.0, 10.0]))
    5.0
    """
    x = np.sort(values)
    below, k = np.cumsum(x)[:-1], np.arange(1, len(x))
    between = below**2 / k + (x.sum() - below) ** 2 / (len(x) - k)
    i = int(np.argmax(between))
    return float(0.5 * (x[i] + x[i + 1]))
