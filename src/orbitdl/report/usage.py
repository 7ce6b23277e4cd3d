"""How often and how strongly each component is used."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from orbitdl.coding.codes import Atoms
from orbitdl.groups.base import Floats

BINS = 40
"""Bars of the histogram of sizes."""


@dataclass(frozen=True, eq=False)
class Usage:
    """Counts and sizes of the atoms that are listed, component by component.

    Attributes
    ----------
    atoms, windows : ndarray of shape (q,)
        Atoms of a component, and windows that list one.
    share : ndarray of shape (q,)
        Its part of the sum of all sizes ``|c|``.
    quantiles : ndarray of shape (q, 5)
        Of its sizes, in the unit of the recording, at 5, 25, 50, 75 and 95 %; NaN: unused.
    edges, histogram : ndarray of shape (BINS + 1,) and (q, BINS)
        How many atoms have which size.
    """

    atoms: NDArray[np.intp]
    windows: NDArray[np.intp]
    share: Floats
    quantiles: Floats
    edges: Floats
    histogram: NDArray[np.intp]


def usage_of(atoms: Atoms, size: Floats, listed: NDArray[np.bool_]) -> Usage:
    """Count the atoms of every component that are listed, (K,), with their sizes (K,)."""
    component, size = atoms.component[listed], size[listed]
    q = atoms.n_components
    edges = np.linspace(0, float(size.max(initial=0.0)) or 1.0, BINS + 1)
    own = [size[component == j] for j in range(q)]
    levels = (0.05, 0.25, 0.5, 0.75, 0.95)
    weight = np.array([sizes.sum() for sizes in own])
    pairs = np.unique(atoms.sample[listed] * q + component)
    return Usage(
        atoms=np.array([len(sizes) for sizes in own], dtype=np.intp),
        windows=np.bincount(pairs % q, minlength=q),
        share=weight / (weight.sum() or 1.0),
        quantiles=np.array([np.quantile(s, levels) if len(s) else [np.nan] * 5 for s in own]),
        edges=edges,
        histogram=np.array([np.histogram(sizes, edges)[0] for sizes in own]),
    )
