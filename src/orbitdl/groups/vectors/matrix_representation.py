"""A group of matrices that acts on vectors, or on the columns of matrices, from the left."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from orbitdl.arrays.blocks import Blocks, Floats
from orbitdl.groups.base import Group, Representation
from orbitdl.groups.presentation import Presentation
from orbitdl.groups.transforms.reshape import Reshape
from orbitdl.groups.views import view_of_points


class FibreRepresentation(Representation):
    """One real block of size d with r columns, which the matrices of a `Fibre` multiply.

    Parameters
    ----------
    group : Group
        One that has a `fibre`.
    shape : tuple of int
        (d,) or (d, r).
    """

    def __init__(self, group: Group, shape: tuple[int, ...]) -> None:
        if len(shape) not in (1, 2) or 0 in shape:
            raise ValueError(
                f"{group.name} acts on data points of shape (d,) or (d, r), not {tuple(shape)}; "
                "reshape X so that the space that is moved is the first axis of a data point."
            )
        d = shape[0]
        self.fibre = group.fibre(d)
        super().__init__(group, Reshape(shape, (1, d, shape[1] if len(shape) == 2 else 1)))
        self.parameters, self.counted = self.fibre.parameters, self.fibre.counted
        self.dimension = len(self.fibre.generators)

    @cached_property
    def presentation(self) -> Presentation:
        view, fibre = view_of_points(*self.block_shape[1:]), self.fibre
        return Presentation(f"may be {fibre.moves}", fibre.in_words, view, fibre.sliders)

    def represent(self, element: Floats) -> Blocks:
        return self.fibre.matrix(element)[..., None, :, :]

    def compose(self, left: Floats, right: Floats) -> Floats:
        return self.fibre.compose(left, right)

    def inverse(self, element: Floats) -> Floats:
        return self.fibre.inverse(element)

    def sample(self, rng: np.random.Generator, n: int) -> Floats:
        return self.fibre.sample(rng, n)

    def examples(self, most: int) -> Floats:
        return self.fibre.examples(most)

    def contains(self, element: Floats) -> bool:
        return self.fibre.contains(element)

    def polar(self, correlation: Blocks) -> Floats:
        return self.fibre.polar(correlation[..., 0, :, :])

    def match(self, correlation: Blocks) -> tuple[Floats, Floats]:
        return self.fibre.match(correlation[..., 0, :, :])

    @property
    def has_tangents(self) -> bool:
        return True

    def tangents(self, B: Blocks) -> Blocks:
        result = np.zeros((*B.shape[:-3], self.dimension, *B.shape[-3:]), dtype=B.dtype)
        self.fibre.add_tangents(B, result)
        return result

    def move(self, element: Floats, by: Floats) -> Floats:
        return self.fibre.move(element, by)
