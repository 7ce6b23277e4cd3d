"""Recordings in chunks, coded so that the answer is that of the whole.

Interactions reach as far as a waveform: chunks that do not adjoin do not meet. Those with an even
number are coded together, then the odd ones with the atoms of the even ones held fixed, then strips
across the borders: block descent on one convex problem, whose certificate says whether more is to
be done.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TypeVar

import numpy as np

from orbitdl.coding.codes import Status
from orbitdl.coding.parallel import in_threads
from orbitdl.domains.time.atoms import LineAtoms
from orbitdl.domains.time.certificate import Certificate
from orbitdl.domains.time.chunk import Chunk
from orbitdl.domains.time.coder import LineCoder
from orbitdl.domains.time.codes import RecordingCodes
from orbitdl.domains.time.signal import Signal
from orbitdl.domains.time.splines import TAPS
from orbitdl.domains.time.sweeps import LONGER
from orbitdl.learning.shards import total

LONG, SPANS = 2**16, 32
"""Samples of a chunk, and waveforms that it has room for at least: reading it and handing it to a
thread cost next to nothing then, and it takes a few megabytes."""
STRIP = 4
"""Blocks on either side of a border that are coded again once both chunks are."""
TRIES, TIGHTER = 4, 0.3
"""How often the tolerance is tightened until the certificate is met, and by how much each time."""

Recording = list[Chunk]
Watch = Callable[[int], object]
Item = TypeVar("Item")


def cut(signal: Signal, width: int, size: int | None = None) -> Recording:
    """Cut a recording into chunks; where depends on the length of waveforms alone."""
    return [Chunk(signal, *span, width) for span in spans_of(len(signal), width, size)]


def spans_of(samples: int, width: int, size: int | None = None) -> list[tuple[int, int]]:
    """Return where the chunks of a recording of so many samples begin and end."""
    size = size or max(LONG, SPANS * width)
    return [
        (first, samples if first + 2 * size > samples else first + size)
        for first in range(0, max(samples - size, 0) + 1, size)
    ]


def spread(parts: Sequence[Item], most: int) -> list[Item]:
    """Return so many chunks at most, evenly spread over all."""
    chosen = np.unique(np.linspace(0, len(parts) - 1, min(len(parts), most)).round().astype(int))
    return [parts[k] for k in chosen]


def atoms_of(recording: Recording) -> LineAtoms:
    """Return all atoms, in the order of time."""
    return LineAtoms.concatenate([chunk.own for chunk in recording]).in_order()


def linked(recording: Recording, q: int) -> Recording:
    """Let every chunk have the atoms that begin in it, and know those that reach into it."""
    atoms = atoms_of(recording)
    far = 2 * (recording[0].width + TAPS)
    result = []
    for chunk in recording:
        near = atoms.take(atoms.stretch(chunk.first - far, chunk.last + far))
        beside = near.outside(*chunk.domain)
        own = atoms.take(atoms.stretch(*chunk.domain))
        result.append(replace(chunk, beside=beside).with_atoms(own, q))
    return result


@dataclass(frozen=True, eq=False)
class Coded:
    """A recording with its atoms, and how good they are."""

    chunks: Recording
    certificate: Certificate

    def codes(self, coder: LineCoder) -> RecordingCodes:
        """Return the codes of the whole recording."""
        objective = self.certificate.objective(coder.alpha)
        gap = self.certificate.gap(coder.alpha, positive=coder.positive)
        status = Status.CONVERGED if gap <= coder.tol else Status.STOPPED_EARLY
        if objective == 0.0:
            status = Status.ZERO_DATA
        explained = self.certificate.explained
        return RecordingCodes(atoms_of(self.chunks), objective, gap, status, explained)


def without_atoms(recording: Recording) -> Coded:
    """Return a recording coded by no atoms, as is optimal where there are no waveforms."""
    data = sum(float(np.sum(chunk.read(0, 0)[0][0] ** 2)) for chunk in recording)
    chunks = [chunk.with_atoms(LineAtoms.none(), 0) for chunk in recording]
    return Coded(chunks, Certificate(data, data, data, 0.0, 0.0))


def code_recording(
    recording: Recording, coder: LineCoder, n_jobs: int | None = None, watch: Watch = int
) -> Coded:
    """Code a recording to the gap asked for; never worse than the atoms it has.

    `watch` is told of every chunk how many samples it has, once it is coded.
    """
    q, before = len(coder.waveforms), None
    if all(chunk.atoms is not None for chunk in recording):
        recording = linked(recording, q)
        before = certified(recording, coder, n_jobs, with_polar=False)
    coded, attempt = recording, coder
    for _ in range(TRIES):
        coded = in_colours(coded, attempt, n_jobs, watch)
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
    recording: Recording, coder: LineCoder, n_jobs: int | None, *, with_polar: bool = True
) -> Certificate:
    """Return the certificate of all chunks; its polar is only known where it is asked for."""
    parts = in_threads(lambda c: c.certificate(coder, with_polar=with_polar), recording, n_jobs)
    return total(parts)


def in_colours(
    recording: Recording, coder: LineCoder, n_jobs: int | None, watch: Watch
) -> Recording:
    """Code the even chunks, then the odd ones."""
    chunks = list(recording)

    def code(chunk: Chunk) -> Chunk:
        coded = chunk.improved(coder)
        watch(chunk.last - chunk.first)
        return coded

    for colour in (0, 1):
        chunks[colour::2] = in_threads(code, chunks[colour::2], n_jobs)
        chunks = linked(chunks, len(coder.waveforms))
    return chunks


def across_borders(recording: Recording, coder: LineCoder, n_jobs: int | None) -> Recording:
    """Code strips across the borders between chunks, which do not meet."""
    reach, q = STRIP * (recording[0].width + LONGER), len(coder.waveforms)
    strips = [strip_of(one, two, reach, q) for one, two in pairwise(recording)]
    coded = in_threads(lambda strip: strip.improved(coder), strips, n_jobs)
    for k, strip in enumerate(coded):
        for chunk in (k, k + 1):
            rest = recording[chunk].own.outside(*strip.domain)
            mine = strip.own.between(*recording[chunk].domain)
            both = LineAtoms.concatenate([rest, mine]).in_order()
            recording[chunk] = recording[chunk].with_atoms(both, q)
    return linked(recording, q)


def strip_of(one: Chunk, two: Chunk, reach: int, q: int) -> Chunk:
    """Return the chunk across the border between two."""
    atoms, border = LineAtoms.concatenate([one.own, two.own]), two.first
    strip = Chunk(one.signal, max(border - reach, 0), min(border + reach, two.last), one.width)
    own, others = atoms.between(*strip.domain), atoms.outside(*strip.domain)
    return replace(strip, beside=others).with_atoms(own, q)
