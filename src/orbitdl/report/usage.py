"""How often and how strongly each component is used."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from orbitdl.coding.atoms import Atoms
from orbitdl.groups.base import Floats

BINS = 40
"""Bins of the histogram of sizes."""


@dataclass(frozen=True, eq=False)
class Usage:
    """Number and sizes of the events of each component.

    Attributes
    ----------
    atoms, windows : ndarray of shape (q,)
        Events of a component, and windows with an event of it.
    share : ndarray of shape (q,)
        Fraction of the sum of all sizes ``|c|``.
    quantiles : ndarray of shape (q, 5)
        5, 25, 50, 75 and 95 % quantiles of its sizes, in the unit of the recording; NaN: unused.
    edges, histogram : ndarray of shape (BINS + 1,) and (q, BINS)
        Histogram of sizes.
    """

    atoms: NDArray[np.intp]
    windows: NDArray[np.intp]
    share: Floats
    quantiles: Floats
    edges: Floats
    histogram: NDArray[np.intp]


def usage_of(atoms: Atoms, size: Floats, is_event: NDArray[np.bool_]) -> Usage:
    """Return the usage of each component; `is_event` and `size` have shape (K,)."""
    component, size = atoms.component[is_event], size[is_event]
    q = atoms.n_components
    edges = np.linspace(0, float(size.max(initial=0.0)) or 1.0, BINS + 1)
    own = [size[component == j] for j in range(q)]
    levels = (0.05, 0.25, 0.5, 0.75, 0.95)
    weight = np.array([sizes.sum() for sizes in own])
    pairs = np.unique(atoms.sample[is_event] * q + component)
    return Usage(
        atoms=np.array([len(sizes) for sizes in own], dtype=np.intp),
        windows=np.bincount(pairs % q, minlength=q),
        share=weight / (weight.sum() or 1.0),
        quantiles=np.array([np.quantile(s, levels) if len(s) else [np.nan] * 5 for s in own]),
        edges=edges,
        histogram=np.array([np.histogram(sizes, edges)[0] for sizes in own]),
    )
