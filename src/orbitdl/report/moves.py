"""The slider under a component: what it moves through, as the group declares it."""

from __future__ import annotations

from typing import Any

import numpy as np

from orbitdl.groups.base import Floats, Representation
from orbitdl.groups.presentation import ListSlider, ShiftSlider, TurnSlider
from orbitdl.report.facts import Facts

MOST_ELEMENTS = 24
"""Elements of a group that the slider steps through."""
BUDGET = 10_000
"""Numbers that the moved copies of one component may take."""
FINE = 0.1
"""Samples that the slider of a continuous shift goes at a time."""


def slider(facts: Facts) -> dict[str, Any]:
    """Describe the slider for the page.

    Returns
    -------
    dict
        ``kind`` is "none"; "shift" (with the `step` of its grid, 0 for none), which the page
        computes by trigonometric interpolation; "turn" by an angle in one of `planes`; or
        "list", a table of moved components, one row per element, with their `words`.
    """
    declared = facts.presentation.slider
    if isinstance(declared, ShiftSlider):
        return {"kind": "shift", "step": declared.step}
    if isinstance(declared, TurnSlider):
        return {"kind": "turn", "planes": [list(plane) for plane in declared.planes]}
    if isinstance(declared, ListSlider):
        elements = listed_elements(facts.representation)
        return {"kind": "list", "words": [facts.presentation.element(g) for g in elements]}
    return {"kind": "none"}


def listed_elements(representation: Representation) -> Floats:
    """Return the elements a list slider steps through: all of a small group, else some, (M, p)."""
    most = max(2, min(MOST_ELEMENTS, BUDGET // int(np.prod(representation.shape))))
    return representation.examples(most)


def start_of_slider(facts: Facts) -> list[float]:
    """Return where each slider starts: a shift puts the largest value in the middle."""
    declared = facts.presentation.slider
    if not isinstance(declared, ShiftSlider):
        return [0.0] * len(facts.components)
    length, step = facts.representation.shape[0], declared.step or FINE
    return [step * round(float((length // 2 - peak) % length) / step) for peak in facts.peaks]
