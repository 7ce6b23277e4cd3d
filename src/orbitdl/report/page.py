"""The page: template, style, script and data put together into one HTML text."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable, Sequence
from html import escape
from importlib import resources
from string import Template
from typing import Any

import numpy as np
from plotly.offline import get_plotlyjs

from orbitdl.report.facts import Facts
from orbitdl.report.notes import Note, remarks
from orbitdl.report.origin import run_table, snippet
from orbitdl.report.overview import figures, paragraphs
from orbitdl.report.payload import payload, shown_components
from orbitdl.report.timeline import MOST_EVENTS
from orbitdl.report.usage import Usage
from orbitdl.report.words import count, number, percent

SCRIPTS = ("colours", "moves", "figures", "components", "windows", "charts", "page")
"""Files of the page's script, in order."""
LEVELS = {"check": "Check", "know": "Good to know"}


def page(facts: Facts, n_windows: int, command: str | None) -> str:
    """Return the whole report as HTML; every text from outside is escaped."""
    content = payload(facts, n_windows)
    scripts = {"plotly": get_plotlyjs(), "script": _script()}
    usage = None if facts.coded is None else facts.coded.usage
    return Template(_file("page.html")).substitute(
        policy=_policy(scripts.values()),
        title=escape(facts.labels.title),
        style=_file("page.css"),
        scope="model" if facts.coded is None else "data",
        noun=facts.noun,
        summary=_paragraphs(paragraphs(facts)),
        figures=_figures(figures(facts)),
        notes=_notes(remarks(facts)),
        shown=escape(_what_is_shown(facts, usage)),
        usage="" if usage is None else _usage_table(usage, facts.labels.unit),
        events="" if facts.coded is None else escape(_what_events_say(facts, content["events"])),
        run=_rows(run_table(facts)),
        snippet=escape(snippet(facts)),
        command="" if command is None else _command(command),
        data=as_json(content),
        **scripts,
    )


def as_json(content: Any) -> str:
    """Return JSON that may stand in a script element: no tag can end or open inside it."""
    text = json.dumps(content, allow_nan=False, separators=(",", ":"), ensure_ascii=True)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _file(name: str) -> str:
    return resources.files("orbitdl.report").joinpath(name).read_text(encoding="utf-8")


def _script() -> str:
    return "\n".join(_file(f"script/{name}.js") for name in SCRIPTS)


def _policy(scripts: Iterable[str]) -> str:
    """Return a content security policy: these scripts, styles of the page, and no network."""
    digests = (hashlib.sha256(script.encode()).digest() for script in scripts)
    hashes = " ".join(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)
    return (
        f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )


def _paragraphs(said: Sequence[str]) -> str:
    return "".join(f"<p>{escape(paragraph)}</p>" for paragraph in said)


def _figures(shown: Sequence[tuple[str, str]]) -> str:
    return "".join(
        f"<div><dt>{escape(words)}</dt><dd>{escape(value)}</dd></div>" for value, words in shown
    )


def _notes(notes: Sequence[Note]) -> str:
    if not notes:
        return '<p class="fine">Nothing to remark.</p>'
    items = (
        f'<li class="{note.level}"><strong>{LEVELS[note.level]}:</strong> {escape(note.text)}</li>'
        for note in notes
    )
    return f'<ul class="notes">{"".join(items)}</ul>'


def _rows(rows: Sequence[tuple[str, str]]) -> str:
    return "".join(
        f'<tr><th scope="row">{escape(name)}</th><td>{escape(value)}</td></tr>'
        for name, value in rows
    )


def _command(command: str) -> str:
    return f"<h3>On the command line</h3><pre><code>{escape(command)}</code></pre>"


def _what_is_shown(facts: Facts, usage: Usage | None) -> str:
    q = len(facts.components)
    drawn = len(shown_components(q, usage))
    return "" if drawn == q else f"The {drawn} most used of {q} are drawn."


def _usage_table(usage: Usage, unit: str | None) -> str:
    """Return head and rows of the table; on a phone every cell carries its column's name."""
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
            f"windows overlap, a new one starts every {step} samples, and an atom that several of "
            "them see is shown once"
        )
    else:
        layout = f"a window starts every {step} samples"
    return f"Time is that of an atom's highest point; {layout}."
