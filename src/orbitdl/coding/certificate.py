"""Objective and duality gap of any code on any group, computed outside the coders.

For one data point y with residual ``r = y - sum_j Z_j a_j`` and any scale s with
``|s| * max_j polar(r a_j^H) <= alpha``, weak duality gives

    P* >= D(s) = s <y, r> - s^2/2 ||r||^2 = (||y||^2 - ||y - s r||^2) / 2,

so ``P - D(s)`` bounds the distance to the optimum. The best s is used. Where entries are missing,
y and r are zero there, and everything else stays. What the transform of the group cannot reach,
y_o, stays in every residual: it adds ``1/2 ||y_o||^2`` to both P and D, as if its scale were 1, and
nothing to their difference (`Samples.with_unseen`). Bounds of rounding errors are added to it, so
that no gap is smaller than they are. P is the objective of a code only if its atoms are transformed
by elements of the group: a code with any other atom has the gap infinity.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from orbitdl.arrays.blocks import Blocks, Floats, inner
from orbitdl.coding.atoms import Atoms
from orbitdl.coding.problem import Misfit, Problem
from orbitdl.dictionaries.statistics import stack_components
from orbitdl.groups.base import CLOSE, Action, Representation

ROUNDING = 2.0**-50
"""Of ``||y||^2``: by how much rounding may change the difference of P and D."""
CHUNK = 1024
"""Samples handled at a time, so that memory does not grow with their number."""


def stack(Z: Blocks) -> Blocks:
    """Return ``W_f = [Z_1 .. Z_q]`` of all samples below each other: (F, n d, q d)."""
    n, q, n_blocks, d, _ = Z.shape
    return Z.transpose(2, 0, 3, 1, 4).reshape(n_blocks, n * d, q * d)


def multiply(Z: Blocks, A: Blocks) -> Blocks:
    """Return ``sum_j Z_ij A_j``: (n, q, F, d, d) and (q, F, d, m) to (n, F, d, m)."""
    n, _, n_blocks, d, _ = Z.shape
    product = stack(Z) @ stack_components(A)
    return product.reshape(n_blocks, n, d, A.shape[3]).swapaxes(0, 1)


def certify(problem: Problem, atoms: Atoms, eps: float = CLOSE) -> tuple[Floats, Floats]:
    """Return the objective and its certified relative duality gap, per sample.

    The gap may be too large by eps, where polars have no closed form.
    """
    parts = [
        _certify_chunk(problem.take(slice(k, k + CHUNK)), atoms.take(slice(k, k + CHUNK)), eps)
        for k in range(0, len(problem.Y), CHUNK)
    ]
    objective, gap = (np.concatenate(column) for column in zip(*parts, strict=True))
    return objective, gap


def _certify_chunk(problem: Problem, atoms: Atoms, eps: float) -> tuple[Floats, Floats]:
    penalty = problem.alpha * atoms.invariants().sum(axis=1)
    fitted = atoms.superpose(problem.representation, problem.A)
    objective, gap = duality_gap(problem, fitted, penalty, eps)
    return objective, np.where(in_group(problem.representation, atoms), gap, np.inf)


def in_group(representation: Representation, atoms: Atoms) -> NDArray[np.bool_]:
    """Return for every sample whether its atoms hold elements of the group only, (n,)."""
    if representation.contains(atoms.element):
        return np.ones(len(atoms), dtype=bool)
    ranges = zip(atoms.offsets[:-1], atoms.offsets[1:], strict=True)
    return np.array([representation.contains(atoms.element[k:l]) for k, l in ranges], dtype=bool)


def duality_gap(
    problem: Problem, fitted: Blocks, penalty: Floats, eps: float = CLOSE
) -> tuple[Floats, Floats]:
    """Return the objective and the relative gap of codes that add up to `fitted`, (n,) each.

    `penalty` is ``alpha * sum_j ||Z_ij||_G``, or an upper bound of it.
    """
    misfit = problem.misfit(fitted)
    polar = problem.representation.largest_product(misfit.residual, problem.A, eps)
    return relative_gap(misfit, polar, problem.alpha, penalty)


def relative_gap(
    misfit: Misfit, polar: Floats, alpha: float, penalty: Floats
) -> tuple[Floats, Floats]:
    """Return the objective and the relative gap, given ``max_j polar(r a_j^H)``."""
    product, energy = misfit.product, misfit.energy
    with np.errstate(over="ignore"):  # a limit beyond all numbers is none
        limit = np.divide(alpha, polar, out=np.full_like(polar, np.inf), where=polar > 0)
    best = np.divide(product, energy, out=np.zeros_like(energy), where=energy > 0)
    scale = np.clip(best, -limit, limit)
    objective = 0.5 * energy + penalty
    excess = np.maximum(objective - scale * product + 0.5 * scale**2 * energy, 0.0)
    excess += ROUNDING * misfit.data
    gap = np.divide(excess, objective, out=np.zeros_like(excess), where=objective > 0)
    return objective, np.where(np.isnan(objective), np.inf, gap)


def objectives(problem: Problem, atoms: Atoms) -> Floats:
    """Return ``1/2 ||r||^2 + alpha sum |c|`` per sample, without a certificate."""
    data_residual = problem.data_residual(reconstruct(problem.representation, atoms, problem.A))
    energy = inner(data_residual, data_residual, data_residual.ndim - 1)
    value: Floats = 0.5 * energy + problem.alpha * atoms.invariants().sum(axis=1)
    return value


def reconstruct(representation: Action, atoms: Atoms, A: Blocks) -> Blocks:
    """Return ``sum_k c_k rho(g_k) A_k`` for every sample, shape (n, F, d, m)."""
    parts = [
        atoms.take(slice(k, k + CHUNK)).superpose(representation, A)
        for k in range(0, max(len(atoms), 1), CHUNK)
    ]
    return parts[0] if len(parts) == 1 else np.concatenate(parts)
