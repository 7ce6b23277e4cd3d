"""Sliders that transform components: what the page needs to know of a group."""

from __future__ import annotations

from typing import Any

import numpy as np

from orbitdl.groups.base import Floats
from orbitdl.groups.presentation import (
    ElementSlider,
    PhaseSlider,
    RotationSlider,
    ShiftSlider,
    Slider,
)
from orbitdl.report.facts import Facts

MOST_ELEMENTS = 24
"""Maximum number of group elements of a slider."""
BUDGET = 240_000
"""Maximum number of values of the transformed components: about 2 MB."""
FINE = 0.1
"""Step in samples of the slider of a continuous shift."""


def _declared(facts: Facts) -> tuple[Slider, ...]:
    return () if facts.action is None else facts.action.presentation.sliders


def sliders(facts: Facts, elements: Floats | None) -> list[dict[str, Any]]:
    """Describe the sliders for the page, which applies them to a component in order.

    ``kind`` is "shift" (with the `step` of its grid, 0 for none, its `way` and the `length` of a
    period), which the page computes by trigonometric interpolation; "phase"; "rotation" by an angle
    in one of `planes`; or "list", a table of transformed components, one per element, with `words`.
    """
    return [_slider(facts, declared, elements) for declared in _declared(facts)]


def _slider(facts: Facts, declared: Slider, elements: Floats | None) -> dict[str, Any]:
    if isinstance(declared, ShiftSlider):
        length = _period(facts, declared)
        return {"kind": "shift", "step": declared.step, "way": declared.way, "length": length}
    if isinstance(declared, PhaseSlider):
        return {"kind": "phase"}
    if isinstance(declared, RotationSlider):
        return {"kind": "rotation", "planes": [list(plane) for plane in declared.planes]}
    assert isinstance(declared, ElementSlider)
    assert elements is not None
    assert facts.action is not None
    words = declared.label or facts.action.presentation.label
    return {"kind": "list", "words": [words(g) for g in elements]}


def listed_elements(facts: Facts, n_components: int) -> Floats | None:
    """Return the elements of a list slider, (M, p): all of a small group, else a sample.

    None if there is no such slider. `n_components` is the number shown.
    """
    if facts.action is None or not any(isinstance(s, ElementSlider) for s in _declared(facts)):
        return None
    size = n_components * int(np.prod(facts.shape))
    return facts.action.examples(max(2, min(MOST_ELEMENTS, BUDGET // size)))


def starts_of_sliders(facts: Facts, j: int) -> list[float]:
    """Return the initial values of the sliders of component j: shifts centre its peak."""
    return [
        _start(facts, declared, j) if isinstance(declared, ShiftSlider) else 0.0
        for declared in _declared(facts)
    ]


def _start(facts: Facts, declared: ShiftSlider, j: int) -> float:
    length, step = _period(facts, declared), declared.step or FINE
    peak = _peak(facts, j) if declared.way == "along" else _brightest(facts, j)[declared.way]
    return step * round(float((length // 2 - peak) % length) / step)


def _peak(facts: Facts, j: int) -> float:
    """Return the peak position of component j of a group of shifts."""
    assert facts.action is not None
    every = np.arange(len(facts.components))
    identity = np.zeros((len(every), len(facts.action.parameters)))
    return float(facts.action.locate(identity, every, facts.components)[j])


def _brightest(facts: Facts, j: int) -> dict[str, float]:
    """Return row and column of the pixel with the largest energy."""
    energy = np.sum(facts.components[j].reshape(*facts.shape[:2], -1) ** 2, axis=-1)
    down, right = np.unravel_index(int(energy.argmax()), facts.shape[:2])
    return {"down": float(down), "right": float(right)}


def _period(facts: Facts, declared: ShiftSlider) -> int:
    """Return the period of shifts, in samples or pixels."""
    return int(facts.shape[1 if declared.way == "right" else 0])
