"""Recordings that are somewhere else, as shards: each is coded as a whole where it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from orbitdl.dictionaries.base import Dictionary
from orbitdl.dictionaries.statistics import Statistics
from orbitdl.discovery.background import Background
from orbitdl.domains.time.chunk import Chunk
from orbitdl.domains.time.chunks import chunk_limits, spread
from orbitdl.domains.time.inputs import Survey, named, ready, survey
from orbitdl.domains.time.shards import Answer, LineSpace, RecordingShards
from orbitdl.domains.time.statistics import EventStatistics
from orbitdl.groups.base import Integers
from orbitdl.learning.executor import Crew, Piece
from orbitdl.learning.out_of_core import Opening, ScatteredShards
from orbitdl.learning.spill import Scratch


@dataclass(frozen=True, eq=False)
class RecordingOpening(Opening):
    """How a recording is coded with waveforms of some width.

    Attributes
    ----------
    width, channels : int
        Of a waveform.
    alpha : float
    positive, whole, detrend : bool
    noise : Background or None
        The noise model whose filter whitens a recording.
    n_jobs : int or None
        Threads that work on one recording.
    """

    width: int
    channels: int
    alpha: float
    positive: bool = False
    integer_shifts: bool = False
    detrend: bool = True
    n_jobs: int | None = None
    noise: Background | None = None

    @property
    def space(self) -> LineSpace:
        return LineSpace((1, self.width, self.channels))

    def open(self, piece: Piece) -> RecordingShards:
        signal = ready(piece.data, self.width, detrend=self.detrend, noise=self.noise)
        flags = {"positive": self.positive, "integer_shifts": self.integer_shifts}
        return RecordingShards.cut([signal], self.width, self.alpha, self.n_jobs, **flags)


def survey_piece(piece: Piece, scratch: Scratch) -> list[Survey]:
    """Look at a whole recording once; a message names it by its number."""
    return [survey(piece.data, named(piece.number), hashed=True)]


@dataclass(frozen=True, eq=False)
class AskChunks:
    """Asks some chunks of a recording, given by the number of the recording and of the chunk."""

    opening: RecordingOpening
    wanted: dict[int, list[int]]
    ask: Callable[[Chunk], Any]

    def __call__(self, piece: Piece, scratch: Scratch) -> list[Any]:
        chunks = self.opening.open(piece).parts
        return [self.ask(chunks[k]) for k in self.wanted[piece.number]]


@dataclass(frozen=True, eq=False)
class ScatteredRecordings(ScatteredShards):
    """Recordings that are somewhere else.

    Attributes
    ----------
    lengths : tuple of int
        Samples of every recording.
    """

    opening: RecordingOpening
    lengths: tuple[int, ...] = ()

    @classmethod
    def of(
        cls, crew: Crew, opening: RecordingOpening, lengths: tuple[int, ...]
    ) -> ScatteredRecordings:
        """Return all recordings of a crew."""
        return cls(crew, opening, tuple(crew.filled), lengths=lengths)

    @property
    def space(self) -> LineSpace:
        return self.opening.space

    def best(
        self, dictionary: Dictionary, statistics: Statistics, soon: bool = False
    ) -> tuple[Dictionary, Integers | None]:
        assert isinstance(statistics, EventStatistics)
        return statistics.best(dictionary, soon)

    def no_statistics(self, q: int) -> EventStatistics:
        return EventStatistics.none(*self.space.block_shape[1:], q)

    @property
    def alpha(self) -> float:
        """Weight of sparsity."""
        return self.opening.alpha

    @property
    def positive(self) -> bool:
        """Whether coefficients must be positive."""
        return self.opening.positive

    @property
    def integer_shifts(self) -> bool:
        """Whether times must be whole samples."""
        return self.opening.integer_shifts

    @property
    def n_jobs(self) -> int | None:
        """Threads that work on one recording."""
        return self.opening.n_jobs

    def at(self, alpha: float) -> ScatteredRecordings:
        """Return the same recordings at another weight of sparsity, without codes."""
        return replace(self.starting_from(None), opening=replace(self.opening, alpha=alpha))

    def with_noise(self, noise: Background) -> ScatteredRecordings:
        """Return the same recordings, whitened, without codes."""
        return replace(self.starting_from(None), opening=replace(self.opening, noise=noise))

    @property
    def sizes(self) -> list[int]:
        """Samples of every chunk."""
        spans = (span for _, _, span in self._chunks())
        return [last - first for first, last in spans]

    def of_some(self, ask: Callable[[Chunk], Answer], most: int) -> list[Answer]:
        """Return the answers of so many chunks at most, evenly spread over all.

        Where chunks are follows from the lengths of recordings, so that these are the chunks that
        would be asked if all recordings were here; only those in which there are some are read.
        """
        chosen = spread(self._chunks(), most)
        by_recording = groupby(chosen, key=lambda chunk: chunk[0])
        wanted = {number: [k for _, k, _ in chunks] for number, chunks in by_recording}
        found: list[Answer] = self.crew.total(
            AskChunks(self.opening, wanted, ask), list(wanted), "take"
        )
        return found

    def _chunks(self) -> list[tuple[int, int, tuple[int, int]]]:
        """Return of every chunk the recording, the number in it and the samples."""
        return [
            (number, k, span)
            for number in self.numbers
            for k, span in enumerate(chunk_limits(self.lengths[number], self.opening.width))
        ]
