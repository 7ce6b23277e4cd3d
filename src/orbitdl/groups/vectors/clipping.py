"""The spectral norm of many small matrices, and its proximal map: singular values are clipped.

Those of matrices up to 3 x 3 come from Jacobi rotations (`orbitdl.groups.vectors.jacobi`): with
``X V = W`` of orthogonal columns, whose lengths are the singular values s,

    U diag(f(s)) V' = W diag(f(s) / s) V',

in any order of them. A general decomposition takes ten times as long for such matrices.
"""

from __future__ import annotations

import numpy as np

from orbitdl.arrays.blocks import Floats
from orbitdl.groups.vectors.jacobi import (
    LANES,
    LARGEST,
    length,
    load_columns,
    make_all_orthogonal,
    multiply_back,
)
from orbitdl.kernels import allocating, part


def spectral_norms(X: Floats) -> Floats:
    """Return the largest singular values of matrices (..., d, d)."""
    if X.shape[-1] > LARGEST:
        return np.asarray(np.linalg.svd(X, compute_uv=False).max(axis=-1))
    return clip_small(X, 0.0)[1]


def clipped_matrices(X: Floats, amount: float) -> Floats:
    """Return ``argmin_Z 1/2 ||Z - X||^2 + amount ||Z||`` of the spectral norm, (..., d, d)."""
    if X.shape[-1] <= LARGEST:
        return clip_small(X, amount)[0]
    u, s, vt = np.linalg.svd(X, full_matrices=False)
    return np.asarray((u * clip_largest(s, amount)[..., None, :]) @ vt)


def clip_largest(s: Floats, amount: float) -> Floats:
    """Clip rows of s (descending, >= 0) at tau with ``sum (s_k - tau)_+ = amount``, else 0."""
    excess = np.cumsum(s, axis=-1) - amount
    tau = excess / np.arange(1, s.shape[-1] + 1)
    clipped: Floats = np.minimum(s, np.maximum(tau.max(axis=-1, keepdims=True), 0.0))
    return clipped


def clip_small(X: Floats, amount: float) -> tuple[Floats, Floats]:
    """Return matrices (..., d, d) of which singular values are clipped, and the largest before."""
    flat = np.ascontiguousarray(X).reshape(-1, *X.shape[-2:])
    out, largest = np.empty(flat.shape), np.empty(len(flat))
    fill_clipped(flat, amount, out, largest)
    return out.reshape(X.shape), largest.reshape(X.shape[:-2])


@allocating
def fill_clipped(X, amount, out, largest):  # type: ignore[no-untyped-def]
    """Fill out (n, d, d) with the clipped X, and largest (n,) with their spectral norms."""
    W, V = np.empty((9, LANES)), np.empty((9, LANES))
    off, scale = np.empty(LANES), np.empty(LANES)
    for start in range(0, X.shape[0], LANES):
        load_columns(X, start, W, scale)
        make_all_orthogonal(W, V, off)
        for k in range(min(LANES, X.shape[0] - start)):
            largest[start + k] = clip_columns(W, scale[k], k, X.shape[1], amount)
            multiply_back(W, V, k, out[start + k])


@part
def clip_columns(W, scale, k, d, amount):  # type: ignore[no-untyped-def]
    """Shorten the columns of matrix k, which has d, to at most tau; return how long one was.

    tau is the largest ``(sum of the longest p - amount) / p``.
    """
    a, b, c = length(W, k, 0), length(W, k, 3), length(W, k, 6)
    b, c = (b, c) if d > 1 else (0.0, 0.0)  # ones were put there
    c = c if d > 2 else 0.0
    top, low = max(a, max(b, c)), min(a, min(b, c))
    both = a + b + c - low
    tau = max(scale * top - amount, 0.5 * (scale * both - amount))
    tau = max(max(tau, (scale * (both + low) - amount) / 3.0), 0.0)
    for p in range(3):
        size = scale * length(W, k, 3 * p)
        factor = scale * (tau / size if size > tau else 1.0)
        for i in range(3):
            W[3 * p + i, k] *= factor
    return scale * top
