"""Curves in rows below each other, all on one scale: a signal and what it is the sum of."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from orbitdl.groups.base import Floats
from orbitdl.plot.canvas import FIT, QUIET, SMALL, Axes, tidy

PAD = 0.12
"""Room between two rows, in parts of the tallest."""
NEAR = 0.04
"""Parts of the width within which words would be written over each other."""
LINE = 0.18
"""Room that a line of words beside a row takes, likewise: inches, where the tallest has one."""


@dataclass(frozen=True, eq=False)
class Curve:
    """A signal as lines (L, N), a colour, a width in points, and words at its highest point."""

    lines: Floats
    colour: str
    width: float = 1.4
    note: str = ""


@dataclass(frozen=True)
class Row:
    """Curves that share a row, what the row is called, and the colour of that."""

    label: str
    curves: list[Curve] = field(default_factory=list)
    colour: str = FIT

    def bounds(self) -> tuple[float, float]:
        """Return the lowest and highest value in the row; zero is between them."""
        values = [curve.lines for curve in self.curves]
        low = min((float(np.nanmin(v, initial=0.0)) for v in values), default=0.0)
        return low, max((float(np.nanmax(v, initial=0.0)) for v in values), default=0.0)


def draw_rows(axes: Axes, along: Floats, rows: list[Row]) -> None:
    """Draw rows below each other, line l of every curve in panel l; (L,) panels."""
    levels = levels_of(rows)
    for k, ax in enumerate(axes):
        for row, level in zip(rows, levels, strict=True):
            ax.axhline(level, color=QUIET, lw=0.7, zorder=0)
            for curve in row.curves:
                ax.plot(along, curve.lines[k] + level, color=curve.colour, lw=curve.width)
        ax.set_yticks(levels, [row.label for row in rows], fontsize=SMALL)
        ax.tick_params(labelleft=k == 0)
        ax.margins(x=0.01)
        tidy(ax)
    _write_notes(axes[0], along, rows, levels)
    for tick, row in zip(axes[0].get_yticklabels(), rows, strict=True):
        tick.set_color(row.colour)


def levels_of(rows: list[Row]) -> Floats:
    """Return where the zero of every row lies, the first at 0, such that no two rows meet.

    Nor do the words beside them.
    """
    low, high = np.array([row.bounds() for row in rows]).T
    tallest = float(np.max(high - low)) or 1.0
    words = LINE * np.array([row.label.count("\n") + 1 for row in rows])
    room = np.maximum(high[1:] - low[:-1] + PAD * tallest, tallest * (words[1:] + words[:-1]) / 2)
    return -np.concatenate([[0.0], np.cumsum(room)])


def height_of(rows: list[Row]) -> float:
    """Return the height of all rows in inches, where the tallest takes one."""
    low, high = np.array([row.bounds() for row in rows]).T
    tallest = float(np.max(high - low)) or 1.0
    return float(high[0] - levels_of(rows)[-1] - low[-1]) / tallest


def _write_notes(ax: Any, along: Floats, rows: list[Row], levels: Floats) -> None:
    """Write what there is to say of curves above their largest values; of neighbours, at once."""
    width = float(np.ptp(along)) or 1.0
    for row, level in zip(rows, levels, strict=True):
        noted = [(_peak(along, curve.lines[0]), curve) for curve in row.curves if curve.note]
        near: list[tuple[tuple[float, float], Curve]] = []
        for place, curve in sorted(noted, key=lambda both: both[0]):
            if near and place[0] - near[-1][0][0] > NEAR * width:
                _write(ax, near, level)
                near = []
            near.append((place, curve))
        if near:
            _write(ax, near, level)


def _peak(along: Floats, line: Floats) -> tuple[float, float]:
    """Return where a line is largest in size, and its highest value."""
    return float(along[int(np.nanargmax(np.abs(line)))]), float(np.nanmax(line))


def _write(ax: Any, near: list[tuple[tuple[float, float], Curve]], level: float) -> None:
    """Write the notes of curves that are close to each other above the highest of them."""
    x = float(np.mean([place[0] for place, _ in near]))
    y = max(place[1] for place, _ in near)
    ax.annotate(
        ", ".join(curve.note for _, curve in near), (x, y + level), (0, 1), ha="center",
        va="bottom", textcoords="offset points", fontsize=SMALL - 1, color=near[0][1].colour,
    )  # fmt: skip
