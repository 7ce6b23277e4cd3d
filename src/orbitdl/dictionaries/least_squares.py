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
