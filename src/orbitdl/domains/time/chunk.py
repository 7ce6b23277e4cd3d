"""A chunk of a recording: what is read, coded and learned from at a time."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from orbitdl.coding.codes import Atoms
from orbitdl.domains.time.atoms import LineAtoms
from orbitdl.domains.time.certificate import Certificate
from orbitdl.domains.time.coder import LineCoder, positions_of, residual_of
from orbitdl.domains.time.coordinates import from_blocks, to_blocks
from orbitdl.domains.time.correlations import correlations, largest
from orbitdl.domains.time.penalty import field_at, largest_relative, taps_of
from orbitdl.domains.time.recentring import reach_of
from orbitdl.domains.time.signal import Part, Signal
from orbitdl.domains.time.splines import TAPS, coefficients_of
from orbitdl.domains.time.statistics import EventStatistics
from orbitdl.domains.time.sums import Sums, event_sums
from orbitdl.domains.time.waveforms import Waveforms
from orbitdl.groups.base import Blocks, Floats, Integers, inner
from orbitdl.learning.shards import Residuals, Shard, Summary


@dataclass(frozen=True, eq=False)
class Chunk(Shard):
    """Samples of a recording, and the atoms that begin there.

    Attributes
    ----------
    signal : Signal
        The whole recording.
    first, last : int
        Its own samples. The first chunk of a recording owns all atoms that begin before, the last
        one all that begin after.
    width : int
        Samples that a waveform spans.
    atoms : Atoms or None
        One data point; an element is a time in the recording.
    beside : LineAtoms
        Atoms of the chunks on either side that reach into this one.
    """

    signal: Signal
    first: int
    last: int
    width: int
    atoms: Atoms | None = None
    beside: LineAtoms = LineAtoms.none()
    codes: None = None

    def __len__(self) -> int:
        return 1

    @property
    def begins(self) -> bool:
        """Whether a recording begins with it."""
        return self.first == 0

    @property
    def ends(self) -> bool:
        """Whether a recording ends with it."""
        return self.last == len(self.signal)

    @property
    def domain(self) -> tuple[float, float]:
        """From when, and up to when, its atoms begin."""
        return -np.inf if self.begins else self.first, np.inf if self.ends else self.last

    @property
    def own(self) -> LineAtoms:
        """The atoms that begin here."""
        return LineAtoms.of(self.atoms)

    @property
    def known(self) -> LineAtoms:
        """All atoms that reach into this chunk."""
        return LineAtoms.concatenate([self.own, self.beside])

    def read(self, before: int, after: int) -> tuple[Part, int]:
        """Read its samples and so many on either side; tell where that begins in the recording."""
        start = max(self.first - before, 0)
        return self.signal.read(start, self.last + after), start

    def code(self, coder: LineCoder, n_jobs: int | None = None) -> tuple[Chunk, Summary]:
        """Find the best atoms that begin here, and what they come to with those beside."""
        coded = self.improved(coder)
        judged, alpha = coded.certificate(coder), coder.alpha
        gap = judged.gap(alpha, positive=coder.positive)
        return coded, Summary(judged.objective(alpha), gap, int(self.begins), len(coded.own))

    def improved(self, coder: LineCoder) -> Chunk:
        """Return this chunk with the best atoms that begin here; those beside are held fixed."""
        part, start = self.read(TAPS, self.width + TAPS)
        first, last = self.domain
        taps = self._taps(len(part[0]), start, coder)
        found = coder.code(*part, self.known.later(-start), first - start, last - start, taps)
        return self.with_atoms(found.later(start), len(coder.waveforms))

    def with_atoms(self, atoms: LineAtoms, n_components: int) -> Chunk:
        """Return this chunk with other atoms of its own."""
        return replace(self, atoms=atoms.as_atoms(n_components))

    def certificate(self, coder: LineCoder, *, with_polar: bool = True) -> Certificate:
        """Return what this chunk adds to the certificate of its recording."""
        waveforms, margin = coder.waveforms, self.width + TAPS if with_polar else 0
        (x, observed), start = self.read(margin, margin)
        r = residual_of(x, observed, waveforms, self.known.later(-start))
        here = slice(self.first - start, self.last - start)
        pairs = (r, r), (x, r), (x, x)
        energy, product, data = (float(np.sum(one[here] * two[here])) for one, two in pairs)
        weight = self.weight(len(waveforms))
        polar = self._polar(r, start, coder) if with_polar else np.inf
        return Certificate(energy, product, data, weight, polar)

    def _polar(self, r: Floats, start: int, coder: LineCoder) -> float:
        """Return the largest correlation of a residual that begins at `start`, at places here.

        With a penalty field, a bound of the largest relative to it.
        """
        e, shift = correlations(r, coder.waveforms), coder.waveforms.offset - start
        begin = 0 if self.begins else self.first + shift
        end = e.shape[1] if self.ends else self.last + shift
        restricted = {"positive": coder.positive, "whole": coder.whole}
        taps = self._taps(len(r), start, coder)
        if taps is None:
            return largest(e, begin, end, **restricted)
        return largest_relative(e, taps, coder.alpha, begin, end, **restricted)

    def weight(self, q: int) -> float:
        """Return ``sum_k p_{j_k}(tau_k) |c_k|`` over its own atoms, of q components."""
        own, field = self.own, self.signal.penalty
        size = np.abs(own.coefficient)
        return float((size if field is None else size * field_at(field, own, q)).sum())

    def _taps(self, samples: int, start: int, coder: LineCoder) -> Floats | None:
        """Return the taps of the penalty at all positions of so many samples from `start` on."""
        if self.signal.penalty is None:
            return None
        first, last = positions_of(samples, coder.waveforms)
        return taps_of(self.signal.penalty, start + first, start + last, len(coder.waveforms))

    def statistics(self) -> EventStatistics:
        reach = reach_of(self.width)
        longer = self.sums(self.width + 2 * reach, reach)
        return EventStatistics(longer, self.known_atoms.invariants().sum(axis=0), self.width)

    def sums(self, width: int, reach: int) -> Sums:
        """Return the sums over events for waveforms that begin earlier by `reach`, of any width."""
        (x, observed), start = self.read(0, 0)
        moved = self.known.later(-start - reach)
        counted = np.arange(len(moved)) < len(self.own)
        near = (moved.time > -width - TAPS + 1) & (moved.time < len(x) + width + TAPS)
        order = np.argsort(moved.time, kind="stable")
        order = order[near[order]]
        q, ends = self.known_atoms.n_components, (self.begins, self.ends)
        return event_sums(x, observed, width, q, moved.take(order), counted[order], ends)

    def moved(self, moves: Integers) -> Chunk:
        """Return this chunk with the atoms of component j later by ``moves[j]`` samples."""
        atoms = self.known_atoms
        time = atoms.element + moves[atoms.component][:, None]
        return self.starting_from(atoms.updated(atoms.coefficient, time))

    def starting_from(self, atoms: Atoms | None) -> Chunk:
        return replace(self, atoms=atoms)

    def worst_residuals(self, A: Blocks, most: int) -> Residuals:
        """Return the stretches of the residual with most energy, none twice."""
        part, start = self.read(0, 0)
        left = residual_of(*part, Waveforms(from_blocks(A)), self.known.later(-start))
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
