"""Linear algebra of a few dozen rows inside compiled loops: one Cholesky, one Jacobi rotation.

Calls to LAPACK take longer than the arithmetic of such matrices.
"""

from __future__ import annotations

import numpy as np

from orbitdl.kernels import internal, internal_finite, part

SWEEPS = 20
"""Jacobi's method squares its error in every sweep once it is small: half as many suffice."""
DIAGONAL = 1e-15
"""Off-diagonal entries this small relative to the diagonal are rounding."""
UNDERFLOW = 1e-300
"""Smaller numbers are zero: their squares vanish, and quotients of them mean nothing."""


@internal
def dot(a, b):  # type: ignore[no-untyped-def]
    """Return the inner product of two rows."""
    total = 0.0
    for k in range(a.shape[0]):
        total += a[k] * b[k]
    return total


@internal_finite
def max_abs(values):  # type: ignore[no-untyped-def]
    """Return the largest absolute value: of four lists, so that none waits for another."""
    one, two, three, four = 0.0, 0.0, 0.0, 0.0
    fours = values.shape[0] // 4 * 4
    for k in range(0, fours, 4):
        one, two = max(one, abs(values[k])), max(two, abs(values[k + 1]))
        three, four = max(three, abs(values[k + 2])), max(four, abs(values[k + 3]))
    for k in range(fours, values.shape[0]):
        one = max(one, abs(values[k]))
    return max(max(one, two), max(three, four))


@internal
def cholesky(H, L, first, count, ridge, least):  # type: ignore[no-untyped-def]
    """Factor ``H + ridge diag(H) = L L^T`` from row `first` on; return whether H is positive.

    L holds inverses on its diagonal, and may be H. Squared pivots up to ``least H_rr`` are rounding
    or negative: they are raised to it, and H is not positive.

    Blocks of 2 x 2 entries share what they read. So row ``first - 1`` is computed once more if its
    number is even (do not do that if L is H), and a last row without a partner is its own.
    """
    positive = True
    for r in range(first - first % 2, count, 2):
        alone = r + 1 == count
        one, two = L[r], L[r + 1 - alone]
        top, low = H[r], H[r + 1 - alone]
        for s in range(0, r, 2):
            left, right = L[s], L[s + 1]
            a, b, c, d = top[s], low[s], top[s + 1], low[s + 1]
            for k in range(s):
                a -= one[k] * left[k]
                b -= two[k] * left[k]
                c -= one[k] * right[k]
                d -= two[k] * right[k]
            a, b = a * left[s], b * left[s]
            c, d = (c - a * right[s]) * right[s + 1], (d - b * right[s]) * right[s + 1]
            one[s], two[s], one[s + 1], two[s + 1] = a, b, c, d
        a, b, c = (1.0 + ridge) * top[r], low[r], 0.0
        for k in range(r):
            a -= one[k] * one[k]
            b -= one[k] * two[k]
            c -= two[k] * two[k]
        floor = least * top[r]
        if not a > floor or a == np.inf:
            a, positive = max(floor, UNDERFLOW), False
        one[r] = 1.0 / np.sqrt(a)
        if alone:
            break
        b *= one[r]
        floor = least * low[r + 1]
        c += (1.0 + ridge) * low[r + 1] - b * b
        if not c > floor or c == np.inf:
            c, positive = max(floor, UNDERFLOW), False
        two[r], two[r + 1] = b, 1.0 / np.sqrt(c)
    return positive


@internal
def solve_factored(L, count, x):  # type: ignore[no-untyped-def]
    """Solve ``L L^T x = x`` in place, given L as `cholesky` leaves it."""
    for r in range(count):
        total = x[r]
        for k in range(r):
            total -= L[r, k] * x[k]
        x[r] = total * L[r, r]
    for r in range(count - 1, -1, -1):
        x[r] *= L[r, r]
        for k in range(r):
            x[k] -= L[r, k] * x[r]


@part
def jacobi_rotation(a, b, g):  # type: ignore[no-untyped-def]
    """Return cosine c and sine s with ``[c -s; s c] [a g; g b] [c s; -s c]`` diagonal.

    The tangent is the smaller root of ``g t^2 + (b - a) t - g = 0``.
    """
    apart = b - a
    size = 2.0 * g / (abs(apart) + np.sqrt(apart * apart + 4.0 * g * g) + UNDERFLOW)
    tangent = size if apart >= 0.0 else -size
    cosine = 1.0 / np.sqrt(1.0 + tangent * tangent)
    return cosine, cosine * tangent


@internal
def rotate_columns(S, k, r, cosine, sine):  # type: ignore[no-untyped-def]
    """Rotate columns k and r of S."""
    for a in range(len(S)):
        left, right = S[a, k], S[a, r]
        S[a, k], S[a, r] = cosine * left - sine * right, sine * left + cosine * right


@internal
def diagonalise(S, U):  # type: ignore[no-untyped-def]
    """Replace a symmetric S by ``U^T S U``, diagonal, by Jacobi's method; U is filled in."""
    size = len(S)
    for a in range(size):
        for b in range(size):
            U[a, b] = 1.0 if a == b else 0.0
    for _ in range(SWEEPS):
        largest = 0.0
        for k in range(size):
            for r in range(k + 1, size):
                off, scale = abs(S[k, r]), abs(S[k, k]) + abs(S[r, r])
                if off <= DIAGONAL * scale or off < UNDERFLOW:
                    continue
                largest = max(largest, off / scale)
                cosine, sine = jacobi_rotation(S[k, k], S[r, r], S[k, r])
                rotate_columns(S, k, r, cosine, sine)
                rotate_columns(S.T, k, r, cosine, sine)
                rotate_columns(U, k, r, cosine, sine)
        if largest <= 10.0 * DIAGONAL:
            break
