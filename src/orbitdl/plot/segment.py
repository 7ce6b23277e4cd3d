"""A segment of a recording: samples, reconstruction and atoms."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from orbitdl.arrays.validation import require_between
from orbitdl.coding.atoms import Atoms
from orbitdl.domains.time.atoms import between, later
from orbitdl.domains.time.inputs import as_signal, detrended, require_own_channels
from orbitdl.domains.time.waveforms import Waveforms
from orbitdl.estimators.preprocessed import after_preprocessing
from orbitdl.estimators.waveform import WaveformLearning
from orbitdl.groups.base import Floats
from orbitdl.plot.sketch import Sketch, checked
from orbitdl.plot.terms import Term

LENGTHS = 10
"""Default length of the segment in waveform lengths."""


@dataclass(frozen=True, eq=False)
class RecordingSegment:
    """Samples (n,) or (n, channels) of a recording, reconstruction, its terms, and style."""

    data: Floats
    fit: Floats
    terms: list[Term]
    sketch: Sketch


def segment_of(
    model: WaveformLearning,
    recording: Any,
    start: float | None,
    stop: float | None,
    sfreq: float | None,
    codes: Any,
) -> RecordingSegment:
    """Return the decomposition of a segment of a recording; with codes, only it is read."""
    model, recording = after_preprocessing(model, recording)
    signal = as_signal(recording)
    sfreq = checked(sfreq or getattr(recording, "sfreq", None) or model.sfreq_)
    waveforms, gains = model._in_data_unit()
    require_own_channels(signal.channels, waveforms.u.shape[2], signal.name)
    before = signal.first_sample
    first, last = _bounds(len(signal), model.length, start, stop, sfreq, before)
    if codes is None:
        codes = model.encode(recording)
    atoms = later(between(codes.atoms, first - model.length - 1, last + 1), -first)
    atoms = replace(atoms, coefficient=atoms.coefficient * gains[atoms.component])
    shape = (last - first, *model.components_.shape[2:])
    trend = detrended(signal, model.length, detrend=model.detrend).trend(first, last)
    fit = trend + _sum_of(waveforms, atoms, last - first)
    terms = [term for j in range(len(waveforms)) for term in _terms(waveforms, atoms, j, shape)]
    sketch = replace(Sketch.of_waveforms(shape, sfreq), origin=-first - before)
    return RecordingSegment(
        signal.raw(first, last).reshape(shape), fit.reshape(shape), terms, sketch
    )


def _terms(waveforms: Waveforms, atoms: Atoms, j: int, shape: tuple[int, ...]) -> list[Term]:
    """Return the atoms of one component, NaN outside their supports; an empty row if none."""
    terms = []
    for k in np.flatnonzero(atoms.component == j):
        alone = _sum_of(waveforms, atoms.select(np.array([k])), shape[0])
        if alone.any():
            shown = np.where(np.any(alone != 0, axis=1)[:, None], alone, np.nan).reshape(shape)
            terms.append(Term(f"component {j}", shown, j, f"{atoms.coefficient[k]:.3g}"))
    return terms or [Term(f"component {j}", None, j)]


def _sum_of(waveforms: Waveforms, atoms: Atoms, n: int) -> Floats:
    return waveforms.add_up(n, atoms.component, atoms.time, atoms.coefficient)


def _bounds(
    n: int,
    length: int,
    start: float | None,
    stop: float | None,
    sfreq: float | None,
    before: int = 0,
) -> tuple[int, int]:
    """Return the half-open range of samples of the segment, in a recording of n samples.

    Times count from the start of the whole recording, of which `before` samples are not here.
    """
    first = 0
    if start is not None:
        first = round(require_between(start, "start", 0.0) * (sfreq or 1.0)) - before
    last = first + LENGTHS * length
    if stop is not None:
        last = round(require_between(stop, "stop", 0.0) * (sfreq or 1.0)) - before
    last = min(last, n)
    if not 0 <= first < last:
        extent = f"{n / sfreq:g} seconds" if sfreq else f"{n} samples"
        raise ValueError(
            f"start={start} and stop={stop} select no samples of {extent}; start must come before "
            "stop, and within the recording."
        )
    return first, last
