"""What an approximation is the sum of: moved components, and the words beside them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from textwrap import wrap
from typing import Any, NamedTuple

import numpy as np

from orbitdl.estimator import OrbitDictionaryLearning
from orbitdl.groups.base import Floats, Representation
from orbitdl.groups.presentation import ShiftSlider
from orbitdl.line.atoms import LineAtoms
from orbitdl.line.inputs import as_signal, require_own_channels
from orbitdl.line.waveforms import Waveforms
from orbitdl.plot.sketch import Sketch, checked
from orbitdl.plot.subject import representation_of
from orbitdl.validation import require_between
from orbitdl.waveform_learning import WaveformLearning

MOST = 8
"""Atoms of a data point that are drawn one by one, the largest; the others as their sum."""
WIDE = 26
"""Letters in a line of words beside an atom."""
SPANS = 10
"""Lengths of a waveform that are drawn of a recording where nothing else is asked for."""


@dataclass(frozen=True, eq=False)
class Part:
    """One atom, or the sum of some.

    Attributes
    ----------
    row : str
        What the row is called that it is drawn in.
    signal : ndarray of shape (...) or None
        None: nothing, in a row that stays empty.
    component : int or None
        None: of several.
    note : str
        Words beside it.
    """

    row: str
    signal: Floats | None
    component: int | None
    note: str = ""


class Taken(NamedTuple):
    """A stretch of a recording, its fit, the atoms in it, and how it is drawn."""

    data: Floats
    fit: Floats
    parts: list[Part]
    sketch: Sketch


def parts_of_sample(
    model: OrbitDictionaryLearning, X: Any, sample: int, codes: Any, rate: float | None
) -> tuple[Floats, Floats, list[Part]]:
    """Return a data point, its approximation, and the atoms of that, the largest first."""
    if sample >= len(X):
        raise ValueError(f"sample is a row of X, from 0 to {len(X) - 1}, not {sample}.")
    one = X.iloc[[sample]] if hasattr(X, "iloc") else np.asarray(X[sample])[None]
    if codes is None:
        codes, row = model.encode(one), 0
    elif len(codes) == len(X):
        row = sample
    else:
        raise ValueError(
            f"codes of {len(codes)} data points do not belong to X, which has {len(X)}; leave them "
            "out, or pass what model.encode(X) returned."
        )
    atoms = codes.atoms.take(np.array([row]))
    order = np.argsort(-np.abs(atoms.coefficient), kind="stable")
    component, c = atoms.component[order], atoms.coefficient[order]
    element, space = atoms.element[order], representation_of(model)
    moved = space.act(element, model.components_[component]) if len(order) else np.zeros((0,))
    signals = c.reshape(-1, *[1] * (moved.ndim - 1)) * moved
    words = words_for(space, element, component, model.components_, rate)
    parts = [
        Part("\n".join([f"component {j} x {value:.3g}", *wrap(said, WIDE)]), signal, int(j))
        for j, value, said, signal in zip(component, c, words, signals, strict=True)
    ][:MOST]
    if len(order) > MOST:
        rest = signals[MOST:].sum(axis=0)
        parts.append(Part(f"{len(order) - MOST} smaller atoms", rest, None))
    fit = signals.sum(axis=0) if len(order) else np.zeros(space.shape)
    return np.asarray(one, dtype=np.float64)[0], fit, parts


def words_for(
    space: Representation, element: Floats, component: Any, components: Floats, rate: float | None
) -> list[str]:
    """Say where every atom is, or how it is moved where a place does not say all."""
    presentation = space.presentation
    sliders = presentation.sliders
    if not (presentation.in_time and len(sliders) == 1 and isinstance(sliders[0], ShiftSlider)):
        return [presentation.element(g) for g in element]
    if len(element) == 0:
        return []
    place = space.locate(element, component, components)
    return [f"at {p / rate:.4g} s" if rate else f"at {p:.1f}" for p in place]


def parts_of_stretch(
    model: WaveformLearning,
    recording: Any,
    start: float | None,
    stop: float | None,
    rate: float | None,
    codes: Any,
) -> Taken:
    """Return some samples of a recording, and the atoms that reach into them."""
    signal, rate = as_signal(recording), checked(rate or getattr(recording, "rate", None))
    waveforms = Waveforms(model.coefficients_.reshape(*model.coefficients_.shape[:2], -1))
    require_own_channels(signal.channels, waveforms.u.shape[2])
    first, last = bounds(len(signal), model.length, start, stop, rate)
    if codes is None:
        codes = model.encode(recording)
    near = codes.atoms.between(first - model.length - 1, last + 1).later(-first)
    data = signal.raw(first, last)
    trend = replace(signal, span=model.length if model.detrend else 0).trend(first, last)
    fit = trend + _drawn(waveforms, near, len(data))
    one_axis = model.components_.ndim == 2
    shaped = (lambda values: values[:, 0]) if one_axis else (lambda values: values)
    sketch = Sketch.of_waveforms(shaped(data).shape, rate)
    parts = [
        part
        for j in range(len(waveforms))
        for part in _of_component(waveforms, near, j, len(data), shaped)
    ]
    return Taken(shaped(data), shaped(fit), parts, replace(sketch, origin=-first))


def _of_component(
    waveforms: Waveforms, near: LineAtoms, j: int, n: int, shaped: Any
) -> list[Part]:
    """Return the atoms of one component that can be seen in n samples; a blank if there are none."""
    parts, own = [], np.flatnonzero(near.component == j)
    for k in own:
        alone = _drawn(waveforms, near.take(np.array([k])), n)
        if alone.any():
            there = np.any(alone != 0, axis=1)
            shown = np.where(there[:, None], alone, np.nan)
            note = f"{near.coefficient[k]:.3g}"
            parts.append(Part(f"component {j}", shaped(shown), j, note))
    return parts or [Part(f"component {j}", None, j)]


def _drawn(waveforms: Waveforms, atoms: LineAtoms, n: int) -> Floats:
    return waveforms.add_up(n, atoms.component, atoms.time, atoms.coefficient)


def bounds(
    n: int, length: int, start: float | None, stop: float | None, rate: float | None
) -> tuple[int, int]:
    """Return the first sample that is drawn and the one after the last, of a recording of n."""
    unit = rate or 1.0
    low = require_between(0.0 if start is None else start, "start", 0.0)
    first = round(low * unit)
    last = first + SPANS * length
    if stop is not None:
        last = round(require_between(stop, "stop", 0.0) * unit)
    last = min(last, n)
    if not first < last:
        of = f"{n / rate:g} seconds" if rate else f"{n} samples"
        raise ValueError(
            f"there is nothing from start={low:g} to stop={stop if stop is not None else of} in a "
            f"recording of {of}; start must come before stop, and both lie within it."
        )
    return first, last
