"""Coding of a whitened recording at integer samples, and what it teaches about noise and misfit.

The threshold of component j is ``u_j g_j sigma(t)``: sigma is the local noise level, g_j what the
waveform sees of it, and u_j bounds the share of false events. Noise alone has T kappa_j
exp(-u^2/2) maxima above u standard deviations, ``kappa_j = ||a_j'|| / (2 pi)`` (Rice), so that

    u_j^2 = 2 log(T kappa_j / (fdr n_j)),      3 <= u_j <= sqrt(2 log(q T)),

for n_j events in the coding before.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orbitdl.discovery.background import GAUSSIAN
from orbitdl.discovery.level import local_level
from orbitdl.discovery.pursuit import (
    SINGLE,
    Atoms,
    Spectrum,
    peaks_apart,
    pursue,
    put_back,
    subtract,
    upside_down,
)
from orbitdl.groups.base import Floats, Integers

FDR = 0.01
"""Share of false events, by the Gaussian model, that thresholds are set for."""
LOWEST = 3.0
"""Noise standard deviations of a threshold at least."""
DECOYS = 0.02
"""Decoys per event at most, maxima of ``-eta``: where there are more, events are noise."""
HALF = 0.5
"""Part of the median coefficient of a component that its events typically exceed."""
SEEN = 0.3
"""What a waveform sees of the noise, in parts of its level, at least: whitening is not perfect."""
LOUD, CHANCE = 1.5, 2.5
"""How many times louder than the background a burst of noise is: less is chance. It is ``1 + CHANCE
/ sqrt(n)`` at least of a waveform whose correlations cross zero n times in two of its lengths."""
SPARSE, ENOUGH, AROUND = 3, 100_000, 24
"""Every so many positions say what a waveform sees of the noise, as many in all, about, and as many
per waveform length around an event."""


@dataclass(frozen=True, eq=False)
class Whitened:
    """A whitened recording with one waveform length of zeros before and after it.

    In single precision, whose rounding is far below the noise: detection takes a quarter less time.

    Attributes
    ----------
    y : ndarray of shape (P, channels)
    observed : ndarray of shape (P,)
    length : int
        Samples of a waveform.
    spectrum : Spectrum
    """

    y: Floats
    observed: NDArray[np.bool_]
    length: int
    spectrum: Spectrum

    @classmethod
    def of(cls, y: Floats, observed: NDArray[np.bool_], length: int) -> Whitened:
        """Return samples (T, channels), zero where not observed, ready to be coded."""
        padded: Any = np.ascontiguousarray(np.pad(y, [(length, length), (0, 0)]), dtype=SINGLE)
        return cls(padded, np.pad(observed, length), length, Spectrum(padded, length))

    @property
    def samples(self) -> int:
        """Number of samples T of the recording."""
        return len(self.y) - 2 * self.length

    def centres(self, values: Floats) -> Floats:
        """Return of values (P,) those at the centre of an atom at every position."""
        half = self.length // 2
        return values[half : half + self.spectrum.positions]

    def level(self, residual: Floats) -> Floats:
        """Return the local noise level of a residual (P, channels) at every sample, (P,)."""
        return local_level(residual, self.observed, self.length)


@dataclass(frozen=True, eq=False)
class Detector:
    """Waveforms, and what was learned about their noise, misfit and amplitudes.

    Attributes
    ----------
    A : ndarray of shape (q, L, channels)
        Whitened waveforms of unit norm.
    g : ndarray of shape (q,)
        Standard deviation of the correlations with noise of level 1.
    V : ndarray of shape (q, q, 2 R + 1)
        Relative misfit: ``c^2 V_jl(d)`` is the variance of eta_l at lag d of an event of j.
    counts : ndarray of shape (q,)
        Number of events.
    median : ndarray of shape (q,)
        Median coefficient of the atoms that are beyond doubt.
    least : ndarray of shape (q,)
        Limit of ``c / sigma`` that events exceed: below it decoys are too many.
    smallest : ndarray of shape (q,)
        A coefficient that nearly all isolated events exceed.
    samples : int
        Number of samples of the recordings that it was calibrated on; then thresholds, medians and
        `least` are those of the calibration, whatever is coded. 0: not calibrated.
    apart : float
        Lag in samples up to which events avoid each other.
    """

    A: Floats
    g: Floats
    V: Floats
    counts: Floats
    median: Floats
    least: Floats
    smallest: Floats
    samples: int = 0
    apart: float = 0.0

    @classmethod
    def start(cls, A: Floats) -> Detector:
        """Return a detector that knows its waveforms only."""
        q, length, _ = A.shape
        V, zero = np.zeros((q, q, 2 * length + 1)), np.zeros(q)
        return cls(A, np.ones(q), V, np.ones(q), zero, zero, zero)

    def __len__(self) -> int:
        return len(self.A)

    def take(self, which: Integers) -> Detector:
        """Return the detector of some components."""
        names = ("A", "g", "counts", "median", "least", "smallest")
        own = {name: getattr(self, name)[which] for name in names}
        return replace(self, V=np.ascontiguousarray(self.V[np.ix_(which, which)]), **own)

    def with_more(self, A: Floats) -> Detector:
        """Return the detector with more waveforms, of which nothing else is known."""
        more, q = Detector.start(np.concatenate([self.A, A])), len(self)
        median = np.concatenate([self.median, more.median[q:]])
        more.g[:q], more.counts[:q] = self.g, self.counts
        more.V[:q, :q] = self.V
        return replace(more, median=median)

    def thresholds(self, samples: int, fdr: float = FDR) -> Floats:
        """Return u_j, (q,), for a recording of so many samples."""
        samples = self.samples or samples
        false = samples * roughness(self.A) / (fdr * np.maximum(self.counts, 1.0))
        squares = 2.0 * np.log(np.maximum(false, 1.0))
        return np.sqrt(np.clip(squares, LOWEST**2, 2.0 * np.log(max(len(self) * samples, 100))))


def roughness(A: Floats) -> Floats:
    """Return ``||a_j'|| / (2 pi)`` for unit-norm waveforms, (q,)."""
    steps = np.diff(np.pad(A, [(0, 0), (1, 1), (0, 0)]), axis=1)
    return np.asarray(np.sqrt(np.sum(steps**2, axis=(1, 2))) / (2.0 * np.pi))


@dataclass(frozen=True, eq=False)
class Coded:
    """A recording coded by a detector.

    Attributes
    ----------
    detector : Detector
    atoms : Atoms
    eta : ndarray of shape (q, positions)
        Correlations with the residual.
    residual : ndarray of shape (P, channels)
    sigma : ndarray of shape (P,)
        The local noise level it was coded with.
    u : ndarray of shape (q,)
        Thresholds in noise standard deviations.
    median, least : ndarray of shape (q,)
        Median coefficient of this coding's atoms that are beyond doubt, and limit of ``c / sigma``.
    share : ndarray of shape (q,)
        Which part of the atoms is above bursts of noise, less the decoys per atom: little, if a
        waveform finds as much upside down.
    noise : ndarray of shape (K,)
        Standard deviation of the correlations with noise around every atom.
    """

    detector: Detector
    atoms: Atoms
    eta: Floats
    residual: Floats
    sigma: Floats
    u: Floats
    median: Floats
    least: Floats
    share: Floats
    noise: Floats

    def own(self, j: int) -> Integers:
        """Return which atoms are of component j."""
        return np.flatnonzero(self.atoms.component == j)

    def levels(self, which: Integers | slice = slice(None)) -> Floats:
        """Return the noise level at the centres of some atoms."""
        return np.asarray(self.sigma[self.atoms.sample[which] + self.detector.A.shape[1] // 2])


def code(w: Whitened, detector: Detector, sigma: Floats, *, signed: bool = False) -> Coded:
    """Code a recording, given its local noise level (P,)."""
    u, local = detector.thresholds(w.samples), w.centres(sigma)
    theta, eta = (u * detector.g) ** 2, w.spectrum.correlate(detector.A)
    weight = 2.0 * np.log(max(detector.samples or w.samples, 2))
    atoms, M = pursue(eta, detector.A, detector.V, theta, local, weight, signed=signed)
    residual = w.y.copy()
    subtract(residual, atoms, detector.A)
    noise = noise_at(eta, residual, atoms, detector, local[atoms.sample], w.length)
    is_above = np.abs(atoms.c) > u[atoms.component] * noise
    is_sure = beyond_doubt(detector, atoms, local, w.samples)
    median = detector.median if detector.samples else medians(atoms.take(is_sure), len(detector))
    is_event = (is_above | (not detector.samples)) & (is_sure | is_typical(atoms, median))
    score, least = np.abs(atoms.c) / local[atoms.sample], detector.least
    every = np.bincount(atoms.component[is_event], minlength=len(detector))
    left = np.bincount(atoms.component[is_event & is_above], minlength=len(detector))
    share = left / np.maximum(every, 1)
    if not (signed or detector.samples):
        decoys = upside_down(eta, M, theta, local, HALF * median)
        least, count = above_decoys(atoms.take(is_event), score[is_event], decoys, w.length)
        share = share - count / np.maximum(every, 1)
    is_event &= score > detector.least[atoms.component] * (detector.samples > 0)
    back = atoms.take(~is_event)
    put_back(eta, back, detector.A)
    subtract(residual, replace(back, c=-back.c), detector.A)
    atoms, noise = atoms.take(is_event), noise[is_event]
    return Coded(detector, atoms, eta, residual, sigma, u, median, least, share, noise)


def noise_at(
    eta: Floats, residual: Floats, atoms: Atoms, detector: Detector, level: Floats, length: int
) -> Floats:
    """Return the standard deviation of ``eta_j`` on the residual at atoms, (K,).

    From the correlations around each, or from the energy of the residual in its support, whichever
    is louder: the former know the colour of a burst of noise, the latter its peak.
    """
    own = detector.g[atoms.component]
    loud = np.maximum(LOUD, 1.0 + CHANCE / np.sqrt(4.0 * length * roughness(detector.A)))
    return np.maximum(
        noise_around(eta, atoms, loud, own * level, length),
        own * level_within(residual, atoms, level, length),
    )


def level_within(residual: Floats, atoms: Atoms, floor: Floats, length: int) -> Floats:
    """Return the root mean square of a residual in the support of atoms, or a floor.

    What is not much louder than the floor is the floor.
    """
    total = np.cumsum(np.pad(np.mean(residual**2, axis=1, dtype=np.float64), (1, 0)))
    square = (total[atoms.sample + length] - total[atoms.sample]) / length
    return np.where(square > (LOUD * floor) ** 2, np.sqrt(np.maximum(square, 0.0)), floor)


def noise_around(eta: Floats, atoms: Atoms, loud: Floats, floor: Floats, length: int) -> Floats:
    """Return the standard deviation of ``eta_j`` on the residual around atoms, or a floor.

    Robust, within one waveform length of every atom: bursts of noise are shorter than the blocks of
    the local noise level, and of another colour than the background. What is not much louder than
    the floor is the floor: so few samples tell a standard deviation to a third. `loud` (q,) is
    how many times louder than that counts.
    """
    lags = np.arange(-length, length + 1, max(SPARSE, length // AROUND))
    at = np.clip(atoms.sample[:, None] + lags, 0, eta.shape[1] - 1)
    around = np.abs(eta[atoms.component[:, None], at])
    if not len(atoms):
        return floor
    own = GAUSSIAN * np.median(around, axis=1)
    return np.where(own > loud[atoms.component] * floor, own, floor)


def beyond_doubt(
    detector: Detector, atoms: Atoms, local: Floats, samples: int
) -> NDArray[np.bool_]:
    """Return which atoms exceed what noise reaches anywhere in the recording."""
    count = len(detector) * (detector.samples or samples)
    most = np.sqrt(2.0 * np.log(max(count, 2))) * np.maximum(detector.g, 1.0)
    return np.asarray(np.abs(atoms.c) >= most[atoms.component] * local[atoms.sample])


def medians(atoms: Atoms, q: int) -> Floats:
    """Return the median |c| of every component, 0 where it has no atom."""
    own = (np.abs(atoms.c[atoms.component == j]) for j in range(q))
    return np.array([np.median(sizes) if len(sizes) else 0.0 for sizes in own])


def is_typical(atoms: Atoms, median: Floats) -> NDArray[np.bool_]:
    """Return which atoms have at least half the median coefficient of their component."""
    own = median[atoms.component]
    return np.asarray((own > 0) & (np.abs(atoms.c) >= HALF * own))


def above_decoys(atoms: Atoms, score: Floats, decoys: Floats, length: int) -> tuple[Floats, Floats]:
    """Return limits of ``c / sigma`` above which decoys are few, and how many there are, (q,).

    Decoys are maxima of ``-eta / sigma`` above the threshold: what a waveform finds upside down, in
    noise and artefacts. Events are selected from the largest down.
    """
    least, counts = np.zeros(len(decoys)), np.zeros(len(decoys))
    for j, row in enumerate(decoys):
        heights = np.sort(row[peaks_apart(row, length // 2)])[::-1]
        counts[j] = len(heights)
        own = np.sort(score[atoms.component == j])[::-1]
        larger = np.searchsorted(-heights, -own, side="right")
        few = np.flatnonzero(larger <= DECOYS * np.arange(1, len(own) + 1))
        count = few[-1] + 1 if len(few) else 0
        if count < len(own):  # the limit is the largest that is not selected
            least[j] = own[count]
    return least, counts


def noise_seen(w: Whitened, eta: Floats, sigma: Floats) -> Floats:
    """Return g_j, the robust standard deviation of ``eta_j / sigma`` on the residual, (q,)."""
    half, step = w.length // 2, max(SPARSE, eta.shape[1] // ENOUGH)
    inside = slice(half, max(eta.shape[1] - half, half + 1), step)
    ratio = np.abs(eta[:, inside]) / w.centres(sigma)[inside]
    return np.asarray(np.maximum(GAUSSIAN * np.median(ratio, axis=1), SEEN))


def with_waveforms(detector: Detector, A: Floats) -> Detector:
    """Return the detector with other waveforms of the same kinds."""
    return replace(detector, A=A)
