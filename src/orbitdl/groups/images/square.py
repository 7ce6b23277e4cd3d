"""The dihedral group D4: rotations of images by 90 degrees and reflections.

The transform of square images separates the irreducible representations of D4.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from orbitdl.arrays.blocks import Blocks, Floats, Integers
from orbitdl.groups.base import Group
from orbitdl.groups.isotypic import arrange
from orbitdl.groups.presentation import ElementSlider, Presentation, view_of_image
from orbitdl.groups.stored_matrices import StoredMatricesRepresentation
from orbitdl.groups.transforms.base import Transform
from orbitdl.groups.transforms.matrix_product import as_matrix_if_small

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


HALF = np.sqrt(0.5)


class SquareParts(Transform):
    """Even and odd parts of images (S, S) or (S, S, channels), arranged in blocks.

    Parameters
    ----------
    shape : tuple of int
    block_shape : tuple of int
    positions : ndarray of shape (S * S * channels,)
        Flat index of each coordinate in the blocks.

    Notes
    -----
    An image is the sum of a part that is even in both directions, ee, one that is odd in both, oo,
    and two mixed ones, eo and oe: an orthonormal change of basis by sums and differences of
    opposite pixels over ``sqrt(2)``. Transposition maps ee and oo to their transposes and
    exchanges eo with the transpose of oe. Coordinates are, in this order: the symmetric part of
    ee, its antisymmetric part, the same of oo, eo, and transposed oe.
    """

    def __init__(
        self, shape: tuple[int, ...], block_shape: tuple[int, int, int], positions: Integers
    ) -> None:
        self.shape, self.block_shape, self.positions = tuple(shape), block_shape, positions
        self._channels = shape[2] if len(shape) == 3 else 1

    def analyze(self, x: Floats) -> Blocks:
        batch = x.shape[: x.ndim - len(self.shape)]
        image = x.reshape(*batch, *self.shape[:2], self._channels)
        folded = _fold(np.moveaxis(_fold(image), -2, -3))  # columns first
        even = -(-self.shape[0] // 2)
        ee, oe = folded[..., :even, :even, :], folded[..., :even, even:, :]
        eo, oo = folded[..., even:, :even, :], folded[..., even:, even:, :]
        parts = [*_halves(ee), *_halves(oo), _flat(np.moveaxis(eo, -3, -2)), _flat(oe)]
        blocks = np.zeros((*batch, int(np.prod(self.block_shape))))
        coordinates = np.concatenate(parts, axis=-2)
        blocks[..., self.positions] = coordinates.reshape(*batch, len(self.positions))
        return blocks.reshape(*batch, *self.block_shape)

    def synthesize(self, blocks: Blocks) -> Floats:
        batch = blocks.shape[:-3]
        coordinates = blocks.reshape(*batch, int(np.prod(self.block_shape)))[..., self.positions]
        even, odd = -(-self.shape[0] // 2), self.shape[0] // 2
        sizes = [*multiplicities(self.shape[0]), even * odd]
        rows = coordinates.reshape(*batch, self.shape[0] ** 2, self._channels)
        symmetric, anti, odd_symmetric, odd_anti, eo, oe = np.split(rows, np.cumsum(sizes)[:5], -2)
        folded = np.empty((*batch, *self.shape[:2], self._channels))
        folded[..., :even, :even, :] = _square(symmetric, anti, even)
        folded[..., even:, even:, :] = _square(odd_symmetric, odd_anti, odd)
        eo = eo.reshape(*batch, even, odd, self._channels)
        folded[..., even:, :even, :] = np.moveaxis(eo, -3, -2)
        folded[..., :even, even:, :] = oe.reshape(*batch, even, odd, self._channels)
        image = _unfold(np.moveaxis(_unfold(folded), -2, -3))
        return image.reshape(*batch, *self.shape)


def multiplicities(side: int) -> list[int]:
    """Return the multiplicities of the five irreducibles, in the order of coordinates."""
    even, odd = -(-side // 2), side // 2
    return [
        even * (even + 1) // 2,
        even * (even - 1) // 2,
        odd * (odd + 1) // 2,
        odd * (odd - 1) // 2,
        even * odd,
    ]


def _fold(x: Floats) -> Floats:
    """Return even parts, then odd parts, of the third axis from the end."""
    half = x.shape[-3] // 2
    first, middle = x[..., :half, :, :], x[..., half : x.shape[-3] - half, :, :]
    last = x[..., ::-1, :, :][..., :half, :, :]
    return np.concatenate([HALF * (first + last), middle, HALF * (first - last)], axis=-3)


def _unfold(y: Floats) -> Floats:
    """Undo `_fold`, whose transpose it is."""
    half = y.shape[-3] // 2
    even, odd = y[..., :half, :, :], y[..., y.shape[-3] - half :, :, :]
    middle = y[..., half : y.shape[-3] - half, :, :]
    last = (HALF * (even - odd))[..., ::-1, :, :]
    return np.concatenate([HALF * (even + odd), middle, last], axis=-3)


def _flat(x: Floats) -> Floats:
    """Return an array with rows and columns flattened to one axis."""
    return x.reshape(*x.shape[:-3], x.shape[-3] * x.shape[-2], x.shape[-1])


def _halves(x: Floats) -> tuple[Floats, Floats]:
    """Return the symmetric and the antisymmetric part of square arrays (..., k, k, channels)."""
    k = np.arange(x.shape[-2])
    row, column = np.triu_indices(len(k), 1)
    upper, lower = x[..., row, column, :], x[..., column, row, :]
    symmetric = np.concatenate([x[..., k, k, :], HALF * (upper + lower)], axis=-2)
    return symmetric, HALF * (upper - lower)


def _square(symmetric: Floats, anti: Floats, size: int) -> Floats:
    """Undo `_halves`, whose transpose it is."""
    k, (row, column) = np.arange(size), np.triu_indices(size, 1)
    x = np.empty((*symmetric.shape[:-2], size, size, symmetric.shape[-1]))
    x[..., k, k, :] = symmetric[..., :size, :]
    x[..., row, column, :] = HALF * (symmetric[..., size:, :] + anti)
    x[..., column, row, :] = HALF * (symmetric[..., size:, :] - anti)
    return x
