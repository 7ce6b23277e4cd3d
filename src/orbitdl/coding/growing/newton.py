"""Newton's method on coefficients and group elements, for the atoms of one sample at a time.

With atoms ``B_k = rho(g_k) A_k``, generators X_a and unknowns ``c_k`` and ``u_k = c_k xi_k``, where
xi_k moves the element by ``exp(sum_a xi_ka X_a)``,

    c exp(xi X) B = c B + sum_a u_a X_a B + 1/(2 c) sum_ab u_a u_b X_a X_b B + ...

so that with the certificate ``eta_k = <r, B_k>`` and its derivatives ``eta'_a = <r, X_a B>`` and
``eta''_ab = sym <r, X_a X_b B> = -sym <X_a r, X_b B>`` the objective has

    gradient   (alpha sign c - eta,  -eta'),
    Hessian    V V^T + blockdiag(0, -eta'' / c),      V = [B_k, X_a B_k].

A step of an atom along generators is as long as the change of its signal: with
``M = [<X_a B, X_b B>]`` and ``W^T M W = 1`` in the coordinates w of ``u = W w``, without generators
that leave it as it is.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from orbitdl.arrays.blocks import Floats, Integers
from orbitdl.kernels import ZERO, allocating, internal
from orbitdl.kernels.linear_algebra import cholesky, diagonalise, dot, solve_factored

IMMOBILE = 1e-6
"""Squared length, relative to the trace of M, up to which a generator leaves an atom as it is."""


LONGEST = 0.5
"""Longest move of an atom in one step, in units of its norm: the second-order model ends there."""
DAMPED = 1e-3
"""Added to the Hessian, relatively to its diagonal, where it is not positive."""
RIDGE = 1e-12
"""The same where it is: atoms may depend on each other."""


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


class TangentData(NamedTuple):
    """The atoms of n samples, K in all, and their tangents, in a group of dimension D.

    Attributes
    ----------
    offsets : ndarray of shape (n + 1,)
    rows : ndarray of shape (K, 1 + D, entries)
        What is observed of every atom and of its tangents.
    residual : ndarray of shape (n, entries)
    Xr : ndarray of shape (n, D, numbers)
        Tangents of the residuals in block coordinates.
    blocks : ndarray of shape (K, 1 + D, numbers)
        Every atom and its tangents in block coordinates.
    c : ndarray of shape (K,)
    """

    offsets: Integers
    rows: Floats
    residual: Floats
    Xr: Floats
    blocks: Floats
    c: Floats


class Step(NamedTuple):
    """Where Newton's method leads to.

    Attributes
    ----------
    c : ndarray of shape (K,)
        Changes of coefficients.
    u : ndarray of shape (K, D)
        Moves times coefficients.
    length : ndarray of shape (n,)
        The fraction of the step up to which no sign changes and no atom moves too far.
    leaving : ndarray of shape (n,)
        The atom whose coefficient is zero there, or -1.
    error : ndarray of shape (n,)
        How far from first-order conditions a sample was, before the step.
    newton : bool ndarray of shape (n,)
        Whether it is Newton's own step, after which errors are squared.
    far : ndarray of shape (K,)
        How far the full step moves every atom, in units of its norm.
    """

    c: Floats
    u: Floats
    length: Floats
    leaving: Integers
    error: Floats
    newton: NDArray[np.bool_]
    far: Floats


@internal
def solve_newton_system(G, curvatures, count, damping, e, H, x):  # type: ignore[no-untyped-def]
    """Solve ``(G + blockdiag(0, curvatures)) x = e``; return whether that matrix is positive."""
    dimension = curvatures.shape[1]
    own = 1 + dimension
    for r in range(count):
        x[r] = e[r]
        for s in range(r + 1):
            H[r, s] = G[r, s]
    for k in range(count // own):
        first = k * own + 1
        for a in range(dimension):
            for b in range(a + 1):
                H[first + a, first + b] += curvatures[k, a, b]
    for r in range(count):
        H[r, r] += damping * (G[r, r] + abs(H[r, r]))
    if not cholesky(H, H, ZERO, count, 0.0, 0.0):
        return False
    solve_factored(H, count, x)
    return True


@internal
def longest_move(c, x, norm, far):  # type: ignore[no-untyped-def]
    """Write how far the step x moves each atom into far, in units of norms; return the longest."""
    own, longest = len(x) // len(far), 0.0
    for k in range(len(c)):
        square = 0.0
        for a in range(1, own):
            square += x[k * own + a] ** 2
        far[k] = np.sqrt(square) / (abs(c[k]) * max(norm[k], 1e-300))
        longest = max(longest, far[k])
    return longest


@internal
def find_step(G, curvatures, slopes, c, norm, e, H, S, U, x, far):  # type: ignore[no-untyped-def]
    """Write Newton's step into x, or one with more curvature if it is too long; return which.

    With curvatures of at least ``2 |eta'| / |c|`` no atom is led further than half its length,
    however light it is.
    """
    n_atoms, dimension = len(c), curvatures.shape[1]
    count = n_atoms * (1 + dimension)
    if (
        solve_newton_system(G, curvatures, count, RIDGE, e, H, x)
        and longest_move(c, x, norm, far) <= LONGEST
    ):
        return True
    for k in range(n_atoms):
        raise_curvature(curvatures[k], 2.0 * slopes[k] / abs(c[k]), S, U)
    damping = RIDGE
    while not solve_newton_system(G, curvatures, count, damping, e, H, x) and damping < 1e12:
        damping = max(4.0 * damping, DAMPED)
    return False


@internal
def step_length(c, x, norm, far):  # type: ignore[no-untyped-def]
    """Return the length of the step x, and the atom whose coefficient is zero then, or -1."""
    longest, leaving = longest_move(c, x, norm, far), -1
    length = LONGEST / longest if longest > LONGEST else 1.0
    for k in range(len(c)):
        change = x[k * (len(x) // len(far))]
        if c[k] * (c[k] + length * change) <= 0.0:
            length, leaving = -c[k] / change, k
    return length, leaving


@allocating
def newton_steps(data, alpha, most, step):  # type: ignore[no-untyped-def]
    """Fill in the step of every sample; no sample has more than `most` atoms."""
    own = data.rows.shape[1]
    dimension = own - 1
    H, x = np.empty((most * own, most * own)), np.empty(most * own)
    V = np.empty((most * own, data.rows.shape[2]))
    curvatures, scales = np.empty((2, most, dimension, dimension))
    S, U = np.empty((2, dimension, dimension))
    norm, slopes, far = np.empty((3, most))
    for i in range(len(data.offsets) - 1):
        first, n_atoms = data.offsets[i], data.offsets[i + 1] - data.offsets[i]
        c, step.error[i] = data.c[first : first + n_atoms], 0.0
        for k in range(n_atoms):
            fill_metric(data.rows[first + k], scales[k], S, U)
            whiten(data.rows[first + k], scales[k], V, k * own)
            fill_curvature(
                data.Xr[i], data.blocks[first + k, 1:], scales[k], c[k], curvatures[k], S
            )
        rows = V[: n_atoms * own]
        G, e = np.dot(rows, rows.T), np.dot(rows, data.residual[i])
        for k in range(n_atoms):
            norm[k], slopes[k] = np.sqrt(G[k * own, k * own]), 0.0
            e[k * own] -= alpha * np.sign(c[k])
            for a in range(dimension):
                slopes[k] += e[k * own + 1 + a] ** 2
            slopes[k] = np.sqrt(slopes[k])
            step.error[i] = max(step.error[i], abs(e[k * own]), slopes[k])
        step.newton[i] = find_step(G, curvatures, slopes, c, norm, e, H, S, U, x, far)
        step.length[i], step.leaving[i] = step_length(c, x, norm, far)
        if step.leaving[i] >= 0:
            step.leaving[i] += first
        for k in range(n_atoms):
            step.c[first + k], step.far[first + k] = x[k * own], far[k]
            for a in range(dimension):
                step.u[first + k, a] = 0.0
                for b in range(dimension):
                    step.u[first + k, a] += scales[k, a, b] * x[k * own + 1 + b]
