"""Recordings that candidates are judged on: samples of some stretches are hidden."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import chain

import numpy as np

from orbitdl.groups.base import Blocks, Floats, Integers
from orbitdl.line.alpha import automatic_alpha, known_values
from orbitdl.line.chunk import Chunk
from orbitdl.line.chunks import atoms_of
from orbitdl.line.coordinates import from_blocks
from orbitdl.line.events import merged, resolution_of
from orbitdl.line.pool import Pool
from orbitdl.line.refit import amplitudes_of
from orbitdl.line.shards import Recordings, RecordingShards
from orbitdl.line.signal import Signal, complete
from orbitdl.line.starts import choose_starts, typical_start
from orbitdl.line.waveforms import Waveforms
from orbitdl.selection.held_out import HeldOut, Judged, Judges, Mask, Speckles, falling

HALF, BELOW_NOISE = 0.5, 0.7
"""Part of a typical event that is begun with; the least weight to try, over what noise reaches."""
SPANS = 4
"""Waveforms that a stretch has room for: what is judged at a time."""
PLACES = 8
"""Excerpts that are learned from, evenly spread."""


@dataclass(frozen=True, eq=False)
class HeldOutStretches(HeldOut):
    """Recordings some of whose samples are hidden.

    Attributes
    ----------
    truth : list of ndarray of shape (T, channels)
    hidden : list of bool ndarray of shape (T,)
    unit : list of int ndarray of shape (T,)
        Which stretch a sample belongs to, counted over all recordings.
    judged : ndarray
        The stretches that are judged.
    """

    shards: RecordingShards
    truth: list[Floats]
    hidden: list[Mask]
    unit: list[Integers]
    judged: Integers

    @property
    def energy(self) -> float:
        pairs = zip(self.truth, self.hidden, strict=True)
        return float(sum(np.sum(x[hidden] ** 2) for x, hidden in pairs))

    def starts(self, q: int, generators: list[np.random.Generator]) -> list[Blocks]:
        return choose_starts("data", Pool.of(self.shards), q, generators)

    def judge(self, shards: RecordingShards, A: Blocks) -> Judged:
        waveforms, count = Waveforms(from_blocks(A)), self.unit[-1][-1] + 1
        error, energy, n_atoms = np.zeros(count), np.zeros(count), 0
        each = zip(shards.recordings, self.truth, self.hidden, self.unit, strict=True)
        for recording, x, hidden, unit in each:
            atoms, _ = merged(atoms_of(recording), resolution_of(waveforms))
            amplitude = amplitudes_of(recording, waveforms, atoms)
            fitted = waveforms.add_up(len(x), atoms.component, atoms.time, amplitude)
            missed, there = np.sum((x - fitted) ** 2, axis=1), np.sum(x**2, axis=1)
            error += np.bincount(unit[hidden], missed[hidden], count)
            energy += np.bincount(unit[hidden], there[hidden], count)
            n_atoms += len(atoms)
        spans = sum(map(len, self.truth)) / waveforms.length
        return Judged(error[self.judged], energy[self.judged], n_atoms / spans)


@dataclass(frozen=True, eq=False)
class StretchJudges(Judges):
    """Recordings, free of what is slow, and how they are coded."""

    recordings: RecordingShards
    speckles: Speckles
    fingerprint: str
    groups: tuple[str, ...] = ("any time",)

    def hold_out(self, group: int, number: int) -> HeldOut:
        truth = [Signal.raw(one[0].signal, 0, one[-1].last) for one in self.recordings.recordings]
        unit = self.units([len(x) for x in truth])
        judged = np.flatnonzero(self.speckles.parts(unit[-1][-1] + 1) == number)
        drawn = self.speckles.hide((sum(map(len, truth)),), number)
        whole = np.concatenate([~np.isnan(x).any(axis=1) for x in truth])
        every = drawn & whole & np.isin(np.concatenate(unit), judged)
        hidden = np.split(every, np.cumsum([len(x) for x in truth])[:-1])
        pairs = list(zip(truth, hidden, strict=True))
        signals = [Signal(np.where(gone[:, None], np.nan, x)) for x, gone in pairs]
        known, (_, width, _) = self.recordings, self.recordings.space.block_shape
        flags = {"positive": known.positive, "whole": known.whole}
        shards = RecordingShards.cut(signals, width, known.alpha, **flags)
        clean = [np.nan_to_num(x) for x in truth]
        return HeldOutStretches(shards, clean, hidden, unit, judged)

    def units(self, lengths: list[int]) -> list[Integers]:
        """Return for every sample of recordings of these lengths to which stretch it belongs."""
        width = self.recordings.space.block_shape[1]
        size = max(min(SPANS * width, sum(lengths) // (4 * self.speckles.rounds)), 1)
        place = [np.arange(length) // size for length in lengths]
        before = np.cumsum([0] + [own[-1] + 1 for own in place])
        return [own + start for own, start in zip(place, before, strict=False)]

    def alphas(self, q: int) -> tuple[list[float], float]:
        pool = Pool.of(self.recordings)
        start, size = typical_start(pool, q), pool.typical_size(q)
        noise = automatic_alpha(self.recordings, start, size).value
        begin = max(HALF * size, 2 * noise)
        return falling(begin, BELOW_NOISE * noise), begin


def excerpts(recordings: Recordings, most: int) -> RecordingShards:
    """Return stretches of recordings, so many samples at most, evenly spread, in memory.

    Those of which hardly anything was observed are left out.
    """
    chunks = min(PLACES, len(recordings.sizes))
    _, width, _ = recordings.space.block_shape
    found = recordings.of_some(
        partial(parts_of, most=most // chunks, count=PLACES // chunks), chunks
    )
    long = [Signal(x) for x in chain(*found) if np.sum(complete(x)) >= width]
    if not long:
        raise ValueError(
            f"max_samples={most} leaves no stretch of recordings in which a waveform of "
            f"length={width} was observed; raise max_samples."
        )
    flags = {"positive": recordings.positive, "whole": recordings.whole}
    return RecordingShards.cut(long, width, recordings.alpha, **flags)


def parts_of(chunk: Chunk, most: int, count: int) -> list[Floats]:
    """Return parts of a chunk (n, channels), so many samples in all at most, evenly spread.

    So many parts at most, each of a unit or longer; NaN where a sample is missing.
    """
    x = known_values(chunk)
    if len(x) <= most:
        return [x]
    count = max(min(count, most // (SPANS * chunk.width)), 1)
    size = most // count
    first = np.linspace(0, len(x) - size, count).astype(int) if count > 1 else [0]
    return [x[start : start + size] for start in first]
