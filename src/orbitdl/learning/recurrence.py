"""Whether anything recurs in data points, or they are noise of some colour.

Components are learned from one half of some data points. In the other half, and in draws of
Gaussian noise w of the same second moments,

    w = sum_i xi_i y_i / sqrt(n),      xi_i independent and standard normal,

    m(y) = max_{j,g} |<y, g a_j>|

is compared: the share ``m(y) / ||y||``; the energy ``m(y)^2`` less the share of all energy that
noise has; and ``m(y)`` in parts of its root mean square. What recurs makes one of them larger: an
atom explains more than one of noise, mostly or in large events, or events are of similar size. Then
the halves are exchanged, unless the excess is beyond doubt. The draws have the covariance of the
data, whatever it is: noise of any colour, also in windows of a recording, is distributed as they
are.
"""

from __future__ import annotations

import numpy as np

from orbitdl.coding.choice import default_coder
from orbitdl.encoding.samples import Samples
from orbitdl.groups.base import Floats
from orbitdl.learning.alternation import learn
from orbitdl.learning.pilot import LOOSE, first_alpha, largest, norms
from orbitdl.learning.sample_shard import SampleShards
from orbitdl.learning.starts import start_from_data
from orbitdl.learning.state import State

LEAST, MOST, ITERATIONS = 60, 500, 3
"""Data points that the test needs, and uses at most; iterations of learning from half of them."""
SHORTEST = 8
"""Samples of a data point at least: the shifts of any component nearly span shorter ones."""
DRAWN = 2
"""Draws of noise per data point."""
STANDARD_ERRORS = 3.0
"""By so many the means differ where something recurs, and of about one in two hundred sets of data
points of noise: a standard normal variable exceeds it once in 740, and there are three."""
SEED = 5_209_613_778
"""Seed of draws and starts: one that nobody simulates data with."""


def can_tell(samples: Samples) -> bool:
    """Whether recurrence can be tested: many complete data points, long enough to shift in.

    Without shifts a single component is a direction of large variance, and so is that of noise.
    """
    space = samples.representation
    shifts = "shift" in space.parameters and space.shape[0] >= SHORTEST
    return shifts and samples.observed is None and len(samples) >= LEAST


def recurs(samples: Samples, q: int) -> bool:
    """Return whether q components learned from either half of samples recur in the other half."""
    if not can_tell(samples):
        return True
    rng = np.random.default_rng(SEED)
    drawn = np.array_split(rng.permutation(len(samples))[:MOST], 2)
    one, other = (samples.take(np.sort(half)) for half in drawn)
    least = np.sqrt(2.0) * STANDARD_ERRORS  # of a sum of two
    excesses = compared(one, other, q, rng)
    if excesses.max() > least:  # most often: beyond doubt
        return True
    return bool(np.max(excesses + compared(other, one, q, rng)) > least)


def compared(learned: Samples, held: Samples, q: int, rng: np.random.Generator) -> Floats:
    """Return by how many standard errors held-out samples exceed noise, in three ways, (3,)."""
    shards = SampleShards.cut(learned, default_coder(learned.representation, LOOSE), 1.0)
    start = start_from_data(shards, q, rng)
    shards = shards.at(first_alpha(learned, start.components))
    *_, last = learn(State(shards, start), gap=LOOSE, max_iter=ITERATIONS, tol=LOOSE)
    Y = held.Y
    noise = np.tensordot(rng.standard_normal((DRAWN * len(Y), len(Y))), Y, 1) / np.sqrt(len(Y))
    own, by_chance = (largest(held.representation, Z, last.components) for Z in (Y, noise))
    energy, of_noise = norms(Y) ** 2, norms(noise) ** 2
    share = np.sum(by_chance**2) / np.sum(of_noise)
    pairs = (
        (own / np.sqrt(energy), by_chance / np.sqrt(of_noise)),
        (own**2 - share * energy, by_chance**2 - share * of_noise),
        (own / root(own), by_chance / root(by_chance)),
    )
    return np.array([excess(*pair) for pair in pairs])


def excess(own: Floats, other: Floats) -> float:
    """Return by how many standard errors one mean is larger than another."""
    spread = np.sqrt(own.var() / len(own) + other.var() / len(other))
    return float((own.mean() - other.mean()) / max(spread, 1e-300))


def root(sizes: Floats) -> float:
    """Return the root mean square."""
    return float(np.sqrt(np.mean(sizes**2))) or 1.0
