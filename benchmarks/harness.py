"""What all comparisons share: fair timing, and the records of what was found."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

Job = Callable[[], Any]

LIMIT = "limit"
"""The competitor of rows that have none but a number of seconds."""


@dataclass(frozen=True)
class Row:
    """One comparison of two programs on one piece of work.

    Attributes
    ----------
    work : str
    ours, theirs : float
        Seconds on the clock, medians (or what `note` says).
    competitor : str
    target : float or None
        What `ratio` must reach, or must not exceed.
    at_least : bool
        True: the ratio is ``theirs / ours``, a speed-up. False: ``ours / theirs``, a cost.
    accuracy : str
        Of ours and theirs, found by the same referee.
    note : str
    """

    work: str
    ours: float
    competitor: str
    theirs: float
    target: float | None = None
    at_least: bool = True
    accuracy: str = ""
    note: str = ""

    @property
    def ratio(self) -> float:
        """How many times faster, or how many times as long."""
        return float(self.theirs / self.ours if self.at_least else self.ours / self.theirs)

    @property
    def holds(self) -> bool | None:
        """Whether the target is met; None without a target."""
        if self.target is None:
            return None
        return bool(self.ratio >= self.target if self.at_least else self.ratio <= self.target)


@dataclass(frozen=True)
class Table:
    """Further figures: column names, and rows of cells that are text already."""

    title: str
    columns: tuple[str, ...]
    cells: list[tuple[str, ...]]
    note: str = ""


@dataclass(frozen=True)
class Section:
    """The outcome of one comparison file; `note` says why if it failed or was left out."""

    title: str
    rows: list[Row] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    note: str = ""
    failed: bool = False
    left_out: bool = False


@dataclass(frozen=True)
class Timing:
    """Seconds on the clock of every repeat, and what each returned."""

    seconds: tuple[float, ...]
    results: tuple[Any, ...]

    @property
    def result(self) -> Any:
        """What the last one returned."""
        return self.results[-1]

    @property
    def median(self) -> float:
        """The figure that is reported."""
        return statistics.median(self.seconds)


def timed(job: Job) -> tuple[float, Any]:
    """Return the seconds that one call takes on the clock, and its result."""
    gc.collect()
    began = time.perf_counter()
    result = job()
    return time.perf_counter() - began, result


def interleave(
    jobs: dict[str, Job], repeats: int, warm_up: Iterable[str] | None = None
) -> dict[str, Timing]:
    """Time all jobs in turn, again and again, so that a slow spell of the machine hits all.

    Jobs named in `warm_up` (all if left out) are called once before, untimed: compilation and
    caches are not part of any figure.
    """
    for name in jobs if warm_up is None else warm_up:
        jobs[name]()
    rounds = [{name: timed(job) for name, job in jobs.items()} for _ in range(repeats)]
    return {name: Timing(*zip(*(done[name] for done in rounds), strict=True)) for name in jobs}
