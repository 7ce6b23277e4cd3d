"""Where the restarts of a fit stand."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from orbitdl.dictionaries.base import Dictionary
from orbitdl.learning.history import History
from orbitdl.learning.state import Iteration, State


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
