"""Which events of a table a report lists: the least similar, the doubtful, unusual intervals."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from orbitdl.groups.base import Floats, Integers

LEAST_SIMILAR = 12
"""Number of events listed as least similar to their component."""
DOUBTFUL, DOUBT = 12, 1e-3
"""Number of events listed as doubtful, and the q-value from which an event may be false."""
INTERVALS = 24
"""Maximum number of unusual intervals listed, those farthest from the median first."""
DEVIATIONS, PART = 3.0, 0.15
"""Minimum deviation of an unusual interval from the median: in robust standard deviations, and as a
fraction of the median."""
ROBUST = 1.4826
"""Ratio of standard deviation and median absolute deviation of a normal distribution."""


def least_similar(events: pd.DataFrame) -> Integers:
    """Return the numbers of the events with the lowest similarity, lowest first."""
    if "similarity" not in events:
        return np.zeros(0, dtype=np.intp)
    return np.argsort(events["similarity"].to_numpy(), kind="stable")[:LEAST_SIMILAR]


def doubtful(events: pd.DataFrame) -> Integers:
    """Return the numbers of the events with the largest q-values, largest first.

    If none is doubtful, of those with the largest standard error relative to their amplitude.
    """
    if "q_value" not in events:
        return np.zeros(0, dtype=np.intp)
    doubt = events["q_value"]
    if doubt.max() < DOUBT:
        doubt = events["amplitude_sd"] / events["amplitude"].abs()
    return np.argsort(-doubt.to_numpy(), kind="stable")[:DOUBTFUL]


def interval_medians(events: pd.DataFrame, q: int) -> Floats:
    """Return the median interval of the events of each component, (q,); NaN without intervals."""
    if "own_interval" not in events:
        return np.full(q, np.nan)
    medians = events.groupby("component")["own_interval"].median()
    return medians.reindex(range(q)).to_numpy(dtype=np.float64)


def unusual_intervals(events: pd.DataFrame) -> Integers:
    """Return the numbers of the events after an unusual interval, farthest from the median first.

    It differs from the median of its component by 3 robust standard deviations and by 15 %.
    """
    if "own_interval" not in events or not len(events):
        return np.zeros(0, dtype=np.intp)
    values, component = events["own_interval"], events["component"]
    median = values.groupby(component).transform("median")
    away = (values - median).abs()
    spread = ROBUST * away.groupby(component).transform("median")
    far = np.flatnonzero((away > DEVIATIONS * spread) & (away >= PART * median))
    ratio = (values / median).to_numpy()[far]
    return np.asarray(far[np.argsort(-np.abs(np.log(ratio)), kind="stable")], dtype=np.intp)


def listed_events(events: pd.DataFrame) -> NDArray[np.bool_]:
    """Return whether each event is in a table of the report."""
    listed = np.zeros(len(events), dtype=bool)
    for own in (least_similar(events), doubtful(events), unusual_intervals(events)[:INTERVALS]):
        listed[own] = True
    return listed
