"""Least squares over all components from sufficient statistics, with or without unit balls."""

from __future__ import annotations

import numpy as np

from orbitdl.arrays.blocks import Blocks, Floats, inner
from orbitdl.dictionaries.norm_constraint import (
    Dual,
    descend,
    maximise_dual,
    multipliers,
    project_to_ball,
)
from orbitdl.dictionaries.statistics import Statistics, stack_components, unstack
from orbitdl.kernels import fast


def least_squares(statistics: Statistics, A: Blocks) -> Blocks:
    """Return ``argmin_A sum_i ||Y_i - W_i A||^2`` of shape (q, F, d, m): the paper's step 2."""
    return unstack(solve_blocks(statistics, np.zeros(len(A)), A.shape)[0], A.shape)


def constrained_least_squares(statistics: Statistics, A: Blocks) -> Blocks:
    """Return the minimiser under ``||a_j|| <= 1``, starting from A.

    If codes do not determine components, the result lies within the balls and is no worse than A.

    With multipliers mu >= 0, ``(H_f + diag(mu) (x) I) A_f = R_f`` on every block, and mu maximises

        g(mu) = -1/2 sum_f tr R_f^H (H_f + diag(mu) (x) I)^-1 R_f - 1/2 sum_j mu_j.
    """
    statistics = statistics.in_own_unit()
    right = unstack(statistics.cross, A.shape)

    def apply(V: Blocks) -> Blocks:
        return unstack(statistics.normal @ stack_components(V), A.shape)

    def step(_: Blocks, V: Blocks, gradient: Blocks) -> Blocks:
        return project_to_ball(V + gradient / statistics.lipschitz)

    mu = multipliers(A, right - apply(A))
    new, is_exact = maximise_dual(lambda mu: _dual(statistics, mu, A.shape), mu, 1e-9)
    if is_exact:
        return new
    best = min(project_to_ball(A), project_to_ball(new), key=statistics.misfit)
    return descend(apply, right, step, best, np.asarray, accuracy=0.0, max_iter=300)


def _dual(statistics: Statistics, mu: Floats, shape: tuple[int, ...]) -> Dual:
    stacked, inverse = solve_blocks(statistics, mu, shape)
    value = -0.5 * float(inner(statistics.cross, stacked)) - 0.5 * float(mu.sum())
    A = unstack(stacked, shape)
    return Dual(value, A, 0.5 * (inner(A, A) - 1.0), curvature(stacked, inverse, shape))


def curvature(stacked: Blocks, inverse: Blocks, shape: tuple[int, ...]) -> Floats:
    """Return the negative Hessian of g: ``Re sum_f tr(a_j^H S_jk a_k)``, with S the inverse.

    It follows from ``d a / d mu_k = -S[:, k] a_k``.
    """
    q, n_blocks, d, _ = shape
    products = inverse * (stacked @ stacked.conj().swapaxes(1, 2)).swapaxes(1, 2)
    result: Floats = products.real.reshape(n_blocks, q, d, q, d).sum(axis=(0, 2, 4))
    return result


def solve_blocks(
    statistics: Statistics, mu: Floats, shape: tuple[int, ...]
) -> tuple[Blocks, Blocks]:
    """Return ``(H_f + diag(mu) (x) I)^-1 R_f`` and the inverse, with a tiny ridge.

    By the Cholesky factor L, ``L^-H (L^-1 R)``, whose error grows with the condition of L only.
    """
    H, d = statistics.normal, shape[2]
    ridge = max(1e-13, 1e-15 * H.shape[1]) * float(np.abs(H).max()) or 1.0
    system = H + np.diag(np.repeat(mu, d) + ridge)
    root = triangular_inverse(np.linalg.cholesky(system))
    adjoint = root.conj().swapaxes(1, 2)
    return adjoint @ (root @ statistics.cross), adjoint @ root


def triangular_inverse(L: Blocks, small: int = 32) -> Blocks:
    """Invert lower triangular matrices (F, n, n) recursively, mostly by matrix products.

    ``[[P, 0], [Q, S]]^-1 = [[P^-1, 0], [-S^-1 Q P^-1, S^-1]]``.
    """
    n = L.shape[1]
    if n <= small:
        return np.linalg.inv(L)
    half = n // 2
    inverse = np.zeros_like(L)
    inverse[:, :half, :half] = first = triangular_inverse(L[:, :half, :half], small)
    inverse[:, half:, half:] = second = triangular_inverse(L[:, half:, half:], small)
    inverse[:, half:, :half] = -second @ L[:, half:, :half] @ first
    return inverse


TOGETHER = 32
"""Components whose gradients are computed in one product; updates within cost O(TOGETHER^2)."""


def coordinate_step(statistics: Statistics, A: Blocks) -> Blocks:
    """Minimise ``1/2 <A, H A> - <R, A>`` over one component after the other, ``||a_j|| <= 1``.

    With L_j a bound of the eigenvalues of H_jj,

        a_j <- u / max(||u||, 1),      u = a_j + (R_j - H_j A) / L_j.

    For one real block this is the exact minimum over a_j: Algorithm 2 of Mairal, Bach, Ponce and
    Sapiro (2009).
    """
    q, n_blocks, d, _ = A.shape
    statistics = statistics.in_own_unit()
    H, R, new = statistics.normal, statistics.cross, np.array(stack_components(A))
    own = H.reshape(n_blocks, q, d, q, d)[:, np.arange(q), :, np.arange(q)]
    lipschitz = np.sqrt(np.sum(np.abs(own) ** 2, axis=(2, 3))).max(axis=1)
    for first in range(0, q, TOGETHER):
        rows = slice(first * d, (first + TOGETHER) * d)
        gradient = R[:, rows] - H[:, rows] @ new
        within, updated = np.array(H[:, rows, rows]), np.array(new[:, rows])
        update_components(gradient, within, lipschitz[first : first + TOGETHER], updated)
        new[:, rows] = updated
    return unstack(new, A.shape)


@fast
def update_components(gradient, H, lipschitz, A):  # type: ignore[no-untyped-def]
    """Update components A (F, k d, m) one by one, in place; those with constant zero stay.

    The negative gradient ``R - H A`` (F, k d, m) of the remaining ones is updated after each.
    """
    n_blocks, rows, m = A.shape
    d = rows // len(lipschitz)
    for j in range(len(lipschitz)):
        if lipschitz[j] == 0.0:
            continue
        energy = 0.0
        for f in range(n_blocks):
            for r in range(j * d, (j + 1) * d):
                for c in range(m):
                    gradient[f, r, c] = A[f, r, c] + gradient[f, r, c] / lipschitz[j]
                    energy += gradient[f, r, c].real ** 2 + gradient[f, r, c].imag ** 2
        length = max(np.sqrt(energy), 1.0)
        for f in range(n_blocks):
            for r in range(j * d, (j + 1) * d):
                for c in range(m):
                    change = gradient[f, r, c] / length - A[f, r, c]
                    A[f, r, c] += change
                    gradient[f, r, c] = change
                for s in range((j + 1) * d, rows):
                    for c in range(m):
                        gradient[f, s, c] -= H[f, s, r] * gradient[f, r, c]
