"""The eight moves of a square: images turned by quarters and mirrored."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from orbitdl.arrays.blocks import Floats, Integers
from orbitdl.groups.base import Group
from orbitdl.groups.isotypic import arrange
from orbitdl.groups.presentation import ListSlider, Presentation
from orbitdl.groups.stored_matrices import TabledRepresentation
from orbitdl.groups.transforms.multiplied import multiplied_if_small
from orbitdl.groups.transforms.square_parts import SquareParts, multiplicities
from orbitdl.groups.views import view_of_image

TURNED = [[[1.0]], [[-1.0]], [[-1.0]], [[1.0]], [[0.0, 1.0], [-1.0, 0.0]]]
"""What a quarter turn counterclockwise does to the five families of `SquareParts`."""
MIRRORED = [[[1.0]], [[1.0]], [[-1.0]], [[-1.0]], [[-1.0, 0.0], [0.0, 1.0]]]
"""What mirroring left and right does to them."""
WORDS = (
    "as learned",
    "turned by 90°",
    "turned by 180°",
    "turned by 270°",
    "mirrored left-right",
    "mirrored at the falling diagonal",
    "mirrored top-bottom",
    "mirrored at the rising diagonal",
)
"""The elements in words, in their order."""


@dataclass(frozen=True)
class SquareSymmetry(Group):
    """The eight moves of a square: turns by 90 degrees, mirrored or not.

    Acts on images (S, S) or (S, S, channels); all channels move together.

    Notes
    -----
    An element is (turns, mirrored): the image is first mirrored left and right, or not, and then
    turned so many times by 90 degrees counterclockwise, as `numpy.rot90` does. The group has four
    irreducible representations of size 1 and one of size 2, which are even and odd parts of images
    (`SquareParts`): where there are many pixels no matrix of them is made.

    Examples
    --------
    >>> import numpy as np
    >>> moves = SquareSymmetry().on((2, 2))
    >>> moves.act(np.array([1.0, 0.0]), np.array([[1.0, 2.0], [3.0, 4.0]])).round(12)
    array([[2., 4.],
           [1., 3.]])
    """

    def on(self, shape: tuple[int, ...]) -> SquareRepresentation:
        return SquareRepresentation(self, shape)


class SquareRepresentation(TabledRepresentation):
    """Irreducible blocks; element ``4 mirrored + turns``."""

    parameters = ("turns", "mirrored")
    counted = True

    def __init__(self, group: SquareSymmetry, shape: tuple[int, ...]) -> None:
        if len(shape) not in (2, 3) or 0 in shape or shape[0] != shape[1] or shape[0] == 1:
            raise ValueError(
                f"{group.name} acts on square images of shape (S, S) or (S, S, channels) with S of "
                f"2 pixels or more, not {tuple(shape)}; reshape or crop X."
            )
        copies = multiplicities(shape[0])
        matrices = [
            _all_products(np.array(turned), np.array(mirrored))
            for turned, mirrored, count in zip(TURNED, MIRRORED, copies, strict=True)
            if count > 0
        ]
        columns = shape[2] if len(shape) == 3 else 1
        layout = arrange(matrices, [count for count in copies if count > 0], columns)
        parts = multiplied_if_small(SquareParts(shape, layout.block_shape, layout.place))
        super().__init__(group, parts, layout.matrices, layout.metric)

    @property
    def elements(self) -> Floats:
        mirrored, turns = np.divmod(np.arange(self.size), 4)
        return np.stack([turns, mirrored], axis=1).astype(np.float64)

    def index(self, element: Floats) -> Integers:
        return np.asarray(np.rint(4.0 * element[..., 1] + element[..., 0]).astype(np.intp))

    def compose(self, left: Floats, right: Floats) -> Floats:
        # a turn before a mirror is the opposite turn after it
        sign = 1.0 - 2.0 * left[..., 1]
        turns = np.mod(left[..., 0] + sign * right[..., 0], 4.0)
        return np.stack([turns, np.mod(left[..., 1] + right[..., 1], 2.0)], axis=-1)

    def inverse(self, element: Floats) -> Floats:
        turns = np.where(element[..., 1] == 0.0, np.mod(-element[..., 0], 4.0), element[..., 0])
        return np.stack([turns, element[..., 1]], axis=-1)

    @cached_property
    def presentation(self) -> Presentation:
        moves = "may be turned by quarters and mirrored"
        view = view_of_image(self.shape)
        return Presentation(moves, move_in_words, view, (ListSlider(),), noun="image")


def move_in_words(element: Floats) -> str:
    """Return what one element does."""
    return WORDS[4 * int(element[1]) + int(element[0])]


def _all_products(turned: Floats, mirrored: Floats) -> Floats:
    """Return the matrices (8, r, r) of all elements."""
    turns = [np.linalg.matrix_power(turned, k) for k in range(4)]
    return np.array([turn @ mirror for mirror in (np.eye(len(turned)), mirrored) for turn in turns])
