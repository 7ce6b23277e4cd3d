"""The outcome in writing: a Markdown page and a JSON file."""

from __future__ import annotations

import json
import platform
from dataclasses import asdict
from datetime import date
from importlib import metadata
from pathlib import Path
from typing import Any

from benchmarks.harness import LIMIT, Row, Section, Table

PACKAGES = (
    "orbitdl",
    "numpy",
    "scipy",
    "numba",
    "scikit-learn",
    "spams-bin",
    "sporco",
    "alphacsc",
    "distributed",
)
HEAD = (
    "Measured by `python -m benchmarks`, which wrote this page.",
    "CPU seconds, medians of interleaved repeats in one process, one thread each; compilation is "
    "not part of them (see *First use*). Objectives of all programs are computed by one referee. "
    "A ratio marked *faster* is their time over ours; one without is ours over theirs, a cost.",
    "alphacsc is compared on recordings only: it is not circular, and 0.4.1 fails to learn, or to "
    "start from codes, on NumPy 2.4 (`setting an array element with a sequence`).",
)
QUICK = "**Quick version**: fewer windows and repeats, so the targets are only hinted at."


def machine() -> dict[str, str]:
    """Return what the figures depend on."""
    facts = {"processor": processor(), "system": platform.system(), "date": str(date.today())}
    facts["python"] = platform.python_version()
    return facts | {name: version(name) for name in PACKAGES}


def facts() -> str:
    """Return the same in words, without what is not installed."""
    known = machine().items()
    return ", ".join(f"{name} {value}" for name, value in known if value != "not installed")


def version(package: str) -> str:
    """Return the installed version of a package."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed"


def processor() -> str:
    """Return the name of the processor."""
    table = Path("/proc/cpuinfo")
    lines = table.read_text().splitlines() if table.exists() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def markdown(sections: list[Section], quick: bool) -> str:
    """Return the whole page."""
    parts = ["# Speed, side by side", *HEAD, *([QUICK] if quick else []), f"Machine: {facts()}."]
    return "\n\n".join(parts + [section_text(section) for section in sections]) + "\n"


def section_text(section: Section) -> str:
    """Write one section."""
    parts = [f"## {section.title}", *([section.note] if section.note else [])]
    if section.rows:
        parts.append(row_table(section.rows))
    return "\n\n".join(parts + [table_text(table) for table in section.tables])


def row_table(rows: list[Row]) -> str:
    """Write rows as a Markdown table."""
    columns = "work", "ours", "competitor", "theirs", "ratio", "target", "holds", "accuracy", "note"
    return grid(columns, [row_cells(row) for row in rows])


def row_cells(row: Row) -> tuple[str, ...]:
    """Write one row."""
    sign = "&ge;" if row.at_least else "&le;"
    target = "" if row.target is None else f"{sign} {number(row.target)}"
    holds = {None: "", True: "yes", False: "**no**"}[row.holds]
    ratio = number(row.ratio) + (" x faster" if row.at_least else "")
    ours, theirs = number(row.ours), number(row.theirs)
    where = ["see *Where the time goes*"] if row.holds is False and row.competitor != LIMIT else []
    note = "; ".join([row.note] * bool(row.note) + where)
    return row.work, ours, row.competitor, theirs, ratio, target, holds, row.accuracy, note


def number(value: float) -> str:
    """Write a number with three digits, large ones in full."""
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def table_text(table: Table) -> str:
    """Write a table of further figures."""
    parts = [f"**{table.title}**", grid(table.columns, table.cells)]
    return "\n\n".join(parts + ([table.note] if table.note else []))


def grid(columns: tuple[str, ...], cells: list[tuple[str, ...]]) -> str:
    """Write a Markdown table."""
    lines = [columns, ("---",) * len(columns), *cells]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def as_json(sections: list[Section], quick: bool) -> str:
    """Return all figures, with the facts about the machine."""
    content: dict[str, Any] = {"quick": quick, "machine": machine(), "sections": []}
    for section in sections:
        rows = [asdict(row) | {"ratio": row.ratio, "holds": row.holds} for row in section.rows]
        content["sections"].append(asdict(section) | {"rows": rows})
    return json.dumps(content, indent=2) + "\n"
