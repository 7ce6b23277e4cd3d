"""Representation of a matrix group on vectors, or on the columns of matrices, from the left."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from orbitdl.arrays.blocks import Blocks, Floats
from orbitdl.groups.base import Group, Representation
from orbitdl.groups.presentation import Presentation, view_of_points
from orbitdl.groups.transforms.reshape import Reshape


class MatrixGroupRepresentation(Representation):
    """One real block of size d with r columns, multiplied by the matrices of a `MatrixGroup`.

    Parameters
    ----------
    group : Group
        A group that implements `Group.matrix_group`.
    shape : tuple of int
        (d,) or (d, r).
    """

    def __init__(self, group: Group, shape: tuple[int, ...]) -> None:
        if len(shape) not in (1, 2) or 0 in shape:
            raise ValueError(
                f"{group.name} acts on data points of shape (d,) or (d, r), not {tuple(shape)}; "
                "reshape X so that the group acts on the first axis of a data point."
            )
        d = shape[0]
        self.matrix_group = group.matrix_group(d)
        super().__init__(group, Reshape(shape, (1, d, shape[1] if len(shape) == 2 else 1)))
        self.parameters, self.is_integer = (
            self.matrix_group.parameters,
            self.matrix_group.is_integer,
        )
        self.dimension = len(self.matrix_group.generators)

    @cached_property
    def presentation(self) -> Presentation:
        view, matrix_group = view_of_points(*self.block_shape[1:]), self.matrix_group
        return Presentation(
            f"may be {matrix_group.description}", matrix_group.label, view, matrix_group.sliders
        )

    def represent(self, element: Floats) -> Blocks:
        return self.matrix_group.matrix(element)[..., None, :, :]

    def compose(self, left: Floats, right: Floats) -> Floats:
        return self.matrix_group.compose(left, right)

    def inverse(self, element: Floats) -> Floats:
        return self.matrix_group.inverse(element)

    def sample(self, rng: np.random.Generator, n: int) -> Floats:
        return self.matrix_group.sample(rng, n)

    def examples(self, most: int) -> Floats:
        return self.matrix_group.examples(most)

    def contains(self, element: Floats) -> bool:
        return self.matrix_group.contains(element)

    def polar(self, correlation: Blocks) -> Floats:
        return self.matrix_group.polar(correlation[..., 0, :, :])

    def match(self, correlation: Blocks) -> tuple[Floats, Floats]:
        return self.matrix_group.match(correlation[..., 0, :, :])

    def tangents(self, B: Blocks) -> Blocks:
        result = np.zeros((*B.shape[:-3], self.dimension, *B.shape[-3:]), dtype=B.dtype)
        self.matrix_group.add_tangents(B, result)
        return result

    def retract(self, element: Floats, by: Floats) -> Floats:
        return self.matrix_group.retract(element, by)
