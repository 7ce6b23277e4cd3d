"""Statistics of the events of each component: amplitudes and variability."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from orbitdl.arrays.blocks import Floats
from orbitdl.coding.atoms import Atoms
from orbitdl.discovery.background import MAD_SCALE
from orbitdl.discovery.coding import HALF
from orbitdl.domains.time.chunks import Recording, atoms_of
from orbitdl.domains.time.refit import refitted
from orbitdl.domains.time.waveforms import Waveforms
from orbitdl.events.code_events import merged, resolution_of
from orbitdl.events.model import EventModel

MIN_SPREAD = 0.05
"""Lower bound of the spread of amplitudes, relative to their median."""


@dataclass(frozen=True, eq=False)
class Population:
    """Statistics of the events of each component, arrays of shape (q,).

    Attributes
    ----------
    median, spread : ndarray
        Median and spread of amplitudes, on whitened samples.
    variability : ndarray
        Median energy of the difference of events and waveform, relative to that of the event.
    signed : bool
        Whether amplitudes may be negative.
    """

    median: Floats
    spread: Floats
    variability: Floats
    signed: bool

    @classmethod
    def of_code(cls, model: EventModel, recording: Recording, waveforms: Waveforms) -> Population:
        """Return the statistics of the atoms of a whitened recording after a refit."""
        events, _ = merged(atoms_of(recording), resolution_of(waveforms))
        refit = refitted(recording, waveforms, events)
        left = waveforms.length * waveforms.u.shape[2] * (refit.left**2 - 1.0)
        events = replace(events, coefficient=refit.amplitude)
        return cls.of(model.detector.median, events, left, signed=model.signed)

    @classmethod
    def of(cls, median: Floats, events: Atoms, left: Floats, *, signed: bool) -> Population:
        """Return the statistics of events, given the residual energy above noise of each, (K,)."""
        spread, variability = MIN_SPREAD * median, np.zeros(len(median))
        result = cls(median, spread, variability, signed)
        is_typical = result.is_typical(events) & (median[events.component] > 0)
        for j in np.unique(events.component[is_typical]):
            own = is_typical & (events.component == j)
            size = np.abs(events.coefficient[own])
            spread[j] = max(spread[j], MAD_SCALE * np.median(np.abs(size - np.median(size))))
            variability[j] = max(float(np.median(left[own] / size**2)), 0.0)
        return result

    def is_typical(self, events: Atoms) -> NDArray[np.bool_]:
        """Return whether each event is at least half as large as the median."""
        size = np.abs(events.coefficient) if self.signed else events.coefficient
        return np.asarray(size >= HALF * self.median[events.component])
