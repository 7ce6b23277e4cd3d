"""Coding of recordings in chunks, with the result of the complete problem.

Atoms interact over the length of a waveform, so only adjacent chunks interact. Even chunks are
coded in parallel, then odd ones with the atoms of the even ones fixed, then windows across the
borders: block coordinate descent on one convex problem, repeated until the certificate holds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from orbitdl.coding.atoms import Atoms
from orbitdl.coding.codes import Codes, Status
from orbitdl.coding.parallel import in_threads
from orbitdl.domains.time.atoms import between, in_order, joined, no_atoms, outside, range_of
from orbitdl.domains.time.axis import TimeAxis
from orbitdl.domains.time.certificate import Certificate
from orbitdl.domains.time.chunk import Chunk
from orbitdl.domains.time.signal import Signal
from orbitdl.domains.time.splines import TAPS
from orbitdl.learning.shards import total

if TYPE_CHECKING:
    from orbitdl.domains.time.coder import RecordingCoder

LONG, MIN_LENGTHS = 2**16, 32
"""Samples of a chunk, and its minimum in waveform lengths: the overhead of reading and threading is
negligible, and a chunk takes a few megabytes."""
BORDER_BLOCKS = 4
"""Blocks on either side of a border that are coded again after both chunks."""
TRIES, TIGHTER = 4, 0.3
"""Maximum number of attempts, and factor of the tolerance from one to the next."""

Recording = list[Chunk]
Watch = Callable[[int], object]
Item = TypeVar("Item")


def split_recording(signal: Signal, width: int, size: int | None = None) -> Recording:
    """Split a recording into chunks; their size depends on the length of waveforms only."""
    return [Chunk(signal, *limits, width) for limits in chunk_limits(len(signal), width, size)]


def chunk_limits(samples: int, width: int, size: int | None = None) -> list[tuple[int, int]]:
    """Return start and end of the chunks of a recording."""
    size = size or max(LONG, MIN_LENGTHS * width)
    return [
        (first, samples if first + 2 * size > samples else first + size)
        for first in range(0, max(samples - size, 0) + 1, size)
    ]


def spread(parts: Sequence[Item], most: int) -> list[Item]:
    """Return at most `most` equally spaced items."""
    chosen = np.unique(np.linspace(0, len(parts) - 1, min(len(parts), most)).round().astype(int))
    return [parts[k] for k in chosen]


def atoms_of(recording: Recording) -> Atoms:
    """Return all atoms, sorted by time."""
    return in_order(joined(chunk.own for chunk in recording))


def linked(recording: Recording) -> Recording:
    """Assign to every chunk the atoms that begin in it, and those that overlap it."""
    atoms = atoms_of(recording)
    far = 2 * (recording[0].width + TAPS)
    result = []
    for chunk in recording:
        near = atoms.select(range_of(atoms, chunk.first - far, chunk.last + far))
        neighbours = outside(near, *chunk.domain)
        own = atoms.select(range_of(atoms, *chunk.domain))
        result.append(replace(chunk, atoms=own, neighbours=neighbours))
    return result


@dataclass(frozen=True, eq=False)
class Coded:
    """A recording with its atoms and certificate."""

    chunks: Recording
    certificate: Certificate

    def codes(self, coder: RecordingCoder) -> Codes:
        """Return the codes of the recording, as the only data point."""
        objective = self.certificate.objective(coder.alpha)
        gap = self.certificate.gap(coder.alpha, positive=coder.positive)
        status = Status.CONVERGED if gap <= coder.tol else Status.STOPPED_EARLY
        if objective == 0.0:
            status = Status.ZERO_DATA
        columns = (objective, gap, status, self.certificate.explained)
        axis = TimeAxis((1, self.chunks[0].width, self.chunks[0].signal.channels))
        return Codes(axis, atoms_of(self.chunks), *(np.array([value]) for value in columns))


def without_atoms(recording: Recording) -> Coded:
    """Return a recording without atoms, which is optimal without waveforms."""
    data = sum(float(np.sum(chunk.read(0, 0)[0][0] ** 2)) for chunk in recording)
    chunks = [replace(chunk, atoms=no_atoms(0)) for chunk in recording]
    return Coded(chunks, Certificate(data, data, data, 0.0, 0.0))


def code_recording(
    recording: Recording, coder: RecordingCoder, n_jobs: int | None = None, watch: Watch = int
) -> Coded:
    """Code a recording to the tolerance of the coder; never worse than its current atoms.

    `watch` is called with the number of samples of every coded chunk.
    """
    before = None
    if all(chunk.atoms is not None for chunk in recording):
        recording = linked(recording)
        before = certified(recording, coder, n_jobs, with_polar=False)
    coded, attempt = recording, coder
    for _ in range(TRIES):
        coded = even_then_odd(coded, attempt, n_jobs, watch)
        coded = across_borders(coded, attempt, n_jobs)
        certificate = certified(coded, coder, n_jobs)
        if certificate.gap(coder.alpha, positive=coder.positive) <= coder.tol:
            break
        attempt, watch = attempt.tighter(TIGHTER), int
    alpha = coder.alpha
    if before is not None and certificate.objective(alpha) > before.objective(alpha):
        return Coded(recording, certified(recording, coder, n_jobs))
    return Coded(coded, certificate)


def certified(
    recording: Recording, coder: RecordingCoder, n_jobs: int | None, *, with_polar: bool = True
) -> Certificate:
    """Return the certificate of all chunks, with or without its polar."""
    parts = in_threads(lambda c: c.certificate(coder, with_polar=with_polar), recording, n_jobs)
    return total(parts)


def even_then_odd(
    recording: Recording, coder: RecordingCoder, n_jobs: int | None, watch: Watch
) -> Recording:
    """Code the even chunks, then the odd ones."""
    chunks = list(recording)

    def code(chunk: Chunk) -> Chunk:
        coded = chunk.optimised(coder)
        watch(chunk.last - chunk.first)
        return coded

    for colour in (0, 1):
        chunks[colour::2] = in_threads(code, chunks[colour::2], n_jobs)
        chunks = linked(chunks)
    return chunks


def across_borders(recording: Recording, coder: RecordingCoder, n_jobs: int | None) -> Recording:
    """Code disjoint windows across the borders between chunks."""
    max_shift = BORDER_BLOCKS * coder.least_block
    windows = [border_window(one, two, max_shift) for one, two in pairwise(recording)]
    coded = in_threads(lambda window: window.optimised(coder), windows, n_jobs)
    for k, window in enumerate(coded):
        for chunk in (k, k + 1):
            rest = outside(recording[chunk].own, *window.domain)
            mine = between(window.own, *recording[chunk].domain)
            recording[chunk] = replace(recording[chunk], atoms=in_order(joined([rest, mine])))
    return linked(recording)


def border_window(one: Chunk, two: Chunk, max_shift: int) -> Chunk:
    """Return a window across the border between two chunks."""
    atoms, border = joined([one.own, two.own]), two.first
    window = Chunk(
        one.signal, max(border - max_shift, 0), min(border + max_shift, two.last), one.width
    )
    own, others = between(atoms, *window.domain), outside(atoms, *window.domain)
    return replace(window, atoms=own, neighbours=others)
