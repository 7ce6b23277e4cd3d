"""Choosing alpha: where codes become empty, and what sets events apart from noise below it.

And whether anything recurs in data points, or they are noise of some colour: components are learned
from one half of some data points. In the other half, and in draws of Gaussian noise w of the same
second moments,

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
from numpy.typing import ArrayLike

from orbitdl.arrays.blocks import Floats
from orbitdl.arrays.validation import require_count, require_positive
from orbitdl.coding.choice import default_coder
from orbitdl.encoding.samples import Samples
from orbitdl.groups.base import Group
from orbitdl.kernels.blas import single_threaded_blas
from orbitdl.learning.alternation import learn
from orbitdl.learning.history import ChosenAlpha
from orbitdl.learning.pilot import (
    HALF,
    LOOSE,
    Sizes,
    first_alpha,
    largest_products,
    norms,
    sizes_in,
    sizes_of,
    some_samples,
)
from orbitdl.learning.sample_shard import SampleShards
from orbitdl.learning.starts import Points, start_from_data
from orbitdl.learning.state import State

NOTABLE = 0.01
"""Part of alpha below which what noise reaches is not worth a word."""


@single_threaded_blas()
def alpha_max(
    X: ArrayLike, components: ArrayLike, *, group: Group, mask: ArrayLike | None = None
) -> Floats:
    """Return for every data point the least alpha at which it is coded by nothing.

    Parameters
    ----------
    X : array-like of shape (n, d) or (n, d, channels), or what the group acts on
        NaN means missing.
    components : array-like of shape (q, d) or (q, d, channels)
    group : Group
    mask : array-like of bool, optional
        In the shape of X, True where an entry was observed.

    Returns
    -------
    ndarray of shape (n,)
        In the units of the data. At ``alpha_max(...).max()`` and above, every code is empty.

    Notes
    -----
    ``max_j max_g |<y, g a_j>|``: the code Z = 0 is optimal exactly when no atom's correlation
    with y, over what was observed, exceeds alpha.

    Examples
    --------
    >>> import numpy as np
    >>> from orbitdl.groups import IntegerShift
    >>> wave = np.array([0.6, 0.8, 0.0, 0.0, 0.0])
    >>> alpha_max([3 * np.roll(wave, 2), -wave], [wave], group=IntegerShift())
    array([3., 1.])
    """
    samples = Samples.of(X, group, mask)
    return largest_products(samples.representation, samples.Y, samples.analyze(components))


@single_threaded_blas()
def suggest_alpha(
    X: ArrayLike,
    *,
    group: Group,
    n_components: int = 1,
    fraction: float = HALF,
    mask: ArrayLike | None = None,
) -> float:
    """Return an alpha at which a typical event is coded by one atom, for learning from data.

    Parameters
    ----------
    X : array-like of shape (n, d) or (n, d, channels), or what the group acts on
        NaN means missing.
    group : Group
    n_components : int
        How many components are to be learned.
    fraction : float
        Share of the size of a typical event that an atom must reach, if that is more than noise
        reaches.
    mask : array-like of bool, optional
        In the shape of X, True where an entry was observed.

    Notes
    -----
    ``max(fraction * S, sigma kappa)``, S the size of a typical event, sigma the level of noise.

    A component g a alone in a data point enters its code when ``|<y, g a>| > alpha``. That is the
    matched filter, and between an event of size S and none, at one place, it errs least, in noise
    of any level, with its threshold halfway: S / 2. But a data point has many places, and in one
    of five data points w of white noise alone, of level 1,

        max_{j,g} |<w, g a_j>| > kappa.

    With an alpha below sigma kappa, more than these would be given atoms, which spoil codes and
    components.

    All three are found by a pilot: a few iterations of learning from at most 1000 data points,
    which lead to rough components. S is the median of `alpha_max` over the data points with an
    event: those that an atom reaches further, or of which it explains a larger share
    ``max_{j,g} |<y, g a_j>| / ||y||``, than in any of 256 draws of noise; if there is none, all
    count. From these draws is kappa, too, and sigma is the standard deviation of what the atoms
    leave, refitted by least squares. Its first alpha is large: half of what the data points that
    one starts from reach in the others, or sigma kappa if half of the energy were noise, whichever
    is more. With the alpha that S, sigma and kappa give it is done again, from these components,
    until alpha changes by less than 2 %, four times at most.

    Where sizes spread down to zero there is no typical event, and half of it leaves the small ones
    out: take a smaller fraction for these. What components cannot explain counts as noise.

    Examples
    --------
    >>> from orbitdl.datasets import make_ecg_like
    >>> from orbitdl.groups import ContinuousShift
    >>> X = 5 * make_ecg_like(n_windows=100, random_state=0).X
    >>> alpha = suggest_alpha(X, group=ContinuousShift(), n_components=2)
    >>> bool(1.4 < alpha < 1.8)  # of three beats in a window of norm 5, each has 5 / sqrt(3)
    True
    """
    samples, fraction = Samples.of(X, group, mask), require_positive(fraction, "fraction")
    shards = SampleShards.cut(samples, default_coder(samples.representation), 1.0)
    sizes = sizes_of(shards, require_count(n_components, "n_components"))
    if sizes == Sizes():
        raise ValueError(
            "the data are zero or missing throughout, so no alpha can be suggested; pass others."
        )
    return sizes.alpha(fraction)


def automatic_alpha(shards: Points, q: int, n_jobs: int | None = None) -> ChosenAlpha:
    """Return what ``alpha="auto"`` means for q components: `suggest_alpha` to six digits.

    So it is the same number on every machine. For data of zeros, which take no atom, it is 1.
    """
    rng = np.random.default_rng(0)
    few = some_samples(shards, rng)
    sizes = sizes_in(few, q, rng, n_jobs)
    if sizes == Sizes():
        return ChosenAlpha(1.0, "1: the data are zero, which any alpha codes by nothing")
    value = float(f"{sizes.alpha():.6g}")
    is_found = recurs(few, q)
    reason = f"{value:.3g}: {explanation_of(sizes)}" + ("" if is_found else "; nothing recurs")
    return ChosenAlpha(value, reason, is_found)


def explanation_of(sizes: Sizes) -> str:
    """Say why alpha is what it is, and how far the other reason was."""
    level = f"noise of level {sizes.level:.2g}"
    if sizes.noise > HALF * sizes.event:
        chance = "reaches in one data point of five"
        return f"what {level} alone {chance}; a typical event has {sizes.event:.3g}"
    half = f"half of {sizes.event:.3g}, the size of a typical event"
    if sizes.noise < NOTABLE * sizes.event:
        return half
    return f"{half}; {level} alone would reach {sizes.noise:.2g}"


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
    own, by_chance = (largest_products(held.representation, Z, last.components) for Z in (Y, noise))
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
