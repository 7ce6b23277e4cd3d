"""Choosing alpha: where codes become empty, and half the size of a typical event below it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from orbitdl.coding.choice import default_coder
from orbitdl.groups.base import Blocks, Floats, Group, Representation, inner
from orbitdl.learning.alternation import learn
from orbitdl.learning.iteration import State
from orbitdl.learning.sample_shard import SampleShards
from orbitdl.learning.starts import Points, start_from_data
from orbitdl.samples import Samples
from orbitdl.validation import require_count, require_positive

HALF = 0.5
"""Share of a typical event's size below which it counts as none."""
TENTH, ROUNDS, PILOT, SAMPLES, LOOSE = 0.1, 2, 5, 1000, 1e-2
"""The pilot: its first alpha over the typical norm, rounds, iterations of each, samples, gap."""
DRAWN = 4 * SAMPLES
"""Data points that are looked at a time, for so many that are not zero."""
DRAWS = 256
"""Draws of white noise: an event matches a component better than all of them."""
SEED = 7_311_904_265
"""Seed of these draws: one that nobody simulates data with, whose components they would be."""
CHUNK = 1024
"""Samples correlated at a time, so that memory does not grow with their number."""


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
    return _largest(samples.representation, samples.Y, samples.analyze(components))


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
        Share of the size of a typical event that an atom must reach.
    mask : array-like of bool, optional
        In the shape of X, True where an entry was observed.

    Notes
    -----
    ``fraction * S``, S the size of a typical event. A component g a alone in a data point enters
    its code when ``|<y, g a>| > alpha``. That is the matched filter, and between an event of size
    S and none it errs least, in noise of any level, with its threshold halfway: S / 2.

    S is found by a pilot: a few iterations of learning from at most 1000 data points, with a tenth
    of their typical norm as alpha, lead to rough components, and S is the median of `alpha_max`
    over the data points with an event. Those are the ones of which a component explains a larger
    share ``max_{j,g} |<y, g a_j>| / ||y||`` than of any of 256 draws of white noise; if there is
    none, all count. With S / 2 as alpha this is done once more, from these components.

    Where sizes spread down to zero there is no typical event, and half of it leaves the small ones
    out: take a smaller fraction for these.

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
    event = typical_event(shards, require_count(n_components, "n_components"))
    if event == 0.0:
        raise ValueError(
            "the data are zero or missing throughout, so no alpha can be suggested; pass others."
        )
    return fraction * event


@dataclass(frozen=True)
class ChosenAlpha:
    """What ``alpha="auto"`` came to, and why."""

    value: float
    reason: str


def automatic_alpha(shards: Points, q: int, n_jobs: int | None = None) -> ChosenAlpha:
    """Return what ``alpha="auto"`` means for q components: `suggest_alpha` to six digits.

    So it is the same number on every machine. For data of zeros, which take no atom, it is 1.
    """
    event = typical_event(shards, q, n_jobs)
    if event == 0.0:
        return ChosenAlpha(1.0, "1: the data are zero, which any alpha codes by nothing")
    value = float(f"{HALF * event:.6g}")
    return ChosenAlpha(value, f"{value:.3g}: half of {event:.3g}, the size of a typical event")


def typical_event(data: Points, q: int, n_jobs: int | None = None) -> float:
    """Return the median of `alpha_max` over data points with an event; 0 for data of zeros."""
    rng = np.random.default_rng(0)
    few = some_samples(data, rng)
    if len(few) == 0:
        return 0.0
    alpha = TENTH * float(np.median(np.sqrt(inner(few.Y, few.Y))))
    shards = SampleShards.cut(few, default_coder(few.representation, LOOSE), alpha, n_jobs)
    A = start_from_data(shards, q, rng)
    for _ in range(ROUNDS):
        *_, last = learn(State(shards, A), gap=LOOSE, max_iter=PILOT, tol=LOOSE)
        A = last.components
        event = _median_event(few, A)
        shards = shards.at(HALF * event)
    return event


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


def _median_event(samples: Samples, A: Blocks) -> float:
    """Return the median of `alpha_max` over samples that resemble A more than noise does."""
    sizes = _largest(samples.representation, samples.Y, A)
    by_chance = _share_of_noise(samples.representation, A) * np.sqrt(inner(samples.Y, samples.Y))
    with_event = sizes > (1 + 1e-9) * by_chance  # rounding decides nothing
    return float(np.median(sizes[with_event] if with_event.any() else sizes))


def _share_of_noise(representation: Representation, A: Blocks) -> float:
    """Return the largest share of a draw of white noise that an atom explains."""
    noise = np.random.default_rng(SEED).standard_normal((DRAWS, *representation.shape))
    W = representation.analyze(noise)
    return float(np.max(representation.largest_product(W, A) / np.sqrt(inner(W, W))))


def _largest(representation: Representation, Y: Blocks, A: Blocks) -> Floats:
    """Return ``max_j max_g |<y, g a_j>|`` for every sample, a chunk at a time."""
    starts = range(0, len(Y), CHUNK)
    return np.concatenate([representation.largest_product(Y[k : k + CHUNK], A) for k in starts])
