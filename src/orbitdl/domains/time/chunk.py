"""A chunk of a recording: the unit of reading, coding and learning."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Protocol, Self, TypeVar

import numpy as np

from orbitdl.arrays.blocks import Blocks, Floats, Integers, inner
from orbitdl.coding.atoms import Atoms
from orbitdl.discovery.background import Background
from orbitdl.domains.time.atoms import joined, later, no_atoms
from orbitdl.domains.time.axis import TimeAxis
from orbitdl.domains.time.certificate import Certificate
from orbitdl.domains.time.coordinates import from_blocks, to_blocks
from orbitdl.domains.time.correlations import (
    correlations,
    largest_correlation,
    positions_of,
    residual_of,
)
from orbitdl.domains.time.penalty import field_at, largest_relative, taps_of
from orbitdl.domains.time.signal import Part, Signal
from orbitdl.domains.time.splines import TAPS, coefficients_of
from orbitdl.domains.time.statistics import EventStatistics, max_shift_of
from orbitdl.domains.time.sums import Sums, event_sums
from orbitdl.domains.time.waveforms import Waveforms
from orbitdl.learning.shards import Residuals, Shard, Summary

if TYPE_CHECKING:
    from orbitdl.domains.time.coder import RecordingCoder

Answer = TypeVar("Answer")


@dataclass(frozen=True, eq=False)
class Chunk(Shard):
    """Samples of a recording, and the atoms that begin there.

    Attributes
    ----------
    signal : Signal
        The complete recording.
    first, last : int
        Half-open range of its samples. The first chunk owns all atoms that begin earlier, the last
        one all that begin later.
    width : int
        Length of a waveform in samples.
    atoms : Atoms or None
        Atoms of one data point; an element is a time in the recording.
    neighbours : Atoms
        Atoms of neighbouring chunks that overlap this one.
    """

    signal: Signal
    first: int
    last: int
    width: int
    atoms: Atoms | None = None
    neighbours: Atoms = field(default_factory=partial(no_atoms, 0))
    codes: None = None

    def __len__(self) -> int:
        return 1

    @property
    def begins(self) -> bool:
        """Whether this is the first chunk of a recording."""
        return self.first == 0

    @property
    def ends(self) -> bool:
        """Whether this is the last chunk of a recording."""
        return self.last == len(self.signal)

    @property
    def domain(self) -> tuple[float, float]:
        """Half-open interval of the times of its atoms."""
        return -np.inf if self.begins else self.first, np.inf if self.ends else self.last

    @property
    def own(self) -> Atoms:
        """The atoms that begin here."""
        return no_atoms(0) if self.atoms is None else self.atoms

    @property
    def known(self) -> Atoms:
        """All atoms that overlap this chunk."""
        return joined([self.own, self.neighbours])

    def read(self, before: int, after: int) -> tuple[Part, int]:
        """Return its samples with margins, and the position of the first one in the recording."""
        start = max(self.first - before, 0)
        return self.signal.read(start, self.last + after), start

    def known_values(self) -> Floats:
        """Return its samples (n, channels), NaN where one is missing."""
        (x, observed), _ = self.read(0, 0)
        return np.where(observed[:, None], x, np.nan)

    def code(self, coder: RecordingCoder, n_jobs: int | None = None) -> tuple[Chunk, Summary]:
        """Optimise the atoms that begin here; return also objective and gap."""
        coded = self.optimised(coder)
        judged, alpha = coded.certificate(coder), coder.alpha
        gap = judged.gap(alpha, positive=coder.positive)
        return coded, Summary(judged.objective(alpha), gap, int(self.begins), len(coded.own.time))

    def optimised(self, coder: RecordingCoder) -> Chunk:
        """Optimise the atoms that begin here, with those of neighbouring chunks fixed."""
        part, start = self.read(TAPS, self.width + TAPS)
        first, last = self.domain
        taps = self._taps(len(part[0]), start, coder)
        found = coder.code(*part, later(self.known, -start), first - start, last - start, taps)
        return replace(self, atoms=later(found, start))

    def certificate(self, coder: RecordingCoder, *, with_polar: bool = True) -> Certificate:
        """Return the terms of this chunk in the certificate of its recording."""
        waveforms, margin = coder.waveforms, self.width + TAPS if with_polar else 0
        (x, observed), start = self.read(margin, margin)
        r = residual_of(x, observed, waveforms, later(self.known, -start))
        here = slice(self.first - start, self.last - start)
        pairs = (r, r), (x, r), (x, x)
        energy, product, data = (float(np.sum(one[here] * two[here])) for one, two in pairs)
        weight = self.weight(len(waveforms))
        polar = self._polar(r, start, coder) if with_polar else np.inf
        return Certificate(energy, product, data, weight, polar)

    def _polar(self, r: Floats, start: int, coder: RecordingCoder) -> float:
        """Return the largest correlation of a residual that begins at `start`, at positions here.

        With a penalty field, a bound of the largest ratio to it.
        """
        e, shift = correlations(r, coder.waveforms), coder.waveforms.offset - start
        begin = 0 if self.begins else self.first + shift
        end = e.shape[1] if self.ends else self.last + shift
        restricted = {"positive": coder.positive, "integer_shifts": coder.integer_shifts}
        taps = self._taps(len(r), start, coder)
        if taps is None:
            return largest_correlation(e, begin, end, **restricted)
        return largest_relative(e, taps, coder.alpha, begin, end, **restricted)

    def weight(self, q: int) -> float:
        """Return ``sum_k p_{j_k}(tau_k) |c_k|`` over its own atoms, of q components."""
        own, field = self.own, self.signal.penalty
        size = np.abs(own.coefficient)
        return float((size if field is None else size * field_at(field, own, q)).sum())

    def _taps(self, samples: int, start: int, coder: RecordingCoder) -> Floats | None:
        """Return the taps of the penalty at all positions of samples from `start` on."""
        if self.signal.penalty is None:
            return None
        first, last = positions_of(samples, coder.waveforms)
        return taps_of(self.signal.penalty, start + first, start + last, len(coder.waveforms))

    def statistics(self) -> EventStatistics:
        max_shift = max_shift_of(self.width)
        longer = self.sums(self.width + 2 * max_shift, max_shift)
        return EventStatistics(longer, self.known_atoms.invariants().sum(axis=0), self.width)

    def sums(self, width: int, max_shift: int) -> Sums:
        """Return the sums over events for waveforms that begin `max_shift` samples earlier."""
        (x, observed), start = self.read(0, 0)
        moved = later(self.known, -start - max_shift)
        counted = np.arange(len(moved.time)) < len(self.own.time)
        near = (moved.time > -width - TAPS + 1) & (moved.time < len(x) + width + TAPS)
        order = np.argsort(moved.time, kind="stable")
        order = order[near[order]]
        q, ends = self.known_atoms.n_components, (self.begins, self.ends)
        return event_sums(x, observed, width, q, moved.select(order), counted[order], ends)

    def recentred(self, shifts: Integers) -> Chunk:
        """Return this chunk with the atoms of component j later by ``shifts[j]`` samples."""
        atoms = self.known_atoms
        time = atoms.element + shifts[atoms.component][:, None]
        return self.starting_from(atoms.updated(atoms.coefficient, time))

    def starting_from(self, atoms: Atoms | None) -> Chunk:
        return replace(self, atoms=atoms)

    def worst_residuals(self, A: Blocks, most: int) -> Residuals:
        """Return the disjoint segments of the residual with the largest energy."""
        part, start = self.read(0, 0)
        left = residual_of(*part, Waveforms(from_blocks(A)), later(self.known, -start))
        left = np.pad(left, [(0, max(self.width - len(left), 0)), (0, 0)])
        total = np.concatenate([[0.0], np.cumsum(np.sum(left**2, axis=1))])
        energy = total[self.width :] - total[: -self.width]
        found = []
        for _ in range(min(most, len(energy))):
            first = int(np.argmax(energy))
            found.append(left[first : first + self.width])
            energy[max(first - self.width, 0) : first + self.width] = 0.0
        blocks = to_blocks(coefficients_of(np.stack(found)))
        return Residuals(inner(blocks, blocks), blocks)


class Recordings(Protocol):
    """Recordings in chunks, some of which may be queried; `RecordingShards` is that."""

    @property
    def space(self) -> TimeAxis:
        """What waveforms and atoms look like."""

    @property
    def alpha(self) -> float:
        """Weight of sparsity."""

    @property
    def positive(self) -> bool:
        """Whether coefficients must be positive."""

    @property
    def integer_shifts(self) -> bool:
        """Whether times must be whole samples."""

    @property
    def n_jobs(self) -> int | None:
        """Threads that work here."""

    @property
    def sizes(self) -> list[int]:
        """Samples of every chunk."""

    def of_some(self, ask: Callable[[Chunk], Answer], most: int) -> list[Answer]:
        """Return the answers of so many chunks at most, evenly spread over all, in their order."""

    def with_noise(self, noise: Background) -> Self:
        """Return the same recordings, whitened."""
