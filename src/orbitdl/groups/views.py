"""Plots of data points of one shape: as lines, as points of a plane, or as an image."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from orbitdl.arrays.blocks import Floats

MOST_LINES = 8
"""Lines in one plot, at most; more are drawn as an image with one row per line."""


@dataclass(frozen=True)
class View:
    """The plot of a data point: L lines of N values each.

    Attributes
    ----------
    kind : "lines", "plane" or "image"
        Stacked lines; N points of a plane (L = 2); rows of an image.
    n_lines, length : int
        L and N.
    transposed : bool
        Whether a line is a column of the data point.
    along : str
        Axis along a line: "sample", "entry", "coordinate", "point" or "column".
    across : str
        Axis across lines: "channel", "coordinate", "column" or "row".
    side_by_side : int
        Images per data point (its last axis), drawn side by side.
    vectors : int
        Dimension d of the vectors in a data point, 0 if none: line l holds their coordinate
        ``l // (L / d)``, or a single line holds all coordinates of one vector.
    """

    kind: Literal["lines", "plane", "image"]
    n_lines: int
    length: int
    transposed: bool = False
    along: str = "sample"
    across: str = "channel"
    side_by_side: int = 1
    vectors: int = 0

    def lines(self, x: Floats, shape: tuple[int, ...]) -> Floats:
        """Return data (..., *shape) as lines (..., L, N)."""
        front = x.shape[: x.ndim - len(shape)]
        if self.transposed:
            return np.asarray(x.reshape(*front, self.length, self.n_lines).swapaxes(-1, -2))
        width = self.length // self.side_by_side
        images = x.reshape(*front, self.n_lines, width, self.side_by_side).swapaxes(-1, -2)
        return images.reshape(*front, self.n_lines, self.length)


def view_of_signals(shape: tuple[int, ...], vectors: int = 0) -> View:
    """Return the view of signals (length,) or (length, channels): one line per channel."""
    return replace(_view_of_columns(shape, "sample", "channel"), vectors=vectors)


def view_of_entries(shape: tuple[int, ...]) -> View:
    """Return the view of arrays of any shape: columns of a matrix, or one flat line."""
    return _view_of_columns(shape, "entry", "column")


def view_of_image(shape: tuple[int, ...]) -> View:
    """Return the view of an image (rows, columns), or of one image per channel."""
    n = shape[2] if len(shape) == 3 else 1
    return View("image", shape[0], n * shape[1], along="column", across="row", side_by_side=n)


def view_of_points(d: int, n: int) -> View:
    """Return the view of n points in d dimensions: one line per coordinate."""
    if d == 2:
        return View("plane", 2, n, along="point", across="coordinate", vectors=d)
    if n == 1:
        return View("lines", 1, d, along="coordinate", across="column", vectors=d)
    return View(_stack(d), d, n, along="point", across="coordinate", vectors=d)


def _view_of_columns(shape: tuple[int, ...], along: str, across: str) -> View:
    if len(shape) != 2:
        return View("lines", 1, int(np.prod(shape)), along=along, across=across)
    length, n = shape
    return View(_stack(n), n, length, transposed=True, along=along, across=across)


def _stack(n: int) -> Literal["lines", "image"]:
    return "lines" if n <= MOST_LINES else "image"
