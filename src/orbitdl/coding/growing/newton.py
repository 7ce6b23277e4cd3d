"""Newton's method on coefficients and group elements, for the atoms of one sample at a time.

With atoms ``B_k = rho(g_k) A_k``, generators X_a and unknowns ``c_k`` and ``u_k = c_k xi_k``, where
xi_k moves the element by ``exp(sum_a xi_ka X_a)``,

    c exp(xi X) B = c B + sum_a u_a X_a B + 1/(2 c) sum_ab u_a u_b X_a X_b B + ...

so that with the certificate ``eta_k = <r, B_k>`` and its derivatives ``eta'_a = <r, X_a B>`` and
``eta''_ab = sym <r, X_a X_b B> = -sym <X_a r, X_b B>`` the objective has

    gradient   (alpha sign c - eta,  -eta'),
    Hessian    V V^T + blockdiag(0, -eta'' / c),      V = [B_k, X_a B_k].

Moves of an atom are measured by how far they take its signal: with ``T = [X_a B]`` and
``T T^T = L L^T``, in the coordinates ``w = L^T u``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from orbitdl.compiled import fast, internal
from orbitdl.groups.base import Floats, Integers

STILL = 1e-9
"""Added to the Gram matrix of tangents, relatively to its trace: moves that do not move."""
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
def whiten(G, count, e, dimension, factors):  # type: ignore[no-untyped-def]
    """Measure the moves of all atoms by how far they take them: in G and in the slopes e."""
    own = 1 + dimension
    for k in range(count // own):
        first, L = k * own + 1, factors[k]
        trace = 0.0
        for a in range(dimension):
            trace += G[first + a, first + a]
        for a in range(dimension):
            for b in range(dimension):
                L[a, b] = G[first + a, first + b]
            L[a, a] += STILL * trace + 1e-300
        cholesky(L, dimension)
        forward(L, first, dimension, e)
        for r in range(count):
            forward(L, first, dimension, G[r])
        for r in range(count):
            for a in range(dimension):  # columns likewise
                total = G[first + a, r]
                for b in range(a):
                    total -= L[a, b] * G[first + b, r]
                G[first + a, r] = total / L[a, a]


@internal
def curvature(bent, tangents, L, c, slope, out):  # type: ignore[no-untyped-def]
    """Put ``-eta'' / c`` of one atom, in its measure of moves, into out; raised to be safe.

    Its eigenvalues w become ``max(w, min(w, 0) + 2 |eta'| / |c|)``: no atom is then led further
    than it is long, however light it is.
    """
    dimension = len(bent)
    for a in range(dimension):
        for b in range(a + 1):
            total = 0.0
            for i in range(bent.shape[1]):
                total += bent[a, i] * tangents[b, i] + bent[b, i] * tangents[a, i]
            out[a, b] = 0.5 * total / c
            out[b, a] = out[a, b]
    for a in range(dimension):
        forward(L, 0, dimension, out[a])
    for a in range(dimension):
        for r in range(dimension):
            total = out[a, r]
            for b in range(a):
                total -= L[a, b] * out[b, r]
            out[a, r] = total / L[a, a]
    least = 2.0 * slope / abs(c)
    if dimension == 1:
        out[0, 0] = max(out[0, 0], min(out[0, 0], 0.0) + least)
        return
    w, U = np.linalg.eigh(0.5 * (out[:dimension, :dimension] + out[:dimension, :dimension].T))
    for a in range(dimension):
        w[a] = max(w[a], min(w[a], 0.0) + least)
    for a in range(dimension):
        for b in range(dimension):
            total = 0.0
            for k in range(dimension):
                total += U[a, k] * w[k] * U[b, k]
            out[a, b] = total


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
    curved, factors = np.zeros((2, most, max(dimension, 1), max(dimension, 1)))
    norm = np.empty(most)
    for i in range(len(known.offsets) - 1):
        first, n_atoms = known.offsets[i], known.offsets[i + 1] - known.offsets[i]
        if n_atoms == 0:
            step.length[i], step.leaving[i], step.error[i] = 0.0, -1, 0.0
            continue
        count = n_atoms * own
        V = known.rows[first : first + n_atoms].reshape(count, known.rows.shape[2])
        G, e = np.dot(V, V.T), np.dot(V, known.residual[i])
        c = known.c[first : first + n_atoms]
        whiten(G, count, e, dimension, factors)
        error = 0.0
        for k in range(n_atoms):
            norm[k] = np.sqrt(G[k * own, k * own])
            e[k * own] -= alpha * np.sign(c[k])
            slope = 0.0
            for a in range(dimension):
                slope += e[k * own + 1 + a] ** 2
            slope = np.sqrt(slope)
            error = max(error, abs(e[k * own]), slope)
            if dimension > 0:
                tangents = known.blocks[first + k, 1:]
                curvature(known.bent[i], tangents, factors[k], c[k], slope, curved[k])
        step.error[i] = error
        solve(G, curved, count, dimension, e, H)
        step.length[i], step.leaving[i] = reach(c, e, norm, dimension)
        if step.leaving[i] >= 0:
            step.leaving[i] += first
        for k in range(n_atoms):
            backward(factors[k], k * own + 1, dimension, e)
            step.c[first + k] = e[k * own]
            for a in range(dimension):
                step.u[first + k, a] = e[k * own + 1 + a]
