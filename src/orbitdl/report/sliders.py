"""The sliders under a component: ranges of group elements, as the group declares them."""

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
