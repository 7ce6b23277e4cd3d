"""The dihedral group D4: rotations of images by 90 degrees and reflections."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from orbitdl.arrays.blocks import Floats, Integers
from orbitdl.groups.base import Group
from orbitdl.groups.isotypic import arrange
from orbitdl.groups.presentation import ElementSlider, Presentation
from orbitdl.groups.stored_matrices import StoredMatricesRepresentation
from orbitdl.groups.transforms.matrix_product import as_matrix_if_small
from orbitdl.groups.transforms.square_parts import SquareParts, multiplicities
from orbitdl.groups.views import view_of_image

ROTATION = [[[1.0]], [[-1.0]], [[-1.0]], [[1.0]], [[0.0, 1.0], [-1.0, 0.0]]]
"""Matrices of the rotation by 90 degrees (counterclockwise) on the five irreducible families."""
REFLECTION = [[[1.0]], [[1.0]], [[-1.0]], [[-1.0]], [[-1.0, 0.0], [0.0, 1.0]]]
"""Matrices of the left-right reflection on them."""
LABELS = (
    "as learned",
    "rotated by 90°",
    "rotated by 180°",
    "rotated by 270°",
    "mirrored left-right",
    "mirrored at the falling diagonal",
    "mirrored top-bottom",
    "mirrored at the rising diagonal",
)
"""Labels of the elements, in their order."""


@dataclass(frozen=True)
class SquareSymmetry(Group):
    """The dihedral group D4 of the square: rotations by 90 degrees, with or without a reflection.

    Acts on images (S, S) or (S, S, channels); all channels are transformed alike.

    Notes
    -----
    An element is (quarter_turns, mirrored): the image is first mirrored left-right, or not, and
    then rotated counterclockwise by multiples of 90 degrees, as `numpy.rot90` does. The group has
    four irreducible representations of size 1 and one of size 2. The transform to them consists of
    even and odd parts of images (`SquareParts`), so large images need no dense matrix.

    Examples
    --------
    >>> import numpy as np
    >>> square = SquareSymmetry().on((2, 2))
    >>> square.act(np.array([1.0, 0.0]), np.array([[1.0, 2.0], [3.0, 4.0]])).round(12)
    array([[2., 4.],
           [1., 3.]])
    """

    def on(self, shape: tuple[int, ...]) -> SquareRepresentation:
        return SquareRepresentation(self, shape)


class SquareRepresentation(StoredMatricesRepresentation):
    """Irreducible blocks; element of index ``4 mirrored + quarter_turns``."""

    parameters = ("quarter_turns", "mirrored")
    is_integer = True

    def __init__(self, group: SquareSymmetry, shape: tuple[int, ...]) -> None:
        if len(shape) not in (2, 3) or 0 in shape or shape[0] != shape[1] or shape[0] == 1:
            raise ValueError(
                f"{group.name} acts on square images of shape (S, S) or (S, S, channels) with S of "
                f"2 pixels or more, not {tuple(shape)}; reshape or crop X."
            )
        copies = multiplicities(shape[0])
        matrices = [
            _all_products(np.array(rotation), np.array(reflection))
            for rotation, reflection, count in zip(ROTATION, REFLECTION, copies, strict=True)
            if count > 0
        ]
        columns = shape[2] if len(shape) == 3 else 1
        layout = arrange(matrices, [count for count in copies if count > 0], columns)
        parts = as_matrix_if_small(SquareParts(shape, layout.block_shape, layout.positions))
        super().__init__(group, parts, layout.matrices, layout.metric)

    @property
    def elements(self) -> Floats:
        mirrored, quarter_turns = np.divmod(np.arange(self.size), 4)
        return np.stack([quarter_turns, mirrored], axis=1).astype(np.float64)

    def index(self, element: Floats) -> Integers:
        return np.asarray(np.rint(4.0 * element[..., 1] + element[..., 0]).astype(np.intp))

    def compose(self, left: Floats, right: Floats) -> Floats:
        # reflection @ rotation = rotation^-1 @ reflection
        sign = 1.0 - 2.0 * left[..., 1]
        quarter_turns = np.mod(left[..., 0] + sign * right[..., 0], 4.0)
        return np.stack([quarter_turns, np.mod(left[..., 1] + right[..., 1], 2.0)], axis=-1)

    def inverse(self, element: Floats) -> Floats:
        quarter_turns = np.where(
            element[..., 1] == 0.0, np.mod(-element[..., 0], 4.0), element[..., 0]
        )
        return np.stack([quarter_turns, element[..., 1]], axis=-1)

    @cached_property
    def presentation(self) -> Presentation:
        description = "may be rotated by multiples of 90° and mirrored"
        view = view_of_image(self.shape)
        return Presentation(description, element_label, view, (ElementSlider(),), noun="image")


def element_label(element: Floats) -> str:
    """Return a label of an element."""
    return LABELS[4 * int(element[1]) + int(element[0])]


def _all_products(rotation: Floats, reflection: Floats) -> Floats:
    """Return the matrices (8, r, r) of all elements."""
    powers = [np.linalg.matrix_power(rotation, k) for k in range(4)]
    first = (np.eye(len(rotation)), reflection)
    return np.array([power @ matrix for matrix in first for power in powers])
