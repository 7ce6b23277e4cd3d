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
