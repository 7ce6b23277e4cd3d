"""Intervals from one event of a waveform to the next, and which of them are unusual."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from orbitdl.groups.base import Floats, Integers

DEVIATIONS, PART = 3.0, 0.15
"""An unusual interval is so many robust standard deviations from the median, and such a part."""
ROBUST = 1.4826
"""Standard deviations of a normal distribution in a median absolute deviation."""
BINS = 60


@dataclass(frozen=True, eq=False)
class Intervals:
    """What lies between events.

    Attributes
    ----------
    before : ndarray of shape (n,)
        Samples since the event of the same waveform before it; NaN for the first one, and where so
        much is missing between them that an event may be.
    median : ndarray of shape (q,)
        Of every waveform; NaN where there is none.
    unusual : ndarray of shape (n,)
        -1 where it is unusually short, 1 where it is unusually long, 0 elsewhere.
    """

    before: Floats
    median: Floats
    unusual: Integers

    def ratio(self, component: Integers) -> Floats:
        """Return the intervals as multiples of the median of their waveform, (n,)."""
        return np.asarray(self.before / self.median[component])

    def histogram(self, component: Integers) -> tuple[Floats, NDArray[np.intp]]:
        """Return edges and counts (q, bins); what is beyond the ends is in the last bins."""
        there = self.before[np.isfinite(self.before)]
        if not len(there):
            return np.zeros(0), np.zeros((len(self.median), 0), dtype=np.intp)
        low, high = np.quantile(there, [0.005, 0.995])
        room = 0.25 * (high - low) or 0.1 * high
        edges = np.linspace(max(low - room, 0.0), high + room, BINS + 1)
        inside = np.clip(self.before, edges[0], edges[-1])
        own = (inside[component == j] for j in range(len(self.median)))
        return edges, np.stack([np.histogram(part[~np.isnan(part)], edges)[0] for part in own])


def judged_intervals(events: pd.DataFrame, q: int) -> Intervals:
    """Return the intervals of events, as `WaveformLearning.events` lists them, of q waveforms."""
    before, component = events["own_interval"].to_numpy(), events["component"].to_numpy()
    unusual, median = np.zeros(len(before), dtype=np.intp), np.full(q, np.nan)
    for j in range(q):
        own = np.flatnonzero(component == j)
        if np.isfinite(before[own]).any():
            median[j] = np.nanmedian(before[own])
            unusual[own] = _unusual(before[own], median[j])
    return Intervals(before, median, unusual)


def _unusual(intervals: Floats, median: float) -> Integers:
    """Return which intervals are unusually short, -1, or long, 1."""
    away = intervals - median
    spread = ROBUST * float(np.nanmedian(np.abs(away)))
    far = (np.abs(away) > DEVIATIONS * spread) & (np.abs(away) >= PART * median)
    return np.asarray(np.where(far, np.sign(away), 0).astype(np.intp))
