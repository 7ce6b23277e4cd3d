"""Events over time, as the report draws them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from orbitdl.groups.base import Floats
from orbitdl.report.coded import CodedWindows
from orbitdl.report.facts import Facts

MOST_EVENTS = 20_000
"""Maximum number of events in the file; the strongest are chosen."""


@dataclass(frozen=True, eq=False)
class Timeline:
    """The strongest events, one row per atom.

    Attributes
    ----------
    time : ndarray of shape (K,)
        In seconds if the sampling frequency and the step between windows are known and the group
        shifts; else the number of the window.
    in_seconds : bool
    sample, component, coefficient : ndarray of shape (K,)
    begin, end : float
        Limits of the time axis.
    total : int
        Total number of events.
    """

    time: Floats
    in_seconds: bool
    sample: NDArray[np.intp]
    component: NDArray[np.intp]
    coefficient: Floats
    begin: float
    end: float
    total: int


def events_of(facts: Facts, coded: CodedWindows) -> Timeline:
    """Return the strongest events with their times."""
    atoms, listed = coded.codes.atoms, np.flatnonzero(coded.is_event)
    strongest = np.argsort(-np.abs(coded.coefficient[listed]), kind="stable")[:MOST_EVENTS]
    chosen = listed[np.sort(strongest)]
    sample = atoms.sample[chosen]
    time, begin, end = sample.astype(np.float64), 0.0, float(len(atoms))
    sfreq, length = facts.labels.sfreq, facts.representation.shape[0]
    if facts.is_shift:
        place = coded.position[chosen]
        samples = facts.labels.samples or int(coded.start[-1]) + length
        if sfreq:
            before = facts.labels.offset
            time = (before + coded.start[sample] + place) / sfreq
            begin, end = before / sfreq, (before + samples) / sfreq
        else:
            time = sample + place / length
    return Timeline(
        time=time,
        in_seconds=facts.is_shift and sfreq is not None,
        sample=sample,
        component=atoms.component[chosen],
        coefficient=coded.coefficient[chosen],
        begin=begin,
        end=end,
        total=len(listed),
    )
