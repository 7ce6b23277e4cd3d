"""Intervals between consecutive events of a waveform, and the unusual ones."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from orbitdl.groups.base import Floats, Integers

DEVIATIONS, PART = 3.0, 0.15
"""Minimum deviation of an unusual interval from the median: in robust standard deviations, and as a
fraction of the median."""
ROBUST = 1.4826
"""Ratio of standard deviation and median absolute deviation of a normal distribution."""
BINS = 60


@dataclass(frozen=True, eq=False)
class Intervals:
    """Intervals between events.

    Attributes
    ----------
    before : ndarray of shape (n,)
        Samples since the previous event of the same waveform; NaN for the first one, and where
        enough samples are missing between them to hide an event.
    median : ndarray of shape (q,)
        Median of each waveform; NaN without intervals.
    unusual : ndarray of shape (n,)
        -1 for unusually short, 1 for unusually long, and 0 for other intervals.
    """

    before: Floats
    median: Floats
    unusual: Integers

    def ratio(self, component: Integers) -> Floats:
        """Return the intervals as multiples of the median of their waveform, (n,)."""
        return np.asarray(self.before / self.median[component])

    def histogram(self, component: Integers) -> tuple[Floats, NDArray[np.intp]]:
        """Return edges and counts (q, bins); outliers are in the outer bins."""
        there = self.before[np.isfinite(self.before)]
        if not len(there):
            return np.zeros(0), np.zeros((len(self.median), 0), dtype=np.intp)
        low, high = np.quantile(there, [0.005, 0.995])
        margin = 0.25 * (high - low) or 0.1 * high
        edges = np.linspace(max(low - margin, 0.0), high + margin, BINS + 1)
        inside = np.clip(self.before, edges[0], edges[-1])
        own = (inside[component == j] for j in range(len(self.median)))
        return edges, np.stack([np.histogram(part[~np.isnan(part)], edges)[0] for part in own])


def marked_intervals(events: pd.DataFrame, q: int) -> Intervals:
    """Return the intervals of an event table of `WaveformLearning.events`, with q waveforms."""
    before, component = events["own_interval"].to_numpy(), events["component"].to_numpy()
    unusual, median = np.zeros(len(before), dtype=np.intp), np.full(q, np.nan)
    for j in range(q):
        own = np.flatnonzero(component == j)
        if np.isfinite(before[own]).any():
            median[j] = np.nanmedian(before[own])
            unusual[own] = _unusual(before[own], median[j])
    return Intervals(before, median, unusual)


def _unusual(intervals: Floats, median: float) -> Integers:
    """Return -1 for unusually short, 1 for unusually long, and 0 for other intervals."""
    away = intervals - median
    spread = ROBUST * float(np.nanmedian(np.abs(away)))
    far = (np.abs(away) > DEVIATIONS * spread) & (np.abs(away) >= PART * median)
    return np.asarray(np.where(far, np.sign(away), 0).astype(np.intp))
