"""What events of every component are like: how large, how different from each other."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from orbitdl.discovery.background import GAUSSIAN
from orbitdl.discovery.coding import HALF
from orbitdl.domains.time.atoms import LineAtoms
from orbitdl.domains.time.chunks import Recording, atoms_of
from orbitdl.domains.time.refit import refitted
from orbitdl.domains.time.waveforms import Waveforms
from orbitdl.events.code_events import merged, resolution_of
from orbitdl.events.model import EventModel
from orbitdl.groups.base import Floats

LEAST = 0.05
"""Spread of amplitudes at least, in parts of their median."""


@dataclass(frozen=True, eq=False)
class Population:
    """What events of every component are like, arrays of shape (q,).

    Attributes
    ----------
    median, spread : ndarray
        Of their amplitudes, on whitened samples.
    variability : ndarray
        Median energy by which events differ from their waveform, relative to that of the event.
    signed : bool
        Whether events may have negative amplitudes.
    """

    median: Floats
    spread: Floats
    variability: Floats
    signed: bool

    @classmethod
    def of_code(cls, model: EventModel, recording: Recording, waveforms: Waveforms) -> Population:
        """Return that of the atoms of a whitened recording, refitted without the penalty."""
        events, _ = merged(atoms_of(recording), resolution_of(waveforms))
        refit = refitted(recording, waveforms, events)
        left = waveforms.length * waveforms.u.shape[2] * (refit.left**2 - 1.0)
        events = replace(events, coefficient=refit.amplitude)
        return cls.of(model.detector.median, events, left, signed=model.signed)

    @classmethod
    def of(cls, median: Floats, events: LineAtoms, left: Floats, *, signed: bool) -> Population:
        """Return that of events, given the energy above the noise that each leaves, (K,)."""
        spread, variability = LEAST * median, np.zeros(len(median))
        result = cls(median, spread, variability, signed)
        is_typical = result.is_typical(events) & (median[events.component] > 0)
        for j in np.unique(events.component[is_typical]):
            own = is_typical & (events.component == j)
            size = np.abs(events.coefficient[own])
            spread[j] = max(spread[j], GAUSSIAN * np.median(np.abs(size - np.median(size))))
            variability[j] = max(float(np.median(left[own] / size**2)), 0.0)
        return result

    def is_typical(self, events: LineAtoms) -> NDArray[np.bool_]:
        """Return which events are at least half as large as the median."""
        size = np.abs(events.coefficient) if self.signed else events.coefficient
        return np.asarray(size >= HALF * self.median[events.component])
