"""Learn along a path of alphas: each begins where its neighbour ended."""

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
"""Gap at which starts are compared."""
SEED = 40_961
"""Of the starts; with the number of the round."""
GAP = 1e-3
"""Certified relative gap of codes, and least fall of the objective in an iteration: far below what
tells candidates apart."""


@dataclass(frozen=True)
class Effort:
    """How much is done at every alpha: iterations and starts at most."""

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
    """Learn q components at every alpha, and return how well each predicts what is hidden.

    Several starts are tried at ``alphas[first]``, whose chance depends on the number of the round.
    From the best of them the path goes down, and from there up: a large alpha, at which little is
    coded, is no place to begin.
    """
    shards = replace(held_out.shards, alpha=alphas[first])
    generators = np.random.default_rng([SEED, number]).spawn(effort.n_restarts)
    start = best_start(shards, held_out.starts(q, generators))
    middle = last_of(shards, start, effort)
    found = {first: held_out.judge(middle.shards, middle.components)}
    for way in (range(first + 1, len(alphas)), range(first - 1, -1, -1)):
        steps = learned_along(middle, [alphas[k] for k in way], effort)
        for k, step in zip(way, steps, strict=True):
            found[k] = held_out.judge(step.shards, step.components)
    return [found[k] for k in range(len(alphas))]


def best_start(shards: Any, starts: Sequence[Dictionary]) -> Dictionary:
    """Return what the best of several starts leads to in a few rough iterations."""
    follow = partial(learn, gap=ROUGH, max_iter=TRIAL, tol=GAP)
    trials = Restarts(follow, Checkpoint(0, TRIAL), None, 0)
    best, _ = trials.best([State(shards, start) for start in starts])
    return best.dictionary


def learned_along(begin: Iteration, alphas: Iterable[float], effort: Effort) -> Iterable[Iteration]:
    """Yield where learning ends at one alpha after the other, codes and components kept."""
    step = begin
    for alpha in alphas:
        step = last_of(replace(step.shards, alpha=alpha), step.dictionary, effort)  # type: ignore[type-var]
        yield step


def last_of(shards: Any, start: Dictionary, effort: Effort) -> Iteration:
    """Return the last iteration of learning from a dictionary."""
    *_, last = learn(State(shards, start), gap=GAP, max_iter=effort.max_iter, tol=GAP)
    return last
