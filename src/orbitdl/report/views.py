"""How data points of one shape are drawn: as lines, as points of a plane, or as an image."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from orbitdl.groups.base import Floats, Representation
from orbitdl.groups.finite import MatrixRepresentation
from orbitdl.groups.orthogonal import OrthogonalRepresentation
from orbitdl.groups.time_shift import TimeShift
from orbitdl.groups.trivial import TrivialRepresentation

MOST_LINES = 8
"""More lines than this are drawn as an image, one row a line."""


@dataclass(frozen=True)
class View:
    """A way to see data points: L lines of N values each.

    Attributes
    ----------
    kind : "lines", "plane" or "image"
        Lines below each other; N points of a plane (L = 2); rows of an image.
    n_lines, length : int
        L and N.
    transposed : bool
        Whether a line is a column of the data point.
    along : str
        What runs along a line: "sample", "entry", "coordinate", "point" or "column".
    across : str
        What a line is: "channel", "coordinate", "column" or "row".
    """

    kind: Literal["lines", "plane", "image"]
    n_lines: int
    length: int
    transposed: bool = False
    along: str = "sample"
    across: str = "channel"

    def lines(self, x: Floats, shape: tuple[int, ...]) -> Floats:
        """Return data (..., *shape) as lines (..., L, N)."""
        front = x.shape[: x.ndim - len(shape)]
        if self.transposed:
            return np.asarray(x.reshape(*front, self.length, self.n_lines).swapaxes(-1, -2))
        return x.reshape(*front, self.n_lines, self.length)


def view_of(representation: Representation) -> View:
    """Choose how data points of this shape, moved in this way, are drawn."""
    shape = representation.shape
    if isinstance(representation, OrthogonalRepresentation):
        return _view_of_space(shape)
    if isinstance(representation, TimeShift):
        return _view_of_channels(shape, "sample", "channel")
    if isinstance(representation, MatrixRepresentation):
        return _view_of_matrices(representation)
    if isinstance(representation, TrivialRepresentation) and len(shape) == 2 and shape[1] > 8:
        return View("image", *shape, along="column", across="row")
    return _view_of_channels(shape, "entry", "column")


def _view_of_space(shape: tuple[int, ...]) -> View:
    d, r = shape[0], shape[1] if len(shape) == 2 else 1
    if d == 2:
        return View("plane", 2, r, along="point", across="coordinate")
    if r == 1:
        return View("lines", 1, d, along="coordinate", across="column")
    return View(_stack(d), d, r, along="point", across="coordinate")


def _view_of_matrices(representation: MatrixRepresentation) -> View:
    shape, d = representation.shape, representation.block_shape[1]
    if len(shape) == 2 and shape[0] != d:
        return View("image", *shape, along="column", across="row")
    if d == 2:
        return View("plane", 2, int(np.prod(shape)) // 2, along="point", across="coordinate")
    return _view_of_channels(shape, "entry", "column")


def _view_of_channels(shape: tuple[int, ...], along: str, across: str) -> View:
    if len(shape) != 2:
        return View("lines", 1, int(np.prod(shape)), along=along, across=across)
    length, n = shape
    return View(_stack(n), n, length, transposed=True, along=along, across=across)


def _stack(n: int) -> Literal["lines", "image"]:
    return "lines" if n <= MOST_LINES else "image"
