"""The sums over data and codes that a dictionary step needs, and how components are stacked."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from orbitdl.arrays.blocks import Blocks, Floats


@dataclass(frozen=True)
class Statistics:
    """All that a dictionary step needs to know of data and codes: sums over samples.

    With ``W_i = [Z_i1 .. Z_iq]`` the misfit of components A, but for a constant, is
    ``1/2 <A, H A> - <R, A>``.

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
        """Forget: let every sample count so much of what it did."""
        return Statistics(self.normal * weight, self.cross * weight, self.usage * weight)

    def explained_by(self, A: Blocks) -> Statistics:
        """Return the sums of the same codes over data that components A explain in full."""
        return Statistics(self.normal, self.normal @ stack_components(A), self.usage)

    def misfit(self, A: Blocks) -> float:
        """Return ``1/2 <A, H A> - <R, A>`` for components A (q, F, d, m)."""
        stacked = stack_components(A)
        return float(np.vdot(stacked, 0.5 * (self.normal @ stacked) - self.cross).real)

    @property
    def arrays(self) -> tuple[Blocks, Blocks, Floats]:
        """All that they are made of."""
        return self.normal, self.cross, self.usage

    def of_arrays(self, normal: Blocks, cross: Blocks, usage: Floats) -> Statistics:
        """Return other sums of this kind, made of such arrays."""
        return Statistics(normal, cross, usage)

    @property
    def nbytes(self) -> int:
        """Bytes of memory that they take."""
        return sum(array.nbytes for array in self.arrays)

    def in_own_unit(self) -> Statistics:
        """Measure codes in a unit, a power of two, in which H is about 1: components stay."""
        unit = np.ldexp(1.0, np.frexp(np.abs(self.normal).max(initial=0.0))[1])
        return Statistics(self.normal / unit, self.cross / unit, self.usage)

    @cached_property
    def steepest(self) -> float:
        """A bound of the eigenvalues of H."""
        return float(np.linalg.norm(self.normal, axis=(1, 2)).max())


def stack_components(A: Blocks) -> Blocks:
    """Return components (q, F, d, m) below each other: (F, q d, m)."""
    q, n_blocks, d, m = A.shape
    return A.transpose(1, 0, 2, 3).reshape(n_blocks, q * d, m)


def unstack(stacked: Blocks, shape: tuple[int, ...]) -> Blocks:
    """Return stacked components (F, q d, m) as (q, F, d, m)."""
    q, n_blocks, d, m = shape
    return stacked.reshape(n_blocks, q, d, m).transpose(1, 0, 2, 3)
