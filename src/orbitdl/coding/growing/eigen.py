"""Eigenvalues of small symmetric matrices, many of them, inside compiled loops."""

from __future__ import annotations

import numpy as np

from orbitdl.kernels import internal

SWEEPS = 20
"""Jacobi's method squares its error in every sweep, once it is small: half as many will do."""


@internal
def turn_columns(S, k, r, cosine, sine):  # type: ignore[no-untyped-def]
    """Turn columns k and r of S."""
    for a in range(len(S)):
        left, right = S[a, k], S[a, r]
        S[a, k], S[a, r] = cosine * left - sine * right, sine * left + cosine * right


@internal
def diagonalise(S, U):  # type: ignore[no-untyped-def]
    """Turn S into ``U^T S U``, diagonal, in place, by Jacobi's method; U is filled in."""
    size = len(S)
    for a in range(size):
        for b in range(size):
            U[a, b] = 1.0 if a == b else 0.0
    for _ in range(SWEEPS):
        largest = 0.0
        for k in range(size):
            for r in range(k + 1, size):
                off, scale = abs(S[k, r]), abs(S[k, k]) + abs(S[r, r])
                if off <= 1e-15 * scale or off < 1e-300:
                    continue
                largest = max(largest, off / scale)
                apart = 0.5 * (S[r, r] - S[k, k]) / S[k, r]
                far = abs(apart) + np.sqrt(1.0 + apart * apart)
                tangent = (1.0 if apart >= 0.0 else -1.0) / far
                cosine = 1.0 / np.sqrt(1.0 + tangent * tangent)
                turn_columns(S, k, r, cosine, tangent * cosine)
                turn_columns(S.T, k, r, cosine, tangent * cosine)
                turn_columns(U, k, r, cosine, tangent * cosine)
        if largest <= 1e-14:
            break
