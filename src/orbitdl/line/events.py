"""From the atoms of a recording to a table of events: what, when, how strong, how unusual."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from orbitdl.groups.base import Floats, Integers
from orbitdl.line.atoms import LineAtoms
from orbitdl.line.chunk import Chunk
from orbitdl.line.refit import refitted
from orbitdl.line.splines import TAPS
from orbitdl.line.waveforms import Waveforms

HALF = 0.5
"""Events below this part of the median size of their component are mostly noise."""


def events_of(
    recording: list[Chunk],
    waveforms: Waveforms,
    atoms: LineAtoms,
    *,
    rate: float | None = None,
    threshold: float | None = None,
    refractory: float | None = None,
) -> pd.DataFrame:
    """List the events of a recording in chunks.

    Parameters
    ----------
    recording : list of Chunk
    waveforms : Waveforms
    atoms : LineAtoms
        In the order of time.
    rate : float, optional
        Samples per second; then `seconds` is a column.
    threshold : float, optional
        Smallest coefficient, in the unit of the recording; half the median of a component if left
        out.
    refractory : float, optional
        Samples within which a component can occur once: of events closer than that the strongest
        is listed, and 0 lists all. If left out, the strongest is listed of those that are closer
        to each other than can be told apart (`resolution_of`).

    Returns
    -------
    DataFrame
        As `WaveformLearning.events` describes it. Its ``attrs`` say which `threshold` each
        component had, and which `refractory` time, in samples.
    """
    refit = refitted(recording, waveforms, atoms)
    begin = np.floor(atoms.time) - 1
    end = begin + waveforms.length + TAPS - 1
    least = thresholds(atoms, len(waveforms), threshold)
    kept = np.asarray(np.abs(atoms.coefficient) >= least[atoms.component])
    if refractory is None:
        near = resolution_of(waveforms)
        kept = strongest_of_groups(atoms, kept, near)
    else:
        near = np.full(len(waveforms), float(refractory))
        kept = strongest_around(atoms, kept, near)
    table = pd.DataFrame(
        {
            "time": atoms.time + peaks_of(waveforms)[atoms.component],
            "component": atoms.component,
            "coefficient": atoms.coefficient,
            "amplitude": refit.amplitude,
            "share": refit.share,
            "fit": refit.fit,
            "overlaps": overlapping(begin, end, kept),
            "cut": refit.is_cut,
        }
    )
    if rate is not None:
        table.insert(1, "seconds", table["time"] / rate)
    listed: pd.DataFrame = table.loc[kept].sort_values("time", kind="stable", ignore_index=True)
    listed.attrs = {"threshold": least.tolist(), "refractory": near.tolist()}
    return listed


def peaks_of(waveforms: Waveforms) -> Integers:
    """Return the sample where each waveform is largest, (q,)."""
    return np.asarray(np.argmax(np.abs(waveforms.samples()).max(axis=2), axis=1))


def thresholds(atoms: LineAtoms, q: int, threshold: float | None) -> Floats:
    """Return the smallest coefficient of an event of each component, (q,)."""
    if threshold is not None:
        return np.full(q, float(threshold))
    size = np.abs(atoms.coefficient)
    own = (size[atoms.component == j] for j in range(q))
    return np.array([HALF * np.median(sizes) if len(sizes) else 0.0 for sizes in own])


def resolution_of(waveforms: Waveforms) -> Floats:
    """Return how far apart two events must be not to be one that is wider, in samples, (q,).

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


def strongest_of_groups(
    atoms: LineAtoms, kept: NDArray[np.bool_], resolution: Floats
) -> NDArray[np.bool_]:
    """Tell which atoms are the strongest of those that follow each other more closely than that."""
    result = np.zeros(len(atoms), dtype=bool)
    for j in np.unique(atoms.component):
        own = np.flatnonzero(kept & (atoms.component == j))  # in the order of time
        group = np.cumsum(np.diff(atoms.time[own], prepend=-np.inf) >= resolution[j])
        order = np.lexsort((-np.abs(atoms.coefficient[own]), group))
        result[own[order[np.flatnonzero(np.diff(group[order], prepend=0))]]] = True
    return result


def strongest_around(
    atoms: LineAtoms, kept: NDArray[np.bool_], refractory: Floats
) -> NDArray[np.bool_]:
    """Tell which atoms are the strongest of their component as far as it can occur once."""
    result = kept.copy()
    for j in np.unique(atoms.component):
        own = np.flatnonzero(kept & (atoms.component == j))  # in the order of time
        time, size = atoms.time[own], np.abs(atoms.coefficient[own])
        low = np.searchsorted(time, time - refractory[j], side="right")
        high = np.searchsorted(time, time + refractory[j], side="left")
        for k in np.argsort(-size, kind="stable"):
            if result[own[k]]:
                result[own[low[k] : k]] = False
                result[own[k + 1 : high[k]]] = False
    return result


def overlapping(begin: Floats, end: Floats, kept: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Tell which events share samples with another event; atoms are in the order of time."""
    events = np.flatnonzero(kept)
    result = np.zeros(len(kept), dtype=bool)
    meets = begin[events[1:]] < np.maximum.accumulate(end[events])[:-1]
    result[events[1:]] |= meets
    result[events[:-1]] |= meets
    return result
