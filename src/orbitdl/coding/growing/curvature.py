"""The metric of steps of atoms along generators, and the curvature of the objective in it.

A step of an atom is as long as the change of its signal: with ``M = [<X_a B, X_b B>]`` and
``W^T M W = 1`` in the coordinates w of ``u = W w``, without generators that leave it as it is.
"""

from __future__ import annotations

import numpy as np

from orbitdl.kernels import internal
from orbitdl.kernels.linear_algebra import diagonalise, dot

IMMOBILE = 1e-6
"""Squared length, relative to the trace of M, up to which a generator leaves an atom as it is."""


@internal
def fill_metric(rows, scale, S, U):  # type: ignore[no-untyped-def]
    """Write W into scale, with ``W^T M W = 1`` for the Gram matrix M of an atom's tangents.

    Columns of W are zero for generators that leave the atom as it is.
    """
    dimension, trace = len(S), 0.0
    for a in range(dimension):
        for b in range(a + 1):
            S[a, b] = dot(rows[1 + a], rows[1 + b])
            S[b, a] = S[a, b]
        trace += S[a, a]
    diagonalise(S, U)
    for b in range(dimension):
        size = S[b, b]
        for a in range(dimension):
            scale[a, b] = U[a, b] / np.sqrt(size) if size > IMMOBILE * trace else 0.0


@internal
def whiten(rows, scale, V, first):  # type: ignore[no-untyped-def]
    """Write an atom and ``sum_a W_ab X_a B``, its tangents as measured, into V from `first` on."""
    for t in range(rows.shape[1]):
        V[first, t] = rows[0, t]
    for b in range(len(scale)):
        for t in range(rows.shape[1]):
            V[first + 1 + b, t] = 0.0
        for a in range(len(scale)):
            for t in range(rows.shape[1]):
                V[first + 1 + b, t] += scale[a, b] * rows[1 + a, t]


@internal
def apply_transpose(scale, x, first, workspace):  # type: ignore[no-untyped-def]
    """Replace x from `first` on by ``W^T x``."""
    dimension = len(scale)
    for b in range(dimension):
        total = 0.0
        for a in range(dimension):
            total += scale[a, b] * x[first + a]
        workspace[b] = total
    for b in range(dimension):
        x[first + b] = workspace[b]


@internal
def fill_curvature(Xr, tangents, scale, c, own, S):  # type: ignore[no-untyped-def]
    """Write ``-eta'' / c`` of one atom, in its metric, into own.

    Generators that leave it as it is get 1, so that their steps are zero.
    """
    dimension = len(own)
    for a in range(dimension):
        for b in range(a + 1):
            total = 0.0
            for i in range(Xr.shape[1]):
                total += Xr[a, i] * tangents[b, i] + Xr[b, i] * tangents[a, i]
            own[a, b] = 0.5 * total / c
            own[b, a] = own[a, b]
    for a in range(dimension):
        apply_transpose(scale, own[a], 0, S[0])
    for a in range(dimension):
        apply_transpose(scale, own[:, a], 0, S[0])
    for a in range(dimension):
        length = 0.0
        for b in range(dimension):
            length += abs(scale[b, a])
        if length == 0.0:
            own[a, a] = 1.0


@internal
def raise_curvature(own, least, S, U):  # type: ignore[no-untyped-def]
    """Raise the eigenvalues w of a curvature to ``max(w, min(w, 0) + least)``."""
    dimension = len(own)
    for a in range(dimension):
        for b in range(dimension):
            S[a, b] = 0.5 * (own[a, b] + own[b, a])
    diagonalise(S, U)
    for a in range(dimension):
        S[a, a] = max(S[a, a], min(S[a, a], 0.0) + least)
    for a in range(dimension):
        for b in range(dimension):
            total = 0.0
            for k in range(dimension):
                total += U[a, k] * S[k, k] * U[b, k]
            own[a, b] = total
