"""What the estimators have in common: parameters of learning, the run itself, what it leaves."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from os import PathLike
from typing import TypeVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from orbitdl.groups.base import Blocks, Floats
from orbitdl.learning.alternation import learn
from orbitdl.learning.history import History
from orbitdl.learning.iteration import Iteration, State
from orbitdl.learning.progress import watch_for
from orbitdl.learning.restarts import Outcome, Restarts
from orbitdl.learning.runs import Runs
from orbitdl.learning.scattered import ScatteredShards
from orbitdl.learning.shards import Shards
from orbitdl.storage.container import as_path
from orbitdl.validation import require_count, require_jobs, require_positive, require_positive_or

Data = TypeVar("Data", bound=Shards)


class LearnerMixin:
    """Learns from shards, whatever they are."""

    n_components: int
    alpha: float | str
    max_iter: int
    tol: float
    n_restarts: int
    random_state: int | np.random.RandomState | None
    n_jobs: int | None
    verbose: int
    callback: Callable[[Iteration], bool | None] | None
    checkpoint: str | PathLike[str] | None

    def _check_learning(self) -> None:
        """Refuse parameters of learning that make no sense."""
        require_count(self.n_components, "n_components")
        require_positive_or(self.alpha, "alpha", "auto")
        require_count(self.max_iter, "max_iter", least=0)
        require_positive(self.tol, "tol")
        require_count(self.n_restarts, "n_restarts")
        require_jobs(self.n_jobs)
        if self.checkpoint is not None:
            as_path(self.checkpoint, "checkpoint")
        if self.callback is not None and not callable(self.callback):
            raise ValueError(f"callback must be None or a function, not {self.callback!r}.")

    def _seed(self) -> int:
        try:
            return int(check_random_state(self.random_state).randint(2**31 - 1))
        except ValueError:
            raise ValueError(
                "random_state must be None, a whole number from 0 or a numpy.random.RandomState, "
                f"not {self.random_state!r}."
            ) from None

    def _generators(self, seed: int) -> list[np.random.Generator]:
        """Return the chance of every start."""
        return np.random.default_rng(seed).spawn(self.n_restarts)

    def _watched(self, shards: Data) -> Data:
        """Return the same data; where they are coded somewhere else, how far is shown."""
        if not isinstance(shards, ScatteredShards):
            return shards
        return shards.watched_by(watch_for(self.callback, self.verbose))

    def _learn(
        self,
        shards: Shards,
        starts: list[Blocks],
        runs: Runs,
        gap: float,
        *,
        normalise_after: bool = False,
    ) -> Outcome:
        """Learn from the best of several starts, and keep how that went."""
        follow = partial(
            learn,
            gap=gap,
            max_iter=self.max_iter,
            tol=float(self.tol),
            normalise_after=normalise_after,
        )
        states = [State(shards, start) for start in starts]
        best, reached = Restarts(follow, runs, self.callback, self.verbose).best(states)
        self.starts_: Floats = reached
        self.history_: History = best.history
        self.n_iter_ = best.history[-1].number
        self.converged_ = best.history.stands_still(float(self.tol))
        return best

    def _warn_unless_converged(self, outcome: Outcome) -> None:
        """Say what ended too early, unless the callback ended it or nothing was to be learned."""
        if not outcome.stopped and not self.converged_ and self.max_iter > 0:
            warnings.warn(
                f"max_iter={self.max_iter} ended the fit while the objective was still falling by "
                f"more than tol={float(self.tol):g} of it per iteration; raise max_iter or tol.",
                ConvergenceWarning,
                stacklevel=3,
            )
