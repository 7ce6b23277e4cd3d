"""One attempt at a coding problem: in good units, complete samples separately, certified."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orbitdl.arrays.blocks import as_real_rows
from orbitdl.arrays.validation import LARGEST, SMALLEST
from orbitdl.coding.atoms import Atoms
from orbitdl.coding.certificate import certify, objectives
from orbitdl.coding.codes import Status
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
    solve: Solve, components: Components, eps: float, problem: Problem, warm: Atoms | None
) -> tuple[Atoms, Floats, Floats]:
    """Solve once; return atoms that are not worse than `warm`, their objectives and gaps.

    The gaps may be too large by eps.
    """
    scaled, factors = rescaled(components, problem)
    start, warm_objective = None, np.full(len(problem.Y), np.inf)
    if warm is not None:
        warm_objective = objectives(problem, warm)
        start = warm.only(warm_objective <= 0.5 * problem.energy()).scale(1.0 / factors)
    atoms = Atoms.none(len(problem.Y), len(problem.A), len(problem.representation.parameters))
    for chosen, part in parts_of(scaled):
        begun = start if start is None or chosen is None else start.take(chosen)
        solved = solve(part, begun)
        atoms = solved if chosen is None else atoms.replace(chosen, solved)
    atoms = atoms.scale(factors)
    objective, gap = certify(problem, atoms, eps)
    if warm is not None and (worse := ~(objective <= (1.0 + ROUNDING) * warm_objective)).any():
        atoms = atoms.replace(worse, warm.take(worse))
        objective[worse], gap[worse] = certify(problem.take(worse), warm.take(worse), eps)
    return atoms, objective, gap


def rescaled(components: Components, problem: Problem) -> tuple[Problem, Floats]:
    """Return the problem in units, powers of two, in which data and norms are about 1.

    ``y/u = sum_k (c_k v/u) g_k a_k/v``: coefficients are measured in u/v, (q,), and alpha in u v.
    """
    unit = float(np.ldexp(1.0, np.frexp(np.abs(as_real_rows(problem.Y, 3)).max())[1]))
    scaled = problem.in_units_of(unit)
    alpha = min(max(scaled.alpha / components.size, SMALLEST), LARGEST)  # beyond, codes stay
    scaled = replace(scaled, A=components.scaled, alpha=alpha)
    return scaled, np.full(len(problem.A), unit / components.size)


def parts_of(problem: Problem) -> list[tuple[NDArray[np.bool_] | None, Problem]]:
    """Return the samples without missing entries as if there were no others, and the others."""
    if problem.masked is None or not (complete := problem.masked.complete).any():
        return [(None, problem)]
    parts: list[tuple[NDArray[np.bool_] | None, Problem]]
    parts = [(complete, replace(problem.take(complete), masked=None))]
    return parts if complete.all() else [*parts, (~complete, problem.take(~complete))]


def status_of(problem: Problem, unconverged: NDArray[np.bool_], is_convex: bool) -> NDArray[Any]:
    """Return the `Status` of every sample, given whether its gap is above the tolerance, (n,)."""
    status = np.full(len(unconverged), Status.CONVERGED, dtype=object)
    status[unconverged] = Status.STOPPED_EARLY if is_convex else Status.LOCAL_SOLUTION
    status[problem.is_zero()] = Status.ZERO_DATA
    if problem.masked is not None:
        status[problem.masked.empty] = Status.NOTHING_OBSERVED
    return status
