"""Events of a recording by a calibrated detector: pursuit in chunks, then a joint refit.

The detector selects events by the thresholds of the fit (`orbitdl.discovery`). Their times and
amplitudes are then refitted jointly, without a penalty.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from orbitdl.arrays.blocks import Floats, Integers
from orbitdl.coding.atoms import Atoms
from orbitdl.coding.parallel import in_threads
from orbitdl.discovery.coding import (
    Detector,
    DetectorCoding,
    Whitened,
    code,
    is_certain,
    is_typical,
    noise_at,
)
from orbitdl.discovery.occurrences import is_event
from orbitdl.discovery.pursuit import (
    Pursued,
    Spectrum,
    add_tables,
    gram_of,
    peaks_apart,
    subtract,
    upside_down,
)
from orbitdl.domains.time.atoms import at_times, joined
from orbitdl.domains.time.chunk import Chunk

MARGIN = 8
"""Margin of a chunk in waveform lengths, for the estimate of the noise level."""
NEAR = 8
"""Two chunks may detect the same event within 1 / NEAR of a waveform length."""


@dataclass(frozen=True, eq=False)
class DetectedEvents:
    """Events of a recording, sorted by time, all arrays of shape (K,).

    Attributes
    ----------
    atoms : Atoms
        At fractional times, from the parabola through three correlations.
    noise : ndarray
        Standard deviation of the correlations with noise around each event.
    runner_up : ndarray of int
        The other component that explains most of an event; -1 if there is none.
    rival : ndarray
        The largest correlation of that component with the event.
    """

    atoms: Atoms
    noise: Floats
    runner_up: Integers
    rival: Floats

    def take(self, which: NDArray[np.bool_] | Integers) -> DetectedEvents:
        """Return a subset."""
        own = (self.noise[which], self.runner_up[which], self.rival[which])
        return DetectedEvents(self.atoms.select(which), *own)


def detect(
    recording: list[Chunk], detector: Detector, n_jobs: int | None, *, signed: bool
) -> tuple[DetectedEvents, DetectedEvents]:
    """Return the events of a whitened recording in chunks, and its decoys."""
    parts = in_threads(partial(detect_in_chunk, detector, signed=signed), recording, n_jobs)
    near = detector.A.shape[1] // NEAR
    events, decoys = (merge_chunks(list(own), near) for own in zip(*parts, strict=True))
    return events, decoys


def merge_chunks(parts: list[DetectedEvents], near: int) -> DetectedEvents:
    """Return the events of all chunks sorted by time, without duplicates."""
    every = DetectedEvents(
        joined([part.atoms for part in parts]),
        *(np.concatenate([getattr(part, name) for part in parts]) for name in FIELDS),
    )
    owner = np.repeat(np.arange(len(parts)), [len(part.noise) for part in parts])
    order = np.argsort(every.atoms.time, kind="stable")
    every, owner = every.take(order), owner[order]
    return every.take(without_duplicates(every.atoms, owner, near))


FIELDS = ("noise", "runner_up", "rival")


def detect_in_chunk(
    detector: Detector, chunk: Chunk, *, signed: bool
) -> tuple[DetectedEvents, DetectedEvents]:
    """Return events and decoys that begin in a chunk or close to it."""
    length = detector.A.shape[1]
    (y, observed), start = chunk.read(MARGIN * length, MARGIN * length)
    w = Whitened.of(y, observed, length)
    coded = code(w, detector, w.level(w.y), signed=signed)
    coded = code(w, detector, w.level(coded.residual), signed=signed)
    events = events_of_chunk(chunk, coded, is_event(coded, w.samples), start)
    decoys = decoys_in(w, coded, signed=signed)
    return events, events_of_chunk(chunk, decoys, np.ones(len(decoys.atoms), dtype=bool), start)


def events_of_chunk(
    chunk: Chunk, coded: DetectorCoding, good: NDArray[np.bool_], start: int
) -> DetectedEvents:
    """Return the selected atoms of a coding from `start` on that begin in or near a chunk."""
    length, (first, last) = coded.detector.A.shape[1], chunk.domain
    time, near = coded.atoms.sample - length + start, length // NEAR
    own = np.flatnonzero(good & (time >= first - near) & (time < last + near))
    other, rival = runners_up(coded, own)
    component = coded.atoms.component[own].astype(np.intp)
    time = time[own] + coded.atoms.lag[own]
    atoms = at_times(component, time, coded.atoms.c[own], len(coded.detector))
    return DetectedEvents(atoms, coded.noise[own], other, rival)


def runners_up(coded: DetectorCoding, own: Integers) -> tuple[Integers, Floats]:
    """Return the runner-up component of atoms, and its correlation.

    Largest within an eighth of a waveform length of the atom, on the residual with it added back.
    """
    A, atoms = coded.detector.A, coded.atoms
    (q, length, _), n = A.shape, coded.eta.shape[1]
    other, rival = np.full(len(own), -1), np.zeros(len(own))
    if q < 2:
        return other, rival
    lags = np.arange(-(length // NEAR), length // NEAR + 1)
    gram = gram_of(A)[:, :, lags + length - 1]
    for i, k in enumerate(own):
        j, at = atoms.component[k], np.clip(atoms.sample[k] + lags, 0, n - 1)
        values = (coded.eta[:, at] + atoms.c[k] * gram[j]).max(axis=1)
        values[j] = -np.inf
        other[i] = int(np.argmax(values))
        rival[i] = values[other[i]]
    return other, rival


def without_duplicates(atoms: Atoms, owner: Integers, near: int) -> NDArray[np.bool_]:
    """Return whether each atom, sorted by time, is kept; duplicates of two chunks are not."""
    remains = np.ones(len(atoms.time), dtype=bool)
    time, size = atoms.time, np.abs(atoms.coefficient)
    last = np.searchsorted(time, time + near, "right")
    for k in np.flatnonzero(last - np.arange(len(time)) > 1):
        for m in range(k + 1, last[k]):
            if owner[m] != owner[k] and remains[k] and remains[m]:
                remains[m if size[m] <= size[k] else k] = False
    return remains


def decoys_in(w: Whitened, coded: DetectorCoding, *, signed: bool) -> DetectorCoding:
    """Return the decoys of a coding by a calibrated detector: detections of absent waveforms.

    Noise and artefacts match the negative of a waveform as often as the waveform; events of known
    polarity do not. The number of local maxima of ``-eta`` on the residual that pass all criteria
    of events therefore estimates the number of false events, without the distributional assumptions
    of p-values, if noise is symmetric. If events have both signs, decoys are time-reversed
    waveforms; a waveform that equals its reversal has hardly any, because its matches were
    subtracted.
    """
    detector, residual, eta = coded.detector, -coded.residual, -coded.eta
    if signed:
        detector = replace(detector, A=np.ascontiguousarray(detector.A[:, ::-1]))
        eta = Spectrum(coded.residual, w.length).correlate(detector.A)
        residual = coded.residual.copy()
    local, M = w.centres(coded.sigma), np.zeros_like(eta)
    weight = 2.0 * np.log(max(detector.samples or w.samples, 2))
    found = coded.atoms
    add_tables(M, detector.V, found.component, found.sample, weight * found.c**2)
    theta, least = (coded.u * detector.g) ** 2, np.zeros(len(detector))
    heights = upside_down(-np.abs(eta) if signed else -eta, M, theta, local, least)
    at = [peaks_apart(row, w.length // 2) for row in heights]
    component = np.repeat(np.arange(len(detector)), [len(own) for own in at])
    sample = np.concatenate([np.zeros(0, np.int64), *at])
    atoms = Pursued.at_samples(component, sample, eta[component, sample])
    subtract(residual, atoms, detector.A)
    noise = noise_at(eta, residual, atoms, detector, local[sample], w.length)
    passes = np.abs(atoms.c) > coded.u[component] * noise
    passes &= is_certain(detector, atoms, local, w.samples) | is_typical(atoms, coded.median)
    passes &= np.abs(atoms.c) / local[sample] > detector.least[component]
    back = atoms.take(~passes)
    subtract(residual, replace(back, c=-back.c), detector.A)
    atoms, noise = atoms.take(passes), noise[passes]
    decoys = replace(coded, detector=detector, atoms=atoms, noise=noise, eta=eta, residual=residual)
    good = is_event(decoys, w.samples)
    return replace(decoys, atoms=atoms.take(good), noise=noise[good])
