"""Components to start learning from."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from orbitdl.arrays.blocks import Blocks, correlate, inner
from orbitdl.arrays.validation import as_components
from orbitdl.dictionaries.base import Dictionary, Kind
from orbitdl.dictionaries.least_squares import unit_norm
from orbitdl.dictionaries.tied import dictionary_of
from orbitdl.groups.base import Representation
from orbitdl.learning.out_of_core_samples import OutOfCoreSamples
from orbitdl.learning.sample_shard import SampleShards

Points = SampleShards | OutOfCoreSamples
"""Data points, wherever they are."""


def choose_starts(
    init: str | ArrayLike,
    shards: Points,
    q: int,
    generators: list[np.random.Generator],
    kind: Kind | None = None,
) -> list[Dictionary]:
    """Return q components of unit norm for every generator, or once if they are given.

    `kind` makes a dictionary of them; None: the usual one for the group.
    """
    representation, kind = shards.space, kind or partial(dictionary_of, shards.action)
    if isinstance(init, str):
        if init == "data":
            return [start_from_data(shards, q, rng, kind) for rng in generators]
        if init == "random":
            return [kind(start_from_noise(representation, q, rng)) for rng in generators]
        raise ValueError(f'init must be "data", "random" or an array, not {init!r}.')
    given, expected = as_components(init, "init"), (q, *representation.shape)
    if given.shape != expected:
        raise ValueError(f"init must be an array of shape {expected}, not {given.shape}.")
    start = representation.analyze(given)
    if not np.any(start, axis=(1, 2, 3)).all():
        raise ValueError(
            "init has a component that is zero or outside the range of the group; pass another."
        )
    return [kind(unit_norm(start))]


def draw(shards: Points, rng: np.random.Generator, most: int = 1000) -> Blocks:
    """Return the samples, or so many of them drawn at random, in block coordinates."""
    n = len(shards)
    rows = np.arange(n) if n <= most else rng.choice(n, most, replace=False)
    return shards.take(rows).Y


def start_from_data(
    shards: Points, q: int, rng: np.random.Generator, kind: Kind | None = None
) -> Dictionary:
    """Choose q samples that lie far from each other's orbits, scaled to unit norm.

    As k-means++: the next one is drawn with probability proportional to the energy
    ``||y||^2 - max_{j,g} <y, g a_j>^2`` that no single atom explains so far.
    """
    pool, representation = draw(shards, rng), shards.space
    kind = kind or partial(dictionary_of, shards.action)
    energy = inner(pool, pool)
    left = energy.copy()
    A = start_from_noise(representation, q, rng)
    for j in range(q):
        left = np.where(left > 1e-12 * energy.max(initial=0.0), left, 0.0)
        if left.sum() == 0:
            break
        i = rng.choice(len(pool), p=left / left.sum())
        A[j] = pool[i] / np.sqrt(energy[i])
        copies = kind(A[j : j + 1]).expand()
        explained = representation.polar(correlate(pool, copies)).max(axis=1) ** 2
        left = np.minimum(left, energy - explained)
    return kind(A)


def start_from_noise(representation: Representation, q: int, rng: np.random.Generator) -> Blocks:
    """Draw q components from the uniform measure on the unit sphere."""
    return unit_norm(representation.analyze(rng.standard_normal((q, *representation.shape))))
