"""Nuclear norms and polar factors of many small matrices, by one-sided Jacobi rotations.

Rotations from the right make the columns of ``W = X V`` orthogonal, pair by pair. Their lengths
are then the singular values, with small ones as exact as large ones: the closed formula for 3 x 3
matrices is not, near rank one. Sixteen matrices are treated at a time, number by number, so that
one instruction serves several (SIMD); so loops are written out. Smaller matrices become
the upper left part of a 3 x 3 matrix, with ones below on the diagonal.
"""

from __future__ import annotations

import numpy as np

from orbitdl.arrays.blocks import Floats
from orbitdl.kernels import allocating, part
from orbitdl.kernels.linear_algebra import jacobi_rotation

LANES = 16
"""Matrices that are treated at once."""
LARGEST = 3
"""Size of matrices beyond which a general decomposition is used."""
SWEEPS = 30
"""Over all pairs of columns: five do as a rule, for errors are squared in each."""
ORTHOGONAL = 1e-30
"""Squared cosine between columns up to which they are orthogonal: rounding."""
NEARLY = 1e-9
"""The same before a sweep, which squares it, where only the sum of the lengths is needed: the
effect on the sum is of the size of what is left."""
ZERO_LENGTH = 1e-70
"""Length of a column, relative to the largest number, up to which it has no direction.

Products of two squared lengths are formed (the compiler may reorder divisions), so its fourth power
must be a number above zero: with 0 / 0 no column counts as oblique, and rotations end too early."""


def nuclear_norms(X: Floats) -> Floats:
    """Return the sums of the singular values of matrices (..., d, d)."""
    if X.shape[-1] > LARGEST:
        return np.asarray(np.linalg.svd(X, compute_uv=False).sum(axis=-1))
    flat = np.ascontiguousarray(X).reshape(-1, *X.shape[-2:])
    norm = np.empty(len(flat))
    fill_norms(flat, norm)
    return norm.reshape(X.shape[:-2])


def polar_factors(X: Floats) -> tuple[Floats, Floats]:
    """Return the nuclear norms of matrices (..., d, d), and ``U V'`` of ``X = U diag(s) V'``.

    Of all orthogonal matrices h, that one has the largest inner product ``<X, h>``.
    """
    if X.shape[-1] > LARGEST:
        u, s, vt = np.linalg.svd(X)
        return s.sum(axis=-1), u @ vt
    flat = np.ascontiguousarray(X).reshape(-1, *X.shape[-2:])
    norm, factor = np.empty(len(flat)), np.empty(flat.shape)
    fill_factors(flat, norm, factor)
    return norm.reshape(X.shape[:-2]), factor.reshape(X.shape)


@allocating
def fill_norms(X, norm):  # type: ignore[no-untyped-def]
    """Fill norm (n,) with the nuclear norms of X (n, d, d)."""
    W, off, scale = np.empty((9, LANES)), np.empty(LANES), np.empty(LANES)
    for start in range(0, X.shape[0], LANES):
        load_columns(X, start, W, scale)
        for _ in range(SWEEPS):
            for k in range(LANES):
                a, b, c = column(W, 0, k), column(W, 3, k), column(W, 6, k)
                a, b, _, off1 = orthogonalised(a, b)
                a, c, _, off2 = orthogonalised(a, c)
                b, c, _, off3 = orthogonalised(b, c)
                store_columns(W, k, a, b, c)
                off[k] = max(off1, max(off2, off3))
            if off.max() <= NEARLY:
                break
        add_lengths(W, scale, 3 - X.shape[1], norm[start : start + LANES])


@allocating
def fill_factors(X, norm, factor):  # type: ignore[no-untyped-def]
    """Fill norm (n,) with nuclear norms and factor (n, d, d) with polar factors of X."""
    W, V = np.empty((9, LANES)), np.empty((9, LANES))
    off, scale = np.empty(LANES), np.empty(LANES)
    for start in range(0, X.shape[0], LANES):
        load_columns(X, start, W, scale)
        make_all_orthogonal(W, V, off)
        add_lengths(W, scale, 3 - X.shape[1], norm[start : start + LANES])
        for k in range(min(LANES, X.shape[0] - start)):
            make_unit(W, k)
            multiply_back(W, V, k, factor[start + k])


@part
def make_all_orthogonal(W, V, off):  # type: ignore[no-untyped-def]
    """Rotate the columns of all matrices until they are orthogonal; fill V with the rotations."""
    for e in range(9):
        V[e] = 1.0 if e % 4 == 0 else 0.0
    for _ in range(SWEEPS):
        for k in range(LANES):
            a, b, c = column(W, 0, k), column(W, 3, k), column(W, 6, k)
            u, v, w = column(V, 0, k), column(V, 3, k), column(V, 6, k)
            a, b, t, off1 = orthogonalised(a, b)
            u, v = rotated(u, v, t)
            a, c, t, off2 = orthogonalised(a, c)
            u, w = rotated(u, w, t)
            b, c, t, off3 = orthogonalised(b, c)
            v, w = rotated(v, w, t)
            store_columns(W, k, a, b, c)
            store_columns(V, k, u, v, w)
            off[k] = max(off1, max(off2, off3))
        if off.max() <= ORTHOGONAL:
            break


@part
def load_columns(X, start, W, scale):  # type: ignore[no-untyped-def]
    """Load columns of matrices, divided by their largest entry, into W (9, 16)."""
    n, d, _ = X.shape
    for k in range(LANES):
        own, top = min(start + k, n - 1), 0.0
        for i in range(d):
            for j in range(d):
                top = max(top, abs(X[own, i, j]))
        scale[k] = top
        factor = 1.0 / top if top > 1e-300 else 0.0
        for i in range(3):
            for j in range(3):
                W[3 * j + i, k] = 1.0 if i == j else 0.0
                if i < d and j < d:
                    W[3 * j + i, k] = factor * X[own, i, j]


@part
def multiply_back(W, V, k, out):  # type: ignore[no-untyped-def]
    """Fill out (d, d) with ``W V'`` of matrix k."""
    for i in range(out.shape[0]):
        for j in range(out.shape[0]):
            value = W[i, k] * V[j, k] + W[3 + i, k] * V[3 + j, k]
            out[i, j] = value + W[6 + i, k] * V[6 + j, k]


@part
def column(W, p, k):  # type: ignore[no-untyped-def]
    """Return the column of matrix k that begins at p."""
    return W[p, k], W[p + 1, k], W[p + 2, k]


@part
def store_columns(W, k, a, b, c):  # type: ignore[no-untyped-def]
    """Store the columns of matrix k."""
    W[0, k], W[1, k], W[2, k] = a
    W[3, k], W[4, k], W[5, k] = b
    W[6, k], W[7, k], W[8, k] = c


@part
def column_product(x, y):  # type: ignore[no-untyped-def]
    """Return the inner product of two columns."""
    return x[0] * y[0] + x[1] * y[1] + x[2] * y[2]


@part
def orthogonalised(x, y):  # type: ignore[no-untyped-def]
    """Return columns rotated to be orthogonal, the rotation, and their squared cosine before."""
    a, b, g = (
        column_product(x, x) + ZERO_LENGTH**2,
        column_product(y, y) + ZERO_LENGTH**2,
        column_product(x, y),
    )
    rotation = jacobi_rotation(a, b, g)
    x, y = rotated(x, y, rotation)
    return x, y, rotation, g * g / a / b


@part
def rotated(x, y, rotation):  # type: ignore[no-untyped-def]
    """Return two columns, rotated by an angle given by cosine and sine."""
    c, s = rotation
    first = c * x[0] - s * y[0], c * x[1] - s * y[1], c * x[2] - s * y[2]
    return first, (s * x[0] + c * y[0], s * x[1] + c * y[1], s * x[2] + c * y[2])


@part
def length(W, k, p):  # type: ignore[no-untyped-def]
    """Return the length of the column of matrix k that begins at p."""
    return np.sqrt(W[p, k] ** 2 + W[p + 1, k] ** 2 + W[p + 2, k] ** 2)


@part
def add_lengths(W, scale, added, norm):  # type: ignore[no-untyped-def]
    """Fill norm with the sums of lengths, without the ones that were `added`."""
    for k in range(norm.shape[0]):
        total = length(W, k, 0) + length(W, k, 3) + length(W, k, 6)
        norm[k] = scale[k] * (total - added)


@part
def make_unit(W, k):  # type: ignore[no-untyped-def]
    """Divide the columns of one matrix by their lengths; put others where they have none."""
    for p in (0, 3, 6):
        size = length(W, k, p)
        for i in range(p, p + 3):
            W[i, k] = W[i, k] / size if size > ZERO_LENGTH else 0.0
    for p in (0, 3, 6):
        if length(W, k, p) == 0.0:
            complete_basis(W, k, p)


@part
def complete_basis(W, k, p):  # type: ignore[no-untyped-def]
    """Make a column of zeros a unit vector orthogonal to the others: what they lack of an axis.

    Of three axes the others, two at most, leave a third of the square of one.
    """
    best, axis = -1.0, 0
    for i in range(3):
        left = 1.0 - W[i, k] ** 2 - W[3 + i, k] ** 2 - W[6 + i, k] ** 2
        if left > best:
            best, axis = left, i
    W[p + axis, k] = 1.0
    for _ in range(2):  # once more takes away what rounding left
        for q in (0, 3, 6):
            product = W[p, k] * W[q, k] + W[p + 1, k] * W[q + 1, k] + W[p + 2, k] * W[q + 2, k]
            for i in range(3):
                W[p + i, k] -= product * W[q + i, k] if q != p else 0.0
    size = length(W, k, p)
    for i in range(p, p + 3):
        W[i, k] /= size
