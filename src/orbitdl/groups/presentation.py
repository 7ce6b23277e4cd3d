"""Descriptions of group actions for reports: labels of elements, views of data, sliders."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from numpy.typing import NDArray

from orbitdl.arrays.blocks import Floats
from orbitdl.groups.views import View

NO_BREAK = "\N{NO-BREAK SPACE}"
"""Separates a number from its unit, and groups of digits, without a line break."""
LONGEST = 64
"""Entries of an array that are printed in full."""


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
