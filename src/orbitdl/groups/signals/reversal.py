"""Signals forwards and backwards, images as they are and in a mirror."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from orbitdl.arrays.blocks import Blocks, Floats, Integers
from orbitdl.groups.base import Group
from orbitdl.groups.enumerated import ListedRepresentation
from orbitdl.groups.presentation import ListSlider, Presentation
from orbitdl.groups.transforms.parity import Parity
from orbitdl.groups.views import view_of_image, view_of_signals


@dataclass(frozen=True)
class Reversal(Group):
    """Signals (length,) or (length, channels), as they are and backwards: ``x`` and ``x[::-1]``.

    Notes
    -----
    What is even about the middle of the signal stays, what is odd changes sign: two blocks of size
    one. Together with shifts, ``WithFinite(ContinuousShift(), Reversal())``, waveforms may occur
    at any time, forwards or backwards.

    Examples
    --------
    >>> Reversal().on((3,)).act(np.array([1.0]), np.array([1.0, 2.0, 3.0])).round(12)
    array([3., 2., 1.])
    """

    def on(self, shape: tuple[int, ...]) -> ReversalRepresentation:
        return ReversalRepresentation(self, shape)


@dataclass(frozen=True)
class Mirror(Group):
    """Images (rows, columns) or (rows, columns, channels), as they are and upside down.

    Notes
    -----
    As `Reversal`, of rows. With rotations, `ImageRotation(reflections=True)`, it makes every
    reflection.

    Examples
    --------
    >>> Mirror().on((2, 2)).act(np.array([1.0]), np.array([[1.0, 2.0], [3.0, 4.0]])).round(12)
    array([[3., 4.],
           [1., 2.]])
    """

    def on(self, shape: tuple[int, ...]) -> MirrorRepresentation:
        return MirrorRepresentation(self, shape)


class FlipRepresentation(ListedRepresentation):
    """The even and the odd part along the first axis; element 1 changes the sign of the odd one."""

    counted = True
    cycles = (2,)
    size = 2

    def __init__(self, group: Group, shape: tuple[int, ...]) -> None:
        super().__init__(group, Parity(shape))

    @property
    def elements(self) -> Floats:
        return np.array([[0.0], [1.0]])

    def index(self, element: Floats) -> Integers:
        return np.rint(element[..., 0]).astype(np.intp)

    def represent(self, element: Floats) -> Blocks:
        odd = 1.0 - 2.0 * np.rint(element)
        return np.concatenate([np.ones_like(odd), odd], axis=-1)[..., None, None]

    def compose(self, left: Floats, right: Floats) -> Floats:
        return np.mod(left + right, 2.0)

    def inverse(self, element: Floats) -> Floats:
        return element

    def correlations(self, C: Blocks) -> Floats:
        even, odd = C[..., 0, 0, 0], C[..., 1, 0, 0]
        return np.stack([even + odd, even - odd], axis=-1)


class ReversalRepresentation(FlipRepresentation):
    """Flips of time."""

    parameters = ("reversed",)

    def __init__(self, group: Reversal, shape: tuple[int, ...]) -> None:
        if len(shape) not in (1, 2) or 0 in shape:
            raise ValueError(
                f"{group.name} acts on data points of shape (length,) or (length, channels), "
                f"not {tuple(shape)}; flatten or reshape X."
            )
        super().__init__(group, shape)

    @cached_property
    def presentation(self) -> Presentation:
        return Presentation(
            "may run backwards",
            direction_in_words,
            view_of_signals(self.shape),
            (ListSlider(),),
            noun="window",
        )


class MirrorRepresentation(FlipRepresentation):
    """Flips of the rows of images."""

    parameters = ("mirrored",)

    def __init__(self, group: Mirror, shape: tuple[int, ...]) -> None:
        if len(shape) not in (2, 3) or 0 in shape:
            raise ValueError(
                f"{group.name} acts on images of shape (rows, columns) or (rows, columns, "
                f"channels), not {tuple(shape)}; reshape X."
            )
        super().__init__(group, shape)

    @cached_property
    def presentation(self) -> Presentation:
        view = view_of_image(self.shape)
        return Presentation("may be mirrored", side_in_words, view, (ListSlider(),), noun="image")


def direction_in_words(element: Floats) -> str:
    """Return the direction of an element."""
    return "forwards" if element[0] == 0 else "backwards"


def side_in_words(element: Floats) -> str:
    """Return whether an element mirrors."""
    return "" if element[0] == 0 else "mirrored"
