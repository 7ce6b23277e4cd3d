"""Algorithm 1 of the paper: code, accumulate, update, normalise; with extrapolation."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from orbitdl.arrays.blocks import Floats, Integers
from orbitdl.dictionaries.base import Dictionary
from orbitdl.learning.shards import Residuals, Shards, Summary
from orbitdl.learning.state import Iteration, Record, State

FALL = 0.7
"""Factor of the target gap from one iteration to the next."""
LARGEST_MOMENTUM = 0.95
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
    Of the data only sums over shards are used, of the dictionary only what every `Dictionary` has.
    Early codes need not be exact: the target gap falls from 3e-2 to `gap`, which the last
    iteration always meets. Components of unit norm ``A_k`` that a step leads to are
    extrapolated in its direction before they are coded,

        A_k + (s - 1)/(s + 1) (A_k - A_{k-1}),

    s steps after momentum began, as in Nesterov's method: alternating alone is slow in flat
    valleys. Where that raises the objective, momentum restarts. Codes start from the last ones and
    are never worse, and a monotone dictionary step does not raise the objective: neither does an
    iteration. A step that is not monotone, as the paper's own, is never extrapolated.
    """
    following: State | None = state
    while following is not None:
        began, state = time.perf_counter(), following
        number, loosest = state.number, state.loosest
        target_gap = max(gap, loosest * FALL**number) if number < max_iter else gap
        coded = code_or_restart(state, target_gap)
        objective = coded.summary.objective
        still = state.objective - objective <= tol * objective
        stalled = state.stalled + 1 if still else 0
        settled = state.unused == 0 or stalled > PATIENCE
        following = None
        if number < max_iter and not (still and target_gap == gap and settled):
            following = replace(
                step_and_push(state, coded),
                loosest=0.0 if still else loosest,
                stalled=stalled,
            )
        record = record_of(state, coded.summary, time.perf_counter() - began)
        if following is not None:
            following = replace(following, last=record)
        yield Iteration(record, coded.dictionary, coded.shards, coded.restarted, following)


@dataclass(frozen=True, eq=False)
class Trial:
    """Data coded with a dictionary, in sum; whether momentum restarted for it."""

    dictionary: Dictionary
    shards: Shards
    summary: Summary
    restarted: bool


def code_or_restart(state: State, target_gap: float) -> Trial:
    """Code with extrapolated components, or without extrapolation if that raised the objective."""
    shards, summary = state.shards.code(state.dictionary.expand(), target_gap)
    if state.momentum_count <= 1 or summary.objective <= state.objective:
        return Trial(state.dictionary, shards, summary, False)
    assert state.stepped is not None
    return Trial(state.stepped, *state.shards.code(state.stepped.expand(), target_gap), True)


def step_and_push(state: State, coded: Trial) -> State:
    """Take the dictionary step from coded data; return where the next iteration begins."""
    old, statistics = coded.dictionary, coded.shards.statistics()
    shards, best = coded.shards.step(old, statistics)
    new, norms = best.normalise()
    shards = shards.scale(norms)
    new, unused = put_in_use(new, old, old.usage(statistics), shards)
    goes_on = old.is_monotone and not (coded.restarted or unused)
    momentum_count = state.momentum_count + 1 if goes_on else 1
    extrapolated = extrapolate(new, old if state.stepped is None else state.stepped, momentum_count)
    return State(shards, extrapolated, unused=unused, stepped=new, momentum_count=momentum_count)


def extrapolate(new: Dictionary, old: Dictionary, momentum_count: int) -> Dictionary:
    """Return components beyond `new`, on the way from `old`, of unit norm like both."""
    if momentum_count <= 1:
        return new
    return new.extrapolate(old, min((momentum_count - 1) / (momentum_count + 1), LARGEST_MOMENTUM))


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
