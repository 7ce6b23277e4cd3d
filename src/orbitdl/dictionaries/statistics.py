"""Sufficient statistics of the dictionary step."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from orbitdl.arrays.blocks import Blocks, Floats


@dataclass(frozen=True)
class Statistics:
    """Sufficient statistics of the dictionary step: sums over samples.

    With ``W_i = [Z_i1 .. Z_iq]`` the loss of components A is ``1/2 <A, H A> - <R, A>`` up to a
    constant.

    Attributes
    ----------
    normal : ndarray of shape (F, q d, q d)
        ``H_f = sum_i W_i^H W_i``.
    cross : ndarray of shape (F, q d, m)
        ``R_f = sum_i W_i^H Y_i``.
    usage : ndarray of shape (q,)
        ``sum_i sum |c|`` for each component.
    """

    normal: Blocks
    cross: Blocks
    usage: Floats

    def __add__(self, other: Statistics) -> Statistics:
        return Statistics(
            self.normal + other.normal, self.cross + other.cross, self.usage + other.usage
        )

    def __mul__(self, weight: float) -> Statistics:
        """Scale by a weight: the forgetting factor of online learning."""
        return Statistics(self.normal * weight, self.cross * weight, self.usage * weight)

    def explained_by(self, A: Blocks) -> Statistics:
        """Return the statistics of the same codes for data reconstructed by components A."""
        return Statistics(self.normal, self.normal @ stack_components(A), self.usage)

    def misfit(self, A: Blocks) -> float:
        """Return ``1/2 <A, H A> - <R, A>`` for components A (q, F, d, m)."""
        stacked = stack_components(A)
        return float(np.vdot(stacked, 0.5 * (self.normal @ stacked) - self.cross).real)

    @property
    def arrays(self) -> tuple[Blocks, Blocks, Floats]:
        """Arrays of the statistics."""
        return self.normal, self.cross, self.usage

    def of_arrays(self, normal: Blocks, cross: Blocks, usage: Floats) -> Statistics:
        """Return statistics of this kind with other arrays."""
        return Statistics(normal, cross, usage)

    @property
    def nbytes(self) -> int:
        """Size in bytes."""
        return sum(array.nbytes for array in self.arrays)

    def in_own_unit(self) -> Statistics:
        """Scale codes by a power of two such that H is about 1; the minimiser does not change."""
        unit = np.ldexp(1.0, np.frexp(np.abs(self.normal).max(initial=0.0))[1])
        return Statistics(self.normal / unit, self.cross / unit, self.usage)

    @cached_property
    def lipschitz(self) -> float:
        """An upper bound of the eigenvalues of H."""
        return float(np.linalg.norm(self.normal, axis=(1, 2)).max())


def stack_components(A: Blocks) -> Blocks:
    """Return components (q, F, d, m) stacked by rows, (F, q d, m)."""
    q, n_blocks, d, m = A.shape
    return A.transpose(1, 0, 2, 3).reshape(n_blocks, q * d, m)


def unstack(stacked: Blocks, shape: tuple[int, ...]) -> Blocks:
    """Return stacked components (F, q d, m) as (q, F, d, m)."""
    q, n_blocks, d, m = shape
    return stacked.reshape(n_blocks, q, d, m).transpose(1, 0, 2, 3)
