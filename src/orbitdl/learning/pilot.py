"""A pilot of learning: how large events are in data, and how much noise there is."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np

from orbitdl.arrays.blocks import Blocks, Floats, inner
from orbitdl.coding.atoms import Atoms
from orbitdl.coding.choice import default_coder
from orbitdl.encoding.denoise import left_by, root_mean_square
from orbitdl.encoding.encode import refit
from orbitdl.encoding.samples import Samples
from orbitdl.groups.base import Action
from orbitdl.learning.alternation import learn
from orbitdl.learning.sample_shard import SampleShards
from orbitdl.learning.starts import Points, start_from_data
from orbitdl.learning.state import State

HALF = 0.5
"""Share of a typical event's size below which it counts as none."""
ALONE = 0.8
"""Share of data points of noise alone in which no atom reaches alpha."""
ROUNDS, ITERATIONS, SAMPLES, LOOSE = 4, 5, 1000, 1e-2
"""The pilot: how often alpha is chosen at most, iterations of each round, data points, gap."""
SAME = 0.02
"""Part by which alpha may change in a round that was the last."""
DRAWN = 4 * SAMPLES
"""Data points that are looked at a time, for so many that are not zero."""
DRAWS = 256
"""Draws of white noise: an event matches a component better than all of them."""
SEED = 7_311_904_265
"""Seed of these draws: one that nobody simulates data with, whose components they would be."""
CHUNK = 1024
"""Samples correlated at a time, so that memory does not grow with their number."""


@dataclass(frozen=True)
class Sizes:
    """How large things are in data, all in their unit.

    Attributes
    ----------
    event : float
        Size of a typical event.
    level : float
        Standard deviation of the noise.
    noise : float
        What ``max_{j,g} |<w, g a_j>|`` of such noise w exceeds in one data point of five.
    """

    event: float = 0.0
    level: float = 0.0
    noise: float = 0.0

    def alpha(self, fraction: float = HALF) -> float:
        """Return what an atom must reach: a share of an event, and more than noise does."""
        return max(fraction * self.event, self.noise)


def sizes_of(data: Points, q: int, n_jobs: int | None = None) -> Sizes:
    """Learn q components roughly, from some of the data; zero is the size of data of zeros."""
    rng = np.random.default_rng(0)
    return sizes_in(some_samples(data, rng), q, rng, n_jobs)


def sizes_in(few: Samples, q: int, rng: np.random.Generator, n_jobs: int | None = None) -> Sizes:
    """Return the sizes in a few samples, by components that are learned from them.

    Alpha begins where few atoms are of noise, and is chosen anew from what was learned until it
    stays.
    """
    found = Sizes()
    if len(few) == 0:
        return found
    shards = SampleShards.cut(few, default_coder(few.representation, LOOSE), 1.0, n_jobs)
    start = start_from_data(shards, q, rng)
    alpha = first_alpha(few, start.components)
    for _ in range(ROUNDS):
        *_, last = learn(State(shards.at(alpha), start), gap=LOOSE, max_iter=ITERATIONS, tol=LOOSE)
        start, used = last.dictionary, alpha
        found = judge(few, last.components, last.codes.atoms)
        alpha = found.alpha()
        if abs(alpha - used) <= SAME * used:
            break
    return found


def first_alpha(samples: Samples, A: Blocks) -> float:
    """Return half of what starts A reach in samples; more if half their energy could be noise."""
    reached = np.median(largest_products(samples.representation, samples.Y, A))
    by_chance = largest_products(samples.representation, draw_noise(samples), A)
    level = np.sqrt(HALF) * root_mean_square(samples)
    return float(max(HALF * reached, level * np.quantile(by_chance, ALONE)))


def judge(samples: Samples, A: Blocks, atoms: Atoms) -> Sizes:
    """Return the sizes of events and of noise in samples, coded by atoms of components A."""
    noise = draw_noise(samples)
    by_chance = largest_products(samples.representation, noise, A)
    level = level_left(samples, refit(samples, atoms, A), A)
    share = np.max(by_chance / norms(noise))
    at_most = np.minimum(share * norms(samples.Y), level * by_chance.max())
    reach = float(np.quantile(by_chance, ALONE))
    return Sizes(median_event(samples, A, at_most), level, level * reach)


def median_event(samples: Samples, A: Blocks, by_chance: Floats) -> float:
    """Return the median of `alpha_max` over samples that have more than there is by chance."""
    sizes = largest_products(samples.representation, samples.Y, A)
    with_event = sizes > (1 + 1e-9) * by_chance  # rounding decides nothing
    return float(np.median(sizes[with_event] if with_event.any() else sizes))


def level_left(samples: Samples, atoms: Atoms, A: Blocks) -> float:
    """Return the standard deviation of what atoms leave, which were fitted as A was."""
    left = left_by(samples, atoms, A)
    entries = left.size if samples.observed is None else int(samples.observed.sum())
    fitted = len(atoms.coefficient) * (1 + samples.representation.dimension)
    fitted += len(A) * prod(samples.representation.shape)
    return float(np.sqrt(np.sum(left**2) / max(entries - fitted, 0.5 * entries)))


def draw_noise(samples: Samples) -> Blocks:
    """Return draws of white noise of level 1, with gaps where samples have them."""
    noise = np.random.default_rng(SEED).standard_normal((DRAWS, *samples.representation.shape))
    if samples.observed is not None:
        noise *= samples.observed[np.arange(DRAWS) % len(samples)]
    return samples.representation.analyze(noise)


def some_samples(data: Points, rng: np.random.Generator) -> Samples:
    """Return data points drawn at random that are not zero; none only if all are."""
    n = len(data)
    found = _not_zero(data.take(rng.choice(n, min(n, DRAWN), replace=False)))
    for first in range(0, n, DRAWN):
        if len(found) > 0:
            break
        found = _not_zero(data.take(np.arange(first, min(first + DRAWN, n))))
    return found.take(slice(SAMPLES))


def _not_zero(samples: Samples) -> Samples:
    return samples.take(np.flatnonzero(inner(samples.Y, samples.Y) > 0))


def norms(Y: Blocks) -> Floats:
    """Return ``||y||`` of every sample."""
    return np.sqrt(inner(Y, Y))


def largest_products(representation: Action, Y: Blocks, A: Blocks) -> Floats:
    """Return ``max_j max_g |<y, g a_j>|`` for every sample, a chunk at a time."""
    starts = range(0, len(Y), CHUNK)
    return np.concatenate([representation.largest_product(Y[k : k + CHUNK], A) for k in starts])
