"""Learning along a path of alphas with warm starts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from orbitdl.dictionaries.base import Dictionary
from orbitdl.learning.alternation import learn
from orbitdl.learning.restarts import TRIAL, Restarts
from orbitdl.learning.state import Iteration, State
from orbitdl.selection.held_out import HeldOut, Judged
from orbitdl.storage.checkpoint import Checkpoint

ROUGH = 1e-2
"""Relative duality gap at which random starts are compared."""
SEED = 40_961
"""Random seed of the starts, combined with the number of the round."""
GAP = 1e-3
"""Relative duality gap of codes, and relative tolerance of the objective: far below the differences
between candidates."""


@dataclass(frozen=True)
class Effort:
    """Maximum numbers of iterations and of restarts at every alpha."""

    max_iter: int
    n_restarts: int


def judge_path(
    held_out: HeldOut,
    q: int,
    alphas: list[float],
    first: int,
    number: int,
    effort: Effort,
) -> list[Judged]:
    """Learn q components at every alpha, and return the prediction errors.

    Random starts, seeded by the number of the round, are compared at ``alphas[first]``. From the
    best of them the path goes to smaller alphas, and then to larger ones: at a large alpha codes
    are too sparse to start from.
    """
    shards = replace(held_out.shards, alpha=alphas[first])
    generators = np.random.default_rng([SEED, number]).spawn(effort.n_restarts)
    start = best_start(shards, held_out.starts(q, generators))
    middle = last_of(shards, start, effort)
    found = {first: held_out.judge(middle.shards, middle.components)}
    for order in (range(first + 1, len(alphas)), range(first - 1, -1, -1)):
        steps = learned_along(middle, [alphas[k] for k in order], effort)
        for k, step in zip(order, steps, strict=True):
            found[k] = held_out.judge(step.shards, step.components)
    return [found[k] for k in range(len(alphas))]


def best_start(shards: Any, starts: Sequence[Dictionary]) -> Dictionary:
    """Return the dictionary of the best start after a few iterations at a loose gap."""
    follow = partial(learn, gap=ROUGH, max_iter=TRIAL, tol=GAP)
    trials = Restarts(follow, Checkpoint(0, TRIAL), None, 0)
    best, _ = trials.best([State(shards, start) for start in starts])
    return best.dictionary


def learned_along(begin: Iteration, alphas: Iterable[float], effort: Effort) -> Iterable[Iteration]:
    """Yield the last iteration at each alpha, with warm starts of codes and components."""
    step = begin
    for alpha in alphas:
        step = last_of(replace(step.shards, alpha=alpha), step.dictionary, effort)  # type: ignore[type-var]
        yield step


def last_of(shards: Any, start: Dictionary, effort: Effort) -> Iteration:
    """Return the last iteration of learning from a dictionary."""
    *_, last = learn(State(shards, start), gap=GAP, max_iter=effort.max_iter, tol=GAP)
    return last
