"""Algorithm 1 of the paper: code, accumulate, update, normalise; with a push along the way."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

from orbitdl.codes import Atoms, Codes
from orbitdl.coding.base import Coder
from orbitdl.coding.certificate import reconstruct
from orbitdl.coding.problem import Masked, Problem
from orbitdl.groups.base import Blocks, Representation
from orbitdl.learning.dictionary import (
    Statistics,
    constrained_least_squares,
    least_squares,
    normalise,
    replace_unused,
    unit_norm,
)
from orbitdl.learning.iteration import Iteration, State
from orbitdl.learning.masked_dictionary import (
    masked_constrained_least_squares,
    masked_least_squares,
)

FALL = 0.7
"""Factor of the gap asked for from one iteration to the next."""
LARGEST_PUSH = 0.95
"""Components go on by at most this much of their last step."""
PATIENCE = 3
"""Iterations without progress that a replaced component is given to find a use."""


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
    which the last iteration always meets. Components of unit norm ``A_k`` that a step leads to are
    pushed on in its direction before they are coded,

        A_k + (s - 1)/(s + 1) (A_k - A_{k-1}),

    s steps after pushes began, as in Nesterov's method: alternating alone is slow in flat valleys.
    Where that raises the objective the push is taken back. Codes start from the last ones and are
    never worse, and the default dictionary step does not raise the objective: neither does an
    iteration. The paper's own step (`normalise_after`) is never pushed.
    """
    alternation = Alternation(representation, Y, alpha, coder, normalise_after, n_jobs, masked)
    following: State | None = state
    while following is not None:
        began, state = time.perf_counter(), following
        number, loosest = state.number, state.loosest
        asked = max(coder.tol, loosest * FALL**number) if number < max_iter else coder.tol
        A, codes, fell_back = alternation.code_or_fall_back(state, asked)
        objective = float(codes.objective.sum())
        still = state.objective - objective <= tol * objective
        stalled = state.stalled + 1 if still else 0
        settled = state.unused == 0 or stalled > PATIENCE
        following = None
        if number < max_iter and not (still and asked == coder.tol and settled):
            following = replace(
                alternation.step_and_push(state, A, codes, fell_back),
                loosest=0.0 if still else loosest,
                stalled=stalled,
            )
        seconds = time.perf_counter() - began
        yield Iteration.of(state, A, codes, seconds, fell_back, following)


@dataclass(frozen=True)
class Alternation:
    """The two halves of an iteration, on the same data all along."""

    representation: Representation
    Y: Blocks
    alpha: float
    coder: Coder
    normalise_after: bool
    n_jobs: int | None
    masked: Masked | None

    def code(self, A: Blocks, warm: Atoms | None, asked: float) -> Codes:
        """Code with components A to the gap asked for."""
        coder = replace(self.coder, tol=asked)  # type: ignore[type-var]
        return coder.code(
            self.representation, self.Y, A, self.alpha, warm,
            masked=self.masked, n_jobs=self.n_jobs, warn=False,
        )  # fmt: skip

    def code_or_fall_back(self, state: State, asked: float) -> tuple[Blocks, Codes, bool]:
        """Code with pushed components, or as they were if that did not pay; say which."""
        codes = self.code(state.components, state.atoms, asked)
        if state.streak <= 1 or codes.objective.sum() <= state.objective:
            return state.components, codes, False
        assert state.stepped is not None
        return state.stepped, self.code(state.stepped, state.atoms, asked), True

    def step_and_push(self, state: State, A: Blocks, codes: Codes, fell_back: bool) -> State:
        """Take the dictionary step from A and its codes; return where the next iteration begins."""
        new, atoms, unused = step(
            self.representation, self.Y, A, codes.atoms, self.normalise_after, self.masked
        )
        begins_anew = fell_back or unused or self.normalise_after
        streak = 1 if begins_anew else state.streak + 1
        pushed = push(new, A if state.stepped is None else state.stepped, streak)
        objective = float(codes.objective.sum())
        return State(state.number + 1, pushed, atoms, unused, objective, stepped=new, streak=streak)


def push(new: Blocks, old: Blocks, streak: int) -> Blocks:
    """Return components beyond `new`, on the way from `old`, of unit norm like both."""
    if streak <= 1:
        return new
    beyond = new + min((streak - 1) / (streak + 1), LARGEST_PUSH) * (new - old)
    return unit_norm(beyond)


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
        new = solve(statistics, A)
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
