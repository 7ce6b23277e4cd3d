"""Choosing alpha: where codes become empty, and what sets events apart from noise below it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from orbitdl.arrays.validation import require_count, require_positive
from orbitdl.coding.choice import default_coder
from orbitdl.encoding.samples import Samples
from orbitdl.groups.base import Floats, Group
from orbitdl.kernels.blas import single_threaded_blas
from orbitdl.learning.pilot import HALF, Sizes, largest, sizes_in, sizes_of, some_samples
from orbitdl.learning.recurrence import recurs
from orbitdl.learning.sample_shard import SampleShards
from orbitdl.learning.starts import Points

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
    return largest(samples.representation, samples.Y, samples.analyze(components))


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


@dataclass(frozen=True)
class ChosenAlpha:
    """What ``alpha="auto"`` came to, and why; and whether anything recurs in the data points."""

    value: float
    reason: str
    recurs: bool = True


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
    reason = f"{value:.3g}: {reason_of(sizes)}" + ("" if is_found else "; nothing recurs")
    return ChosenAlpha(value, reason, is_found)


def reason_of(sizes: Sizes) -> str:
    """Say why alpha is what it is, and how far the other reason was."""
    level = f"noise of level {sizes.level:.2g}"
    if sizes.noise > HALF * sizes.event:
        chance = "reaches in one data point of five"
        return f"what {level} alone {chance}; a typical event has {sizes.event:.3g}"
    half = f"half of {sizes.event:.3g}, the size of a typical event"
    if sizes.noise < NOTABLE * sizes.event:
        return half
    return f"{half}; {level} alone would reach {sizes.noise:.2g}"
