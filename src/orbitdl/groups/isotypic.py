"""Representations of finite groups in irreducible parts, found from the matrices alone.

In a suitable orthonormal basis of R^d the matrices g are block diagonal, with every irreducible
representation ``rho_f`` (r_f x r_f, real) as often as its multiplicity M_f:

    g B_f = B_f (rho_f(g) (x) I),      B_f of shape (d, r_f, M_f),      sum_f r_f M_f = d.

For a random matrix X the average ``N = sum_g g X g^T / |G|`` commutes with all g, and is generic
among such matrices. The eigenspaces of ``N + N^T`` are therefore irreducible, and two of them, V
and W, hold the same representation just if ``W^T N V`` is not zero (Schur); then its polar factor
translates one into the other.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from orbitdl.arrays.blocks import Floats, Integers

SAME = 1e-6
"""Numbers that agree to this fraction of the largest are the same but for rounding."""
MOST_CUTS = 8
"""Blocks that the columns of one part may be cut into; the best is rarely more than a few."""


class Irreducible(NamedTuple):
    """One irreducible representation: its copies (d, r, M), and its matrices (|G|, r, r)."""

    copies: Floats
    matrices: Floats


def split(matrices: Floats) -> list[Irreducible]:
    """Return the irreducible parts of a group of orthogonal matrices (|G|, d, d)."""
    size, d = matrices.shape[:2]
    X = np.random.default_rng(0).standard_normal((d, d))
    N = sum(g @ X @ g.T for g in matrices) / size
    families: list[list[Floats]] = []
    for V in eigenspaces(N + N.T):
        for family in families:
            translation = V.T @ N @ family[0]
            if len(set(translation.shape)) == 1 and np.abs(translation).max() > SAME:
                left, _, right = np.linalg.svd(translation)
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
    """Return the orthonormal basis of the span of V (d, r) that rounding does not decide.

    Projections of unit vectors, orthogonalised: next the longest one, the first if several are.
    """
    left, basis = V.copy(), np.empty_like(V)
    for k in range(V.shape[1]):
        length = np.linalg.norm(left, axis=1)
        first = np.argmax(length >= (1 - SAME) * length.max())
        direction = left[first] / length[first]
        basis[:, k] = V @ direction
        left = left - np.outer(left @ direction, direction)
    return basis


class Layout(NamedTuple):
    """Irreducible parts in equal blocks (F, d, m) that act on data points (d_0, m_0).

    A small representation fills a block with several copies below each other. Rows that are left
    over are zero in the data, and stay where they are: there the matrices are the identity.

    Attributes
    ----------
    place : ndarray of shape (d_0 * m_0,)
        Where the coordinates of all parts go in blocks: part by part, of each one row after the
        other, of each row copies, of each copy columns.
    block_shape : tuple of int
    matrices : ndarray of shape (|G|, F, d, d)
    metric : ndarray of shape (F,)
        In which the matrices are orthogonal, if every irreducible representation occurs.
    """

    place: Integers
    block_shape: tuple[int, int, int]
    matrices: Floats
    metric: Floats


def arrange(matrices: list[Floats], copies: list[int], columns: int) -> Layout:
    """Lay out irreducible parts, matrices (|G|, r, r) each, that occur so often.

    The data have so many columns.
    """
    d = max(part.shape[1] for part in matrices)
    repeats = [d // part.shape[1] for part in matrices]
    needed = [-(-count * columns // k) for count, k in zip(copies, repeats, strict=True)]
    m = _best_width(needed, d)
    place, blocks, metric = [], [], []
    n_blocks = 0
    for part, count, repeat, width in zip(matrices, copies, repeats, needed, strict=True):
        r = part.shape[1]
        row, t = np.ogrid[:r, : count * columns]
        block, rest = np.divmod(t, repeat * m)
        column, copy = np.divmod(rest, repeat)
        place.append((((n_blocks + block) * d + copy * r + row) * m + column).ravel())
        pieces = -(-width // m)
        blocks += [_repeated(part, repeat, d)] * pieces
        metric += [_weight(part) / (repeat * pieces)] * pieces
        n_blocks += pieces
    shape = n_blocks, d, m
    return Layout(np.concatenate(place), shape, np.stack(blocks, axis=1), np.array(metric))


def _repeated(matrices: Floats, repeat: int, d: int) -> Floats:
    """Return matrices (|G|, d, d) with so many copies on their diagonal, and ones after them."""
    result = np.zeros((len(matrices), d, d))
    result[:, np.arange(d), np.arange(d)] = 1.0
    r = matrices.shape[1]
    for k in range(repeat):
        result[:, k * r : (k + 1) * r, k * r : (k + 1) * r] = matrices
    return result


def _weight(matrices: Floats) -> float:
    """Return the weight ``r / dim End`` in ``sum_f w_f tr rho_f(g) = |G| [g = 1]`` (Plancherel).

    The formula holds where every irreducible representation of the group occurs.
    """
    character = np.trace(matrices, axis1=1, axis2=2)
    return float(matrices.shape[1] / np.mean(character**2))


def _best_width(needed: list[int], d: int) -> int:
    """Return how many columns a block shall have: F d (m + d) numbers are to be few.

    They are the numbers of a data point and of an element, with the zeros that fill blocks up.
    """

    def cost(m: int) -> int:
        return sum(-(-width // m) for width in needed) * (m + d)

    widths = {-(-width // k) for width in needed for k in range(1, MOST_CUTS + 1)}
    return min(sorted(widths), key=cost)
