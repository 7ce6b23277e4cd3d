"""The page of a report on windows: text, tables and data for the template."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np

from orbitdl.report.facts import Facts
from orbitdl.report.frame import assemble_page, figures_of, paragraphs_of, rows_of
from orbitdl.report.notes import Note, remarks
from orbitdl.report.origin import run_table, snippet
from orbitdl.report.overview import figures, paragraphs
from orbitdl.report.payload import payload, shown_components
from orbitdl.report.phrasing import count, number, percent
from orbitdl.report.timeline import MOST_EVENTS
from orbitdl.report.usage import Usage

SCRIPTS = (
    "colours",
    "moves",
    "figures",
    "elements",
    "components",
    "windows",
    "charts",
    "learning",
    "theme",
    "page",
)
"""Script files of the page, in order."""
SEVERITIES = {"check": "Check", "know": "Good to know"}


def page(facts: Facts, n_windows: int, command: str | None) -> str:
    """Return the report as HTML; text from users is escaped."""
    content = payload(facts, n_windows)
    usage = None if facts.coded is None else facts.coded.usage
    sections = {
        "noun": facts.noun,
        "summary": paragraphs_of(paragraphs(facts)),
        "figures": figures_of(figures(facts)),
        "notes": _notes(remarks(facts)),
        "shown": escape(_what_is_shown(facts, usage)),
        "usage": "" if usage is None else _usage_table(usage, facts.labels.unit),
        "events": "" if usage is None else escape(_what_events_say(facts, content["events"])),
        "run": rows_of(run_table(facts)),
        "snippet": escape(snippet(facts)),
        "command": "" if command is None else _command(command),
    }
    scope = "model" if facts.coded is None else "data"
    scripts = [f"script/{name}.js" for name in SCRIPTS]
    return assemble_page("", facts.labels.title, scope, sections, content, scripts)


def _notes(notes: Sequence[Note]) -> str:
    if not notes:
        return '<p class="fine">Nothing to remark.</p>'
    items = (
        f'<li class="{note.severity}">'
        f"<strong>{SEVERITIES[note.severity]}:</strong> {escape(note.text)}</li>"
        for note in notes
    )
    return f'<ul class="notes">{"".join(items)}</ul>'


def _command(command: str) -> str:
    return f"<h3>On the command line</h3><pre><code>{escape(command)}</code></pre>"


def _what_is_shown(facts: Facts, usage: Usage | None) -> str:
    q = len(facts.components)
    drawn = len(shown_components(q, usage))
    return "" if drawn == q else f"The {drawn} most used of {q} are drawn."


def _usage_table(usage: Usage, unit: str | None) -> str:
    """Return head and rows of the table; on narrow screens every cell shows its column name."""
    size = "typical size" if unit is None else f"typical size ({escape(unit)})"
    names = ("atoms", "used by", "share", size, "from … to")
    cells = "".join(f'<th scope="col">{name}</th>' for name in ("component", *names))
    rows = "".join(_usage_row(usage, j, names) for j in range(len(usage.atoms)))
    return f"<thead><tr>{cells}</tr></thead><tbody>{rows}</tbody>"


def _usage_row(usage: Usage, j: int, names: tuple[str, ...]) -> str:
    low, _, middle, _, high = usage.quantiles[j]
    used = not np.isnan(middle)
    cells = (
        number(int(usage.atoms[j])),
        number(int(usage.windows[j])),
        percent(float(usage.share[j])),
        f"{middle:.3g}" if used else "–",
        f"{low:.3g} … {high:.3g}" if used else "–",
    )
    named = zip(names, cells, strict=True)
    data = "".join(f'<td data-name="{name}">{cell}</td>' for name, cell in named)
    return (
        f'<tr><th scope="row"><span class="swatch" data-component="{j}"></span>{j}</th>{data}</tr>'
    )


def _what_events_say(facts: Facts, events: dict[str, Any]) -> str:
    total = events["total"]
    if total == 0:
        return "There are no events: everything is coded by nothing."
    shown = ""
    if total > MOST_EVENTS:
        shown = f" The {number(MOST_EVENTS)} strongest of {count(total, 'atom')} are in this file."
    return (
        f"{_what_time_is(facts, events['seconds'])}{shown} Choose a mark to see its {facts.noun}."
    )


def _what_time_is(facts: Facts, in_seconds: bool) -> str:
    if not in_seconds:
        where = ", a fraction says where in it the highest point lies" if facts.is_shift else ""
        return f"The axis numbers the {facts.noun}s{where}."
    step = facts.labels.step
    if step is None:
        layout = "windows are taken to follow each other without gap or overlap"
    elif facts.overlap:
        layout = (
            f"windows overlap, a new one starts every {step} samples, and an atom in several of "
            "them is shown once"
        )
    else:
        layout = f"a window starts every {step} samples"
    return f"Time is that of an atom's highest point; {layout}."
