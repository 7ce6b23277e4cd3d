"""Algorithm 1 of the paper: code, accumulate, update, normalise."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from orbitdl.codes import Atoms, Codes
from orbitdl.coding.base import Coder
from orbitdl.coding.certificate import reconstruct
from orbitdl.coding.problem import Masked, Problem
from orbitdl.dictionary import (
    Statistics,
    constrained_least_squares,
    least_squares,
    normalise,
    replace_unused,
)
from orbitdl.groups.base import Blocks, Representation
from orbitdl.masked_dictionary import masked_constrained_least_squares, masked_least_squares

LOOSEST, FALL = 3e-2, 0.7
"""Gap asked for in the first iteration, and its factor from one iteration to the next."""
PATIENCE = 3
"""Iterations without progress that a replaced component is given to find a use."""


@dataclass(frozen=True)
class State:
    """All that `learn` carries into an iteration; from here it always goes on the same way.

    Attributes
    ----------
    number : int
        Of the iteration that begins here.
    components : ndarray of shape (q, F, d, m)
    atoms : Atoms or None
        Codes of the last iteration, for these components.
    unused : int
        Components that were replaced in the last iteration.
    objective : float
        At the end of the last iteration.
    loosest : float
        From which the gap asked for falls.
    stalled : int
        Iterations without progress.
    """

    number: int
    components: Blocks
    atoms: Atoms | None = None
    unused: int = 0
    objective: float = np.inf
    loosest: float = LOOSEST
    stalled: int = 0

    def __post_init__(self) -> None:
        """Keep arrays in C order: how sums round depends on the order in memory."""
        object.__setattr__(self, "components", np.ascontiguousarray(self.components))
        if self.atoms is not None:
            element = np.ascontiguousarray(self.atoms.element)
            object.__setattr__(self, "atoms", replace(self.atoms, element=element))


@dataclass(frozen=True)
class Iteration:
    """What one iteration of `learn` ended with.

    Attributes
    ----------
    number : int
        Dictionary steps done so far.
    objective : float
        The learning objective, summed over samples, of these components and codes.
    gap : float
        Largest certified relative gap of a sample.
    atoms : float
        Atoms a sample, on average.
    unused : int
        Components that no sample used and that were replaced in this iteration.
    seconds : float
    components : ndarray of shape (q, F, d, m)
    codes : Codes
    following : State or None
        Where the next iteration begins; None after the last.
    """

    number: int
    objective: float
    gap: float
    atoms: float
    unused: int
    seconds: float
    components: Blocks
    codes: Codes
    following: State | None


def learn(
    representation: Representation,
    Y: Blocks,
    state: State,
    *,
    alpha: float,
    coder: Coder,
    max_iter: int,
    tol: float,
    normalise_after: bool = False,
    n_jobs: int | None = None,
    masked: Masked | None = None,
) -> Iterator[Iteration]:
    """Alternate between codes and components; yield the start and then every iteration.

    Parameters
    ----------
    representation : Representation
    Y : ndarray of shape (n, F, d, m)
        Data in block coordinates.
    state : State
        Where to begin: ``State(0, A)`` with components A of unit norm, or where a run stood.
    masked : Masked, optional
        The data as signals, where entries are missing; Y then has zeros for them.
    alpha, coder, max_iter, tol, normalise_after, n_jobs
        As in `OrbitDictionaryLearning`.

    Notes
    -----
    Early codes need not be exact: the gap asked for falls from 3e-2 to the coder's tolerance,
    which the last iteration always meets. Codes start from the last ones and are never worse, and
    the default dictionary step does not raise the objective: neither does an iteration.
    """
    following: State | None = state
    while following is not None:
        began, state = time.perf_counter(), following
        number, A, loosest = state.number, state.components, state.loosest
        asked = max(coder.tol, loosest * FALL**number) if number < max_iter else coder.tol
        inexact = replace(coder, tol=asked)  # type: ignore[type-var]
        codes = inexact.code(
            representation, Y, A, alpha, state.atoms, masked=masked, n_jobs=n_jobs, warn=False
        )
        objective = float(codes.objective.sum())
        still = state.objective - objective <= tol * objective
        stalled = state.stalled + 1 if still else 0
        settled = state.unused == 0 or stalled > PATIENCE
        following = None
        if number < max_iter and not (still and asked == coder.tol and settled):
            moved = step(representation, Y, A, codes.atoms, normalise_after, masked)
            following = State(number + 1, *moved, objective, 0.0 if still else loosest, stalled)
        yield _iteration(state, codes, following, seconds=time.perf_counter() - began)


def step(
    representation: Representation,
    Y: Blocks,
    A: Blocks,
    atoms: Atoms,
    normalise_after: bool,
    masked: Masked | None = None,
) -> tuple[Blocks, Atoms, int]:
    """Return new components of unit norm, codes that go with them, and how many were unused."""
    statistics = Statistics.of(representation, Y, atoms)
    if masked is None:
        solve = least_squares if normalise_after else constrained_least_squares
        new = solve(statistics, A.shape)
    else:
        fill = masked_least_squares if normalise_after else masked_constrained_least_squares
        new = fill(representation, masked, atoms, statistics, A)
    new, atoms = normalise(new, atoms)
    unused = statistics.usage == 0
    new[unused] = A[unused]
    if unused.any():
        problem = Problem(representation, Y, new, 0.0, masked)
        residual = problem.residual(reconstruct(representation, atoms, new))
        new, _ = replace_unused(new, residual, statistics.usage)
    return new, atoms, int(unused.sum())


def _iteration(state: State, codes: Codes, following: State | None, *, seconds: float) -> Iteration:
    return Iteration(
        number=state.number,
        objective=float(codes.objective.sum()),
        gap=float(codes.gap.max()),
        atoms=len(codes.atoms.coefficient) / len(codes),
        unused=state.unused,
        seconds=seconds,
        components=state.components,
        codes=codes,
        following=following,
    )
