"""The outcome as one picture: ratios as bars, targets as marks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

from benchmarks.harness import LIMIT, Row, Section  # noqa: E402
from benchmarks.verdict import number  # noqa: E402

COLOURS = {True: "#2a7f62", False: "#c0392b", None: "#8c98a4"}
MEANING = {True: "target met", False: "target missed", None: "no target"}


def draw(sections: list[Section], path: Path) -> None:
    """Draw speed-ups above, costs below, on logarithmic scales."""
    rows = [row for section in sections for row in section.rows]
    panels = [
        ("times faster than the competitor (further right is better)", True),
        ("times as long as the reference (further left is better)", False),
    ]
    chosen = [(title, [row for row in rows if row.at_least is kind]) for title, kind in panels]
    chosen = [(title, some) for title, some in chosen if some]
    if not chosen:
        return
    heights = [len(some) + 2 for _, some in chosen]
    figure, axes = plt.subplots(
        len(chosen), 1, figsize=(13, 0.34 * sum(heights)), squeeze=False,
        gridspec_kw={"height_ratios": heights}, layout="constrained",
    )  # fmt: skip
    for axis, (title, some) in zip(axes[:, 0], chosen, strict=True):
        draw_panel(axis, title, some)
    figure.savefig(path, dpi=110)
    plt.close(figure)


def draw_panel(axis: Any, title: str, rows: list[Row]) -> None:
    """Draw the bars of one panel, from the ratio of 1."""
    for place, row in enumerate(rows):
        axis.barh(place, row.ratio - 1, left=1, color=COLOURS[row.holds], height=0.7)
        if row.target is not None:
            axis.plot([row.target] * 2, [place - 0.45, place + 0.45], color="black", linewidth=2)
        right = max(row.ratio, row.target or 1.0, 1.0)
        axis.annotate(
            number(row.ratio), (right, place), (5, 0), textcoords="offset points",
            va="center", fontsize=8,
        )  # fmt: skip
    axis.set_xscale("log")
    axis.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axis.axvline(1, color="black", linewidth=0.8)
    axis.set_yticks(range(len(rows)), [label(row) for row in rows], fontsize=8)
    axis.invert_yaxis()
    axis.margins(x=0.12, y=0.01)
    axis.set_title(title, loc="left", fontsize=10)
    axis.spines[["top", "right"]].set_visible(False)
    axis.legend(handles=legend(rows), fontsize=8, loc="best", frameon=False)


def label(row: Row) -> str:
    """Name a bar."""
    return row.work if row.competitor == LIMIT else f"{row.work}  |  {row.competitor}"


def legend(rows: list[Row]) -> list[Any]:
    """Explain the colours in use, and the mark of a target."""
    found = [state for state in MEANING if any(row.holds is state for row in rows)]
    patches = [plt.Rectangle((0, 0), 1, 1, color=COLOURS[s], label=MEANING[s]) for s in found]
    mark = plt.Line2D([], [], color="black", linewidth=2, label="target")
    return [*patches, mark]
