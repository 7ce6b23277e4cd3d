"""Sums over data and codes: all that the dictionary step needs to know, and they add up."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse

from orbitdl.coding.certificate import CHUNK, stack, stack_components
from orbitdl.coding.codes import Atoms
from orbitdl.groups.base import Blocks, Floats, Integers, Representation
from orbitdl.groups.enumerated import ListedRepresentation

FEW = 512
"""Moved components up to which products of their coefficients are a dense matrix."""


@dataclass(frozen=True)
class Statistics:
    """All the dictionary step needs to know of data and codes; sums over samples.

    Attributes
    ----------
    normal : ndarray of shape (F, q d, q d)
        ``H_f = sum_i W_i^H W_i`` with ``W_i = [Z_i1 .. Z_iq]``.
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

    def best(self, solve: Solve, A: Blocks) -> tuple[Blocks, Integers | None]:
        """Return the components that fit best, found from A by `solve`.

        Also by how much each has moved within its atoms, (q,), where that can be; None: not at all.
        """
        return solve(self, A), None

    def in_own_unit(self) -> Statistics:
        """Measure codes in a unit, a power of two, in which H is about 1: components stay."""
        unit = np.ldexp(1.0, np.frexp(np.abs(self.normal).max(initial=0.0))[1])
        return Statistics(self.normal / unit, self.cross / unit, self.usage)

    @cached_property
    def steepest(self) -> float:
        """A bound of the eigenvalues of H."""
        return float(np.linalg.norm(self.normal, axis=(1, 2)).max())

    @classmethod
    def of(cls, representation: Representation, Y: Blocks, atoms: Atoms) -> Statistics:
        """Sum over samples Y (n, F, d, m) and their atoms, a chunk at a time."""
        starts = range(0, len(Y), CHUNK)
        parts = (
            cls._of_chunk(representation, Y[k : k + CHUNK], atoms.take(slice(k, k + CHUNK)))
            for k in starts
        )
        total = next(parts)
        for part in parts:
            total = total + part
        return total

    @classmethod
    def _of_chunk(cls, representation: Representation, Y: Blocks, atoms: Atoms) -> Statistics:
        n_blocks, d, m = representation.block_shape
        usage = atoms.usage()
        if isinstance(representation, ListedRepresentation):
            if (representation.size, n_blocks, d) == (1, 1, 1):
                return cls(*plain_sums(Y, atoms), usage)
            if d > 1:
                return cls(*listed_sums(representation, Y, atoms), usage)
        W = stack(atoms.embed(representation))
        adjoint = W.conj().swapaxes(1, 2)
        rows = Y.swapaxes(0, 1).reshape(n_blocks, len(Y) * d, m)
        return cls(adjoint @ W, adjoint @ rows, usage)


Solve = Callable[[Statistics, Blocks], Blocks]
"""A dictionary step from sums over data, such as `least_squares`."""


def plain_sums(Y: Blocks, atoms: Atoms) -> tuple[Blocks, Blocks]:
    """Return ``S^T S`` and ``S^T Y`` for the coefficients S (n, q) of components that do not move.

    Few of them are not zero.
    """
    shape = len(Y), atoms.n_components
    S = sparse.csr_array((atoms.coefficient, atoms.component, atoms.offsets), shape=shape)
    return (S.T @ S.toarray())[None], (S.T @ Y.reshape(len(Y), -1))[None]


def listed_sums(
    representation: ListedRepresentation, Y: Blocks, atoms: Atoms
) -> tuple[Blocks, Blocks]:
    """Return ``sum_i W_i^H W_i`` and ``sum_i W_i^H Y_i`` without the matrices W_i.

    With ``S_i,gj`` the coefficient of component j moved by g in sample i,

        H_jl = sum_{g,h} (S^T S)_{gj,hl} rho(g^-1 h),      R_j = sum_g rho(g)^H (S^T Y)_gj.
    """
    q, size, (n_blocks, d, m) = atoms.n_components, representation.size, Y.shape[1:]
    number = representation.index(atoms.element) * q + atoms.component
    used, column = np.arange(q * size), number
    if len(used) > FEW:
        used, column = np.unique(number, return_inverse=True)
    g, j = np.divmod(used, q)
    S = sparse.csr_array((atoms.coefficient, column, atoms.offsets), shape=(len(Y), len(used)))
    left, right, products = products_of_columns(S)
    place = (j[left] * q + j[right]) * size + representation.divide(g[left], g[right])
    weight = np.bincount(place, products, q * q * size).reshape(q * q, size)
    rho = representation.represent(representation.elements)
    H = (weight @ rho.reshape(size, -1)).reshape(q, q, n_blocks, d, d)
    sums = (S.T @ Y.reshape(len(Y), -1)).reshape(len(used), n_blocks, d, m)
    back = (rho[g].conj().swapaxes(-1, -2) @ sums).reshape(len(used), -1)
    gather = sparse.csr_array((np.ones(len(used)), (j, np.arange(len(used)))), (q, len(used)))
    R = (gather @ back).reshape(q, n_blocks, d, m)
    return H.transpose(2, 0, 3, 1, 4).reshape(n_blocks, q * d, q * d), stack_components(R)


def products_of_columns(S: sparse.csr_array) -> tuple[Integers, Integers, Floats]:
    """Return rows, columns and entries of ``S^T S``: all, where columns are few."""
    if (n := S.shape[1]) <= FEW:
        left, right = np.divmod(np.arange(n * n), n)
        return left, right, (S.T @ S.toarray()).ravel()
    left, right = (gram := (S.T @ S).tocoo()).coords
    return left, right, gram.data


def unstack(stacked: Blocks, shape: tuple[int, ...]) -> Blocks:
    """Return stacked components (F, q d, m) as (q, F, d, m)."""
    q, n_blocks, d, m = shape
    return stacked.reshape(n_blocks, q, d, m).transpose(1, 0, 2, 3)
