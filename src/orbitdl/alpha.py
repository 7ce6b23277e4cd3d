"""Choosing alpha: where codes become empty, and a place to start below it."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from orbitdl.groups.base import (
    Blocks,
    Floats,
    Group,
    Representation,
    correlate,
    inner,
    require_group,
)
from orbitdl.validation import as_components, as_masked_data, require_positive

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
    (data, _), A = as_masked_data(X, mask), as_components(components)
    if A.shape[1:] != data.shape[1:]:
        raise ValueError(
            f"X and components must hold one shape, not {data.shape[1:]} and {A.shape[1:]}."
        )
    representation = require_group(group).on(data.shape[1:])
    return _largest(representation, representation.analyze(data), representation.analyze(A))


def suggest_alpha(
    X: ArrayLike, *, group: Group, fraction: float = 0.1, mask: ArrayLike | None = None
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
    data, _ = as_masked_data(X, mask)
    fraction = require_positive(fraction, "fraction")
    Y = require_group(group).on(data.shape[1:]).analyze(data)
    norms = np.sqrt(inner(Y, Y))
    if not norms.any():
        raise ValueError(
            "the data are zero or missing throughout, so no alpha can be suggested; pass others."
        )
    return fraction * float(np.median(norms[norms > 0]))


def _largest(representation: Representation, Y: Blocks, A: Blocks) -> Floats:
    """Return ``max_j max_g |<y, g a_j>|`` for every sample, a chunk at a time."""
    starts = range(0, len(Y), CHUNK)
    parts = [representation.largest_polar(correlate(Y[k : k + CHUNK], A)) for k in starts]
    return np.concatenate(parts)
