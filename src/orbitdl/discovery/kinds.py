"""Whether a component recurs, and is a kind of its own; how one that holds two kinds is split.

Two similar waveforms are two kinds if the events of both, projected onto their difference so that
those of one kind are at -1 and of the other at +1, have a valley in between: fewer than 0.3 times
as many within 1/3 of zero as beyond it on either side. A normal (0.53) or uniform (0.4) cloud that
was divided in two has no valley; two normals have one from 3.1 standard deviations apart.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from orbitdl.arrays.blocks import Floats, Integers
from orbitdl.discovery.candidates import MIN_EVENTS
from orbitdl.discovery.coding import HALF, DetectorCoding, Whitened
from orbitdl.discovery.misfit import shifted, some, unit, windows
from orbitdl.discovery.pursuit import gram_of

SIMILAR = 0.9
"""Cosine at the best shift above which two components must have a valley between them."""
THIRD, SHALLOW = 1 / 3, 0.3
"""Half-width of the valley, and how many it has at most in parts of the smaller hill."""
AXES, EVENTS = 6, 1000
"""Principal axes at most that events are clustered along, and events that they are from."""
CLUSTERS, STEPS = (2, 3, 4), 20
"""Numbers of clusters, and iterations of k-means."""


def recurrences(w: Whitened, coded: DetectorCoding, j: int, listed: NDArray[np.bool_]) -> int:
    """Return how many events of a component are predicted by its others.

    Of atoms that are `listed` as events, ``<s_k, a_{-k}> / ||a_{-k}|| > u_j n_k`` with the noise
    n_k there and the mean a_{-k} of all events but k: without this, an average of noise fits each
    of its parts. None, if most are next to larger atoms, more often than by chance: such a
    component mends the misfit of others.
    """
    own, atoms = coded.own(j), coded.atoms
    if len(own) < MIN_EVENTS:
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
    return int(np.sum((np.abs(predicted) > threshold) & listed[own]))


def has_valley(z: Floats) -> bool:
    """Return whether values have two hills, at -1 and 1, with a valley in between.

    Examples
    --------
    >>> has_valley(np.repeat([-1.0, 1.0], 50)), has_valley(np.linspace(-1.3, 1.3, 100))
    (True, False)
    """
    middle = np.sum(np.abs(z) < THIRD)
    hills = np.sum(z > THIRD), np.sum(z < -THIRD)
    # a Poisson deviation is added, so that few events seldom have one by chance
    return bool(middle + np.sqrt(middle) < SHALLOW * min(hills))


def is_own_kind(coded: DetectorCoding, j: int) -> bool:
    """Return whether there is a valley between a component and every one that is similar to it."""
    A, gram = coded.detector.A, gram_of(coded.detector.A)
    for i in range(len(A)):
        at = int(np.argmax(gram[j, i]))
        lag, cosine = at - A.shape[1] + 1, float(gram[j, i, at])
        if i == j or cosine <= SIMILAR:
            continue
        events = [
            (clear(coded, j), A[j], shifted(A[i], lag)),
            (clear(coded, i), A[i], shifted(A[j], -lag)),
        ]
        z = [preference(coded, *each) for each in events]
        if not has_valley(np.concatenate([z[0], -z[1]]) / max(1.0 - cosine, 1e-12)):
            return False
    return True


def preference(coded: DetectorCoding, which: Integers, own: Floats, other: Floats) -> Floats:
    """Return how much more alike events are to their own waveform than to another, (K,).

    ``<x_k, a_{-k} - b>`` with ``x_k = s_k / c_k`` and the mean a_{-k} of the events but k, of which
    a has a share ``p_k = c_k^2 / sum c^2``: a few events make a waveform that is like each of them.
    """
    c = coded.atoms.c[which]
    x = windows(coded, which) / c[:, None, None]
    share = c**2 / max(float(np.sum(c**2)), 1e-300)
    alike = np.einsum("knc,nc->k", x, own) - share * np.sum(x**2, axis=(1, 2))
    alike /= np.maximum(1.0 - share, 1e-12)
    return np.asarray(alike - np.einsum("knc,nc->k", x, other))


def clear(coded: DetectorCoding, j: int) -> Integers:
    """Return the atoms of a component that overlap no other, or all of them if these are few."""
    own = coded.own(j)
    alone = own[coded.atoms.isolated(coded.detector.A.shape[1])[own]]
    return alone if len(alone) >= max(HALF * len(own), 4 * MIN_EVENTS) else own


def halves(coded: DetectorCoding, j: int, rng: np.random.Generator) -> Iterator[Floats]:
    """Yield pairs of waveforms (2, L, channels) that a component may be a mixture of.

    Its events are clustered in the space of their principal axes above the Marchenko-Pastur edge. A
    cluster that has a valley towards each of the others is one kind, and the rest another.
    """
    from scipy.cluster.vq import kmeans2  # which brings much that is seldom needed

    own = some(clear(coded, j), EVENTS, rng)
    if len(own) < 4 * MIN_EVENTS:
        return
    s, c = windows(coded, own), coded.atoms.c[own]
    y = principal_scores((s / c[:, None, None]).reshape(len(own), -1))
    for count in CLUSTERS if y.shape[1] else ():
        _, label = kmeans2(y, count, iter=STEPS, minit="++", rng=rng, missing="warn")
        for i in range(count):
            if is_separate(y, label, i, count):
                sides = (label == i, label != i)
                yield np.stack([unit(np.einsum("k,knc->nc", c[at], s[at])) for at in sides])


def sides(coded: DetectorCoding, j: int, rng: np.random.Generator) -> Floats:
    """Return the mean events (2, L, channels) on either side of their first principal axis."""
    own = some(coded.own(j), EVENTS, rng)
    s, c = windows(coded, own), coded.atoms.c[own]
    x = (s / c[:, None, None]).reshape(len(own), -1)
    score = np.linalg.svd(x - x.mean(axis=0), full_matrices=False)[0][:, 0]
    order = np.argsort(score, kind="stable")
    return np.stack([unit(np.einsum("k,knc->nc", c[at], s[at])) for at in np.array_split(order, 2)])


def principal_scores(x: Floats) -> Floats:
    """Return the coordinates (n, axes) of rows along their axes above the Marchenko-Pastur edge."""
    x = x - x.mean(axis=0)
    n, d = x.shape
    values, vectors = np.linalg.eigh(x @ x.T if n <= d else x.T @ x)
    edge = np.median(np.sum(x**2, axis=1)) * n / d * (1.0 + np.sqrt(d / n)) ** 2
    used = np.flatnonzero(values > edge)[::-1][:AXES]
    if n > d:
        return np.asarray(x @ vectors[:, used])
    return np.asarray(vectors[:, used] * np.sqrt(values[used]))


def is_separate(y: Floats, label: Integers, i: int, count: int) -> bool:
    """Return whether there is a valley between a cluster and each of the others."""
    if np.bincount(label, minlength=count).min() < MIN_EVENTS:
        return False
    own = y[label == i].mean(axis=0)
    for m in range(count):
        if m != i:
            other = y[label == m].mean(axis=0)
            both, axis = y[(label == i) | (label == m)], own - other
            if not has_valley(2.0 * (both - 0.5 * (own + other)) @ axis / (axis @ axis)):
                return False
    return True
