"""Nuclear norms and polar factors of many small matrices, by one-sided Jacobi rotations.

Rotations from the right make the columns of ``W = X V`` orthogonal, pair by pair. Their lengths
are then the singular values, with small ones as exact as large ones: the closed formula for 3 x 3
matrices is not, near rank one. Matrices are treated eight at a time, number by number, so that
one instruction serves all of them; arrays are (d, d, 8) with columns of matrices first.
"""

from __future__ import annotations

import numpy as np

from orbitdl.compiled import fast, part
from orbitdl.groups.blocks import Floats

TOGETHER = 8
"""Matrices that are treated at once: as many as fill the vector registers."""
LARGEST = 4
"""Size of matrices up to which this is faster than a general decomposition."""
SWEEPS = 30
"""Over all pairs of columns: five do as a rule, for errors are squared in each."""
ORTHOGONAL = 1e-30
"""Squared cosine between columns up to which they are orthogonal: rounding."""
NEARLY = 1e-9
"""The same before a sweep, which squares it, where only the sum of the lengths is asked for: the
effect on the sum is of the size of what is left."""
NOTHING = 1e-70
"""Length of a column, relative to the largest number, up to which it has no direction."""


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

    Of all orthogonal matrices h, it has the largest inner product ``<X, h>``.
    """
    if X.shape[-1] > LARGEST:
        u, s, vt = np.linalg.svd(X)
        return s.sum(axis=-1), u @ vt
    flat = np.ascontiguousarray(X).reshape(-1, *X.shape[-2:])
    norm, factor = np.empty(len(flat)), np.empty(flat.shape)
    fill_factors(flat, norm, factor)
    return norm.reshape(X.shape[:-2]), factor.reshape(X.shape)


@part
def take_up(X, start, W, scale):  # type: ignore[no-untyped-def]
    """Copy the columns of eight matrices, or of fewer and zeros, divided by their largest entry."""
    d = X.shape[1]
    for lane in range(TOGETHER):
        k, top = start + lane, 0.0
        if k < X.shape[0]:
            for i in range(d):
                for j in range(d):
                    top = max(top, abs(X[k, i, j]))
        scale[lane] = top
        factor = 1.0 / top if top > 1e-300 else 0.0
        for i in range(d):
            for j in range(d):
                W[j, i, lane] = factor * X[k, i, j] if k < X.shape[0] else 0.0


@part
def rotate(W, p, q, cosine, sine):  # type: ignore[no-untyped-def]
    """Turn columns p and q of eight matrices."""
    for i in range(W.shape[1]):
        for lane in range(TOGETHER):
            x, y = W[p, i, lane], W[q, i, lane]
            W[p, i, lane] = cosine[lane] * x - sine[lane] * y
            W[q, i, lane] = sine[lane] * x + cosine[lane] * y


@part
def find_rotation(W, p, q, work, cosine, sine):  # type: ignore[no-untyped-def]
    """Fill in the turns that make columns p and q orthogonal; return their largest squared cosine.

    With lengths a, b squared and product g, ``t = tan = 2 g / (b - a +- sqrt((b - a)^2 + 4 g^2))``,
    the smaller of two.
    """
    a, b, g, off = work[0], work[1], work[2], work[3]
    for lane in range(TOGETHER):
        a[lane], b[lane], g[lane] = 1e-300, 1e-300, 0.0
    for i in range(W.shape[1]):
        for lane in range(TOGETHER):
            x, y = W[p, i, lane], W[q, i, lane]
            a[lane] += x * x
            b[lane] += y * y
            g[lane] += x * y
    for lane in range(TOGETHER):
        apart = b[lane] - a[lane]
        long = abs(apart) + np.sqrt(apart * apart + 4.0 * g[lane] * g[lane]) + 1e-300
        t = 2.0 * g[lane] / long
        t = t if apart >= 0.0 else -t
        cosine[lane] = 1.0 / np.sqrt(1.0 + t * t)
        sine[lane] = cosine[lane] * t
        off[lane] = g[lane] * g[lane] / a[lane] / b[lane]
    largest = 0.0
    for lane in range(TOGETHER):
        largest = max(largest, off[lane])
    return largest


@part
def lengths(W, s, work):  # type: ignore[no-untyped-def]
    """Fill s (d, 8) with the lengths of columns."""
    for p in range(W.shape[0]):
        for lane in range(TOGETHER):
            work[0, lane] = 0.0
        for i in range(W.shape[1]):
            for lane in range(TOGETHER):
                work[0, lane] += W[p, i, lane] * W[p, i, lane]
        for lane in range(TOGETHER):
            s[p, lane] = np.sqrt(work[0, lane])


@fast
def fill_norms(X, norm):  # type: ignore[no-untyped-def]
    """Fill norm (n,) with the nuclear norms of X (n, d, d)."""
    n, d, _ = X.shape
    W, s, work = np.empty((d, d, TOGETHER)), np.empty((d, TOGETHER)), np.empty((4, TOGETHER))
    cosine, sine, scale = np.empty(TOGETHER), np.empty(TOGETHER), np.empty(TOGETHER)
    for start in range(0, n, TOGETHER):
        take_up(X, start, W, scale)
        for _ in range(SWEEPS):
            largest = 0.0
            for p in range(d):
                for q in range(p + 1, d):
                    largest = max(largest, find_rotation(W, p, q, work, cosine, sine))
                    rotate(W, p, q, cosine, sine)
            if largest <= NEARLY:
                break
        lengths(W, s, work)
        for lane in range(min(TOGETHER, n - start)):
            total = 0.0
            for p in range(d):
                total += s[p, lane]
            norm[start + lane] = scale[lane] * total


@fast
def fill_factors(X, norm, factor):  # type: ignore[no-untyped-def]
    """Fill norm (n,) with nuclear norms and factor (n, d, d) with polar factors of X."""
    n, d, _ = X.shape
    W, V, s = np.empty((d, d, TOGETHER)), np.empty((d, d, TOGETHER)), np.empty((d, TOGETHER))
    work, scale = np.empty((4, TOGETHER)), np.empty(TOGETHER)
    cosine, sine = np.empty(TOGETHER), np.empty(TOGETHER)
    for start in range(0, n, TOGETHER):
        take_up(X, start, W, scale)
        for p in range(d):
            for i in range(d):
                for lane in range(TOGETHER):
                    V[p, i, lane] = 1.0 if p == i else 0.0
        for _ in range(SWEEPS):
            largest = 0.0
            for p in range(d):
                for q in range(p + 1, d):
                    largest = max(largest, find_rotation(W, p, q, work, cosine, sine))
                    rotate(W, p, q, cosine, sine)
                    rotate(V, p, q, cosine, sine)
            if largest <= ORTHOGONAL:
                break
        lengths(W, s, work)
        for lane in range(min(TOGETHER, n - start)):
            total = 0.0
            for p in range(d):
                total += s[p, lane]
            norm[start + lane] = scale[lane] * total
            make_unit(W, s, lane)
            for i in range(d):
                for j in range(d):
                    value = 0.0
                    for p in range(d):
                        value += W[p, i, lane] * V[p, j, lane]
                    factor[start + lane, i, j] = value


@part
def make_unit(W, s, lane):  # type: ignore[no-untyped-def]
    """Divide the columns of one matrix by their lengths; put others where they have none."""
    d = W.shape[0]
    for p in range(d):
        size = s[p, lane]
        for i in range(d):
            W[p, i, lane] = W[p, i, lane] / size if size > NOTHING else 0.0
    for p in range(d):
        if s[p, lane] <= NOTHING:
            complete(W, p, lane)


@part
def complete(W, p, lane):  # type: ignore[no-untyped-def]
    """Make column p a unit vector orthogonal to the others: of the axes, what they lack of one.

    Of d axes the others, less than d, leave at least ``1 / sqrt(d)`` of one.
    """
    d = W.shape[0]
    best, axis = -1.0, 0
    for i in range(d):
        left = 1.0
        for q in range(d):
            left -= W[q, i, lane] * W[q, i, lane]
        if left > best:
            best, axis = left, i
    for i in range(d):
        W[p, i, lane] = 1.0 if i == axis else 0.0
    for _ in range(2):  # once more takes away what rounding left
        for q in range(d):
            product = 0.0
            for i in range(d):
                product += W[q, i, lane] * W[p, i, lane]
            for i in range(d):
                W[p, i, lane] -= product * W[q, i, lane] if q != p else 0.0
    size = 0.0
    for i in range(d):
        size += W[p, i, lane] ** 2
    for i in range(d):
        W[p, i, lane] /= np.sqrt(size)
