"""How often and how strongly each component is used, and when."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from orbitdl.groups.base import Floats

if TYPE_CHECKING:
    from orbitdl.report.coded import Coded
    from orbitdl.report.facts import Facts

BINS = 40
"""Bars of the histogram of sizes."""
MOST_EVENTS = 20_000
"""Events in the file at most, the strongest."""


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


@dataclass(frozen=True, eq=False)
class Events:
    """Listed atoms in time, one row per atom, the strongest ones of all.

    Attributes
    ----------
    time : ndarray of shape (K,)
        Seconds, where the rate and the step from window to window are known and the group shifts;
        else the number of the window.
    in_seconds : bool
    sample, component, coefficient : ndarray of shape (K,)
    end : float
        Where the axis ends.
    total : int
        Listed atoms in all.
    """

    time: Floats
    in_seconds: bool
    sample: NDArray[np.intp]
    component: NDArray[np.intp]
    coefficient: Floats
    end: float
    total: int


def usage_of(coded: Coded) -> Usage:
    """Count the atoms of every component, one that several windows see once."""
    atoms, listed = coded.codes.atoms, coded.listed
    component, size = atoms.component[listed], np.abs(coded.coefficient[listed])
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


def events_of(facts: Facts, coded: Coded) -> Events:
    """Put the strongest atoms on a time axis."""
    atoms, listed = coded.codes.atoms, np.flatnonzero(coded.listed)
    strongest = np.argsort(-np.abs(coded.coefficient[listed]), kind="stable")[:MOST_EVENTS]
    chosen = listed[np.sort(strongest)]
    sample = atoms.sample[chosen]
    time, end = sample.astype(np.float64), float(len(atoms))
    rate, length = facts.labels.rate, facts.representation.shape[0]
    if facts.is_shift:
        place = coded.place[chosen]
        time = (coded.start[sample] + place) / rate if rate else sample + place / length
        samples = facts.labels.samples or int(coded.start[-1]) + length
        end = samples / rate if rate else end
    return Events(
        time=time,
        in_seconds=facts.is_shift and rate is not None,
        sample=sample,
        component=atoms.component[chosen],
        coefficient=coded.coefficient[chosen],
        end=end,
        total=len(listed),
    )
