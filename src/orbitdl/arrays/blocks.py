"""Block coordinates: types and inner products.

Inner products are ``<A, B> = Re sum conj(A) B`` everywhere. Axes: samples first, then components,
then blocks (F, d, m).
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]
Blocks = NDArray[Any]
"""Block coordinates, float64 or complex128, of shape (..., F, d, m) or (..., F, d, d)."""


class Combination(NamedTuple):
    """Linear combinations ``Z[row] = sum c g`` of group elements: flat arrays over atoms."""

    row: Integers
    coefficient: Floats
    element: Floats

    def take(self, chosen: NDArray[Any]) -> Combination:
        """Return a subset of the atoms."""
        return Combination(self.row[chosen], self.coefficient[chosen], self.element[chosen])


class EventRows(NamedTuple):
    """Rows of an event table: the data point of each, and columns by name."""

    row: Integers
    columns: dict[str, NDArray[Any]]


def in_columns(atoms: Combination, column: Integers, shape: tuple[int, int]) -> sparse.csr_array:
    """Return the sparse matrix with the coefficient of each atom at its row and column.

    Sorted rows, as those of samples, need no sorting.
    """
    if np.all(atoms.row[1:] >= atoms.row[:-1]):
        ends = np.searchsorted(atoms.row, np.arange(shape[0] + 1))
        return sparse.csr_array((atoms.coefficient, column, ends), shape=shape)
    return sparse.csr_array((atoms.coefficient, (atoms.row, column)), shape=shape)


def inner(a: Blocks, b: Blocks, axes: int = 3) -> Floats:
    """Return ``Re sum conj(a) b`` over the last axes."""
    if np.iscomplexobj(a) != np.iscomplexobj(b):
        a, b = a.real, b.real
    result: Floats = np.vecdot(as_real_rows(a, axes), as_real_rows(b, axes))
    return result


def as_real_rows(a: Blocks, axes: int) -> Floats:
    """Flatten the last axes to real numbers; complex numbers become pairs."""
    front, back = a.shape[: a.ndim - axes], a.shape[a.ndim - axes :]
    rows = np.ascontiguousarray(a).reshape(*front, math.prod(back))
    return rows.view(np.float64) if np.iscomplexobj(rows) else rows


def pairs(a: NDArray[Any]) -> NDArray[Any]:
    """Return complex numbers as pairs of real ones, (..., 2), without a copy."""
    return np.ascontiguousarray(a)[..., None].view(a.real.dtype)


def correlate(Y: Blocks, A: Blocks) -> Blocks:
    """Return ``C_ij = Y_i A_j^H`` (n, q, F, d, d): ``<Y_i, rho(g) A_j> = <C_ij, rho(g)>``."""
    (n, n_blocks, d, m), q = Y.shape, len(A)
    adjoint = A.conj().swapaxes(-1, -2)
    if m == 1:
        return Y[:, None] * adjoint
    rows = Y.swapaxes(0, 1).reshape(n_blocks, n * d, m)
    columns = adjoint.transpose(1, 2, 0, 3).reshape(n_blocks, m, q * d)
    return (rows @ columns).reshape(n_blocks, n, d, q, d).transpose(1, 3, 0, 2, 4)


def as_real(Z: Blocks) -> Floats:
    """Return blocks (n, F, d, m) as real rows (n, -1), real parts first."""
    flat = Z.reshape(len(Z), -1)
    return np.concatenate([flat.real, flat.imag], axis=1) if np.iscomplexobj(flat) else flat
