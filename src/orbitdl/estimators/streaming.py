"""Learning from one batch after the other, for both estimators."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from orbitdl.dictionaries.base import Dictionary
from orbitdl.estimators.base import LearnerMixin
from orbitdl.learning.alternation import record_of
from orbitdl.learning.history import History
from orbitdl.learning.online import FIRST_GAP, OnlineState, take_in
from orbitdl.learning.shards import Shards
from orbitdl.learning.state import State


@dataclass(frozen=True)
class StepResult:
    """What a batch led to: a dictionary, and the codes of the batch with it."""

    dictionary: Dictionary
    codes: Any


class StreamMixin(LearnerMixin):
    """Learns from one batch after the other."""

    provenance_: dict[str, Any]

    @property
    def _has_begun(self) -> bool:
        """Whether there are components to go on from."""
        return hasattr(self, "components_")

    def _start_stream(
        self,
        batch: Shards,
        choose: Callable[[list[np.random.Generator]], Sequence[Dictionary]],
        gap: float,
    ) -> OnlineState:
        """Return the start that is best on the first batch, of those that chance chooses."""
        starts = choose(self._generators(self._seed()))
        best, self.starts_ = self._compare(batch, starts, gap)
        self.history_, self.n_steps_ = History(), 0
        return OnlineState(best[0])

    def _go_on(self, fitted: Dictionary, size: int) -> OnlineState:
        """Return where the last batch led, or the fitted components if this is the first one.

        They stand for the data of `fit`, counted in batches of this size.
        """
        progress: OnlineState | None = getattr(self, "_progress", None)
        if progress is not None:
            return progress
        self.n_steps_ = 0
        return OnlineState(fitted, before=int(self.provenance_["samples"]) / size)

    def _step(self, progress: OnlineState, batch: Shards, gap: float) -> StepResult:
        """Take the step that a batch asks for, and code it with what that leads to."""
        began = time.perf_counter()
        taken = take_in(progress, batch, max(gap, FIRST_GAP))
        new = taken.progress.dictionary
        coded, summary = taken.batch.code(new.expand(), gap)
        if not self.history_:
            self.history_.append(record_of(State(batch, new), taken.summary, 0.0))
        state = State(batch, new, last=self.history_[-1], unused=taken.unused)
        record = record_of(state, summary, time.perf_counter() - began)
        self.history_ = History([*self.history_, record])
        self._progress, self.n_steps_ = taken.progress, self.n_steps_ + 1
        self.n_iter_, self.converged_ = record.number, False
        if self.verbose:
            print(record)
        return StepResult(new, coded.codes)

    def _origin(self, now: dict[str, Any]) -> dict[str, Any]:
        """Return the provenance after a batch: data points of all, the fingerprint of the last."""
        before = getattr(self, "provenance_", {})
        told = {key: before[key] for key in ("alpha",) if key in before}
        samples = now["samples"] + before.get("samples", 0)
        words = (
            f"the last {self.n_steps_} came one at a time, by partial_fit; the fingerprint is that "
            "of the last"
        )
        return {**told, **now, "samples": samples, "batches": words}
