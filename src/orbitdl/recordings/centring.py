"""Signals that were not centred: components that stand for the mean of the data."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from orbitdl.groups.base import Floats

FLAT = 0.9
"""A component is constant if its mean carries this share of its energy."""
MUCH = 0.5
"""Data want centring if the means of the windows carry this share of their energy."""


def share_of_means(X: Floats) -> float:
    """Return which share of the energy of signals (n, d, ...) their means carry.

    A mean is taken of every signal in every channel, over what was observed:
    ``sum N m^2 / sum ||x||^2`` for N values of mean m.

    Examples
    --------
    >>> share_of_means(np.array([[2.0, 2.0]])), share_of_means(np.array([[1.0, -1.0]]))
    (1.0, 0.0)
    """
    values = X.reshape(*X.shape[:2], -1)
    observed = np.maximum(np.sum(~np.isnan(values), axis=1), 1)
    constant = np.nansum(values, axis=1) ** 2 / observed
    energy = float(np.nansum(values**2))
    return float(constant.sum()) / energy if energy > 0 else 0.0


def constant_components(components: Floats) -> NDArray[np.intp]:
    """Return the numbers of those of the components (q, d, ...) that are nearly constant."""
    return np.flatnonzero([share_of_means(a[None]) > FLAT for a in components])
