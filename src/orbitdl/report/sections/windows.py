"""Decomposition: data points one by one, with their approximation and atoms."""

from __future__ import annotations

from typing import Any

import numpy as np

from orbitdl.groups.base import Floats, Integers
from orbitdl.groups.presentation import ShiftSlider
from orbitdl.report.charts import rounded
from orbitdl.report.coded_windows import CodedWindows
from orbitdl.report.facts import Facts
from orbitdl.report.section import Content, rendered

MOST_ATOMS = 12
"""Atoms of a window that are drawn one by one, the largest; the others are drawn as their sum."""
BUDGET = 400_000
"""Numbers in the file that windows may take: about 3 MB."""
TEMPLATE = """
<p>Each {{ noun }} with its approximation and the atoms that add up to it. The arrow keys go on and
back while this part has the focus.{{ overlap }}</p>
<div id="browser" tabindex="0" role="group" \
aria-label="Browser of {{ noun }}s: arrow keys left and right, Home and End">
<div class="controls">
<span class="together">
<button type="button" id="previous" \
aria-label="Previous {{ noun }}">← <span>Previous</span></button>
<button type="button" id="next" aria-label="Next {{ noun }}"><span>Next</span> →</button>
</span>
<label>Number <input type="number" id="number" min="0" max="{{ total - 1 }}" step="1" \
inputmode="numeric"></label>
<label>Order <select id="order">
<option value="number">as recorded</option>
<option value="worst">largest residual first</option>
<option value="random">at random</option>
</select></label>
</div>
<p id="window-words" aria-live="polite"></p>
<div id="window-plot" class="plot" role="img" aria-label="Data, approximation and atoms"></div>
<div id="window-images" class="images"></div>
<table id="atoms" class="atoms"><caption>Atoms of this {{ noun }}</caption>
<thead><tr><th scope="col">line</th><th scope="col">{{ size }}</th>\
<th scope="col">{{ how }}</th><th scope="col">{{ where }}</th></tr></thead>
<tbody></tbody></table>
</div>
"""


def content(facts: Facts, n_windows: int) -> Content | None:
    """Return data points with their atoms."""
    coded = facts.windows
    if coded is None:
        return None
    assert facts.action is not None
    how = "shift (samples)" if is_only_shifted(facts) else "element"
    fields = {
        "noun": facts.noun,
        "total": len(coded.X),
        "size": facts.named("coefficient"),
        "how": "" if facts.action.presentation.fixed else how,
        "where": f"peak at ({'s' if facts.clock.sfreq else 'samples'})" if facts.in_time else "",
        "overlap": _overlap(coded),
    }
    data = {"windows": payload(facts, coded, n_windows)}
    scripts = ("transforms.mjs", "components.mjs", "windows.mjs")
    return Content(rendered(TEMPLATE, **fields), (), data, scripts)


def payload(facts: Facts, coded: CodedWindows, n_windows: int) -> dict[str, Any]:
    """Return windows and, for groups the page cannot compute, a table of transformed atoms."""
    table: list[Any] = []
    chosen = coded.choose(affordable(facts, coded, n_windows))
    return {
        "shown": [_window(facts, coded, int(i), table) for i in chosen],
        "copies": table,
        "total": len(coded.X),
        "centred": bool(np.any(coded.windows.mean)),
        "in_time": facts.in_time,
        "row_window": event_windows(facts),
    }


def is_only_shifted(facts: Facts) -> bool:
    """Return whether an element is a shift in time, so that the page can draw the atom."""
    assert facts.action is not None
    declared = facts.action.presentation.sliders
    return facts.in_time and len(declared) == 1 and isinstance(declared[0], ShiftSlider)


def event_windows(facts: Facts) -> list[int]:
    """Return the window of each event, to which charts lead; none if they are very many."""
    many = len(facts.table) > BUDGET // 4
    return [] if many else [int(number) for number in facts.table["window"]]


def affordable(facts: Facts, coded: CodedWindows, n_windows: int) -> int:
    """Return how many windows fit into the budget, at least one."""
    atoms = float(np.minimum(coded.atoms_per_window, MOST_ATOMS).mean())
    drawn = 0.0 if is_only_shifted(facts) else atoms
    return int(min(n_windows, max(1, BUDGET // (int(np.prod(facts.shape)) * (2 + drawn)))))


def _overlap(coded: CodedWindows) -> str:
    if not coded.windows.overlap:
        return ""
    step = coded.windows.step
    return f" Windows overlap, a new one starts every {step} samples: an event may be in two."


def _window(facts: Facts, coded: CodedWindows, i: int, table: list[Any]) -> dict[str, Any]:
    """Return window i and its atoms, in the unit of the recording."""
    base, fit = coded.mean(i), coded.in_unit(coded.approximation[i], i)
    own = largest_atoms(coded, i)
    explained, windows = float(coded.explained[i]), coded.windows
    rest = None
    if coded.atoms_per_window[i] > len(own):
        left = fit - base - _sum_of(facts, coded, own)
        rest = rounded(facts.view.lines(left, facts.shape))
    lines = {
        name: facts.view.lines(values, facts.shape)
        for name, values in (("data", coded.in_unit(coded.X[i], i)), ("fit", fit), ("base", base))
    }
    return {
        "number": i,
        "start": None if windows.start is None else facts.first_sample + int(windows.start[i]),
        "data": rounded(lines["data"], base=lines["base"]),
        "fit": rounded(lines["fit"], base=lines["base"]),
        "base": rounded(lines["base"].mean(axis=-1), 7),
        "explained": None if np.isnan(explained) else explained,
        "unexplained": float(coded.unexplained[i]),
        "count": int(coded.atoms_per_window[i]),
        "gap": float(coded.codes.gap[i]),
        "atoms": [_atom(facts, coded, int(k), table) for k in own],
        "rest": rest,
    }


def largest_atoms(coded: CodedWindows, window: int) -> Integers:
    """Return the numbers of the largest atoms of a window, largest first."""
    atoms = coded.codes.atoms
    own = np.arange(atoms.offsets[window], atoms.offsets[window + 1])
    return own[np.argsort(-np.abs(atoms.coefficient[own]), kind="stable")][:MOST_ATOMS]


def _sum_of(facts: Facts, coded: CodedWindows, own: Integers) -> Floats:
    """Return ``sum_k c_k g_k a_k``."""
    assert facts.action is not None
    atoms = coded.codes.atoms
    copies = facts.action.act(atoms.element[own], facts.components[atoms.component[own]])
    return np.tensordot(coded.coefficient[own], copies, 1)


def _atom(facts: Facts, coded: CodedWindows, k: int, table: list[Any]) -> dict[str, Any]:
    assert facts.action is not None
    atoms, presentation = coded.codes.atoms, facts.action.presentation
    j, element = int(atoms.component[k]), atoms.element[k]
    words = presentation.label(element)
    drawn: dict[str, Any] = {"j": j, "c": float(coded.coefficient[k]), "words": words}
    if facts.in_time:
        drawn["place"] = float(coded.position[k])
    if is_only_shifted(facts):
        drawn["shift"] = float(element[0])
    elif not presentation.fixed:
        drawn["copy"] = len(table)
        copy = facts.action.act(element, facts.components[j])
        table.append(rounded(facts.view.lines(copy, facts.shape)))
    return drawn
