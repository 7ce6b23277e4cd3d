"""The data of the page as one JSON document."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from orbitdl.groups.base import Floats
from orbitdl.groups.presentation import (
    ElementSlider,
    PhaseSlider,
    RotationSlider,
    ShiftSlider,
    Slider,
)
from orbitdl.learning.history import History
from orbitdl.report.coded import CodedWindows
from orbitdl.report.examples import ShownAtom, Window, windows_of
from orbitdl.report.facts import Facts
from orbitdl.report.timeline import events_of
from orbitdl.report.usage import Usage

MOST_COMPONENTS = 24
"""Maximum number of components drawn; the most used are chosen."""
DIGITS = 4
"""Significant digits of drawn values, relative to the largest."""


def payload(facts: Facts, n_windows: int) -> dict[str, Any]:
    """Return the data that the page draws."""
    usage = None if facts.coded is None else facts.coded.usage
    shown = shown_components(len(facts.components), usage)
    elements = listed_elements(facts, len(shown))
    content = {
        "view": _view(facts),
        "sliders": sliders(facts, elements),
        "components": [
            _component(facts, j, elements if j in shown else None)
            for j in range(len(facts.components))
        ],
        "shown": shown.tolist(),
        "history": course_of(facts.history),
    }
    if facts.coded is not None and usage is not None:
        content["usage"] = _usage(usage)
        content["events"] = _events(facts, facts.coded)
        content.update(_windows(facts, facts.coded, n_windows))
    return content


def shown_components(q: int, usage: Usage | None) -> NDArray[np.intp]:
    """Return the sorted numbers of the components drawn: the most used ones."""
    weight = np.zeros(q) if usage is None else usage.share
    return np.sort(np.argsort(-weight, kind="stable")[:MOST_COMPONENTS])


def rounded(values: Floats, digits: int = DIGITS, base: Floats | float = 0.0) -> Any:
    """Return nested lists, rounded to `digits` digits of the largest deviation from the base.

    NaN becomes None.
    """
    largest = float(np.nanmax(np.abs(values - base), initial=0.0))
    places = digits - int(np.floor(np.log10(largest))) if largest > 0 else 0
    return _without_nan(np.round(values, places).tolist())


def _without_nan(values: Any) -> Any:
    if isinstance(values, list):
        return [_without_nan(value) for value in values]
    return None if values != values else values


def _view(facts: Facts) -> dict[str, Any]:
    view, labels = facts.view, facts.labels
    names = getattr(facts.model, "feature_names_in_", None)
    return {
        "kind": view.kind,
        "lines": view.n_lines,
        "length": view.length,
        "vectors": view.vectors,
        "images": _images(facts),
        "along": view.along,
        "across": view.across,
        "noun": facts.noun,
        "in_time": facts.is_shift,
        "sfreq": labels.sfreq if view.along == "sample" else None,
        "unit": labels.unit,
        "centred": facts.coded is not None and bool(np.any(facts.coded.scaling.mean)),
        "channels": _channels(facts),
        "entries": None if names is None or view.along == "sample" else [str(n) for n in names],
    }


def _channels(facts: Facts) -> list[str]:
    view, names = facts.view, facts.labels.channels
    if len(names) == view.n_lines and view.across in ("channel", "column", "coordinate"):
        return list(names)
    if view.along == "sample" and view.vectors not in (0, view.n_lines):
        copies = view.n_lines // view.vectors
        return [f"channel {k // copies}, {k % copies}" for k in range(view.n_lines)]
    return [f"{view.across} {k}" for k in range(view.n_lines)]


def _images(facts: Facts) -> list[str]:
    """Return names of the images of a data point, one per channel; a single one has none."""
    n, names = facts.view.side_by_side, facts.labels.channels
    return list(names) if len(names) == n else [f"channel {k}" for k in range(n)]


def _component(facts: Facts, j: int, elements: Floats | None) -> dict[str, Any]:
    shape, a = facts.representation.shape, facts.components[j]
    drawn: dict[str, Any] = {
        "lines": rounded(facts.view.lines(a, shape), digits=7),
        "start": starts_of_sliders(facts, j),
    }
    if elements is not None:
        moved = facts.representation.act(elements, a[None])
        drawn["moved"] = rounded(facts.view.lines(moved, shape))
    return drawn


def course_of(history: History) -> dict[str, list[float | None]]:
    """Return objective and gap of each iteration."""
    return {
        "number": [float(record.number) for record in history],
        "objective": [record.objective for record in history],
        "gap": [record.gap if record.gap > 0 else None for record in history],
    }


def _usage(usage: Usage) -> dict[str, Any]:
    return {
        "atoms": usage.atoms.tolist(),
        "windows": usage.windows.tolist(),
        "edges": rounded(usage.edges),
        "histogram": usage.histogram.tolist(),
    }


def _events(facts: Facts, coded: CodedWindows) -> dict[str, Any]:
    events = events_of(facts, coded)
    return {
        "time": rounded(events.time, digits=7),
        "seconds": events.in_seconds,
        "sample": events.sample.tolist(),
        "component": events.component.tolist(),
        "coefficient": rounded(events.coefficient),
        "begin": events.begin,
        "end": events.end,
        "total": events.total,
    }


def _windows(facts: Facts, coded: CodedWindows, n_windows: int) -> dict[str, Any]:
    """Return windows and, for groups the page cannot compute, a table of transformed atoms."""
    table: list[Any] = []
    windows = [_window(facts, window, table) for window in windows_of(facts, coded, n_windows)]
    return {"windows": windows, "moved": table, "total": len(coded.X)}


def _window(facts: Facts, window: Window, table: list[Any]) -> dict[str, Any]:
    shape = facts.representation.shape
    data, fit, base = (
        facts.view.lines(values, shape)
        for values in (window.data, window.approximation, window.base)
    )
    rest = None if window.rest is None else rounded(facts.view.lines(window.rest, shape))
    return {
        "number": window.number,
        "start": window.start,
        "data": rounded(data, base=base),
        "fit": rounded(fit, base=base),
        "base": rounded(base.mean(axis=-1), digits=7),
        "explained": None if np.isnan(window.explained) else window.explained,
        "unexplained": window.unexplained,
        "count": window.n_atoms,
        "gap": window.gap,
        "atoms": [_atom(facts, atom, table) for atom in window.atoms],
        "rest": rest,
    }


def _atom(facts: Facts, atom: ShownAtom, table: list[Any]) -> dict[str, Any]:
    drawn: dict[str, Any] = {"j": atom.component, "c": atom.coefficient, "words": atom.words}
    if atom.position is not None:
        drawn["place"] = atom.position
    if facts.only_shifts:
        drawn["shift"] = float(atom.element[0])
    elif not facts.presentation.fixed:
        drawn["moved"] = len(table)
        moved = facts.representation.act(atom.element, facts.components[atom.component])
        table.append(rounded(facts.view.lines(moved, facts.representation.shape)))
    return drawn


MOST_ELEMENTS = 24
"""Maximum number of group elements of a slider."""
BUDGET = 240_000
"""Maximum number of values of the transformed components: about 2 MB."""
FINE = 0.1
"""Step in samples of the slider of a continuous shift."""


def sliders(facts: Facts, elements: Floats | None) -> list[dict[str, Any]]:
    """Describe the sliders for the page, which applies them to a component in order.

    Returns
    -------
    list of dict
        ``kind`` is "shift" (with the `step` of its grid, 0 for none, its `way` and the `length`
        of a period), which the page computes by trigonometric interpolation; "phase"; "turn" by an
        angle in one of `planes`; or "list", a table of transformed components, one row per element,
        with their `words`.
    """
    return [_slider(facts, declared, elements) for declared in facts.presentation.sliders]


def _slider(facts: Facts, declared: Slider, elements: Floats | None) -> dict[str, Any]:
    if isinstance(declared, ShiftSlider):
        length = _round(facts, declared)
        return {"kind": "shift", "step": declared.step, "way": declared.way, "length": length}
    if isinstance(declared, PhaseSlider):
        return {"kind": "phase"}
    if isinstance(declared, RotationSlider):
        return {"kind": "turn", "planes": [list(plane) for plane in declared.planes]}
    assert isinstance(declared, ElementSlider)
    assert elements is not None
    words = declared.label or facts.presentation.label
    return {"kind": "list", "words": [words(g) for g in elements]}


def listed_elements(facts: Facts, n_components: int) -> Floats | None:
    """Return the elements of a list slider, (M, p): all of a small group, else a sample.

    None if there is no such slider. `n_components` is the number shown.
    """
    if not any(isinstance(declared, ElementSlider) for declared in facts.presentation.sliders):
        return None
    size = n_components * int(np.prod(facts.representation.shape))
    return facts.representation.examples(max(2, min(MOST_ELEMENTS, BUDGET // size)))


def starts_of_sliders(facts: Facts, j: int) -> list[float]:
    """Return the initial values of the sliders of component j: shifts centre its peak."""
    return [
        _start(facts, declared, j) if isinstance(declared, ShiftSlider) else 0.0
        for declared in facts.presentation.sliders
    ]


def _start(facts: Facts, declared: ShiftSlider, j: int) -> float:
    length, step = _round(facts, declared), declared.step or FINE
    peak = facts.peaks[j] if declared.way == "along" else _brightest(facts, j)[declared.way]
    return step * round(float((length // 2 - peak) % length) / step)


def _brightest(facts: Facts, j: int) -> dict[str, float]:
    """Return row and column of the pixel with the largest energy."""
    shape = facts.representation.shape
    energy = np.sum(facts.components[j].reshape(*shape[:2], -1) ** 2, axis=-1)
    down, right = np.unravel_index(int(energy.argmax()), shape[:2])
    return {"down": float(down), "right": float(right)}


def _round(facts: Facts, declared: ShiftSlider) -> int:
    """Return the period of shifts, in samples or pixels."""
    return int(facts.representation.shape[1 if declared.way == "right" else 0])
