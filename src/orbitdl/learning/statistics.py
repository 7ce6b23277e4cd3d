"""Sums over data points and their atoms: all that the dictionary step needs to know of them."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from orbitdl.arrays.blocks import Blocks, Floats, Integers
from orbitdl.coding.atoms import Atoms
from orbitdl.coding.certificate import CHUNK, stack
from orbitdl.dictionaries.statistics import Statistics, stack_components
from orbitdl.groups.base import Representation
from orbitdl.groups.finite_representation import FiniteRepresentation

FEW = 512
"""Transformed components up to which products of their coefficients are a dense matrix."""


def statistics_of(representation: Representation, Y: Blocks, atoms: Atoms) -> Statistics:
    """Sum over samples Y (n, F, d, m) and their atoms, a chunk at a time."""
    starts = range(0, len(Y), CHUNK)
    parts = (
        _of_chunk(representation, Y[k : k + CHUNK], atoms.take(slice(k, k + CHUNK))) for k in starts
    )
    total = next(parts)
    for part in parts:
        total = total + part
    return total


def _of_chunk(representation: Representation, Y: Blocks, atoms: Atoms) -> Statistics:
    n_blocks, d, m = representation.block_shape
    usage = atoms.usage()
    if isinstance(representation, FiniteRepresentation):
        if (representation.size, n_blocks, d) == (1, 1, 1):
            return Statistics(*plain_sums(Y, atoms), usage)
        if d > 1:
            return Statistics(*listed_sums(representation, Y, atoms), usage)
    W = stack(atoms.embed(representation))
    adjoint = W.conj().swapaxes(1, 2)
    rows = Y.swapaxes(0, 1).reshape(n_blocks, len(Y) * d, m)
    return Statistics(adjoint @ W, adjoint @ rows, usage)


def plain_sums(Y: Blocks, atoms: Atoms) -> tuple[Blocks, Blocks]:
    """Return ``S^T S`` and ``S^T Y`` for the coefficients S (n, q) of components that do not move.

    Few of them are not zero.
    """
    shape = len(Y), atoms.n_components
    S = sparse.csr_array((atoms.coefficient, atoms.component, atoms.offsets), shape=shape)
    return (S.T @ S.toarray())[None], (S.T @ Y.reshape(len(Y), -1))[None]


def listed_sums(
    representation: FiniteRepresentation, Y: Blocks, atoms: Atoms
) -> tuple[Blocks, Blocks]:
    """Return ``sum_i W_i^H W_i`` and ``sum_i W_i^H Y_i`` without the matrices W_i.

    With ``S_i,gj`` the coefficient of component j transformed by g in sample i,

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
