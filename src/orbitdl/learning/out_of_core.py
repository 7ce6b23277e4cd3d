"""Data on disk or on other machines as shards.

An `Executor` codes them a chunk at a time. Of every chunk it returns the sums that `learn` needs;
the atoms stay where they were found, in an `AtomStore`, for the next round.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from operator import methodcaller
from typing import Any, Self

import numpy as np

from orbitdl.arrays.blocks import Blocks, Floats, Integers
from orbitdl.coding.atoms import Atoms
from orbitdl.dictionaries.statistics import Statistics
from orbitdl.learning.executor import CodingRound, DataChunk, Executor
from orbitdl.learning.progress import OverBatches, Watch
from orbitdl.learning.shards import LocalShards, Shards, Space, Sum, Summary
from orbitdl.learning.spill import AtomStore


class Loader(ABC):
    """Loads the data of a chunk as shards in memory, ready to be coded. It can be pickled."""

    @property
    @abstractmethod
    def space(self) -> Space:
        """What components and atoms of these data look like."""

    @abstractmethod
    def open(self, chunk: DataChunk) -> LocalShards:
        """Return the data of a chunk as shards without codes."""


@dataclass(frozen=True)
class CodingReport:
    """The result of coding a chunk; the sum of two is that of both together.

    `majorised` are the statistics of data completed by codes and components, where entries are
    missing; they are made while the data are there, for a dictionary step without another reading.
    """

    summary: Summary
    statistics: Statistics
    majorised: Statistics | None = None

    def __add__(self, other: CodingReport) -> CodingReport:
        summary, statistics = self.summary + other.summary, self.statistics + other.statistics
        if self.majorised is None or other.majorised is None:
            return CodingReport(summary, statistics)
        return CodingReport(summary, statistics, self.majorised + other.majorised)


@dataclass(frozen=True, eq=False)
class WarmStart:
    """Atoms to start from: those of a round, and the changes since."""

    round: CodingRound | None = None
    changes: tuple[Callable[[Any], Any], ...] = ()

    def then(self, change: Callable[[Any], Any]) -> WarmStart:
        """Return the same atoms, changed once more."""
        return self if self.round is None else replace(self, changes=(*self.changes, change))

    def of(self, shards: LocalShards, chunk: DataChunk, store: AtomStore) -> LocalShards:
        """Return a chunk with its stored atoms, or without any."""
        if self.round is None:
            return shards
        atoms = store.find(self.round.number, chunk.number)
        return shards if atoms is None else self._changed(shards.starting_from(atoms))

    def surely(self, shards: LocalShards, chunk: DataChunk, store: AtomStore) -> LocalShards:
        """Return a chunk with such atoms; if they are lost, it is coded again."""
        known = self.of(shards, chunk, store)
        if self.round is None or known.atoms is not None:
            return known
        return self._changed(shards.code(self.round.A, self.round.tol)[0])

    def _changed(self, shards: LocalShards) -> LocalShards:
        for change in self.changes:
            shards = change(shards)
        return shards


@dataclass(frozen=True, eq=False)
class CodeChunk:
    """Codes a chunk, stores its atoms and returns their sums."""

    loader: Loader
    start: WarmStart
    round: CodingRound
    alive: frozenset[int]
    is_masked: bool = False

    def __call__(self, chunk: DataChunk, store: AtomStore) -> CodingReport:
        loaded = store.loaded(chunk, self.loader, self.loader.open)
        shards = self.start.of(loaded, chunk, store)
        shards, summary = shards.code(self.round.A, self.round.tol)
        store.discard(self.alive, self.round.number)
        assert shards.atoms is not None
        store.save(self.round.number, chunk.number, shards.atoms)
        completed = shards.majorised_statistics(self.round.A) if self.is_masked else None
        return CodingReport(summary, shards.statistics(), completed)

    def summary(self, report: CodingReport) -> Summary:
        """Return what callbacks are given."""
        return report.summary


@dataclass(frozen=True, eq=False)
class QueryChunk:
    """Queries every shard of a chunk, with its atoms, and adds up the results."""

    loader: Loader
    start: WarmStart
    query: Callable[[Any], Any]

    def __call__(self, chunk: DataChunk, store: AtomStore) -> Any:
        loaded = store.loaded(chunk, self.loader, self.loader.open)
        return self.start.surely(loaded, chunk, store).sum_of(self.query)


@dataclass(frozen=True, eq=False)
class OutOfCoreShards(Shards):
    """Data in chunks on disk or on other machines.

    Attributes
    ----------
    executor : Executor
    loader : Loader
    numbers : tuple of int
        The chunks that these are.
    start : WarmStart
        Where the next coding starts.
    known, majorised : Statistics or None
        Of the last coding; the latter where entries are missing.
    is_masked : bool
        Whether any entry is missing.
    watch : callable or None
        Given how many chunks are about to be coded, it returns a callback for the number and the
        `Summary` of each.
    """

    executor: Executor
    loader: Loader
    numbers: tuple[int, ...]
    start: WarmStart = field(default_factory=WarmStart)
    known: Statistics | None = None
    majorised: Statistics | None = None
    is_masked: bool = False
    watch: Watch | None = None

    @property
    def atoms(self) -> None:
        """None: they stay with the data."""
        return None

    @property
    def codes(self) -> None:
        """None: they stay with the data."""
        return None

    def __len__(self) -> int:
        return int(np.diff(self.executor.ends)[list(self.numbers)].sum())

    def watched_by(self, watch: Watch | None) -> Self:
        """Return the same data with a callback for every chunk that is coded."""
        return replace(self, watch=watch)

    def code(self, A: Blocks, tol: float) -> tuple[Self, Summary]:
        new = self.executor.begin(A, tol)
        work = CodeChunk(self.loader, self.start, new, self.executor.alive, self.is_masked)
        on_done = None if self.watch is None else self.watch(len(self.numbers))
        report = self.executor.total(work, self.numbers, "code", on_done)
        coded = replace(self._from(WarmStart(new)), known=report.statistics)
        return replace(coded, majorised=report.majorised), report.summary

    def statistics(self) -> Statistics:
        return super().statistics() if self.known is None else self.known

    def majorised_statistics(self, A: Blocks) -> Statistics:
        """Return what the last coding left, if it was with these components."""
        if not self.is_masked:
            return self.statistics()
        coded = self.start.round
        if self.majorised is None or coded is None or not np.array_equal(coded.A, A):
            return super().majorised_statistics(A)
        return self.majorised

    def starting_from(self, atoms: Atoms | None) -> Self:
        """Return the same data without codes.

        Those of all samples are never in one place, so that atoms which are here are left out:
        data are coded anew.
        """
        return self._from(WarmStart())

    def scale(self, factors: Floats) -> Self:
        return self._changed(methodcaller("scale", factors))

    def recentred(self, shifts: Integers | None) -> Self:
        return self if shifts is None else self._changed(methodcaller("recentred", shifts))

    def batches(self, size: int, rng: np.random.Generator) -> list[Self]:
        """Return chunks in random order, so many at a time that no worker waits."""
        together = self._together(size)
        order = rng.permutation(self.numbers)
        groups = (order[k : k + together] for k in range(0, len(order), together))
        watch = None if self.watch is None else OverBatches(self.watch, len(self.numbers))
        return [self._only(np.sort(group)).watched_by(watch) for group in groups]

    def nearest_batch(self, size: int) -> int:
        return self._together(size) * len(self) // len(self.numbers)

    def _together(self, size: int) -> int:
        """Return how many chunks make a batch."""
        average = len(self) / len(self.numbers)
        return max(round(size / average), self.executor.width, 1)

    def _only(self, numbers: Integers) -> Self:
        own = tuple(int(k) for k in numbers)
        return replace(self._from(WarmStart()), numbers=own)

    def sum_of(self, ask: Callable[[Any], Sum]) -> Sum:
        work = QueryChunk(self.loader, self.start, ask)
        found: Sum = self.executor.total(work, self.numbers, "sum")
        return found

    def _changed(self, change: Callable[[Any], Any]) -> Self:
        return self._from(self.start.then(change))

    def _from(self, start: WarmStart) -> Self:
        return replace(self, start=start, known=None, majorised=None)
