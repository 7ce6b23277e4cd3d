"""One attempt at a coding problem: in good units, complete samples separately, certified."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orbitdl.arrays.blocks import as_real_rows
from orbitdl.arrays.validation import LARGEST, SMALLEST
from orbitdl.coding.certificate import certify, objectives
from orbitdl.coding.codes import Atoms, Status
from orbitdl.coding.problem import Problem
from orbitdl.groups.base import Blocks, Floats, inner

Solve = Callable[[Problem, Atoms | None], Atoms]
"""Returns atoms for every sample of a problem, starting from others where that helps."""

ROUNDING = 1e-13
"""Objectives that differ less, relatively, are the same."""


@dataclass(frozen=True, eq=False)
class Components:
    """Components in their own unit, and in one that is near the largest of their norms.

    Attributes
    ----------
    original : ndarray of shape (q, F, d, m)
    size : float
        That unit, a power of two: 1 for norms that are 1 but for rounding, and for zeros.
    scaled : ndarray of shape (q, F, d, m)
    """

    original: Blocks
    size: float
    scaled: Blocks

    @classmethod
    def of(cls, A: Blocks) -> Components:
        """Choose the unit."""
        largest = float(np.sqrt(inner(A, A).max()))
        size = float(np.ldexp(1.0, round(np.log2(largest)))) if largest > 0 else 1.0
        return cls(A, size, A / size)


def attempt(
    solve: Solve, components: Components, problem: Problem, warm: Atoms | None, eps: float
) -> tuple[Atoms, Floats, Floats]:
    """Solve once; return atoms that are not worse than `warm`, their objectives and gaps.

    The gaps may be too large by eps.
    """
    if warm is None:
        atoms = solve_scaled(solve, components, problem, None)
        return atoms, *certify(problem, atoms, eps)
    warm_objective = objectives(problem, warm)
    useful = warm.only(warm_objective <= 0.5 * problem.energy())
    atoms = solve_scaled(solve, components, problem, useful)
    objective, gap = certify(problem, atoms, eps)
    if (worse := ~(objective <= (1.0 + ROUNDING) * warm_objective)).any():
        atoms = atoms.replace(worse, warm.take(worse))
        objective[worse], gap[worse] = certify(problem.take(worse), warm.take(worse), eps)
    return atoms, objective, gap


def solve_scaled(
    solve: Solve, components: Components, problem: Problem, warm: Atoms | None
) -> Atoms:
    """Solve in units, powers of two, in which data and the norms of components are about 1.

    ``y/u = sum_k (c_k v/u) g_k a_k/v``: coefficients are measured in u/v, and alpha in u v.
    """
    unit = float(np.ldexp(1.0, np.frexp(np.abs(as_real_rows(problem.Y, 3)).max())[1]))
    scaled = problem.in_units_of(unit)
    alpha = min(max(scaled.alpha / components.size, SMALLEST), LARGEST)  # beyond, codes stay
    scaled = replace(scaled, A=components.scaled, alpha=alpha)
    factors = np.full(len(problem.A), unit / components.size)
    start = None if warm is None else warm.scale(1.0 / factors)
    return solve_complete_separately(solve, scaled, start).scale(factors)


def solve_complete_separately(solve: Solve, problem: Problem, warm: Atoms | None) -> Atoms:
    """Solve for the samples without missing entries as if there were no others."""
    if problem.masked is None or not (complete := problem.masked.complete).any():
        return solve(problem, warm)
    result = Atoms.none(len(complete), len(problem.A), len(problem.representation.parameters))
    for chosen, part in (
        (complete, replace(problem.take(complete), masked=None)),
        (~complete, problem.take(~complete)),
    ):
        if chosen.any():
            start = None if warm is None else warm.take(chosen)
            result = result.replace(chosen, solve(part, start))
    return result


def status_of(problem: Problem, unconverged: NDArray[np.bool_], is_convex: bool) -> NDArray[Any]:
    """Return the `Status` of every sample, given whether its gap is above the tolerance, (n,)."""
    status = np.full(len(unconverged), Status.CONVERGED, dtype=object)
    status[unconverged] = Status.STOPPED_EARLY if is_convex else Status.LOCAL_SOLUTION
    status[problem.is_zero()] = Status.ZERO_DATA
    if problem.masked is not None:
        status[problem.masked.empty] = Status.NOTHING_OBSERVED
    return status
