"""Event tables from the atoms of a recording."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from orbitdl.arrays.blocks import Floats
from orbitdl.coding.atoms import Atoms
from orbitdl.domains.time.atoms import at_times, joined, no_atoms
from orbitdl.domains.time.chunk import Chunk
from orbitdl.domains.time.refit import refitted, retimed
from orbitdl.domains.time.signal import Signal
from orbitdl.domains.time.splines import TAPS
from orbitdl.domains.time.waveforms import Waveforms
from orbitdl.events.columns import in_column_order
from orbitdl.events.intervals import gap_middles, intervals_of, missing_segments, own_intervals_of
from orbitdl.events.prominence import peaks_of

HALF = 0.5
"""Threshold relative to the median size of the component; smaller atoms are mostly noise."""


def events_of(
    recording: list[Chunk],
    waveforms: Waveforms,
    atoms: Atoms,
    *,
    sfreq: float | None = None,
    threshold: float | None = None,
    refractory: float | None = None,
    integer_shifts: bool = False,
) -> pd.DataFrame:
    """List the events of a recording in chunks.

    Parameters
    ----------
    recording : list of Chunk
    waveforms : Waveforms
    atoms : Atoms
        In the order of time.
    sfreq : float, optional
        Samples per second; then `onset` is a column.
    threshold : float, optional
        Smallest coefficient, in the unit of the recording; half the median of a component if left
        out.
    refractory : float, optional
        Samples within which a component can occur once: of events closer than that the strongest
        is listed. With 0 every atom is an event; otherwise those that cannot be told apart are
        one (`merged`).
    integer_shifts : bool
        Whether times stay integers; otherwise they are refitted without the penalty.

    Returns
    -------
    DataFrame
        As `WaveformLearning.events` describes it. Its ``attrs`` say which `threshold` and
        `resolution`, in samples, each component had.
    """
    resolution = np.zeros(len(waveforms)) if refractory == 0 else resolution_of(waveforms)
    least = thresholds(atoms, len(waveforms), threshold)
    events, strongest = merged(atoms, resolution)
    size = strongest if threshold is None else np.abs(events.coefficient)
    kept = np.asarray(size >= least[events.component])
    if refractory:
        kept = is_locally_strongest(events, kept, refractory)
    if not integer_shifts:
        events = retimed(recording, waveforms, events, kept)
    refit = refitted(recording, waveforms, events)
    begin, peaks = np.floor(events.time) - 1, peaks_of(waveforms)
    if integer_shifts:
        peaks = np.rint(peaks)
    table = pd.DataFrame(
        {
            "sample": events.time + peaks[events.component],
            "component": events.component,
            "coefficient": events.coefficient,
            "amplitude": refit.amplitude,
            "explained": refit.share,
            "similarity": refit.fit,
            "overlapping": overlapping(begin, begin + waveforms.length + TAPS - 1, kept),
            "truncated": refit.is_truncated,
        }
    )
    if sfreq is not None:
        table["onset"] = table["sample"] / sfreq
    listed: pd.DataFrame = table.loc[kept].sort_values("sample", kind="stable", ignore_index=True)
    listed = with_intervals(listed, recording[0].signal, waveforms.length, sfreq)
    listed.attrs = {"threshold": least.tolist(), "resolution": resolution.tolist()}
    return listed


def with_intervals(
    events: pd.DataFrame, signal: Signal, length: int, sfreq: float | None
) -> pd.DataFrame:
    """Return events sorted by time with the intervals before them."""
    time, component = events["sample"].to_numpy(), events["component"].to_numpy()
    holes = gap_middles(missing_segments(signal), length)
    interval, own = intervals_of(time, holes), own_intervals_of(time, component, holes)
    events = events.assign(interval=interval, own_interval=own)
    if sfreq is not None:
        events = events.assign(interval_s=interval / sfreq)
    return in_column_order(events)


def no_events(sfreq: float | None) -> pd.DataFrame:
    """Return a table of no events, which has the columns of all others."""
    kinds = {"sample": float, "component": np.intp, "coefficient": float, "amplitude": float}
    kinds |= {"explained": float, "similarity": float, "overlapping": bool, "truncated": bool}
    kinds |= {"interval": float, "own_interval": float}
    table = pd.DataFrame({name: np.zeros(0, dtype=kind) for name, kind in kinds.items()})
    if sfreq is not None:
        table = table.assign(onset=table["sample"], interval_s=table["interval"])
    return in_column_order(table)


def thresholds(atoms: Atoms, q: int, threshold: float | None) -> Floats:
    """Return the threshold of coefficients of each component, (q,)."""
    if threshold is not None:
        return np.full(q, float(threshold))
    size = np.abs(atoms.coefficient)
    own = (size[atoms.component == j] for j in range(q))
    return np.array([HALF * np.median(sizes) if len(sizes) else 0.0 for sizes in own])


def resolution_of(waveforms: Waveforms) -> Floats:
    """Return the minimum distance in samples at which two events are resolved, (q,).

    The full width at half maximum of ``<a_j, a_j(. - s)>``, as lines of a spectrum are told apart.
    """
    samples, size = waveforms.samples(), 2 * waveforms.length
    spectra = np.abs(np.fft.rfft(samples, size, axis=1)) ** 2
    products = np.fft.irfft(spectra.sum(axis=2), size, axis=1)[:, : waveforms.length + 1]
    below = np.argmax(products <= 0.5 * products[:, :1], axis=1)  # the first lag; it is > 0
    widths = np.zeros(len(waveforms))
    for j in np.flatnonzero(products[:, 0] > 0):
        lag = below[j]
        high, low = products[j, lag - 1], products[j, lag]
        widths[j] = 2.0 * (lag - 1 + (high - 0.5 * products[j, 0]) / (high - low))
    return widths


def merged(atoms: Atoms, resolution: Floats) -> tuple[Atoms, Floats]:
    """Merge unresolved atoms of one component and sign; return atoms sorted by time.

    It lies at their centre of mass, and its coefficient is the sum of theirs: a sparse code may
    tell of one event, a little wider or narrower than its waveform, by two atoms side by side.
    Also returned is the size of the strongest atom of each.
    """
    q = len(resolution)
    parts, strongest = [no_atoms(q)], [np.zeros(0)]
    for j, limit in enumerate(resolution):
        for sign in (1.0, -1.0):
            own = atoms.select((atoms.component == j) & (sign * atoms.coefficient > 0))
            first = np.diff(own.time, prepend=-np.inf) >= max(limit, 1e-300)
            group, begins, weight = (
                np.cumsum(first) - 1,
                np.flatnonzero(first),
                sign * own.coefficient,
            )
            size = np.bincount(group, weight)
            away = np.bincount(group, weight * (own.time - own.time[begins][group])) / size
            component = np.full(len(size), j, dtype=np.intp)
            parts.append(at_times(component, own.time[begins] + away, sign * size, q))
            strongest.append(np.maximum.reduceat(weight, begins) if len(begins) else np.zeros(0))
    every = joined(parts)
    order = np.argsort(every.time, kind="stable")
    return every.select(order), np.concatenate(strongest)[order]


def is_locally_strongest(
    atoms: Atoms, kept: NDArray[np.bool_], refractory: float
) -> NDArray[np.bool_]:
    """Return whether each atom is the strongest of its component within the refractory period."""
    result = kept.copy()
    for j in np.unique(atoms.component):
        own = np.flatnonzero(kept & (atoms.component == j))  # sorted by time
        time, size = atoms.time[own], np.abs(atoms.coefficient[own])
        low = np.searchsorted(time, time - refractory, side="right")
        high = np.searchsorted(time, time + refractory, side="left")
        for k in np.argsort(-size, kind="stable"):
            if result[own[k]]:
                result[own[low[k] : k]] = False
                result[own[k + 1 : high[k]]] = False
    return result


def overlapping(begin: Floats, end: Floats, kept: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return whether each event overlaps another; atoms are sorted by time."""
    events = np.flatnonzero(kept)
    result = np.zeros(len(kept), dtype=bool)
    meets = begin[events[1:]] < np.maximum.accumulate(end[events])[:-1]
    result[events[1:]] |= meets
    result[events[:-1]] |= meets
    return result
