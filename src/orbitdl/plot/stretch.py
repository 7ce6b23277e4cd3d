"""A stretch of a recording: its samples, their fit, and the atoms that reach into it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from orbitdl.arrays.validation import require_between
from orbitdl.domains.time.atoms import LineAtoms
from orbitdl.domains.time.inputs import as_signal, detrended, require_own_channels
from orbitdl.domains.time.waveforms import Waveforms
from orbitdl.estimators.waveform import WaveformLearning
from orbitdl.groups.base import Floats
from orbitdl.plot.parts import Part
from orbitdl.plot.sketch import Sketch, checked

SPANS = 10
"""Lengths of a waveform that are drawn of a recording where nothing else is asked for."""


@dataclass(frozen=True, eq=False)
class Stretch:
    """Samples (n,) or (n, channels) of a recording, their fit, its parts, how all are drawn."""

    data: Floats
    fit: Floats
    parts: list[Part]
    sketch: Sketch


def stretch_of(
    model: WaveformLearning,
    recording: Any,
    start: float | None,
    stop: float | None,
    sfreq: float | None,
    codes: Any,
) -> Stretch:
    """Return some samples of a recording, taken apart; no more than these are read beside codes."""
    signal, sfreq = as_signal(recording), checked(sfreq or getattr(recording, "sfreq", None))
    waveforms, gains = model._in_data_unit()
    require_own_channels(signal.channels, waveforms.u.shape[2])
    first, last = _bounds(len(signal), model.length, start, stop, sfreq)
    if codes is None:
        codes = model.encode(recording)
    atoms = codes.atoms.between(first - model.length - 1, last + 1).later(-first)
    atoms = replace(atoms, coefficient=atoms.coefficient * gains[atoms.component])
    shape = (last - first, *model.components_.shape[2:])
    trend = detrended(signal, model.length, detrend=model.detrend).trend(first, last)
    fit = trend + _sum_of(waveforms, atoms, last - first)
    parts = [part for j in range(len(waveforms)) for part in _parts(waveforms, atoms, j, shape)]
    sketch = replace(Sketch.of_waveforms(shape, sfreq), origin=-first)
    return Stretch(signal.raw(first, last).reshape(shape), fit.reshape(shape), parts, sketch)


def _parts(waveforms: Waveforms, atoms: LineAtoms, j: int, shape: tuple[int, ...]) -> list[Part]:
    """Return the atoms of one component, each where it is not zero; a blank if there are none."""
    parts = []
    for k in np.flatnonzero(atoms.component == j):
        alone = _sum_of(waveforms, atoms.take(np.array([k])), shape[0])
        if alone.any():
            shown = np.where(np.any(alone != 0, axis=1)[:, None], alone, np.nan).reshape(shape)
            parts.append(Part(f"component {j}", shown, j, f"{atoms.coefficient[k]:.3g}"))
    return parts or [Part(f"component {j}", None, j)]


def _sum_of(waveforms: Waveforms, atoms: LineAtoms, n: int) -> Floats:
    return waveforms.add_up(n, atoms.component, atoms.time, atoms.coefficient)


def _bounds(
    n: int, length: int, start: float | None, stop: float | None, sfreq: float | None
) -> tuple[int, int]:
    """Return the first sample that is drawn and the one after the last, of a recording of n."""
    first = round(require_between(start or 0.0, "start", 0.0) * (sfreq or 1.0))
    last = first + SPANS * length
    if stop is not None:
        last = round(require_between(stop, "stop", 0.0) * (sfreq or 1.0))
    last = min(last, n)
    if not first < last:
        whole = f"{n / sfreq:g} seconds" if sfreq else f"{n} samples"
        raise ValueError(
            f"there is nothing to draw from start={start} to stop={stop} of {whole}; start must "
            "come before stop, and within the recording."
        )
    return first, last
