"""Choosing alpha: where codes become empty, and a place to start below it."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from orbitdl.groups.base import Blocks, Floats, Group, Representation, inner
from orbitdl.samples import Samples
from orbitdl.validation import require_positive

FRACTION = 0.1
"""How far below the typical `alpha_max` an alpha to begin with lies."""
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
    X: ArrayLike, *, group: Group, fraction: float = FRACTION, mask: ArrayLike | None = None
) -> float:
    """Return an alpha to begin with, for learning components from data.

    Parameters
    ----------
    X : array-like of shape (n, d) or (n, d, channels), or what the group acts on
        NaN means missing.
    group : Group
    fraction : float
        How far below the typical `alpha_max` to go.
    mask : array-like of bool, optional
        In the shape of X, True where an entry was observed.

    Notes
    -----
    Components are not known yet, but no component of unit norm has an `alpha_max` above ``||y||``
    (of the part that the group can move), and ``y / ||y||`` itself reaches it: from there on the
    code of y is empty whatever is learned. The median of that over data points, times
    ``fraction``, is returned. An atom must then explain about a tenth of a typical data point to
    be worth its cost; weaker shapes, and noise below that, stay out. Halve it for finer detail,
    double it for fewer atoms. Data points of unit norm, as `orbitdl.datasets.segment` makes them,
    give 0.1.

    Examples
    --------
    >>> from orbitdl.datasets import make_ecg_like
    >>> from orbitdl.groups import ContinuousShift
    >>> X = 5 * make_ecg_like(n_windows=100, random_state=0).X
    >>> round(suggest_alpha(X, group=ContinuousShift()), 2)
    0.5
    """
    samples, fraction = Samples.of(X, group, mask), require_positive(fraction, "fraction")
    typical = typical_norm(samples.Y)
    if typical == 0.0:
        raise ValueError(
            "the data are zero or missing throughout, so no alpha can be suggested; pass others."
        )
    return fraction * typical


def automatic_alpha(Y: Blocks) -> float:
    """Return what ``alpha="auto"`` means for data Y (n, F, d, m): `suggest_alpha` to six digits.

    So it is the same number on every machine. For data of zeros, which take no atom, it is 1.
    """
    return float(f"{FRACTION * typical_norm(Y):.6g}") or 1.0


def typical_norm(Y: Blocks) -> float:
    """Return the median norm of those data points (n, F, d, m) that have one; 0 if none has."""
    norms = np.sqrt(inner(Y, Y))
    return float(np.median(norms[norms > 0])) if norms.any() else 0.0


def _largest(representation: Representation, Y: Blocks, A: Blocks) -> Floats:
    """Return ``max_j max_g |<y, g a_j>|`` for every sample, a chunk at a time."""
    starts = range(0, len(Y), CHUNK)
    return np.concatenate([representation.largest_product(Y[k : k + CHUNK], A) for k in starts])
