"""Recordings as shards: the learning loop of data points serves them as they are."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np

from orbitdl.arrays.blocks import Blocks, Floats, Integers
from orbitdl.coding.atoms import Atoms
from orbitdl.coding.codes import Codes
from orbitdl.coding.parallel import in_threads
from orbitdl.dictionaries.base import Dictionary
from orbitdl.dictionaries.statistics import Statistics
from orbitdl.discovery.background import Background
from orbitdl.domains.time.axis import TimeAxis
from orbitdl.domains.time.chunk import Answer, Chunk
from orbitdl.domains.time.chunks import (
    Recording,
    Watch,
    code_recording,
    linked,
    split_recording,
    spread,
)
from orbitdl.domains.time.coder import RecordingCoder
from orbitdl.domains.time.coordinates import from_blocks
from orbitdl.domains.time.signal import Signal
from orbitdl.domains.time.statistics import EventStatistics
from orbitdl.domains.time.waveforms import Waveforms
from orbitdl.domains.time.whitening import whitened
from orbitdl.learning.shards import LocalShards, Summary, shuffled


@dataclass(frozen=True, eq=False)
class RecordingShards(LocalShards):
    """Recordings that are learned from together, and how they are coded.

    Attributes
    ----------
    parts : tuple of Chunk
        One recording after the other.
    n_jobs : int or None
    alpha : float
    positive, integer_shifts : bool
        Whether coefficients must be positive, and times whole samples.
    codes : Codes or None
        What the last coding of every recording ended with, unless it was changed since.
    """

    parts: tuple[Chunk, ...]
    alpha: float
    positive: bool = False
    integer_shifts: bool = False
    codes: Codes | None = None

    @classmethod
    def cut(
        cls,
        signals: Iterable[Signal],
        width: int,
        alpha: float,
        n_jobs: int | None = None,
        *,
        positive: bool = False,
        integer_shifts: bool = False,
        size: int | None = None,
    ) -> RecordingShards:
        """Cut recordings into chunks; where depends on the length of waveforms alone."""
        parts = tuple(chunk for signal in signals for chunk in split_recording(signal, width, size))
        return cls(parts, n_jobs, alpha, positive, integer_shifts)

    @property
    def space(self) -> TimeAxis:
        chunk = self.parts[0]
        return TimeAxis((1, chunk.width, chunk.signal.channels))

    def no_statistics(self, q: int) -> EventStatistics:
        return EventStatistics.none(*self.space.block_shape[1:], q)

    @property
    def sizes(self) -> list[int]:
        """Samples of every chunk."""
        return [chunk.last - chunk.first for chunk in self.parts]

    def of_some(self, ask: Callable[[Chunk], Answer], most: int) -> list[Answer]:
        """Return the answers of so many chunks at most, evenly spread over all."""
        return [ask(chunk) for chunk in spread(self.parts, most)]

    @property
    def recordings(self) -> list[Recording]:
        """The chunks of every recording."""
        groups = list[Recording]()
        for part in self.parts:
            if part.begins:
                groups.append([])
            groups[-1].append(part)
        return groups

    def at(self, alpha: float) -> RecordingShards:
        """Return the same recordings at another weight of sparsity."""
        return replace(self, alpha=alpha, codes=None)

    def with_noise(self, noise: Background) -> RecordingShards:
        """Return the same recordings, whitened, without codes."""
        parts = list[Chunk]()
        for group in self.recordings:
            signal = whitened(group[0].signal, noise, group[0].width, self.n_jobs)
            parts += [Chunk(signal, one.first, one.last, one.width) for one in group]
        return replace(self, parts=tuple(parts), codes=None)

    def prepare(self, A: Blocks, target_gap: float) -> RecordingCoder:
        waveforms = Waveforms(from_blocks(A))
        return RecordingCoder(waveforms, self.alpha, target_gap, self.positive, self.integer_shifts)

    def code(
        self, A: Blocks, target_gap: float, watch: Watch = int
    ) -> tuple[RecordingShards, Summary]:
        """Code every recording as a whole; `watch` is told of samples that are done."""
        coder = self.prepare(A, target_gap)
        groups = self.recordings
        short = all(len(group) <= 2 for group in groups)  # then threads take whole recordings
        outer, within = (self.n_jobs, None) if short and len(groups) > 1 else (None, self.n_jobs)
        coded = in_threads(lambda one: code_recording(one, coder, within, watch), groups, outer)
        codes = Codes.concatenate([one.codes(coder) for one in coded])
        parts = tuple(chunk for one in coded for chunk in one.chunks)
        summary = Summary.of(codes)
        return replace(self, parts=parts, codes=codes), summary

    def starting_from(self, atoms: Atoms | None) -> RecordingShards:
        return self._with(super().starting_from(atoms).parts)

    def scale(self, factors: Floats) -> RecordingShards:
        return self._with(super().scale(factors).parts)

    def _with(self, parts: tuple[Chunk, ...]) -> RecordingShards:
        """Return the same recordings with chunks that have other atoms."""
        changed = replace(self, parts=parts, codes=None)
        if any(part.atoms is None for part in parts):
            return changed
        every = (part for group in changed.recordings for part in linked(group))
        return replace(changed, parts=tuple(every))

    def batches(self, size: int, rng: np.random.Generator) -> list[RecordingShards]:
        """Return so many whole recordings at a time; one that is alone is one batch."""
        every = self.recordings
        groups = [[every[k] for k in chosen] for chosen in shuffled(len(every), size, rng)]
        return [replace(self, parts=tuple(sum(group, [])), codes=None) for group in groups]

    def best(
        self, dictionary: Dictionary, statistics: Statistics, soon: bool = False
    ) -> tuple[Dictionary, Integers | None]:
        assert isinstance(statistics, EventStatistics)
        return statistics.best(dictionary, soon)

    def step(
        self, dictionary: Dictionary, statistics: Statistics
    ) -> tuple[RecordingShards, Dictionary]:
        """Return the waveforms that fit best with the last codes, and the recordings for them.

        Spans that move take their atoms along. With a penalty field this changes the penalty:
        they move only where the objective does not rise,

            misfit(moved) + alpha weight(moved) <= misfit(A) + alpha weight.
        """
        assert isinstance(statistics, EventStatistics)
        best, shifts = statistics.best(dictionary)
        if shifts is None or all(part.signal.penalty is None for part in self.parts):
            return self.recentred(shifts), best
        moved, q = self.recentred(shifts), len(dictionary)
        before, after = statistics.here, statistics.at(shifts)
        fall = before.misfit(dictionary.expand()) - after.misfit(best.expand())
        if self.alpha * (moved.weight(q) - self.weight(q)) <= fall:
            return moved, best
        return self, dictionary.solve(before)

    def weight(self, q: int) -> float:
        """Return ``sum_k p_{j_k}(tau_k) |c_k|`` over the atoms of q components."""
        return sum(part.weight(q) for part in self.parts)

    def recentred(self, shifts: Integers | None) -> RecordingShards:
        """Return the same recordings with atoms of component j later by ``shifts[j]`` samples."""
        if shifts is None:
            return self
        return self._with(tuple(part.recentred(shifts) for part in self.parts))
