"""Descriptions of group actions for reports: labels of elements, views of data, sliders.

A view plots data points of one shape: as lines, as points of a plane, or as an image.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from orbitdl.arrays.blocks import Floats

MOST_LINES = 8
"""Lines in one plot, at most; more are drawn as an image with one row per line."""


NO_BREAK = "\N{NO-BREAK SPACE}"
"""Separates a number from its unit, and groups of digits, without a line break."""
LONGEST = 64
"""Entries of an array that are printed in full."""


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


class Slider:
    """An interactive control of a report that transforms a component."""


@dataclass(frozen=True)
class ShiftSlider(Slider):
    """Circular shifts along the rows or columns of a view.

    Attributes
    ----------
    step : float
        Step of the grid of shifts, in samples or pixels; 0: continuous.
    way : "along", "right" or "down"
        In time, or to the right or down in an image.
    """

    step: float
    way: Literal["along", "right", "down"] = "along"


@dataclass(frozen=True)
class PhaseSlider(Slider):
    """A phase shift common to all frequencies."""


@dataclass(frozen=True)
class RotationSlider(Slider):
    """Rotations in a plane of two coordinates.

    Attributes
    ----------
    planes : tuple of pairs of int
        Available planes.
    """

    planes: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class ElementSlider(Slider):
    """A list of elements: `Representation.examples`.

    Attributes
    ----------
    label : callable or None
        Label of an element on this slider, if shorter than `Presentation.label`.
    """

    label: Callable[[Floats], str] | None = None


@dataclass(frozen=True)
class Presentation:
    """Description of one representation for reports.

    Attributes
    ----------
    description : str
        How the group transforms components: the end of a sentence that starts with "They".
    label : callable
        Label of one group element (p,); empty for the identity group.
    view : View
        How data points are drawn.
    sliders : tuple of Slider
        Controls that transform a component, applied in order; an `ElementSlider` must be the first.
        If the only one is a `ShiftSlider` along time, an element must be a shift.
    noun : str
        Name of a data point.
    in_time : bool
        Whether data points are signals and the first parameter of an element is a shift, so that
        atoms have a position in time.
    fixed : bool
        Whether the group is trivial.
    """

    description: str
    label: Callable[[Floats], str]
    view: View
    sliders: tuple[Slider, ...]
    noun: str = "data point"
    in_time: bool = False
    fixed: bool = False


def parameters_label(element: Floats) -> str:
    """Return the first few parameters of an element: a label for any group."""
    return ", ".join(f"{value:.3g}" for value in element[:4])


def written_array(values: NDArray[Any]) -> str:
    """Return the Python literal of an array, or its shape if it is long.

    Examples
    --------
    >>> import numpy as np
    >>> written_array(np.eye(2)), written_array(np.zeros((9, 9)))
    ('[[1.0, 0.0], [0.0, 1.0]]', '...  # array of shape (9, 9)')
    """
    if values.size <= LONGEST:
        return str(values.tolist())
    return f"...  # array of shape {values.shape}"
