"""Progress of one coding of out-of-core data."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock

from orbitdl.learning.executor import OnDone
from orbitdl.learning.shards import Summary
from orbitdl.learning.state import Iteration

PAUSE = 10.0
"""Seconds between two lines of progress."""
Clock = Callable[[], float]


@dataclass(frozen=True)
class Standing:
    """How far a coding of data in parts has come.

    Attributes
    ----------
    done, parts : int
        Parts that are coded, of how many.
    objective : float
        Summed over these.
    gap : float
        The largest of them.
    seconds : float
        Since the coding began.
    """

    done: int
    parts: int
    objective: float
    gap: float
    seconds: float

    @property
    def left(self) -> float:
        """Seconds until the last part is coded, if the others take as long as these."""
        return self.seconds * (self.parts - self.done) / self.done

    def __str__(self) -> str:
        return (
            f"{self.done} of {self.parts} parts, objective {self.objective:.2g} so far, "
            f"gap {self.gap:.0e}, {self.left:.0f} s left"
        )


Show = Callable[[Standing], object]


class Progress:
    """Is called with the summary of every part, once, in any thread, and shows the progress."""

    def __init__(self, parts: int, show: Show, clock: Clock = time.monotonic) -> None:
        self.parts, self.show, self.clock = parts, show, clock
        self._began, self._done, self._lock = clock(), 0, Lock()
        self._sum = Summary(0.0, 0.0, 0, 0)

    def __call__(self, number: int, summary: Summary) -> None:
        """Hear of one part."""
        with self._lock:
            self._done += 1
            self._sum = self._sum + summary
            seconds = self.clock() - self._began
            objective, gap = self._sum.objective, self._sum.gap
            self.show(Standing(self._done, self.parts, objective, gap, seconds))


class Follower(ABC):
    """A callback that is also called for every part of out-of-core data."""

    @abstractmethod
    def __call__(self, iteration: Iteration) -> bool | None:
        """Hear of an iteration; returning True stops its run."""

    @abstractmethod
    def part(self, standing: Standing) -> None:
        """Hear how far the coding of an iteration has come; in any thread."""

    @abstractmethod
    def phase(self, words: str) -> None:
        """Hear what begins, such as "choosing alpha" or "start 2 of 5"."""


class Printed:
    """Prints a line now and then, and none while less than a pause has gone by."""

    def __init__(self, clock: Clock = time.monotonic) -> None:
        self.clock = clock
        self._said = clock()

    def __call__(self, standing: Standing) -> None:
        """Print how far it has come, if it is time to."""
        now = self.clock()
        if standing.done < standing.parts and min(now - self._said, standing.seconds) >= PAUSE:
            self._said = now
            print(f"  {standing}")


def announce(words: str, callback: object, verbose: int) -> None:
    """Report which phase of a fit begins: to a follower, and on a line if `verbose`."""
    if isinstance(callback, Follower):
        callback.phase(words)
    if verbose:
        print(words)


Watch = Callable[[int], OnDone]
"""Is called with the number of parts of a coding that begins; returns a callback for them."""


class OverBatches:
    """Lets the codings of batches, which have so many parts together, be watched as one."""

    def __init__(self, watch: Watch, parts: int) -> None:
        self.watch, self.parts = watch, parts
        self._tell, self._left = watch(parts), parts

    def __call__(self, parts: int) -> OnDone:
        """Return the callback for the parts of the next batch; after the last batch begin anew."""
        if self._left <= 0:
            self._tell, self._left = self.watch(self.parts), self.parts
        self._left -= parts
        return self._tell


def watch_for(callback: object, verbose: int) -> Watch | None:
    """Return what watches codings, each of so many parts; None if nothing does."""
    shows = list[Show]()
    if isinstance(callback, Follower):
        shows.append(callback.part)
    if verbose:
        shows.append(Printed())

    def show(standing: Standing) -> None:
        for one in shows:
            one(standing)

    return (lambda parts: Progress(parts, show)) if shows else None
