"""Representations of small finite groups with stored matrices."""

from __future__ import annotations

import numpy as np

from orbitdl.arrays.blocks import Blocks, Combination, Floats, Integers, in_columns
from orbitdl.groups.base import CLOSE, Group
from orbitdl.groups.finite_representation import FiniteRepresentation
from orbitdl.groups.transforms.base import Transform


class StoredMatricesRepresentation(FiniteRepresentation):
    """Representation of a small finite group on real blocks.

    Attributes
    ----------
    matrices : ndarray of shape (size, F, d, d)
        ``rho(g)`` of every element.
    """

    def __init__(
        self, group: Group, transform: Transform, matrices: Floats, metric: Floats
    ) -> None:
        super().__init__(group, transform, metric)
        self.matrices, self.size = matrices, len(matrices)

    def represent(self, element: Floats) -> Blocks:
        return self.matrices[self.index(element)]

    def superpose(self, atoms: Combination, n: int, source: Integers, A: Blocks) -> Blocks:
        orbits = self._orbits(A)
        column = self.index(atoms.element) * len(A) + source
        gather = in_columns(atoms, column, (n, len(orbits)))
        return np.asarray(gather @ orbits).reshape(n, *A.shape[1:])

    def products(self, Y: Blocks, A: Blocks) -> Floats:
        orbits = self._orbits(A)
        return np.asarray(Y.reshape(len(Y), orbits.shape[1]) @ orbits.T)

    def largest_product(self, Y: Blocks, A: Blocks, eps: float = CLOSE) -> Floats:
        return np.asarray(np.abs(self.products(Y, A)).max(axis=1))

    def correlations(self, C: Blocks) -> Floats:
        table = self.matrices.reshape(self.size, -1)
        values: Floats = C.reshape(*C.shape[:-3], table.shape[1]) @ table.T
        return values

    def _orbits(self, A: Blocks) -> Floats:
        """Return the orbits of components as rows over ``g * q + j``, (size * q, F * d * m)."""
        return (self.matrices[:, None] @ A).reshape(self.size * len(A), -1)
