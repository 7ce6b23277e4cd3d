"""Matching pursuit by cycles: each atom in turn moves to where it fits the residual best."""

from __future__ import annotations

import numpy as np

from orbitdl.arrays.blocks import as_real_rows
from orbitdl.coding.dual_newton import per_sample
from orbitdl.coding.problem import Problem
from orbitdl.groups.base import Blocks, Floats, correlate, inner
from orbitdl.kernels import fast


def match_cycle(problem: Problem, c: Floats, g: Floats) -> tuple[Floats, Floats, Floats]:
    """Replace every atom, refit all coefficients; return c, g and the objectives (n,)."""
    representation, A, alpha = problem.representation, problem.A, problem.alpha
    transformed, norms = representation.act_on_blocks(g, A), inner(A, A)
    R = problem.residual(combine(c, transformed))
    for k in np.flatnonzero(norms):
        R += per_sample(c[:, k], R) * transformed[:, k]
        value, element = representation.match(correlate(R, A[k : k + 1]))
        g[:, k] = element[:, 0]
        c[:, k] = soft_threshold(value[:, 0], alpha) / norms[k]
        transformed[:, k] = representation.act_on_blocks(g[:, k], A[k])
        if problem.masked is None:
            R -= per_sample(c[:, k], R) * transformed[:, k]
        else:
            R = problem.residual(combine(c, transformed))
    c = refit_lasso(problem, transformed, c)
    data_residual = problem.data_residual(combine(c, transformed))
    energy = inner(data_residual, data_residual, data_residual.ndim - 1)
    return c, g, 0.5 * energy + alpha * np.abs(c).sum(axis=1)


def combine(c: Floats, transformed: Blocks) -> Blocks:
    """Return ``sum_k c_k b_k``: (n, K) and (n, K, F, d, m) to (n, F, d, m)."""
    result: Blocks = np.einsum("nk,nkfdm->nfdm", c, transformed)
    return result


def soft_threshold(x: Floats, threshold: float) -> Floats:
    """Return the soft threshold ``sign(x) max(|x| - threshold, 0)``."""
    return np.sign(x) * np.maximum(np.abs(x) - threshold, 0.0)


def refit_lasso(problem: Problem, transformed: Blocks, c: Floats, sweeps: int = 20) -> Floats:
    """Improve ``1/2 ||M (y - sum_k c_k b_k)||^2 + alpha ||c||_1`` by coordinate descent.

    The transformed components b have shape (n, K, F, d, m), c has shape (n, K).
    """
    b, gram = normal_equations(problem, transformed)
    c = np.ascontiguousarray(c)
    descend_all(b, gram, problem.alpha, sweeps, c)
    return c


@fast
def descend_all(b, gram, alpha, sweeps, c):  # type: ignore[no-untyped-def]
    """Minimise over one coefficient after the other, in place, until none changes any more."""
    for i in range(len(c)):
        for _ in range(sweeps):
            step, largest = 0.0, 0.0
            for k in range(c.shape[1]):
                own, rest = gram[i, k, k], b[i, k]
                for l in range(c.shape[1]):
                    rest -= gram[i, k, l] * c[i, l] if l != k else 0.0
                best = np.sign(rest) * max(abs(rest) - alpha, 0.0)
                best = best / max(own, 1e-300) if own > 0 else 0.0
                step, largest = max(step, abs(best - c[i, k])), max(largest, abs(best))
                c[i, k] = best
            if step <= 1e-12 * largest:
                break


def normal_equations(problem: Problem, transformed: Blocks) -> tuple[Floats, Floats]:
    """Return ``<y, b_k>``, (n, K), and ``<M b_k, M b_l>``, (n, K, K), of atoms (n, K, F, d, m)."""
    n, K = transformed.shape[:2]
    if problem.masked is None:
        flat, y = as_real_rows(transformed, 3), as_real_rows(problem.Y, 3)
    else:
        observed, y = problem.masked.observed, problem.masked.signal
        flat = problem.representation.synthesize(transformed) * observed[:, None]
    flat = flat.reshape(n, K, -1)
    return (flat @ y.reshape(n, -1, 1)).reshape(n, K), flat @ flat.swapaxes(1, 2)
