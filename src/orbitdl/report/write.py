"""Write the report: validate, collect, render, and replace the file atomically."""

from __future__ import annotations

import os
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from orbitdl.arrays.validation import require_count, require_positive
from orbitdl.coding.codes import Codes
from orbitdl.estimators.orbit import OrbitDictionaryLearning
from orbitdl.report.coded import Scaling
from orbitdl.report.facts import Facts, Labels, gather
from orbitdl.report.frame import assemble_page, figures_of, paragraphs_of, rows_of
from orbitdl.report.notes import Note, remarks
from orbitdl.report.origin import run_table, snippet
from orbitdl.report.overview import figures, paragraphs
from orbitdl.report.payload import payload, shown_components
from orbitdl.report.phrasing import count, number, percent
from orbitdl.report.timeline import MOST_EVENTS
from orbitdl.report.usage import Usage
from orbitdl.storage.writing import require_target, write_file


def write_report(
    model: OrbitDictionaryLearning,
    X: ArrayLike | None,
    path: str | os.PathLike[str],
    *,
    sfreq: float | None = None,
    title: str | None = None,
    n_windows: int = 200,
    command: str | None = None,
    step: int | None = None,
    unit: str | None = None,
    channels: Sequence[str] | None = None,
    codes: Codes | None = None,
    mean: ArrayLike | None = None,
    scale: ArrayLike | None = None,
    samples: int | None = None,
    offset: int = 0,
) -> Path:
    """Write one HTML file that shows what a model has learned and how it codes data.

    The file needs no network. It has a summary, remarks, the components with sliders that transform
    them, their usage, windows decomposed into atoms, events over time, the history of learning, and
    the code that reproduces it.

    Parameters
    ----------
    model : OrbitDictionaryLearning
        Fitted.
    X : array-like of shape (n, ...) or None
        Data to encode; NaN is missing. With None the report describes the model alone.
    path : str or path-like
        Output file; an existing file is replaced once the new one is complete.
    sfreq : float, optional
        Samples per second; then times are in seconds.
    title : str, optional
    n_windows : int
        Maximum number of windows shown: those with the largest residuals, and evenly spaced
        others. Large data points allow fewer.
    command : str, optional
        Command line that wrote the report.
    step : int, optional
        Samples from the start of one window to the start of the next; default is the
        length of a window. With a shorter step windows overlap, and an event in several of them
        is counted once.
    unit : str, optional
        Unit of the recording, such as "mV".
    channels : sequence of str, optional
        Names of the channels.
    codes : Codes, optional
        ``model.encode(X)``, if already computed.
    mean, scale : array-like of shape (n,), optional
        Mean and scale of the normalisation of each window, ``X = (windows - mean) / scale``. The
        report inverts it: all values are in the unit of the recording. With
        several channels the mean has shape (n, 1, channels).
    samples : int, optional
        Length of the recording. Values of the last window beyond it (NaN) do not count as missing.
    offset : int
        Samples of the recording before the first window, if X is an excerpt: times count from the
        start of the recording.

    Returns
    -------
    Path
        The file written.

    Examples
    --------
    >>> import tempfile
    >>> from orbitdl import OrbitDictionaryLearning
    >>> from orbitdl.datasets import make_shift_data
    >>> X = make_shift_data(n_samples=50, length=20, random_state=0).X
    >>> model = OrbitDictionaryLearning(n_components=2, random_state=0).fit(X)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = write_report(model, X, f"{folder}/report.html", sfreq=100.0)
    ...     file.stat().st_size < 10e6
    True
    """
    target = require_target(path)
    labels = Labels(
        title="What was learned" if title is None else str(title),
        sfreq=None if sfreq is None else require_positive(sfreq, "sfreq"),
        step=None if step is None else require_count(step, "step"),
        unit=unit,
        channels=() if channels is None else tuple(str(name) for name in channels),
        samples=None if samples is None else require_count(samples, "samples"),
        offset=require_count(offset, "offset", least=0),
    )
    n_windows = require_count(n_windows, "n_windows")
    as_recorded = X is None or (mean is None and scale is None)
    scaling = None if as_recorded else Scaling.of(np.asarray(X), mean, scale)
    facts = gather(model, X, labels, codes, scaling)
    return write_file(target, page(facts, n_windows, command))


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
