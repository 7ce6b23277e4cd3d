"""The result page, in Markdown and HTML, and all numbers as JSON."""

from __future__ import annotations

import base64
import html
import json
import os
import platform
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

from orbitdl.storage.writing import write_file
from reproduction.claims import Row, Verdict
from reproduction.figures import Picture, Table

TITLES = {
    "recovery": "Incorporating invariances (Section 5.1)",
    "ecg": "Shift invariant dictionaries for ECG data (Section 5.2)",
    "timing": "Time of a coding step (Section 5.2, Fig. 8)",
    "unseen": "MissingValues orientations (Section 5.3)",
    "synchronization": "Synchronisation (Section 5.4)",
}
COLUMNS = ("claim", "source", "paper said", "we got", "verdict", "why")
QUICK = "Reduced sizes (quick): fewer starts, windows and iterations than the paper."
PACKAGES = ("orbitdl", "numpy", "scipy", "numba")


@dataclass
class Outcome:
    """Everything one experiment leaves behind."""

    name: str
    results: dict[str, Any] = field(default_factory=dict)
    rows: list[Row] = field(default_factory=list)
    pictures: list[Picture] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    seconds: float = 0.0
    cpu_seconds: float = 0.0


def write_page(outcomes: list[Outcome], folder: Path, quick: bool) -> None:
    """Write ``reproduction.md``, ``reproduction.html`` and ``results.json``."""
    write_file(folder / "reproduction.md", markdown(outcomes, quick))
    write_file(folder / "reproduction.html", as_html(outcomes, folder, quick))
    write_file(folder / "results.json", as_json(outcomes, quick))


def summary(outcomes: list[Outcome], quick: bool) -> list[str]:
    """Return the opening lines: verdicts, machine, time."""
    counts = Counter(row.verdict for outcome in outcomes for row in outcome.rows)
    verdicts = ", ".join(f"{counts[verdict]} {verdict}" for verdict in Verdict if counts[verdict])
    seconds = sum(outcome.seconds for outcome in outcomes)
    cpu = sum(outcome.cpu_seconds for outcome in outcomes)
    facts = ", ".join(f"{name} {value}" for name, value in machine().items())
    return [
        f"{sum(counts.values())} claims of the paper, each with a verdict: {verdicts}.",
        *([QUICK] if quick else []),
        f"Took {seconds:.0f} s ({cpu:.0f} CPU seconds). Machine: {facts}.",
    ]


def machine() -> dict[str, str]:
    """Return what the numbers depend on."""
    table = Path("/proc/cpuinfo")
    lines = table.read_text().splitlines() if table.exists() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    facts = {
        "processor": names[0] if names else platform.processor() or platform.machine(),
        "cores": str(os.cpu_count()),
        "python": platform.python_version(),
    }
    return facts | {name: metadata.version(name) for name in PACKAGES}


def cells(row: Row) -> tuple[str, ...]:
    """Return a row of the table of claims."""
    claim = row.claim
    return claim.text, claim.source, claim.said, row.got, str(row.verdict), row.why


def markdown(outcomes: list[Outcome], quick: bool) -> str:
    """Return the page as Markdown, with links to the figures."""
    written = "Written by `python -m reproduction`."
    parts = ["# The paper, reproduced", written, *summary(outcomes, quick)]
    for outcome in outcomes:
        parts += [f"## {TITLES[outcome.name]}", grid(COLUMNS, [cells(row) for row in outcome.rows])]
        for picture in outcome.pictures:
            link = f"![{picture.name}](figures/{picture.name}.png)"
            parts += [link, f"*{picture.caption}*"]
        for table in outcome.tables:
            parts += [f"**{table.title}**", grid(table.columns, table.rows)]
    return "\n\n".join(parts) + "\n"


def grid(columns: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    """Write a Markdown table."""
    lines = [columns, ("---",) * len(columns), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |"
                     for line in lines)  # fmt: skip


HEAD = """<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>The paper, reproduced</title>
<style>
body { font: 15px/1.5 system-ui, sans-serif; color: #1c1c1c; max-width: 1150px;
       margin: 2em auto; padding: 0 1em; }
h2 { margin-top: 2.2em; border-bottom: 1px solid #ddd; padding-bottom: .2em; }
table { border-collapse: collapse; font-size: 13.5px; margin: 1em 0; }
th, td { text-align: left; vertical-align: top; padding: .35em .7em;
         border-bottom: 1px solid #e4e4e4; }
th { background: #f5f5f5; }
img { max-width: 100%; }
figure { margin: 1.5em 0; }
figcaption { color: #444; font-size: 13.5px; }
.verdict { font-weight: 600; white-space: nowrap; }
.same { color: #1b7a3d; } .better { color: #0b62a8; } .different { color: #b3261e; }
.answered { color: #7a5a00; } .not-run { color: #777; }
</style></head><body>"""


def as_html(outcomes: list[Outcome], folder: Path, quick: bool) -> str:
    """Return the page as one HTML file, figures and all."""
    parts = [HEAD, "<h1>The paper, reproduced</h1>"]
    parts += [f"<p>{html.escape(line)}</p>" for line in summary(outcomes, quick)]
    for outcome in outcomes:
        parts.append(f'<h2 id="{outcome.name}">{html.escape(TITLES[outcome.name])}</h2>')
        parts.append(html_table(COLUMNS, [cells(row) for row in outcome.rows]))
        parts += [html_figure(picture, folder) for picture in outcome.pictures]
        for table in outcome.tables:
            parts.append(f"<h3>{html.escape(table.title)}</h3>")
            parts.append(html_table(table.columns, table.rows))
    return "\n".join([*parts, "</body></html>"]) + "\n"


def html_figure(picture: Picture, folder: Path) -> str:
    """Return a figure with its picture inside, and a link to the drawing."""
    content = base64.b64encode((folder / "figures" / f"{picture.name}.png").read_bytes()).decode()
    caption = html.escape(picture.caption)
    return (
        f'<figure><img alt="{caption}" src="data:image/png;base64,{content}">'
        f'<figcaption>{caption} <a href="figures/{picture.name}.svg">SVG</a></figcaption></figure>'
    )


def html_table(columns: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    """Return an HTML table; verdicts are coloured."""
    head = "".join(f"<th>{html.escape(column)}</th>" for column in columns)
    body = "".join("<tr>" + "".join(map(html_cell, row)) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def html_cell(text: str) -> str:
    """Return one cell."""
    kind = f' class="verdict {text.replace(" ", "-")}"' if text in list(Verdict) else ""
    return f"<td{kind}>{html.escape(text)}</td>"


def as_json(outcomes: list[Outcome], quick: bool) -> str:
    """Return all numbers and all rows."""
    content: dict[str, Any] = {"quick": quick, "machine": machine(), "experiments": {}}
    for outcome in outcomes:
        content["experiments"][outcome.name] = {
            "seconds": outcome.seconds,
            "cpu_seconds": outcome.cpu_seconds,
            "claims": [dict(zip(COLUMNS, cells(row), strict=True)) for row in outcome.rows],
            "results": outcome.results,
        }
    return json.dumps(plain(content), indent=1, allow_nan=False) + "\n"


def plain(value: Any) -> Any:
    """Turn arrays and numbers of NumPy into lists and numbers of six digits; NaN becomes null."""
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, np.ndarray)):
        return [plain(item) for item in value]
    if isinstance(value, (float, np.floating)):
        return float(f"{value:.6g}") if np.isfinite(value) else None
    return value.item() if isinstance(value, np.generic) else value
