"""What the estimators have in common: parameters of learning, the run itself, what it leaves."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from os import PathLike
from typing import Any, TypeVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from orbitdl.arrays.validation import (
    require_batch_size,
    require_count,
    require_jobs,
    require_positive,
    require_positive_or,
)
from orbitdl.arrays.warnings import warn_user
from orbitdl.dictionaries.base import Dictionary
from orbitdl.groups.base import Floats
from orbitdl.learning.alternation import learn
from orbitdl.learning.history import History
from orbitdl.learning.online import STAGNANT, OnlineState, learn_in_batches
from orbitdl.learning.out_of_core import OutOfCoreShards
from orbitdl.learning.progress import announce, watch_for
from orbitdl.learning.restarts import TRIAL, Outcome, Restarts
from orbitdl.learning.shards import Shards
from orbitdl.learning.state import Iteration, State
from orbitdl.storage.checkpoint import Checkpoint
from orbitdl.storage.container import as_path

COMPARED = 4
"""Batches on which starts are compared."""

Follow = Callable[[State], Iterator[Iteration]]
"""From a state to the iterations that follow it."""

Data = TypeVar("Data", bound=Shards)


class LearnerMixin:
    """Learns from shards, whatever they are."""

    n_components: Any
    alpha: float | str
    max_iter: int
    tol: float
    n_restarts: int
    random_state: int | np.random.Generator | np.random.RandomState | None
    n_jobs: int | None
    verbose: int
    callback: Callable[[Iteration], bool | None] | None
    checkpoint: str | PathLike[str] | None
    batch_size: int | str | None

    def _check_learning(self) -> None:
        """Refuse parameters of learning that make no sense."""
        self._check_number()
        require_positive_or(self.alpha, "alpha", "auto")
        require_count(self.max_iter, "max_iter", least=0)
        require_positive(self.tol, "tol")
        require_count(self.n_restarts, "n_restarts")
        require_jobs(self.n_jobs)
        require_batch_size(self.batch_size)
        if self.checkpoint is not None:
            as_path(self.checkpoint, "checkpoint")
        if self.callback is not None and not callable(self.callback):
            raise ValueError(f"callback must be None or a function, not {self.callback!r}.")

    def _check_number(self) -> None:
        """Refuse a number of components that makes no sense."""
        require_count(self.n_components, "n_components")

    def _seed(self) -> int:
        if isinstance(self.random_state, np.random.Generator):
            return int(self.random_state.integers(2**31 - 1))
        try:
            return int(check_random_state(self.random_state).randint(2**31 - 1))
        except ValueError:
            raise ValueError(
                "random_state must be None, an integer from 0, a numpy.random.Generator or a "
                f"numpy.random.RandomState, not {self.random_state!r}."
            ) from None

    def _generators(self, seed: int) -> list[np.random.Generator]:
        """Return the chance of every start."""
        return np.random.default_rng(seed).spawn(self.n_restarts)

    def _watched(self, shards: Data) -> Data:
        """Return the same data; where they are coded somewhere else, how far is shown."""
        if not isinstance(shards, OutOfCoreShards):
            return shards
        return shards.watched_by(watch_for(self.callback, self.verbose))

    def _learn(
        self,
        shards: Shards,
        starts: Sequence[Dictionary],
        runs: Checkpoint,
        gap: float,
        *,
        size: int | None = None,
        max_iter: int | None = None,
    ) -> Outcome:
        """Learn from the best of several starts, and keep how that went.

        With a size of batches, the starts are compared on a few of them. `max_iter` overrides the
        parameter of that name.
        """
        tol, compared = float(self.tol), None
        most = self.max_iter if max_iter is None else max_iter
        follow: Follow = partial(learn, gap=gap, max_iter=most, tol=tol)
        if size is not None:
            follow = partial(
                learn_in_batches,
                size=size,
                seed=runs.seed,
                gap=gap,
                max_iter=self.max_iter,
                tol=tol,
            )
            if len(starts) > 1 and not runs.runs:
                announce(f"comparing {len(starts)} starts", self.callback, self.verbose)
                few = shards.batches(COMPARED * size, np.random.default_rng(runs.seed))[0]
                starts, runs.compared = self._compare(few, starts, gap)
            starts, compared = starts[:1], runs.compared
        states = [State(shards, start) for start in starts]
        best, reached = Restarts(follow, runs, self.callback, self.verbose).best(states)
        self.starts_: Floats = reached if compared is None else compared
        self.history_: History = best.history
        self.n_iter_ = best.history[-1].number
        self.converged_ = self._stands_still(size)
        self.n_steps_ = 0
        self._progress: OnlineState | None = None
        return best

    def _compare(
        self, few: Shards, starts: Sequence[Dictionary], gap: float
    ) -> tuple[Sequence[Dictionary], Floats]:
        """Run every start for a few iterations on few data; return what the best of them led to.

        Also the objectives that they came to. One that is alone stays as it is.
        """
        if len(starts) == 1:
            return starts, np.zeros(0)
        follow = partial(learn, gap=gap, max_iter=TRIAL, tol=float(self.tol))
        trials = Restarts(follow, Checkpoint(0, TRIAL), None, self.verbose)
        best, reached = trials.best([State(few, start) for start in starts])
        return [best.dictionary], reached

    def _batches(self, n: int, size: int, what: str) -> dict[str, str]:
        """Say in words how data are learned from in batches; for the provenance."""
        words = f"{max(1, round(n / size))} mini-batches of about {min(n, size)} {what}"
        if self.verbose:
            print(f"a pass takes {words}")
        return {"batches": words}

    def _stands_still(self, size: int | None) -> bool:
        """Return whether the last iteration, or the last pass over batches, hardly lowered it."""
        tol, passes = float(self.tol), History(self.history_[:-1])
        if self.history_.stands_still(tol):
            return True
        return size is not None and passes.stands_still(max(tol, STAGNANT))

    def _warn_unless_converged(self, stopped: bool) -> None:
        """Warn of a fit that ended too early, unless a callback stopped it."""
        if not stopped and not self.converged_ and self.max_iter > 0:
            warn_user(
                f"max_iter={self.max_iter} ended the fit while the objective was still falling by "
                f"more than tol={float(self.tol):g} of it per iteration; raise max_iter or tol.",
                ConvergenceWarning,
            )
