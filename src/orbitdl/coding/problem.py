"""What a coder is asked to solve."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from orbitdl.codes import Atoms
from orbitdl.groups.base import Blocks, Combination, Representation, correlate


class Problem(NamedTuple):
    """``min_Z 1/2 ||y_i - sum_j Z_j a_j||^2 + alpha sum_j ||Z_j||_G`` for every sample i.

    Attributes
    ----------
    representation : Representation
    Y : ndarray of shape (n, F, d, m)
        Data in block coordinates.
    A : ndarray of shape (q, F, d, m)
        Components.
    alpha : float
    """

    representation: Representation
    Y: Blocks
    A: Blocks
    alpha: float

    def take(self, samples: slice | NDArray[Any]) -> Problem:
        """Return the problem of some samples."""
        return self._replace(Y=self.Y[samples])

    def in_units_of(self, unit: float) -> Problem:
        """Measure data, and so alpha and the coefficients, in another unit."""
        return self._replace(Y=self.Y / unit, alpha=self.alpha / unit)

    def residual(self, atoms: Atoms) -> Blocks:
        """Return ``y_i - sum_k c_k g_k a_k``, shape (n, F, d, m)."""
        return np.asarray(self.Y - atoms.superpose(self.representation, self.A))

    def with_best_match(self, atoms: Atoms) -> Atoms:
        """Add to every sample the atom that fits its residual best, with next to no weight."""
        value, element = self.representation.match(correlate(self.residual(atoms), self.A))
        n, q = value.shape
        component = np.abs(value).argmax(axis=1)
        place = np.arange(n), component
        row = np.concatenate([atoms.sample * q + atoms.component, np.arange(n) * q + component])
        c = np.concatenate([atoms.coefficient, 1e-9 * self.alpha * np.sign(value[place])])
        elements = np.concatenate([atoms.element, element[place]])
        return Atoms.of_pairs(Combination(row, c, elements), n, q)
