"""Algorithm 1 of the paper: code, accumulate, update, normalise; with a push along the way."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace

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
    unit_norm,
)
from orbitdl.groups.base import Blocks, Representation
from orbitdl.masked_dictionary import masked_constrained_least_squares, masked_least_squares
from orbitdl.progress import Iteration, State

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

    def code(state: State, A: Blocks, asked: float) -> tuple[Codes, float]:
        inexact = replace(coder, tol=asked)  # type: ignore[type-var]
        codes = inexact.code(
            representation, Y, A, alpha, state.atoms, masked=masked, n_jobs=n_jobs, warn=False
        )
        return codes, float(codes.objective.sum())

    following: State | None = state
    while following is not None:
        began, state = time.perf_counter(), following
        number, A, loosest = state.number, state.components, state.loosest
        asked = max(coder.tol, loosest * FALL**number) if number < max_iter else coder.tol
        codes, objective = code(state, A, asked)
        fell_back = state.streak > 1 and not objective <= state.objective
        if fell_back:
            assert state.stepped is not None
            A = state.stepped
            codes, objective = code(state, A, asked)
        still = state.objective - objective <= tol * objective
        stalled = state.stalled + 1 if still else 0
        settled = state.unused == 0 or stalled > PATIENCE
        following = None
        if number < max_iter and not (still and asked == coder.tol and settled):
            new, atoms, unused = step(representation, Y, A, codes.atoms, normalise_after, masked)
            begins_anew = fell_back or unused or normalise_after
            streak = 1 if begins_anew else state.streak + 1
            pushed = push(new, A if state.stepped is None else state.stepped, streak)
            following = State(
                number + 1, pushed, atoms, unused, objective, 0.0 if still else loosest, stalled,
                new, streak,
            )  # fmt: skip
        seconds = time.perf_counter() - began
        yield _iteration(number, A, codes, state.unused, seconds, fell_back, following)


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


def _iteration(
    number: int,
    components: Blocks,
    codes: Codes,
    unused: int,
    seconds: float,
    fell_back: bool,
    following: State | None,
) -> Iteration:
    return Iteration(
        number=number,
        objective=float(codes.objective.sum()),
        gap=float(codes.gap.max()),
        atoms=len(codes.atoms.coefficient) / len(codes),
        unused=unused,
        seconds=seconds,
        components=components,
        codes=codes,
        fell_back=fell_back,
        following=following,
    )
