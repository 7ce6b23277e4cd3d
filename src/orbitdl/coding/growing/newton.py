"""Newton's method on coefficients and group elements, for the atoms of one sample at a time.

With atoms ``B_k = rho(g_k) A_k``, generators X_a and unknowns ``c_k`` and ``u_k = c_k xi_k``, where
xi_k moves the element by ``exp(sum_a xi_ka X_a)``,

    c exp(xi X) B = c B + sum_a u_a X_a B + 1/(2 c) sum_ab u_a u_b X_a X_b B + ...

so that with the certificate ``eta_k = <r, B_k>`` and its derivatives ``eta'_a = <r, X_a B>`` and
``eta''_ab = sym <r, X_a X_b B> = -sym <X_a r, X_b B>`` the objective has

    gradient   (alpha sign c - eta,  -eta'),
    Hessian    V V^T + blockdiag(0, -eta'' / c),      V = [B_k, X_a B_k].

Moves of an atom are measured by how far they take its signal: with ``M = [<X_a B, X_b B>]`` and
``W^T M W = 1`` in the coordinates w of ``u = W w``, without those that do not move it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from orbitdl.coding.growing.eigen import diagonalise
from orbitdl.compiled import fast, internal
from orbitdl.groups.base import Floats, Integers

STILL = 1e-6
"""Moves that take an atom less far than the root of this, relatively to others, do not move it."""
LONGEST = 0.5
"""Longest move of an atom in one step, in units of its norm: beyond, derivatives say nothing."""
DAMPED = 1e-3
"""Added to the Hessian, relatively to its diagonal, where it is not positive."""
RIDGE = 1e-12
"""The same where it is: atoms may depend on each other."""


class Moving(NamedTuple):
    """What is known of the atoms of n samples, K in all, in a group of dimension D.

    Attributes
    ----------
    offsets : ndarray of shape (n + 1,)
    rows : ndarray of shape (K, 1 + D, entries)
        What is seen of every atom and of its tangents.
    residual : ndarray of shape (n, entries)
    bent : ndarray of shape (n, D, numbers)
        Tangents of the residuals in block coordinates.
    blocks : ndarray of shape (K, 1 + D, numbers)
        Every atom and its tangents in block coordinates.
    c : ndarray of shape (K,)
    """

    offsets: Integers
    rows: Floats
    residual: Floats
    bent: Floats
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
        The fraction of the step that can be gone: until a sign changes, or an atom moves too far.
    leaving : ndarray of shape (n,)
        The atom whose coefficient is zero there, or -1.
    error : ndarray of shape (n,)
        How far from first-order conditions a sample was, before the step.
    """

    c: Floats
    u: Floats
    length: Floats
    leaving: Integers
    error: Floats


@internal
def cholesky(H, count):  # type: ignore[no-untyped-def]
    """Factor H = L L^T in place, below the diagonal; tell whether it is positive."""
    for r in range(count):
        for s in range(r + 1):
            total = H[r, s]
            for k in range(s):
                total -= H[r, k] * H[s, k]
            if r > s:
                H[r, s] = total / H[s, s]
            elif total <= 0.0 or not np.isfinite(total):
                return False
            else:
                H[r, r] = np.sqrt(total)
    return True


@internal
def forward(L, first, count, x):  # type: ignore[no-untyped-def]
    """Solve ``L x = x`` in place for `count` rows; x from `first` on."""
    for r in range(count):
        total = x[first + r]
        for k in range(r):
            total -= L[r, k] * x[first + k]
        x[first + r] = total / L[r, r]


@internal
def backward(L, first, count, x):  # type: ignore[no-untyped-def]
    """Solve ``L^T x = x`` likewise."""
    for r in range(count - 1, -1, -1):
        total = x[first + r]
        for k in range(r + 1, count):
            total -= L[k, r] * x[first + k]
        x[first + r] = total / L[r, r]


@internal
def measure(G, first, scale, S, U):  # type: ignore[no-untyped-def]
    """Put W into scale, with ``W^T M W = 1`` for the Gram matrix M of an atom's tangents.

    Columns of W are zero for moves that do not move the atom.
    """
    dimension, trace = len(S), 0.0
    for a in range(dimension):
        trace += G[first + a, first + a]
        for b in range(dimension):
            S[a, b] = G[first + a, first + b]
    diagonalise(S, U)
    for b in range(dimension):
        size = S[b, b]
        for a in range(dimension):
            scale[a, b] = U[a, b] / np.sqrt(size) if size > STILL * trace else 0.0


@internal
def transform(scale, x, first, scratch):  # type: ignore[no-untyped-def]
    """Replace x from `first` on by ``W^T x``."""
    dimension = len(scale)
    for b in range(dimension):
        total = 0.0
        for a in range(dimension):
            total += scale[a, b] * x[first + a]
        scratch[b] = total
    for b in range(dimension):
        x[first + b] = scratch[b]


@internal
def whiten(G, count, e, scales, S, U):  # type: ignore[no-untyped-def]
    """Measure the moves of all atoms by how far they take them: in G and in the slopes e."""
    own = 1 + len(S)
    for k in range(count // own):
        first = k * own + 1
        measure(G, first, scales[k], S, U)
        transform(scales[k], e, first, S[0])
    for k in range(count // own):
        for r in range(count):
            transform(scales[k], G[r], k * own + 1, S[0])
    for k in range(count // own):
        for r in range(count):
            transform(scales[k], G[:, r], k * own + 1, S[0])


@internal
def curvature(bent, tangents, scale, c, slope, out, S, U):  # type: ignore[no-untyped-def]
    """Put ``-eta'' / c`` of one atom, in its measure of moves, into out; raised to be safe.

    Its eigenvalues w become ``max(w, min(w, 0) + 2 |eta'| / |c|)``: no atom is then led further
    than it is long, however light it is. Moves that do not move get 1, so that they are zero.
    """
    dimension = len(S)
    for a in range(dimension):
        for b in range(a + 1):
            total = 0.0
            for i in range(bent.shape[1]):
                total += bent[a, i] * tangents[b, i] + bent[b, i] * tangents[a, i]
            out[a, b] = 0.5 * total / c
            out[b, a] = out[a, b]
    for a in range(dimension):
        transform(scale, out[a], 0, U[0])
    for a in range(dimension):
        transform(scale, out[:, a], 0, U[0])
    for a in range(dimension):
        for b in range(dimension):
            S[a, b] = 0.5 * (out[a, b] + out[b, a])
    diagonalise(S, U)
    least = 2.0 * slope / abs(c)
    for a in range(dimension):
        S[a, a] = max(S[a, a], min(S[a, a], 0.0) + least)
    for a in range(dimension):
        for b in range(dimension):
            total = 0.0
            for k in range(dimension):
                total += U[a, k] * S[k, k] * U[b, k]
            out[a, b] = total
    for a in range(dimension):
        moves = 0.0
        for b in range(dimension):
            moves += abs(scale[b, a])
        if moves == 0.0:
            out[a, a] += 1.0


@internal
def solve(G, curved, count, dimension, e, H):  # type: ignore[no-untyped-def]
    """Solve ``(G + blockdiag(0, curved)) x = e`` in place, damped where that is not positive."""
    own = 1 + dimension
    for attempt in range(30):
        damping = RIDGE if attempt == 0 else DAMPED * 4.0 ** (attempt - 1)
        for r in range(count):
            for s in range(r + 1):
                H[r, s] = G[r, s]
        for k in range(count // own):
            first = k * own + 1
            for a in range(dimension):
                for b in range(a + 1):
                    H[first + a, first + b] += curved[k, a, b]
        for r in range(count):
            H[r, r] += damping * (G[r, r] + abs(H[r, r]))
        if cholesky(H, count):
            break
    forward(H, 0, count, e)
    backward(H, 0, count, e)


@internal
def reach(c, e, norm, dimension):  # type: ignore[no-untyped-def]
    """Return how much of the step e can be gone, and the atom that is zero then, or -1."""
    own, length, leaving = 1 + dimension, 1.0, -1
    for k in range(len(c)):
        far = 0.0
        for a in range(dimension):
            far += e[k * own + 1 + a] ** 2
        far = np.sqrt(far) / abs(c[k])
        if far * length > LONGEST * norm[k]:
            length, leaving = LONGEST * norm[k] / far, -1
        if c[k] * (c[k] + length * e[k * own]) <= 0.0:
            length, leaving = -c[k] / e[k * own], k
    return length, leaving


@fast
def newton_steps(known, alpha, most, step):  # type: ignore[no-untyped-def]
    """Fill in the step of every sample; no sample has more than `most` atoms."""
    dimension = known.rows.shape[1] - 1
    own = 1 + dimension
    H = np.empty((most * own, most * own))
    curved, scales = np.zeros((2, most, dimension, dimension))
    S, U, norm = np.empty((dimension, dimension)), np.empty((dimension, dimension)), np.empty(most)
    for i in range(len(known.offsets) - 1):
        first, n_atoms = known.offsets[i], known.offsets[i + 1] - known.offsets[i]
        if n_atoms == 0:
            step.length[i], step.leaving[i], step.error[i] = 0.0, -1, 0.0
            continue
        count = n_atoms * own
        V = known.rows[first : first + n_atoms].reshape(count, known.rows.shape[2])
        G, e = np.dot(V, V.T), np.dot(V, known.residual[i])
        c = known.c[first : first + n_atoms]
        whiten(G, count, e, scales, S, U)
        error = 0.0
        for k in range(n_atoms):
            norm[k] = np.sqrt(G[k * own, k * own])
            e[k * own] -= alpha * np.sign(c[k])
            slope = 0.0
            for a in range(dimension):
                slope += e[k * own + 1 + a] ** 2
            slope = np.sqrt(slope)
            error = max(error, abs(e[k * own]), slope)
            tangents = known.blocks[first + k, 1:]
            curvature(known.bent[i], tangents, scales[k], c[k], slope, curved[k], S, U)
        step.error[i] = error
        solve(G, curved, count, dimension, e, H)
        step.length[i], step.leaving[i] = reach(c, e, norm, dimension)
        if step.leaving[i] >= 0:
            step.leaving[i] += first
        for k in range(n_atoms):
            step.c[first + k] = e[k * own]
            for a in range(dimension):
                step.u[first + k, a] = np.dot(scales[k, a], e[k * own + 1 : (k + 1) * own])
