"""Recordings as shards: the learning loop of data points serves them as they are."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from orbitdl.codes import Atoms
from orbitdl.groups.base import Blocks, Floats, Integers, inner
from orbitdl.learning.shards import Residuals, Shard, Shards, Solve, Summary
from orbitdl.learning.statistics import Statistics
from orbitdl.learning.unit_balls import shorten
from orbitdl.recordings.line.coder import LineCodes, certified, code_line, objective_of
from orbitdl.recordings.line.coordinates import from_blocks, in_blocks, to_blocks
from orbitdl.recordings.line.recentring import (
    best_positions,
    moved_coefficients,
    reach_of,
    rows_of,
    value_of,
)
from orbitdl.recordings.line.splines import coefficients_of
from orbitdl.recordings.line.sums import event_sums
from orbitdl.recordings.line.waveforms import Waveforms


class LineCoder(NamedTuple):
    """Waveforms, the weight of sparsity, and the gap asked for."""

    waveforms: Waveforms
    alpha: float
    tol: float


@dataclass(frozen=True, eq=False)
class RecordingShard(Shard):
    """One recording, with the atoms that coding it starts from.

    Attributes
    ----------
    signal : ndarray of shape (T, channels)
        Zero where nothing was observed.
    observed : bool ndarray of shape (T,)
    width : int
        Samples that a waveform spans.
    atoms : Atoms or None
        One data point; an element is a time.
    """

    signal: Floats
    observed: NDArray[np.bool_]
    width: int
    atoms: Atoms | None = None
    codes: None = None

    @classmethod
    def of(cls, recording: Floats, width: int) -> RecordingShard:
        """Return the shard of a recording (T, channels) in which NaN means missing."""
        observed = np.asarray(~np.isnan(recording).any(axis=1))
        return cls(np.where(observed[:, None], recording, 0.0), observed, width)

    def __len__(self) -> int:
        return 1

    def code(self, coder: LineCoder, n_jobs: int | None = None) -> tuple[RecordingShard, Summary]:
        warm = None if self.atoms is None else self._line_codes(self.atoms)
        codes = code_line(self.signal, self.observed, *coder, warm)
        if warm is not None:
            before = objective_of(self.signal, self.observed, coder.waveforms, coder.alpha, warm)
            if codes.objective > before:
                codes = certified(self.signal, self.observed, coder.waveforms, coder.alpha, warm)
        offsets = np.array([0, len(codes)], dtype=np.intp)
        columns = codes.component.astype(np.intp), codes.coefficient, codes.time[:, None]
        atoms = Atoms(len(coder.waveforms), offsets, *columns)
        return replace(self, atoms=atoms), Summary(codes.objective, codes.gap, 1, len(codes))

    def statistics(self) -> Statistics:
        atoms = self.known_atoms
        sums = self.sums(self.width, atoms.element[:, 0], atoms)
        return in_blocks(*sums, atoms.invariants().sum(axis=0))

    def longer_sums(self, reach: int) -> tuple[Floats, Floats]:
        """Return the sums over events for spans that are longer by so much on either side."""
        atoms = self.known_atoms
        return self.sums(self.width + 2 * reach, atoms.element[:, 0] - reach, atoms)

    def moved(self, moves: Integers) -> RecordingShard:
        """Return this shard with the atoms of component j later by ``moves[j]`` samples."""
        atoms = self.known_atoms
        time = atoms.element + moves[atoms.component][:, None]
        return self.starting_from(atoms.moved(atoms.coefficient, time))

    def sums(self, width: int, time: Floats, atoms: Atoms) -> tuple[Floats, Floats]:
        """Return the sums over events at these times, for waveforms of that many samples."""
        order = np.argsort(time, kind="stable")
        events = atoms.component[order], time[order], atoms.coefficient[order]
        return event_sums(self.signal, self.observed, width, atoms.n_components, *events)

    def starting_from(self, atoms: Atoms | None) -> RecordingShard:
        return replace(self, atoms=atoms)

    def worst_residuals(self, A: Blocks, most: int) -> Residuals:
        """Return the stretches of the residual with most energy, none twice."""
        known, waveforms = self._line_codes(self.known_atoms), Waveforms(from_blocks(A))
        fitted = waveforms.add_up(len(self.signal), known.component, known.time, known.coefficient)
        left = np.where(self.observed[:, None], self.signal - fitted, 0.0)
        left = np.pad(left, [(0, max(self.width - len(left), 0)), (0, 0)])
        total = np.concatenate([[0.0], np.cumsum(np.sum(left**2, axis=1))])
        energy = total[self.width :] - total[: -self.width]
        found = []
        for _ in range(min(most, len(energy))):
            place = int(np.argmax(energy))
            found.append(left[place : place + self.width])
            energy[max(place - self.width, 0) : place + self.width] = 0.0
        blocks = to_blocks(coefficients_of(np.stack(found)))
        return Residuals(inner(blocks, blocks), blocks)

    @property
    def known_atoms(self) -> Atoms:
        """The atoms, of a recording that is coded."""
        if self.atoms is None:
            raise ValueError("this recording is not coded yet; call code first.")
        return self.atoms

    def _line_codes(self, atoms: Atoms) -> LineCodes:
        time = np.ascontiguousarray(atoms.element[:, 0])
        return LineCodes(atoms.component, time, atoms.coefficient, np.inf, np.inf)


@dataclass(frozen=True, eq=False)
class RecordingShards(Shards):
    """Recordings that are learned from together."""

    parts: tuple[RecordingShard, ...]
    alpha: float

    def prepare(self, A: Blocks, asked: float) -> LineCoder:
        return LineCoder(Waveforms(from_blocks(A)), self.alpha, asked)

    def step(
        self, solve: Solve, statistics: Statistics, A: Blocks
    ) -> tuple[RecordingShards, Blocks]:
        """Solve for waveforms where they are, and where their spans would explain more."""
        here, u = solve(statistics, A), from_blocks(A)
        width = u.shape[1]
        normal, cross = self._longer_sums(width)
        moves = best_positions(normal, cross, u)
        if not moves.any():
            return self, here
        rows = rows_of(moves, width)
        sums = in_blocks(normal[np.ix_(rows, rows)], cross[rows], statistics.usage)
        there = solve(sums, shorten(to_blocks(moved_coefficients(u, moves))))
        if value_of(sums, there) >= value_of(statistics, here):
            return self, here
        return replace(self, parts=tuple(part.moved(moves) for part in self.parts)), there

    def _longer_sums(self, width: int) -> tuple[Floats, Floats]:
        """Return the sums over events for spans that are longer on either side."""
        reach = reach_of(width)
        parts = self.each(lambda part: part.longer_sums(reach))  # type: ignore[attr-defined]
        return sum(normal for normal, _ in parts), sum(cross for _, cross in parts)
