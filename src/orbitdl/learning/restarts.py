"""Several starts: a short run of each, and the best one to its end.

`Runs` remembers where each of them stands.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from orbitdl.arrays.blocks import Floats
from orbitdl.dictionaries.base import Dictionary
from orbitdl.learning.history import History
from orbitdl.learning.progress import announce
from orbitdl.learning.state import Iteration, State

TRIAL = 3
"""Iterations after which starts are compared."""


@dataclass(frozen=True, eq=False)
class Run:
    """Where one of the restarts stands.

    Attributes
    ----------
    state : State
        Where its next iteration begins; if it ended, where its last one began.
    history : History
        Records of all its iterations.
    ended : bool
    settled : bool
        Whether it would have ended there with a larger `max_iter` too.
    restarted : bool
        Whether momentum restarted in its last iteration.
    """

    state: State
    history: History
    ended: bool = False
    settled: bool = False
    restarted: bool = False

    @property
    def dictionary(self) -> Dictionary:
        """What an ended run ended with."""
        stepped = self.state.stepped
        return stepped if self.restarted and stepped is not None else self.state.dictionary

    def after(self, iteration: Iteration, max_iter: int) -> Run:
        """Return where this run stands after its next iteration."""
        history = History([*self.history, iteration.record])
        if iteration.following is not None:
            return Run(iteration.following, history)
        settled = iteration.number < max_iter
        return Run(self.state, history, True, settled, iteration.restarted)

    def go_on(self, max_iter: int) -> Run:
        """Return this run, open again if it ended at a smaller `max_iter`.

        The last iteration meets the strict tolerance, which it need not if others follow: so it
        is done again.
        """
        if self.ended and not self.settled and self.state.number < max_iter:
            return Run(self.state, History(self.history[:-1]))
        return self


class Runs(ABC):
    """Remembers where every run stands, be it in memory or in a file."""

    @abstractmethod
    def begin(self, k: int, start: State) -> None:
        """Put run k at its start, unless it stands further."""

    @abstractmethod
    def __getitem__(self, k: int) -> Run:
        """Return where run k stands."""

    @abstractmethod
    def keep(self, k: int, iteration: Iteration) -> Run:
        """Note an iteration of run k, and return where it stands now."""


def most_iterations(n_restarts: int, max_iter: int) -> int:
    """Return how many iterations a fit takes at most, starts included."""
    return (n_restarts - 1) * (min(TRIAL, max_iter) + 1) + max_iter + 1


@dataclass(frozen=True)
class Outcome:
    """What a run led to.

    Attributes
    ----------
    dictionary : Dictionary
    history : History
    codes : Codes or None
        The last ones; None if they were made by an earlier process.
    stopped : bool
        Whether the callback stopped the run.
    """

    dictionary: Dictionary
    history: History
    codes: Any = None
    stopped: bool = False


@dataclass(frozen=True)
class Restarts:
    """Runs `learn` from several starts, alike whether or not it was interrupted.

    Attributes
    ----------
    learn : callable
        From a state to the iterations that follow it.
    runs : Runs
        Where every run stands.
    callback : callable or None
        Called after each iteration; returning True stops its run.
    verbose : int
    """

    learn: Callable[[State], Iterator[Iteration]]
    runs: Runs
    callback: Callable[[Iteration], bool | None] | None
    verbose: int

    def best(self, starts: list[State]) -> tuple[Outcome, Floats]:
        """Run to the end the start that is best after a few iterations of each.

        Returns also the objective of every start then, shape (n_starts,). As a run goes on from a
        state as if it had never paused, this is the whole run of that start.
        """
        several, outcomes = len(starts) > 1, list[Outcome]()
        for k, start in enumerate(starts):
            if several:
                self._announce(f"start {k + 1} of {len(starts)}")
            self.runs.begin(k, start)
            if self.runs[k].history:
                self._announce(f"resuming at iteration {self.runs[k].history[-1].number + 1}")
            outcomes.append(self._run(k, TRIAL if several else None))
        reached = np.array([outcome.history[: TRIAL + 1][-1].objective for outcome in outcomes])
        chosen = int(np.argmin(reached))
        if several and not (outcomes[chosen].stopped or self.runs[chosen].ended):
            self._announce(f"start {chosen + 1} goes on")
            return self._run(chosen, None), reached
        return outcomes[chosen], reached

    def _announce(self, words: str) -> None:
        announce(words, self.callback, self.verbose)

    def _run(self, k: int, until: int | None) -> Outcome:
        """Go on with run k to its end, or up to an iteration."""
        run = self.runs[k]
        if run.ended or (until is not None and run.state.number > until):
            return Outcome(run.dictionary, run.history)
        for iteration in self.learn(run.state):
            if self.verbose:
                print(iteration.record)
            if self.callback is not None and self.callback(iteration):
                history = History([*run.history, iteration.record])
                return Outcome(iteration.dictionary, history, iteration.codes, stopped=True)
            run = self.runs.keep(k, iteration)
            if iteration.number == until:
                break
        return Outcome(iteration.dictionary, run.history, iteration.codes)
