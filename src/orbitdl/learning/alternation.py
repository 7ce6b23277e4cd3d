"""Algorithm 1 of the paper: code, accumulate, update, normalise; with a push along the way."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from orbitdl.dictionaries.base import Dictionary
from orbitdl.groups.base import Floats, Integers
from orbitdl.learning.shards import Residuals, Shards, Summary
from orbitdl.learning.state import Iteration, Record, State

FALL = 0.7
"""Factor of the gap asked for from one iteration to the next."""
LARGEST_PUSH = 0.95
"""Components go on by at most this much of their last step."""
PATIENCE = 3
"""Iterations without progress that a replaced component is given to find a use."""


def learn(state: State, *, gap: float, max_iter: int, tol: float) -> Iterator[Iteration]:
    """Alternate between codes and dictionary; yield the start and then every iteration.

    Parameters
    ----------
    state : State
        Where to begin: ``State(shards, dictionary)`` with components of unit norm, or where a run
        stood.
    gap : float
        Certified relative gap of the last codes.
    max_iter, tol
        As in `OrbitDictionaryLearning`.

    Notes
    -----
    Of the data only sums over shards are seen, of the dictionary only what every `Dictionary` has.
    Early codes need not be exact: the gap asked for falls from 3e-2 to `gap`, which the last
    iteration always meets. Components of unit norm ``A_k`` that a step leads to are pushed on in
    its direction before they are coded,

        A_k + (s - 1)/(s + 1) (A_k - A_{k-1}),

    s steps after pushes began, as in Nesterov's method: alternating alone is slow in flat valleys.
    Where that raises the objective the push is taken back. Codes start from the last ones and are
    never worse, and a monotone dictionary step does not raise the objective: neither does an
    iteration. A step that is not monotone, as the paper's own, is never pushed.
    """
    following: State | None = state
    while following is not None:
        began, state = time.perf_counter(), following
        number, loosest = state.number, state.loosest
        asked = max(gap, loosest * FALL**number) if number < max_iter else gap
        coded = code_or_fall_back(state, asked)
        objective = coded.summary.objective
        still = state.objective - objective <= tol * objective
        stalled = state.stalled + 1 if still else 0
        settled = state.unused == 0 or stalled > PATIENCE
        following = None
        if number < max_iter and not (still and asked == gap and settled):
            following = replace(
                step_and_push(state, coded),
                loosest=0.0 if still else loosest,
                stalled=stalled,
            )
        record = record_of(state, coded.summary, time.perf_counter() - began)
        if following is not None:
            following = replace(following, last=record)
        yield Iteration(record, coded.dictionary, coded.shards, coded.fell_back, following)


@dataclass(frozen=True, eq=False)
class Trial:
    """Data coded with a dictionary, in sum; whether a push was taken back for it."""

    dictionary: Dictionary
    shards: Shards
    summary: Summary
    fell_back: bool


def code_or_fall_back(state: State, asked: float) -> Trial:
    """Code with pushed components, or as they were if that did not pay."""
    shards, summary = state.shards.code(state.dictionary.expand(), asked)
    if state.streak <= 1 or summary.objective <= state.objective:
        return Trial(state.dictionary, shards, summary, False)
    assert state.stepped is not None
    return Trial(state.stepped, *state.shards.code(state.stepped.expand(), asked), True)


def step_and_push(state: State, coded: Trial) -> State:
    """Take the dictionary step from coded data; return where the next iteration begins."""
    old, statistics = coded.dictionary, coded.shards.statistics()
    shards, best = coded.shards.step(old, statistics)
    new, norms = best.normalise()
    shards = shards.scale(norms)
    new, unused = put_in_use(new, old, old.usage(statistics), shards)
    goes_on = old.is_monotone and not (coded.fell_back or unused)
    streak = state.streak + 1 if goes_on else 1
    pushed = push(new, old if state.stepped is None else state.stepped, streak)
    return State(shards, pushed, unused=unused, stepped=new, streak=streak)


def push(new: Dictionary, old: Dictionary, streak: int) -> Dictionary:
    """Return components beyond `new`, on the way from `old`, of unit norm like both."""
    if streak <= 1:
        return new
    return new.extrapolate(old, min((streak - 1) / (streak + 1), LARGEST_PUSH))


def put_in_use(
    new: Dictionary, old: Dictionary, usage: Floats, shards: Shards
) -> tuple[Dictionary, int]:
    """Let components that no sample used, as they were before, become the worst residuals.

    Returns the dictionary and how many were unused.
    """
    unused = np.flatnonzero(usage == 0)
    new = new.keep(unused, old)
    if len(unused) == 0:
        return new, 0
    worst = shards.worst_residuals(new.expand(), len(unused))
    return replace_unused(new, unused, worst), len(unused)


def replace_unused(dictionary: Dictionary, unused: Integers, worst: Residuals) -> Dictionary:
    """Put the largest residuals, scaled to unit norm, in the place of unused components.

    Where every residual is zero there is nothing left to explain and a component stays as it was.
    """
    for j, residual in zip(unused, worst.blocks[worst.energy > 0], strict=False):
        dictionary = dictionary.replace(int(j), residual)
    return dictionary


def record_of(state: State, summary: Summary, seconds: float) -> Record:
    """Return what is remembered of an iteration that began at a state."""
    return Record(
        number=state.number,
        objective=summary.objective,
        gap=summary.gap,
        atoms=summary.atoms / summary.samples,
        unused=state.unused,
        seconds=seconds,
    )
