"""Several starts: a short run of each, and the best one to its end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from orbitdl.groups.base import Blocks, Floats
from orbitdl.learning.history import History, Record
from orbitdl.learning.iteration import Iteration, State
from orbitdl.storage.checkpoint import Checkpoint

TRIAL = 3
"""Iterations after which starts are compared."""


def most_iterations(n_restarts: int, max_iter: int) -> int:
    """Return how many iterations a fit takes at most, starts included."""
    return (n_restarts - 1) * (min(TRIAL, max_iter) + 1) + max_iter + 1


@dataclass(frozen=True)
class Outcome:
    """What a run led to.

    Attributes
    ----------
    components : ndarray of shape (q, F, d, m)
    history : History
    gap : ndarray of shape (n,) or None
        Of the last codes; None if they were made by an earlier process.
    stopped : bool
        Whether the callback stopped the run.
    """

    components: Blocks
    history: History
    gap: Floats | None = None
    stopped: bool = False


@dataclass(frozen=True)
class Restarts:
    """Runs `learn` from several starts, alike whether or not it was interrupted.

    Attributes
    ----------
    learn : callable
        From a state to the iterations that follow it.
    checkpoint : Checkpoint
        Where every run stands.
    unseen : float
        Energy of the data that no code can reach.
    callback : callable or None
        Called after each iteration; returning True stops its run.
    verbose : int
    """

    learn: Callable[[State], Iterator[Iteration]]
    checkpoint: Checkpoint
    unseen: float
    callback: Callable[[Iteration], bool | None] | None
    verbose: int

    def best(self, starts: list[Blocks]) -> tuple[Outcome, Floats]:
        """Run to the end the start that is best after a few iterations of each.

        Returns also the objective of every start then, shape (n_starts,). As a run goes on from a
        state as if it had never paused, this is the whole run of that start.
        """
        several, outcomes = len(starts) > 1, list[Outcome]()
        for k, start in enumerate(starts):
            if several and self.verbose:
                print(f"start {k + 1} of {len(starts)}")
            self.checkpoint.begin(k, start)
            outcomes.append(self._run(k, TRIAL if several else None))
        reached = np.array([outcome.history[: TRIAL + 1][-1].objective for outcome in outcomes])
        chosen = int(np.argmin(reached))
        if several and not (outcomes[chosen].stopped or self.checkpoint.runs[chosen].ended):
            if self.verbose:
                print(f"start {chosen + 1} goes on")
            return self._run(chosen, None), reached
        return outcomes[chosen], reached

    def _run(self, k: int, until: int | None) -> Outcome:
        """Go on with run k to its end, or up to an iteration."""
        run = self.checkpoint.resume(k)
        history = History(run.history)
        if run.ended or (until is not None and run.state.number > until):
            return Outcome(run.components, history)
        for iteration in self.learn(run.state):
            history.append(Record.of(iteration, self.unseen))
            if self.verbose:
                print(history[-1])
            if self.callback is not None and self.callback(iteration):
                return Outcome(iteration.components, history, stopped=True)
            self.checkpoint.keep(iteration, history)
            if iteration.number == until:
                break
        return Outcome(iteration.components, history, iteration.codes.gap)
