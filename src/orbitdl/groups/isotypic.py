"""Decomposition of representations of finite groups into irreducible ones, from their matrices.

In a suitable orthonormal basis of R^d the matrices g are block diagonal; the irreducible
representation ``rho_f`` (r_f x r_f, real) occurs with multiplicity M_f:

    g B_f = B_f (rho_f(g) (x) I),      B_f of shape (d, r_f, M_f),      sum_f r_f M_f = d.

For a random matrix X the average ``N = sum_g g X g^T / |G|`` commutes with all g, and is generic
among such matrices. The eigenspaces of ``N + N^T`` are therefore irreducible. Two of them, V and W,
are isomorphic if and only if ``W^T N V`` is not zero (Schur); its polar factor is then an
isomorphism.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from orbitdl.arrays.blocks import Floats, Integers

SAME = 1e-6
"""Relative tolerance of eigenvalues and matrix entries: well above rounding errors."""
MAX_SPLITS = 8
"""Blocks over which the columns of one irreducible may be split; the best is rarely above a few."""


class Irreducible(NamedTuple):
    """One irreducible representation: its copies (d, r, M), and its matrices (|G|, r, r)."""

    copies: Floats
    matrices: Floats


def irreducible_parts(matrices: Floats) -> list[Irreducible]:
    """Return the irreducible subrepresentations of orthogonal matrices (|G|, d, d)."""
    size, d = matrices.shape[:2]
    X = np.random.default_rng(0).standard_normal((d, d))
    N = sum(g @ X @ g.T for g in matrices) / size
    families: list[list[Floats]] = []
    for V in eigenspaces(N + N.T):
        for family in families:
            isomorphism = V.T @ N @ family[0]
            if len(set(isomorphism.shape)) == 1 and np.abs(isomorphism).max() > SAME:
                left, _, right = np.linalg.svd(isomorphism)
                family.append(V @ left @ right)
                break
        else:
            families.append([V])
    return [_irreducible(matrices, np.stack(family, axis=2)) for family in families]


def _irreducible(matrices: Floats, copies: Floats) -> Irreducible:
    first = copies[:, :, 0]
    return Irreducible(copies, first.T @ matrices @ first)


def eigenspaces(M: Floats) -> list[Floats]:
    """Return an orthonormal basis (d, r) of every eigenspace of a symmetric matrix."""
    values, vectors = np.linalg.eigh(M)
    ends = np.flatnonzero(np.diff(values) > SAME * np.abs(values).max()) + 1
    return [settle_basis(V) for V in np.split(vectors, ends, axis=1)]


def settle_basis(V: Floats) -> Floats:
    """Return an orthonormal basis of the span of V (d, r) that does not depend on rounding.

    Pivoted Gram-Schmidt on projections of the unit vectors; ties go to the first.
    """
    left, basis = V.copy(), np.empty_like(V)
    for k in range(V.shape[1]):
        length = np.linalg.norm(left, axis=1)
        first = np.argmax(length >= (1 - SAME) * length.max())
        direction = left[first] / length[first]
        basis[:, k] = V @ direction
        left = left - np.outer(left @ direction, direction)
    return basis


class BlockLayout(NamedTuple):
    """Irreducible representations in equal blocks (F, d, m) that act on data points (d_0, m_0).

    A small representation fills a block with several copies below each other. Remaining rows are
    zero in the data, and the matrices are the identity there.

    Attributes
    ----------
    positions : ndarray of shape (d_0 * m_0,)
        Flat indices of the coordinates in the blocks, in the order (irreducible, row, copy,
        column).
    block_shape : tuple of int
    matrices : ndarray of shape (|G|, F, d, d)
    metric : ndarray of shape (F,)
        In which the matrices are orthogonal, if every irreducible representation occurs.
    """

    positions: Integers
    block_shape: tuple[int, int, int]
    matrices: Floats
    metric: Floats


def arrange(matrices: list[Floats], copies: list[int], columns: int) -> BlockLayout:
    """Return the layout of irreducible matrices (|G|, r, r) with multiplicities `copies`."""
    d = max(part.shape[1] for part in matrices)
    repeats = [d // part.shape[1] for part in matrices]
    needed = [-(-count * columns // k) for count, k in zip(copies, repeats, strict=True)]
    m = _best_width(needed, d)
    positions, blocks, metric = [], [], []
    n_blocks = 0
    for part, count, repeat, width in zip(matrices, copies, repeats, needed, strict=True):
        r = part.shape[1]
        row, t = np.ogrid[:r, : count * columns]
        block, rest = np.divmod(t, repeat * m)
        column, copy = np.divmod(rest, repeat)
        positions.append((((n_blocks + block) * d + copy * r + row) * m + column).ravel())
        count = -(-width // m)
        blocks += [_repeated(part, repeat, d)] * count
        metric += [_weight(part) / (repeat * count)] * count
        n_blocks += count
    shape = n_blocks, d, m
    return BlockLayout(np.concatenate(positions), shape, np.stack(blocks, axis=1), np.array(metric))


def _repeated(matrices: Floats, repeat: int, d: int) -> Floats:
    """Return matrices (|G|, d, d): copies on the block diagonal, then the identity."""
    result = np.zeros((len(matrices), d, d))
    result[:, np.arange(d), np.arange(d)] = 1.0
    r = matrices.shape[1]
    for k in range(repeat):
        result[:, k * r : (k + 1) * r, k * r : (k + 1) * r] = matrices
    return result


def _weight(matrices: Floats) -> float:
    """Return the weight ``r / dim End`` in ``sum_f w_f tr rho_f(g) = |G| [g = 1]`` (Plancherel).

    The formula holds if every irreducible representation of the group occurs.
    """
    character = np.trace(matrices, axis1=1, axis2=2)
    return float(matrices.shape[1] / np.mean(character**2))


def _best_width(needed: list[int], d: int) -> int:
    """Return the number of columns m that minimises ``F d (m + d)``.

    That is the size of a data point and of an element, padding included.
    """

    def cost(m: int) -> int:
        return sum(-(-width // m) for width in needed) * (m + d)

    widths = {-(-width // k) for width in needed for k in range(1, MAX_SPLITS + 1)}
    return min(sorted(widths), key=cost)
