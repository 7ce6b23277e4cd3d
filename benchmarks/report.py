"""The outcome in writing: a Markdown page and a JSON file."""

from __future__ import annotations

import json
import os
import platform
from dataclasses import asdict
from datetime import date
from importlib import metadata
from pathlib import Path
from typing import Any

from benchmarks.harness import LIMIT, Row, Section, Table
from benchmarks.history import Past, Run
from benchmarks.verdict import aim, count, figure, number

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
    "Measured by `python -m benchmarks`, which wrote this page (`make bench` prints its verdicts, "
    "`make measured` puts it on the site).",
    "Seconds are on the clock unless a row says otherwise, medians of interleaved repeats in one "
    "process, in the environment that a user has: no number of threads is set, for any program "
    "(*A user's environment* compares it with one BLAS thread). Compilation is not part of them "
    "(see *First use*). Objectives of all programs are computed by one referee. A target `>=` is "
    "for their time over ours, a target `<=` for ours over theirs. *Before* are the figures of "
    "past runs, latest first.",
    "alphacsc is compared on recordings only: it is not circular, and 0.4.1 fails to learn, or to "
    "start from codes, on NumPy 2.4 (`setting an array element with a sequence`).",
)
QUICK = "**Quick version**: fewer windows and repeats, so the targets are only hinted at."


def machine() -> dict[str, str]:
    """Return what the figures depend on."""
    facts = {"processor": processor(), "cores": str(os.cpu_count())}
    facts |= {"system": platform.system(), "date": str(date.today())}
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


def markdown(sections: list[Section], quick: bool, runs: list[Run]) -> str:
    """Return the whole page; `runs` are those before this one."""
    past = Past(runs, quick, processor())
    parts = ["# Speed, side by side", *([QUICK] if quick else []), *verdicts(sections)]
    parts += ["## How", *HEAD, f"Machine: {facts()}."]
    parts += [section_text(section, past) for section in sections]
    return "\n\n".join(parts + past_runs(runs)) + "\n"


def verdicts(sections: list[Section]) -> list[str]:
    """Say how many targets were held, and list those that were not."""
    rows = [row for section in sections for row in section.rows]
    missed = [f"- {row.work}: {figure(row)}{aim(row)}" for row in rows if row.holds is False]
    said = [f"**{count(rows)}.**" + " Missed:" * bool(missed)]
    return said + (["\n".join(missed)] if missed else [])


def section_text(section: Section, past: Past) -> str:
    """Write one section: verdicts, then what they rest on, then further tables."""
    parts = [f"## {section.title}", *([section.note] if section.note else [])]
    if section.rows:
        columns = "", "work", "ratio", "target", "before"
        parts.append(grid(columns, [verdict_cells(row, past, section) for row in section.rows]))
        columns = "work", "beside", "ours, s", "theirs, s", "accuracy", "note"
        details = grid(columns, [detail_cells(row) for row in section.rows])
        parts.append(folded("Seconds, accuracy and notes", details))
    return "\n\n".join(parts + [table_text(table) for table in section.tables])


def verdict_cells(row: Row, past: Past, section: Section) -> tuple[str, ...]:
    """Write what a row came to, beside what it was to be and what it was before."""
    verdict = {None: "", True: "held", False: "**missed**"}[row.holds]
    sign = ">=" if row.at_least else "<="
    target = "" if row.target is None else f"{sign} {number(row.target)}"
    work = row.work if row.competitor == LIMIT else f"{row.work}, beside {row.competitor}"
    return verdict, work, number(row.ratio), target, past.shown(section, row)


def detail_cells(row: Row) -> tuple[str, ...]:
    """Write what the verdict on a row rests on."""
    where = ["see *Where the time goes*"] if row.holds is False and row.competitor != LIMIT else []
    note = "; ".join([row.note] * bool(row.note) + where)
    return row.work, row.competitor, number(row.ours), number(row.theirs), row.accuracy, note


def folded(title: str, content: str) -> str:
    """Write what is shown when it is asked for."""
    return f"<details>\n<summary>{title}</summary>\n\n{content}\n\n</details>"


def past_runs(runs: list[Run], most: int = 10) -> list[str]:
    """Write the section of the runs before this one, the latest first."""
    if not runs:
        return []
    cells = [
        (
            run.date[:10],
            run.machine["processor"],
            "quick" if run.quick else "whole",
            str(sum(figure.holds is True for figure in run.figures)),
            str(sum(figure.holds is False for figure in run.figures)),
        )
        for run in reversed(runs[-most:])
    ]
    return ["## Past runs", grid(("date", "processor", "version", "held", "missed"), cells)]


def table_text(table: Table) -> str:
    """Write a table of further figures."""
    parts = [f"**{table.title}**", grid(table.columns, table.cells)]
    return "\n\n".join(parts + ([table.note] if table.note else []))


def grid(columns: tuple[str, ...], cells: list[tuple[str, ...]]) -> str:
    """Write a Markdown table."""
    lines = [columns, ("---",) * len(columns), *cells]
    return "\n".join("| " + " | ".join(map(escaped, line)) + " |" for line in lines)


def escaped(text: str) -> str:
    """Write text so that a cell of a table holds it as it is."""
    return text.replace("|", "\\|").replace("<", "&lt;")


def as_json(sections: list[Section], quick: bool) -> str:
    """Return all figures, with the facts about the machine."""
    content: dict[str, Any] = {"quick": quick, "machine": machine(), "sections": []}
    for section in sections:
        rows = [asdict(row) | {"ratio": row.ratio, "holds": row.holds} for row in section.rows]
        content["sections"].append(asdict(section) | {"rows": rows})
    return json.dumps(content, indent=2) + "\n"
