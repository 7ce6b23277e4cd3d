"""The page of results, in Markdown."""

from __future__ import annotations

import os
import platform
from collections import Counter
from datetime import date

from benchmarks.report import grid, processor, version
from benchmarks.trust.rows import Row, Section, Settings, Table, number

PACKAGES = "orbitdl", "numpy", "scipy", "numba", "wfdb", "neurokit2", "statsmodels"
HEAD = (
    "Written by `make trust`. The library runs with its defaults: only the length of the "
    "waveforms is passed, and `random_state=0`. Peers run with their defaults. No record is "
    "excluded. A fit that fails counts as one without events.",
    "Times are CPU seconds of one process, compilation excluded. F1 is the harmonic mean of "
    "precision and recall after one-to-one matching in time; gross F1 pools the counts of all "
    "records.",
)
QUICK = "**Quick version**: fewer records and seeds. Verdicts are indicative only."
COLUMNS = "", "data", "measure", "ours", "peers", "target", "CPU s per record"
WORDS = {True: "held", False: "**missed**", None: ""}


def markdown(sections: list[Section], settings: Settings) -> str:
    """Return the page."""
    rows = [row for section in sections for row in section.rows]
    parts = ["# Accuracy on real and simulated data", *([QUICK] if settings.quick else [])]
    parts += [f"**{count(rows)}**", grid(COLUMNS, overview(sections)), "## Protocol", *HEAD]
    parts += [f"Machine: {machine()}."]
    return "\n\n".join(parts + [section_text(section) for section in sections]) + "\n"


def count(rows: list[Row]) -> str:
    """Count the verdicts."""
    found = Counter(row.holds for row in rows)
    judged = found[True] + found[False]
    return f"{found[True]} of {judged} targets held, {found[False]} missed."


def overview(sections: list[Section]) -> list[tuple[str, ...]]:
    """Return one line per row, and one per section that was not run."""
    cells = []
    for section in sections:
        cells += [row_cells(row) for row in section.rows]
        if section.not_run:
            cells.append(("", section.title, f"not run: {section.not_run}", "", "", "", ""))
    return cells


def row_cells(row: Row) -> tuple[str, ...]:
    """Return the cells of one row."""
    peers = ", ".join(f"{name} {number(value)}" for name, value in row.peers.items())
    seconds = "" if row.seconds is None else f"{row.seconds:.1f}"
    figures = number(row.ours), peers, row.target, seconds
    return WORDS[row.holds], row.data, row.measure, *figures


def section_text(section: Section) -> str:
    """Return the definitions, notes and tables of one section."""
    parts = [f"## {section.title}"]
    if section.not_run:
        parts.append(f"Not run: {section.not_run}.")
    if section.note:
        parts.append(section.note)
    notes = [f"- {row.data}, {row.measure}: {row.note}" for row in section.rows if row.note]
    parts += ["\n".join(notes)] if notes else []
    return "\n\n".join(parts + [table_text(table) for table in section.tables])


def table_text(table: Table) -> str:
    """Return a table with its title and note."""
    parts = [f"**{table.title}**", grid(table.columns, table.cells)]
    return "\n\n".join(parts + ([table.note] if table.note else []))


def machine() -> str:
    """Return processor, date and versions, peers that are not installed included."""
    facts = [processor(), f"{os.cpu_count()} cores", platform.system(), str(date.today())]
    facts += [f"Python {platform.python_version()}"]
    return ", ".join(facts + [f"{name} {version(name)}" for name in PACKAGES])
