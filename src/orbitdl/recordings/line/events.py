"""From the atoms of a recording to a table of events: what, when, how strong, how unusual."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.linalg import splu

from orbitdl.groups.base import Floats
from orbitdl.recordings.line.coder import LineCodes
from orbitdl.recordings.line.splines import TAPS
from orbitdl.recordings.line.waveforms import Waveforms, fill_signals

HALF = 0.5
"""Events below this part of the median size of their component are mostly noise."""
RIDGE = 1e-9
"""Relative weight that keeps amplitudes finite of atoms that explain the same."""


def events_of(
    x: Floats,
    observed: NDArray[np.bool_],
    waveforms: Waveforms,
    codes: LineCodes,
    *,
    rate: float | None = None,
    threshold: float | None = None,
    refractory: float = 0.0,
) -> pd.DataFrame:
    """List the events of a recording x (T, channels), zero where it was not observed (T,).

    Parameters
    ----------
    codes : LineCodes
    rate : float, optional
        Samples per second; then `seconds` is a column.
    threshold : float, optional
        Smallest coefficient, in the unit of the recording; half the median of a component if left
        out.
    refractory : float
        Samples within which a component can occur once: of events closer than that the strongest
        is listed.

    Returns
    -------
    DataFrame
        One row per event, in the order of time: `time` in samples, where the waveform is largest,
        `component`, `coefficient`, `amplitude` (all atoms refitted together, without shrinkage),
        `share` of the energy of its span that is explained, `fit`, the cosine between the waveform
        and what is left without it, and whether it `overlaps` another event or an edge (`cut`).
    """
    amplitude, moved, left = refitted(x, observed, waveforms, codes)
    first, last = np.floor(codes.time) - 1, np.floor(codes.time) + waveforms.length + TAPS - 1
    peak = np.argmax(np.abs(waveforms.samples()).max(axis=2), axis=1)
    table = pd.DataFrame(
        {
            "time": codes.time + peak[codes.component],
            "component": codes.component,
            "coefficient": codes.coefficient,
            "amplitude": amplitude,
            "share": _shares(x, left, first, last),
            "fit": _fits(moved, left, amplitude),
        }
    )
    kept = _above(codes, threshold)
    kept &= _strongest(codes, kept, refractory)
    table["overlaps"] = _overlapping(first, last, kept)
    table["cut"] = _cut(observed, first, last)
    if rate is not None:
        table.insert(1, "seconds", table["time"] / rate)
    listed: pd.DataFrame = table.loc[kept].sort_values("time", kind="stable", ignore_index=True)
    return listed


def refitted(
    x: Floats, observed: NDArray[np.bool_], waveforms: Waveforms, codes: LineCodes
) -> tuple[Floats, sparse.csc_array, Floats]:
    """Return amplitudes (K,) that fit x best with these atoms, the atoms, and what is left.

    The atoms are columns, observed samples of all channels below each other: (T channels, K).
    """
    moved = atoms_as_columns(observed, waveforms, codes)
    if len(codes) == 0:
        return np.zeros(0), moved, x
    gram = (moved.T @ moved).tocsc()
    ridge = RIDGE * float(gram.diagonal().max()) or 1.0
    solve = splu(gram + ridge * sparse.eye_array(len(codes), format="csc")).solve
    amplitude: Floats = solve(np.asarray(moved.T @ x.ravel()))
    return amplitude, moved, x - np.asarray(moved @ amplitude).reshape(x.shape)


def atoms_as_columns(
    observed: NDArray[np.bool_], waveforms: Waveforms, codes: LineCodes
) -> sparse.csc_array:
    """Return every atom at the observed samples as a column."""
    channels, span = waveforms.u.shape[2], waveforms.length + TAPS - 1
    signals = np.zeros((len(codes), span, channels))
    fill_signals(codes.component, codes.time, waveforms.u, signals)
    sample = (np.floor(codes.time).astype(np.intp) - 1)[:, None] + np.arange(span)
    inside = (sample >= 0) & (sample < len(observed))
    seen = inside & observed[np.clip(sample, 0, len(observed) - 1)]
    row = (sample[:, :, None] * channels + np.arange(channels))[seen]
    column = np.broadcast_to(np.arange(len(codes))[:, None], sample.shape)[seen]
    shape = len(observed) * channels, len(codes)
    place = row.ravel(), np.repeat(column, channels)
    return sparse.csc_array((signals[seen].ravel(), place), shape=shape)


def _shares(x: Floats, left: Floats, first: Floats, last: Floats) -> Floats:
    """Return the share of the energy between two samples that is explained, (K,)."""
    total, rest = (np.concatenate([[0.0], np.cumsum(np.sum(y**2, axis=1))]) for y in (x, left))
    a, b = (np.clip(p, 0, len(x)).astype(np.intp) for p in (first, last))
    energy = total[b] - total[a]
    left_over = np.divide(rest[b] - rest[a], energy, out=np.ones_like(energy), where=energy > 0)
    return np.asarray(1.0 - left_over)


def _fits(moved: sparse.csc_array, left: Floats, amplitude: Floats) -> Floats:
    """Return the cosine between each atom and what is left with it put back, (K,)."""
    squares = moved.multiply(moved)
    norm = np.sqrt(np.asarray(squares.sum(axis=0)).ravel())
    product = np.asarray(moved.T @ left.ravel()) + amplitude * norm**2
    pattern = moved.copy()
    pattern.data = np.ones_like(pattern.data)
    energy = np.asarray(pattern.T @ left.ravel() ** 2)
    energy = energy + 2.0 * amplitude * (product - amplitude * norm**2) + amplitude**2 * norm**2
    size = norm * np.sqrt(np.maximum(energy, 0.0))
    return np.asarray(np.divide(np.abs(product), size, out=np.zeros_like(size), where=size > 0))


def _above(codes: LineCodes, threshold: float | None) -> NDArray[np.bool_]:
    """Tell which atoms are large enough to be events."""
    size = np.abs(codes.coefficient)
    if threshold is not None:
        return np.asarray(size >= threshold)
    kept = np.zeros(len(size), dtype=bool)
    for j in np.unique(codes.component):
        own = codes.component == j
        kept[own] = size[own] >= HALF * np.median(size[own])
    return kept


def _strongest(codes: LineCodes, kept: NDArray[np.bool_], refractory: float) -> NDArray[np.bool_]:
    """Tell which atoms are the strongest of their component as far as it can occur once."""
    result = kept.copy()
    for k in np.argsort(-np.abs(codes.coefficient), kind="stable"):
        if result[k]:
            near = np.abs(codes.time - codes.time[k]) < refractory
            near &= codes.component == codes.component[k]
            near[k] = False
            result &= ~near
    return result


def _overlapping(first: Floats, last: Floats, kept: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Tell which events share samples with another event; atoms are in the order of time."""
    events = np.flatnonzero(kept)
    result = np.zeros(len(kept), dtype=bool)
    meets = first[events[1:]] < np.maximum.accumulate(last[events])[:-1]
    result[events[1:]] |= meets
    result[events[:-1]] |= meets
    return result


def _cut(observed: NDArray[np.bool_], first: Floats, last: Floats) -> NDArray[np.bool_]:
    """Tell which spans reach beyond an end, or into missing samples."""
    missing = np.concatenate([[0], np.cumsum(~observed)])
    a, b = (np.clip(p, 0, len(observed)).astype(np.intp) for p in (first, last))
    return np.asarray((first < 0) | (last > len(observed)) | (missing[b] > missing[a]))
