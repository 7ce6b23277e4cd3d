"""Recordings on a cluster as shards: each is coded as a whole where it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from orbitdl.dictionaries.base import Dictionary
from orbitdl.dictionaries.statistics import Statistics
from orbitdl.discovery.background import Background
from orbitdl.domains.time.axis import TimeAxis
from orbitdl.domains.time.chunk import Answer, Chunk
from orbitdl.domains.time.chunks import chunk_limits, spread
from orbitdl.domains.time.inputs import RecordingSurvey, ready, survey
from orbitdl.domains.time.shards import RecordingShards
from orbitdl.domains.time.statistics import EventStatistics
from orbitdl.groups.base import Integers
from orbitdl.learning.executor import DataChunk, Executor
from orbitdl.learning.out_of_core import Loader, OutOfCoreShards
from orbitdl.learning.spill import AtomStore


@dataclass(frozen=True, eq=False)
class RecordingLoader(Loader):
    """Loads a recording, ready to be coded with waveforms of some width.

    Attributes
    ----------
    width, channels : int
        Of a waveform.
    alpha : float
    positive, integer_shifts, detrend : bool
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
    def space(self) -> TimeAxis:
        return TimeAxis((1, self.width, self.channels))

    def open(self, chunk: DataChunk) -> RecordingShards:
        signal = ready(chunk.data, self.width, detrend=self.detrend, noise=self.noise)
        flags = {"positive": self.positive, "integer_shifts": self.integer_shifts}
        return RecordingShards.cut([signal], self.width, self.alpha, self.n_jobs, **flags)


def survey_recording(chunk: DataChunk, store: AtomStore) -> list[RecordingSurvey]:
    """RecordingSurvey a whole recording; a message names it by its number."""
    return [survey(chunk.data, hashed=True)]


@dataclass(frozen=True, eq=False)
class AskChunks:
    """Queries some chunks of a recording, given by the numbers of the recording and the chunk."""

    loader: RecordingLoader
    wanted: dict[int, list[int]]
    ask: Callable[[Chunk], Any]

    def __call__(self, chunk: DataChunk, store: AtomStore) -> list[Any]:
        chunks = self.loader.open(chunk).parts
        return [self.ask(chunks[k]) for k in self.wanted[chunk.number]]


@dataclass(frozen=True, eq=False)
class OutOfCoreRecordings(OutOfCoreShards):
    """Recordings that are coded where they are computed.

    Attributes
    ----------
    lengths : tuple of int
        Samples of every recording.
    """

    loader: RecordingLoader
    lengths: tuple[int, ...] = ()

    @classmethod
    def of(
        cls, executor: Executor, loader: RecordingLoader, lengths: tuple[int, ...]
    ) -> OutOfCoreRecordings:
        """Return all recordings of a executor."""
        return cls(executor, loader, tuple(executor.filled), lengths=lengths)

    @property
    def space(self) -> TimeAxis:
        return self.loader.space

    def best(
        self, dictionary: Dictionary, statistics: Statistics, soon: bool = False
    ) -> tuple[Dictionary, Integers | None]:
        assert isinstance(statistics, EventStatistics)
        return statistics.best(dictionary, soon)

    def no_statistics(self, q: int) -> EventStatistics:
        return EventStatistics.none(*self.space.block_shape[1:], q)

    @property
    def alpha(self) -> float:
        """Regularisation weight."""
        return self.loader.alpha

    @property
    def positive(self) -> bool:
        """Whether coefficients must be positive."""
        return self.loader.positive

    @property
    def integer_shifts(self) -> bool:
        """Whether times must be integers."""
        return self.loader.integer_shifts

    @property
    def n_jobs(self) -> int | None:
        """Threads that work on one recording."""
        return self.loader.n_jobs

    def at(self, alpha: float) -> OutOfCoreRecordings:
        """Return the same recordings at another weight of sparsity, without codes."""
        return replace(self.starting_from(None), loader=replace(self.loader, alpha=alpha))

    def with_noise(self, noise: Background) -> OutOfCoreRecordings:
        """Return the same recordings, whitened, without codes."""
        return replace(self.starting_from(None), loader=replace(self.loader, noise=noise))

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
        found: list[Answer] = self.executor.total(
            AskChunks(self.loader, wanted, ask), list(wanted), "take"
        )
        return found

    def _chunks(self) -> list[tuple[int, int, tuple[int, int]]]:
        """Return of every chunk the recording, the number in it and the samples."""
        return [
            (number, k, span)
            for number in self.numbers
            for k, span in enumerate(chunk_limits(self.lengths[number], self.loader.width))
        ]
