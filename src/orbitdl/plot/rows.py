"""Stacked rows of curves with a common scale."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from orbitdl.groups.base import Floats
from orbitdl.plot.canvas import FIT, QUIET, SMALL, Axes, tidy

PAD = 0.12
"""Space between rows, relative to the tallest."""
NEAR = 0.04
"""Distance of annotations, relative to the width, below which they are merged."""
LINE = 0.18
"""Height of a line of a row label, relative to the tallest row (one inch)."""


@dataclass(frozen=True, eq=False)
class Curve:
    """A signal as lines (L, N), colour, line width in points, and annotation of its peak."""

    lines: Floats
    colour: str
    width: float = 1.4
    note: str = ""


@dataclass(frozen=True)
class Row:
    """Curves of a row, its label, and the colour of the label."""

    label: str
    curves: list[Curve] = field(default_factory=list)
    colour: str = FIT

    def bounds(self) -> tuple[float, float]:
        """Return minimum and maximum of the row, zero included."""
        values = [curve.lines for curve in self.curves]
        low = min((float(np.nanmin(v, initial=0.0)) for v in values), default=0.0)
        return low, max((float(np.nanmax(v, initial=0.0)) for v in values), default=0.0)


def draw_rows(axes: Axes, along: Floats, rows: list[Row]) -> None:
    """Draw stacked rows, line l of every curve in panel l; (L,) panels."""
    offsets = row_offsets(rows)
    for k, ax in enumerate(axes):
        for row, offset in zip(rows, offsets, strict=True):
            ax.axhline(offset, color=QUIET, lw=0.7, zorder=0)
            for curve in row.curves:
                ax.plot(along, curve.lines[k] + offset, color=curve.colour, lw=curve.width)
        ax.set_yticks(offsets, [row.label for row in rows], fontsize=SMALL)
        ax.tick_params(labelleft=k == 0)
        ax.margins(x=0.01)
        tidy(ax)
    _write_notes(axes[0], along, rows, offsets)
    for tick, row in zip(axes[0].get_yticklabels(), rows, strict=True):
        tick.set_color(row.colour)


def row_offsets(rows: list[Row]) -> Floats:
    """Return the offsets of rows, the first at 0, without overlaps of rows or labels."""
    low, high = np.array([row.bounds() for row in rows]).T
    tallest = float(np.max(high - low)) or 1.0
    words = LINE * np.array([row.label.count("\n") + 1 for row in rows])
    space = np.maximum(high[1:] - low[:-1] + PAD * tallest, tallest * (words[1:] + words[:-1]) / 2)
    return -np.concatenate([[0.0], np.cumsum(space)])


def height_of(rows: list[Row]) -> float:
    """Return the height of all rows in inches; the tallest row is one inch."""
    low, high = np.array([row.bounds() for row in rows]).T
    tallest = float(np.max(high - low)) or 1.0
    return float(high[0] - row_offsets(rows)[-1] - low[-1]) / tallest


def _write_notes(ax: Any, along: Floats, rows: list[Row], offsets: Floats) -> None:
    """Annotate curves above their peaks; annotations of neighbours are merged."""
    width = float(np.ptp(along)) or 1.0
    for row, offset in zip(rows, offsets, strict=True):
        noted = [(_peak(along, curve.lines[0]), curve) for curve in row.curves if curve.note]
        near: list[tuple[tuple[float, float], Curve]] = []
        for peak, curve in sorted(noted, key=lambda both: both[0]):
            if near and peak[0] - near[-1][0][0] > NEAR * width:
                _write(ax, near, offset)
                near = []
            near.append((peak, curve))
        if near:
            _write(ax, near, offset)


def _peak(along: Floats, line: Floats) -> tuple[float, float]:
    """Return the position of the largest absolute value of a line, and its maximum."""
    return float(along[int(np.nanargmax(np.abs(line)))]), float(np.nanmax(line))


def _write(ax: Any, near: list[tuple[tuple[float, float], Curve]], offset: float) -> None:
    """Write merged annotations above the highest of neighbouring curves."""
    x = float(np.mean([peak[0] for peak, _ in near]))
    y = max(peak[1] for peak, _ in near)
    ax.annotate(
        ", ".join(curve.note for _, curve in near), (x, y + offset), (0, 1), ha="center",
        va="bottom", textcoords="offset points", fontsize=SMALL - 1, color=near[0][1].colour,
    )  # fmt: skip
