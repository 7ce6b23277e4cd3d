"""How moves are said and drawn: each representation declares it, and all who present ask."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from numpy.typing import NDArray

from orbitdl.arrays.blocks import Floats
from orbitdl.groups.views import View

NO_BREAK = "\N{NO-BREAK SPACE}"
"""Keeps a number and its unit, and groups of digits, on one line."""
LONGEST = 64
"""Numbers of an array that are written out."""


class Slider:
    """How a reader moves a component by hand, in one way of several."""


@dataclass(frozen=True)
class ShiftSlider(Slider):
    """By shifts along the lines of a view, or through them; what leaves enters opposite.

    Attributes
    ----------
    step : float
        Of the grid of shifts, in samples or pixels; 0: there is none.
    way : "along", "right" or "down"
        In time, or to the right or down in an image.
    """

    step: float
    way: Literal["along", "right", "down"] = "along"


@dataclass(frozen=True)
class PhaseSlider(Slider):
    """By the phase of all frequencies of lines together."""


@dataclass(frozen=True)
class TurnSlider(Slider):
    """By turns of the plane of two coordinates.

    Attributes
    ----------
    planes : tuple of pairs of int
        Those that can be chosen.
    """

    planes: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class ListSlider(Slider):
    """Through some elements, one after the other: `Representation.examples`.

    Attributes
    ----------
    words : callable or None
        Says what one of them does, where `Presentation.element` says more than that.
    """

    words: Callable[[Floats], str] | None = None


@dataclass(frozen=True)
class Presentation:
    """Words and pictures for the moves of one representation.

    Attributes
    ----------
    moves : str
        What may move components: the end of a sentence that starts with "They".
    element : callable
        Says how one group element (p,) moves a component; nothing where there is nothing to say.
    view : View
        How data points are drawn.
    sliders : tuple of Slider
        How a reader moves a component, one way after the other; a `ListSlider` must be the first.
        None: it does not move. If the only one is a `ShiftSlider` along time, an element must be a
        shift and nothing else.
    noun : str
        What a data point is called.
    in_time : bool
        Whether data points are signals and the first parameter of an element is a shift, so that
        an atom has a place in time.
    fixed : bool
        Whether components do not move at all.
    """

    moves: str
    element: Callable[[Floats], str]
    view: View
    sliders: tuple[Slider, ...]
    noun: str = "data point"
    in_time: bool = False
    fixed: bool = False


def parameters_in_words(element: Floats) -> str:
    """Return the first few parameters of an element: words for any group."""
    return ", ".join(f"{value:.3g}" for value in element[:4])


def written_array(values: NDArray[Any]) -> str:
    """Return an array as it would be typed, or its shape where it is long.

    Examples
    --------
    >>> import numpy as np
    >>> written_array(np.eye(2)), written_array(np.zeros((9, 9)))
    ('[[1.0, 0.0], [0.0, 1.0]]', '...  # array of shape (9, 9)')
    """
    if values.size <= LONGEST:
        return str(values.tolist())
    return f"...  # array of shape {values.shape}"
