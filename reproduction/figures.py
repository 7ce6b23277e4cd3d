"""How figures look: one colour a method throughout, and how they are saved."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from orbitdl.plot.canvas import require_matplotlib
from orbitdl.storage.writing import write_file

COLOURS = {
    "continuous": "#c8391e",
    "integer": "#0b62a8",
    "interpolated 2x": "#4ba3c7",
    "interpolated 3x": "#7fc4c1",
    "interpolated 4x": "#1b8a6b",
    "interpolated 5x": "#8bbf4d",
    "regular": "#6b6b6b",
    "convex": "#8a4f9e",
    "matching": "#c98a00",
    "as printed": "#c9a9d6",
    "truth": "#000000",
    "data": "#9aa3ab",
}
"""The colour of every method; the same in every figure."""

STYLE = {
    "font.size": 9,
    "axes.titlesize": 10,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#e6e6e6",
    "grid.linewidth": 0.6,
    "lines.linewidth": 1.3,
    "legend.frameon": False,
    "legend.fontsize": 8,
    "figure.constrained_layout.use": True,
    "svg.hashsalt": "orbitdl",
}


@dataclass(frozen=True)
class Picture:
    """A figure, the name of its files, and a caption that says what to see."""

    name: str
    caption: str
    figure: Any


@dataclass(frozen=True)
class Table:
    """A table of the page: a title, names of columns, rows of text."""

    title: str
    columns: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]


def styled() -> Any:
    """Return a context in which everything is drawn and saved alike."""
    return require_matplotlib().rc_context(STYLE)


def panels(rows: int, columns: int, width: float = 9.0, height: float = 3.2, **options: Any) -> Any:
    """Return a figure and its axes (rows, columns), `height` inches per row."""
    figure = require_matplotlib().figure.Figure(figsize=(width, height * rows))
    return figure, figure.subplots(rows, columns, squeeze=False, **options)


def save(picture: Picture, folder: Path) -> None:
    """Write a picture as PNG and SVG."""
    folder.mkdir(parents=True, exist_ok=True)
    with styled():
        for kind, options in (("png", {"dpi": 150}), ("svg", {"metadata": {"Date": None}})):
            buffer = io.BytesIO()
            picture.figure.savefig(buffer, format=kind, **options)
            write_file(folder / f"{picture.name}.{kind}", buffer.getvalue())
