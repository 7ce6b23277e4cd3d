"""Detection of data that are not centred."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from orbitdl.groups.base import Floats

FLAT = 0.9
"""Share of the energy in the mean above which a component is constant."""
MUCH = 0.5
"""Share of the energy in the means of windows above which data should be centred."""


def share_of_means(X: Floats) -> float:
    """Return the share of the energy of signals (n, d, ...) in their means.

    ``sum N m^2 / sum ||x||^2`` with the mean m of N observed values per signal and channel.

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
    """Return the indices of nearly constant components of (q, d, ...)."""
    return np.flatnonzero([share_of_means(a[None]) > FLAT for a in components])
