"""Events over time, as the report draws them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from orbitdl.groups.base import Floats
from orbitdl.report.coded import Coded
from orbitdl.report.facts import Facts

MOST_EVENTS = 20_000
"""Events in the file at most, the strongest."""


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
    begin, end : float
        Where the axis begins and ends.
    total : int
        Listed atoms in all.
    """

    time: Floats
    in_seconds: bool
    sample: NDArray[np.intp]
    component: NDArray[np.intp]
    coefficient: Floats
    begin: float
    end: float
    total: int


def events_of(facts: Facts, coded: Coded) -> Events:
    """Put the strongest atoms on a time axis."""
    atoms, listed = coded.codes.atoms, np.flatnonzero(coded.listed)
    strongest = np.argsort(-np.abs(coded.coefficient[listed]), kind="stable")[:MOST_EVENTS]
    chosen = listed[np.sort(strongest)]
    sample = atoms.sample[chosen]
    time, begin, end = sample.astype(np.float64), 0.0, float(len(atoms))
    sfreq, length = facts.labels.sfreq, facts.representation.shape[0]
    if facts.is_shift:
        place = coded.place[chosen]
        samples = facts.labels.samples or int(coded.start[-1]) + length
        if sfreq:
            before = facts.labels.offset
            time = (before + coded.start[sample] + place) / sfreq
            begin, end = before / sfreq, (before + samples) / sfreq
        else:
            time = sample + place / length
    return Events(
        time=time,
        in_seconds=facts.is_shift and sfreq is not None,
        sample=sample,
        component=atoms.component[chosen],
        coefficient=coded.coefficient[chosen],
        begin=begin,
        end=end,
        total=len(listed),
    )
