"""The slider under a component: what it moves through, for every kind of group."""

from __future__ import annotations

from typing import Any

import numpy as np

from orbitdl.groups.base import Floats, Representation
from orbitdl.groups.finite import MatrixRepresentation
from orbitdl.groups.orthogonal import OrthogonalRepresentation
from orbitdl.groups.shift import GridShiftRepresentation
from orbitdl.groups.time_shift import TimeShift
from orbitdl.groups.trivial import TrivialRepresentation
from orbitdl.report.facts import Facts
from orbitdl.report.words import element_in_words

MOST_ELEMENTS = 24
"""Elements of a finite group that the slider steps through."""
BUDGET = 10_000
"""Numbers that the moved copies of one component may take."""
FINE = 0.1
"""Samples that the slider of a continuous shift goes at a time."""
MOST_PLANES = 6
"""Coordinate planes in which a rotation may be tried."""


def slider(facts: Facts) -> dict[str, Any]:
    """Describe the slider for the page.

    Returns
    -------
    dict
        ``kind`` is "none"; "shift" (with the `step` of its grid, 0 for none), which the page
        computes by trigonometric interpolation; "turn" by an angle in one of `planes`; or
        "list", a table of moved components, one row an element, with their `words`.
    """
    representation = facts.representation
    if isinstance(representation, TimeShift):
        on_grid = isinstance(representation, GridShiftRepresentation)
        step = 1 / representation.subdivisions if on_grid else 0  # type: ignore[attr-defined]
        return {"kind": "shift", "step": step}
    if isinstance(representation, TrivialRepresentation):
        return {"kind": "none"}
    if isinstance(representation, OrthogonalRepresentation):
        d = representation.d
        planes = [[i, k] for i in range(d) for k in range(i + 1, d)][:MOST_PLANES]
        return {"kind": "turn", "planes": planes} if planes else {"kind": "none"}
    elements = listed_elements(representation)
    words = [element_in_words(representation, element) for element in elements]
    return {"kind": "list", "words": words}


def listed_elements(representation: Representation) -> Floats:
    """Return the elements a list slider steps through: all of a small group, else some, (M, p)."""
    most = max(2, min(MOST_ELEMENTS, BUDGET // int(np.prod(representation.shape))))
    if not isinstance(representation, MatrixRepresentation):
        return representation.sample(np.random.default_rng(0), most)
    every = representation.elements
    if len(every) <= most:
        return every
    return every[np.linspace(0, len(every) - 1, most).astype(np.intp)]


def start_of_slider(facts: Facts) -> list[float]:
    """Return where each slider starts: a shift puts the highest point in the middle."""
    if not facts.is_shift:
        return [0.0] * len(facts.components)
    length, step = facts.representation.shape[0], slider(facts)["step"] or FINE
    return [step * round(float((length // 2 - peak) % length) / step) for peak in facts.peaks]
