"""Data that are somewhere else, on disk or on other machines, as shards.

They are coded a piece at a time by a `Crew`. Of every piece comes back what `learn` asks for, which
adds up; its codes stay where they were made, in a `Scratch`, for the next time.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from operator import methodcaller
from typing import Any, Self

import numpy as np

from orbitdl.coding.codes import Atoms
from orbitdl.dictionaries.statistics import Statistics
from orbitdl.groups.base import Blocks, Floats, Integers
from orbitdl.learning.executor import Crew, Piece, Round
from orbitdl.learning.progress import OverBatches, Watch
from orbitdl.learning.shards import LocalShards, Shards, Space, Sum, Summary
from orbitdl.learning.spill import Scratch


class Opening(ABC):
    """How data of a piece become shards in memory, and how these are coded. It can be pickled."""

    @property
    @abstractmethod
    def space(self) -> Space:
        """What components and atoms of these data look like."""

    @abstractmethod
    def open(self, piece: Piece) -> LocalShards:
        """Return the data of a piece as shards without codes."""


@dataclass(frozen=True)
class Report:
    """What coding a piece came to; the sum of two is that of both together.

    `majorised` are the statistics of data completed by codes and components, where entries are
    missing; they are made while the data are there, for a dictionary step without another reading.
    """

    summary: Summary
    statistics: Statistics
    majorised: Statistics | None = None

    def __add__(self, other: Report) -> Report:
        summary, statistics = self.summary + other.summary, self.statistics + other.statistics
        if self.majorised is None or other.majorised is None:
            return Report(summary, statistics)
        return Report(summary, statistics, self.majorised + other.majorised)


@dataclass(frozen=True, eq=False)
class Start:
    """Codes to start from: those of a round, and what was done to them since."""

    round: Round | None = None
    changes: tuple[Callable[[Any], Any], ...] = ()

    def then(self, change: Callable[[Any], Any]) -> Start:
        """Return the same codes, changed once more."""
        return self if self.round is None else replace(self, changes=(*self.changes, change))

    def of(self, shards: LocalShards, piece: Piece, scratch: Scratch) -> LocalShards:
        """Return a piece with the codes that are kept of it, or without any."""
        if self.round is None:
            return shards
        atoms = scratch.find(self.round.number, piece.number)
        return shards if atoms is None else self._changed(shards.starting_from(atoms))

    def surely(self, shards: LocalShards, piece: Piece, scratch: Scratch) -> LocalShards:
        """Return a piece with such codes; if they are lost, it is coded again."""
        known = self.of(shards, piece, scratch)
        if self.round is None or known.atoms is not None:
            return known
        return self._changed(shards.code(self.round.A, self.round.asked)[0])

    def _changed(self, shards: LocalShards) -> LocalShards:
        for change in self.changes:
            shards = change(shards)
        return shards


@dataclass(frozen=True, eq=False)
class CodePiece:
    """Codes a piece, keeps its codes and tells what they come to."""

    opening: Opening
    start: Start
    round: Round
    alive: frozenset[int]
    is_masked: bool = False

    def __call__(self, piece: Piece, scratch: Scratch) -> Report:
        shards = self.start.of(self.opening.open(piece), piece, scratch)
        shards, summary = shards.code(self.round.A, self.round.asked)
        scratch.keep_only(self.alive, self.round.number)
        if shards.atoms is not None:
            scratch.keep(self.round.number, piece.number, shards.atoms)
        completed = shards.majorised_statistics(self.round.A) if self.is_masked else None
        return Report(summary, shards.statistics(), completed)

    def brief(self, report: Report) -> Summary:
        """Return what is told of a piece."""
        return report.summary


@dataclass(frozen=True, eq=False)
class AskPiece:
    """Asks every part of a piece, with its codes, and adds up the answers."""

    opening: Opening
    start: Start
    ask: Callable[[Any], Any]

    def __call__(self, piece: Piece, scratch: Scratch) -> Any:
        return self.start.surely(self.opening.open(piece), piece, scratch).sum_of(self.ask)


@dataclass(frozen=True, eq=False)
class ScatteredShards(Shards):
    """Data in pieces that are somewhere else.

    Attributes
    ----------
    crew : Crew
    opening : Opening
    numbers : tuple of int
        The pieces that these are.
    start : Start
        Where the next coding starts.
    known, majorised : Statistics or None
        Of the last coding; the latter where entries are missing.
    is_masked : bool
        Whether any entry is missing.
    watch : callable or None
        Given how many pieces are about to be coded, it returns who is told what each came to: its
        number and a `Summary`, once.
    """

    crew: Crew
    opening: Opening
    numbers: tuple[int, ...]
    start: Start = field(default_factory=Start)
    known: Statistics | None = None
    majorised: Statistics | None = None
    is_masked: bool = False
    watch: Watch | None = None

    @property
    def space(self) -> Space:
        return self.opening.space

    @property
    def atoms(self) -> None:
        """Not here, but where the data are."""
        return None

    @property
    def codes(self) -> None:
        """Not here, but where the data are."""
        return None

    def __len__(self) -> int:
        return int(np.diff(self.crew.ends)[list(self.numbers)].sum())

    def watched_by(self, watch: Watch | None) -> Self:
        """Return the same data; somebody hears of every piece that is coded."""
        return replace(self, watch=watch)

    def code(self, A: Blocks, asked: float) -> tuple[Self, Summary]:
        new = self.crew.begin(A, asked)
        work = CodePiece(self.opening, self.start, new, self.crew.alive, self.is_masked)
        tell = None if self.watch is None else self.watch(len(self.numbers))
        report = self.crew.total(work, self.numbers, "code", tell)
        coded = replace(self._from(Start(new)), known=report.statistics)
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
        return self._from(Start())

    def scale(self, factors: Floats) -> Self:
        return self._changed(methodcaller("scale", factors))

    def moved(self, moves: Integers | None) -> Self:
        return self if moves is None else self._changed(methodcaller("moved", moves))

    def batches(self, size: int, rng: np.random.Generator) -> list[Self]:
        """Return pieces in random order, so many at a time that nobody who works waits."""
        together = self._together(size)
        order = rng.permutation(self.numbers)
        groups = (order[k : k + together] for k in range(0, len(order), together))
        watch = None if self.watch is None else OverBatches(self.watch, len(self.numbers))
        return [self._only(np.sort(group)).watched_by(watch) for group in groups]

    def nearest_batch(self, size: int) -> int:
        return self._together(size) * len(self) // len(self.numbers)

    def _together(self, size: int) -> int:
        """Return how many pieces make a batch."""
        average = len(self) / len(self.numbers)
        return max(round(size / average), self.crew.width, 1)

    def _only(self, numbers: Integers) -> Self:
        own = tuple(int(k) for k in numbers)
        return replace(self._from(Start()), numbers=own)

    def sum_of(self, ask: Callable[[Any], Sum]) -> Sum:
        work = AskPiece(self.opening, self.start, ask)
        found: Sum = self.crew.total(work, self.numbers, "sum")
        return found

    def _changed(self, change: Callable[[Any], Any]) -> Self:
        return self._from(self.start.then(change))

    def _from(self, start: Start) -> Self:
        return replace(self, start=start, known=None, majorised=None)
