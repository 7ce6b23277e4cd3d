"""Learning from mini-batches: a dictionary step after each, from sums over all batches so far.

For batches b of data, in random order,

    codes of b with components A,    S <- forget(S) + S_b,
    A <- argmin  1/2 <A, H A> - <R, A>  over the dictionary's kind,     S = (H, R).

Where entries are missing, S_b are the sums of data completed by what codes and components say:
that majorises the loss at A, and adds up.

A few passes over batches come close to the optimum; steps of all data, with momentum, do the rest.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from orbitdl.dictionaries.base import Dictionary
from orbitdl.learning.alternation import learn, put_in_use, record_of
from orbitdl.learning.running_sums import CAPACITY, Memory, PassState
from orbitdl.learning.shards import Shards, Summary, concatenated_atoms, with_atoms
from orbitdl.learning.state import Iteration, State

FIRST_GAP, FALL = 1e-2, 0.5
"""Target gap of the first pass, and its factor from one pass to the next."""
STAGNANT = 1e-3
"""A pass that lowers the objective by a smaller fraction is the last of them."""
LITTLE = 2e-4
"""Steps of all data follow where the objective would fall by a larger fraction yet."""


@dataclass(frozen=True, eq=False)
class OnlineState:
    """Where online learning stands.

    Attributes
    ----------
    dictionary : Dictionary
        With components of unit norm.
    memory : Memory
        Sums so far.
    before : float
        How many batches like the next one its components were learned from whose sums are not
        in memory.
    """

    dictionary: Dictionary
    memory: Memory = Memory()
    before: float = 0.0


@dataclass(frozen=True, eq=False)
class OnlineStep:
    """What one batch led to.

    Attributes
    ----------
    progress : OnlineState
    coded : Shards
        The batch with the codes that the components before the step gave.
    batch : Shards
        The same, with the atoms that belong to the new components.
    summary : Summary
    unused : int
        Components that nothing used and that were replaced.
    """

    progress: OnlineState
    coded: Shards
    batch: Shards
    summary: Summary
    unused: int


def take_in(
    progress: OnlineState, batch: Shards, target_gap: float, name: int | None = None
) -> OnlineStep:
    """Code a batch to a target gap, and take the dictionary step.

    A batch with a name takes the place of what was known of the batch of that name.
    """
    old, memory = progress.dictionary, progress.memory
    A = old.expand()
    coded, summary = batch.code(A, target_gap)
    sums = coded.majorised_statistics(A)
    if progress.before > 0.0:
        memory = Memory.recalled(sums, A, progress.before)
    uses = summary.atoms / len(old)
    memory = memory.take_in(sums, uses) if name is None else memory.renew(name, sums, uses)
    assert memory.total is not None
    best, shifts = coded.best(old, memory.total, soon=True)
    new, norms = best.normalise()
    stepped = coded.recentred(shifts).scale(norms)
    new, unused = put_in_use(new, old, memory.usage(old), stepped)
    if shifts is not None:  # sums over atoms at their former positions do not apply any more
        memory = Memory()
    return OnlineStep(OnlineState(new, memory), coded, stepped, summary, unused)


@dataclass(frozen=True, eq=False)
class Pass:
    """All batches once: where that led, the batches with their last atoms, and the sum."""

    progress: OnlineState
    batches: list[Shards]
    summary: Summary
    unused: int


def pass_over(
    progress: OnlineState, batches: list[Shards], target_gap: float, rng: np.random.Generator
) -> Pass:
    """Take in every batch, in random order."""
    batches, summary, unused = list(batches), Summary(0.0, 0.0, 0, 0), 0
    for b in map(int, rng.permutation(len(batches))):
        taken = take_in(
            progress, batches[b], target_gap, b if _fits(progress, len(batches)) else None
        )
        progress, batches[b] = taken.progress, taken.batch
        summary, unused = summary + taken.summary, max(unused, taken.unused)
    return Pass(progress, batches, summary, unused)


def _fits(progress: OnlineState, count: int) -> bool:
    """Return whether sums over each of so many batches may be stored."""
    total = progress.memory.total
    return total is None or count * total.nbytes <= CAPACITY


def learn_in_batches(
    state: State, *, size: int, seed: int, gap: float, max_iter: int, tol: float
) -> Iterator[Iteration]:
    """Pass over the data in batches while that pays; then code all of them, and go on if it pays.

    Yields one iteration per pass, whose objective is that of the codes made on the way, and then
    those of `learn`: one, the last codes of all data to the target gap, or more where the last
    passes promise further progress. There, momentum is quicker.

    Parameters
    ----------
    state : State
        Where to begin: ``State(shards, dictionary)`` with components of unit norm, or where a run
        stood.
    size : int
        Data points in a batch.
    seed : int
        Of the order of data.
    gap : float
        Certified relative gap of the last codes.
    max_iter : int
        Passes and iterations, at most.
    tol : float
        As in `OrbitDictionaryLearning`.
    """
    last = max_iter
    if state.stepped is None:  # else this run alternates already
        for done in passes(state, size, seed, gap, max_iter, tol):
            assert done.following is not None
            state = done.following
            yield done
        reached = () if state.passed is None else state.passed.reached
        last = max_iter if still_to_come(reached) > LITTLE else state.number
    yield from learn(replace(state, stalled=0, passed=None), gap=gap, max_iter=last, tol=tol)


def still_to_come(reached: Sequence[float]) -> float:
    """Return by what fraction objectives will fall if they go on as a geometric sequence.

    For falls f and r f that is ``r^2 f + r^3 f + ... = (r f)^2 / (f - r f)``.
    """
    apart = min(2, (len(reached) - 1) // 2)  # the fall of one pass is up to chance
    if apart < 1:
        return 0.0
    before, now = -np.diff([reached[-1 - 2 * apart], reached[-1 - apart], reached[-1]])
    if now <= 0.0:
        return 0.0
    return float(now**2 / (before - now) / reached[-1]) if before > now else np.inf


def passes(
    state: State, size: int, seed: int, gap: float, max_iter: int, tol: float
) -> Iterator[Iteration]:
    """Pass over batches until that lowers the objective by less than `STAGNANT`, or tol, of it."""
    batches: list[Shards] = state.shards.batches(size, np.random.default_rng(seed))
    passed = state.passed or PassState(Memory(), None, ())
    progress, reached = OnlineState(state.dictionary, passed.memory), passed.reached
    if passed.atoms is not None:
        batches = with_atoms(batches, passed.atoms)
    while state.number < max_iter and not state.stalled:
        began, rng = time.perf_counter(), np.random.default_rng([seed, state.number])
        done = pass_over(progress, batches, max(gap, FIRST_GAP * FALL**state.number), rng)
        progress, batches, objective = done.progress, done.batches, done.summary.objective
        reached = (*reached, objective)
        record = record_of(state, done.summary, time.perf_counter() - began)
        following = replace(
            state,
            dictionary=progress.dictionary,
            last=record,
            unused=done.unused,
            stalled=int(state.objective - objective <= max(tol, STAGNANT) * objective),
            passed=PassState(progress.memory, concatenated_atoms(batches), reached),
        )
        yield Iteration(record, progress.dictionary, state.shards, False, following)
        state = following
