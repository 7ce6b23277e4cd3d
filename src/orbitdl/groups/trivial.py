"""The trivial group: regular dictionary learning."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from orbitdl.arrays.blocks import Blocks, Combination, Floats, Integers, in_columns
from orbitdl.groups.base import Group
from orbitdl.groups.finite_representation import FiniteRepresentation
from orbitdl.groups.presentation import MOST_LINES, Presentation, view_of_entries, view_of_image
from orbitdl.groups.transforms.reshape import Reshape


@dataclass(frozen=True)
class Trivial(Group):
    """The group {I}: regular dictionary learning, on data of any shape.

    Notes
    -----
    The orbit of a component is {a, -a}, a code is one number z per component and
    ``||z||_G = |z|``: the coding problem is the lasso (Section 4.1 of the paper).

    Examples
    --------
    >>> Trivial().on((5,)).block_shape
    (1, 1, 5)
    """

    def on(self, shape: tuple[int, ...]) -> TrivialRepresentation:
        return TrivialRepresentation(self, shape)


class TrivialRepresentation(FiniteRepresentation):
    """One real block of size one, with one column per entry of the data."""

    size = 1
    cycles = (1,)

    def __init__(self, group: Trivial, shape: tuple[int, ...]) -> None:
        super().__init__(group, Reshape(shape, (1, 1, int(np.prod(shape)))))

    @property
    def elements(self) -> Floats:
        return np.zeros((1, 0))

    def represent(self, element: Floats) -> Blocks:
        return np.ones((*element.shape[:-1], 1, 1, 1))

    @cached_property
    def presentation(self) -> Presentation:
        wide = len(self.shape) == 2 and self.shape[1] > MOST_LINES
        view = view_of_image if wide else view_of_entries
        description = "are not transformed: only their coefficients vary"
        return Presentation(description, empty_label, view(self.shape), (), fixed=True)

    def compose(self, left: Floats, right: Floats) -> Floats:
        return left + right

    def inverse(self, element: Floats) -> Floats:
        return element

    def index(self, element: Floats) -> Integers:
        return np.zeros(element.shape[:-1], dtype=np.intp)

    def superpose(self, atoms: Combination, n: int, source: Integers, A: Blocks) -> Blocks:
        W = in_columns(atoms, source, (n, len(A)))
        return np.asarray(W @ A.reshape(len(A), -1)).reshape(n, *A.shape[1:])

    def correlations(self, C: Blocks) -> Floats:
        return C.reshape(*C.shape[:-3], 1)


def empty_label(element: Floats) -> str:
    """Return no label: there is only the identity."""
    return ""
