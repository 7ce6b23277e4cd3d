"""Coding of a whitened recording at integer samples, and estimation of noise and misfit from it.

The threshold of component j is ``u_j g_j sigma(t)``: sigma is the local noise level, g_j the gain
of the waveform for noise, and u_j bounds the fraction of false events. Noise alone has T kappa_j
exp(-u^2/2) maxima above u standard deviations, ``kappa_j = ||a_j'|| / (2 pi)`` (Rice), so that

    u_j^2 = 2 log(T kappa_j / (fdr n_j)),      3 <= u_j <= sqrt(2 log(q T)),

for n_j events in the coding before.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orbitdl.arrays.blocks import Floats, Integers
from orbitdl.discovery.background import MAD_SCALE
from orbitdl.discovery.level import local_level
from orbitdl.discovery.pursuit import (
    SINGLE,
    Pursued,
    Spectrum,
    peaks_apart,
    pursue,
    put_back,
    subtract,
    upside_down,
)

FDR = 0.01
"""Fraction of false events under the Gaussian model, which determines thresholds."""
MIN_THRESHOLD = 3.0
"""Minimum threshold in standard deviations of noise."""
DECOYS = 0.02
"""Maximum number of decoys (maxima of ``-eta``) per event."""
HALF = 0.5
"""Typical minimum of coefficients, relative to the median of the component."""
MIN_GAIN = 0.3
"""Lower bound of the gain g_j, because whitening is not perfect."""
BURST, CHANCE = 1.5, 2.5
"""Minimum noise level of a burst relative to the background, at least ``1 + CHANCE / sqrt(n)`` for
a waveform whose correlations cross zero n times in two lengths: smaller ratios occur by chance."""
SPARSE, ENOUGH, AROUND = 3, 100_000, 24
"""Sampling of positions for the gain g_j: their spacing, approximate total number, and number per
waveform length around an event."""


@dataclass(frozen=True, eq=False)
class Whitened:
    """A whitened recording with one waveform length of zeros before and after it.

    In single precision: rounding errors are far below the noise, and detection is a quarter faster.

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
        """Return values (P,) at the centre of an atom at each position."""
        half = self.length // 2
        return values[half : half + self.spectrum.positions]

    def level(self, residual: Floats) -> Floats:
        """Return the local noise level of a residual (P, channels) at every sample, (P,)."""
        return local_level(residual, self.observed, self.length)


@dataclass(frozen=True, eq=False)
class Detector:
    """Waveforms with estimates of their noise, misfit and amplitudes.

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
        Median coefficient of the certain atoms.
    least : ndarray of shape (q,)
        Minimum ``c / sigma`` of events: below it there are too many decoys.
    smallest : ndarray of shape (q,)
        A lower bound of the coefficients of nearly all isolated events.
    samples : int
        Number of samples of the recordings of the calibration, which fixes thresholds, medians and
        `least`. 0: not calibrated.
    apart : float
        Minimum interval between events, in samples.
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
        """Return an uncalibrated detector."""
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
        """Return the detector with additional waveforms, uncalibrated."""
        more, q = Detector.start(np.concatenate([self.A, A])), len(self)
        median = np.concatenate([self.median, more.median[q:]])
        more.g[:q], more.counts[:q] = self.g, self.counts
        more.V[:q, :q] = self.V
        return replace(more, median=median)

    def thresholds(self, samples: int, fdr: float = FDR) -> Floats:
        """Return the thresholds u_j, (q,), for the length of a recording."""
        samples = self.samples or samples
        false = samples * roughness(self.A) / (fdr * np.maximum(self.counts, 1.0))
        squares = 2.0 * np.log(np.maximum(false, 1.0))
        return np.sqrt(
            np.clip(squares, MIN_THRESHOLD**2, 2.0 * np.log(max(len(self) * samples, 100)))
        )


def roughness(A: Floats) -> Floats:
    """Return ``||a_j'|| / (2 pi)`` for unit-norm waveforms, (q,)."""
    steps = np.diff(np.pad(A, [(0, 0), (1, 1), (0, 0)]), axis=1)
    return np.asarray(np.sqrt(np.sum(steps**2, axis=(1, 2))) / (2.0 * np.pi))


@dataclass(frozen=True, eq=False)
class DetectorCoding:
    """A recording coded by a detector.

    Attributes
    ----------
    detector : Detector
    atoms : Pursued
    eta : ndarray of shape (q, positions)
        Correlations with the residual.
    residual : ndarray of shape (P, channels)
    sigma : ndarray of shape (P,)
        Local noise level.
    u : ndarray of shape (q,)
        Thresholds in noise standard deviations.
    median, least : ndarray of shape (q,)
        Median coefficient of the certain atoms of this coding, and minimum ``c / sigma``.
    share : ndarray of shape (q,)
        Fraction of the atoms above bursts of noise, minus the decoys per atom: small if the
        negative waveform occurs as often.
    noise : ndarray of shape (K,)
        Standard deviation of the correlations with noise around each atom.
    """

    detector: Detector
    atoms: Pursued
    eta: Floats
    residual: Floats
    sigma: Floats
    u: Floats
    median: Floats
    least: Floats
    share: Floats
    noise: Floats

    def own(self, j: int) -> Integers:
        """Return whether each atom belongs to component j."""
        return np.flatnonzero(self.atoms.component == j)

    def levels(self, which: Integers | slice = slice(None)) -> Floats:
        """Return the noise level at the centres of some atoms."""
        return np.asarray(self.sigma[self.atoms.sample[which] + self.detector.A.shape[1] // 2])


def code(w: Whitened, detector: Detector, sigma: Floats, *, signed: bool = False) -> DetectorCoding:
    """Code a recording, given its local noise level (P,)."""
    u, local = detector.thresholds(w.samples), w.centres(sigma)
    theta, eta = (u * detector.g) ** 2, w.spectrum.correlate(detector.A)
    weight = 2.0 * np.log(max(detector.samples or w.samples, 2))
    atoms, M = pursue(eta, detector.A, detector.V, theta, local, weight, signed=signed)
    residual = w.y.copy()
    subtract(residual, atoms, detector.A)
    noise = noise_at(eta, residual, atoms, detector, local[atoms.sample], w.length)
    is_above = np.abs(atoms.c) > u[atoms.component] * noise
    is_sure = is_certain(detector, atoms, local, w.samples)
    median = detector.median if detector.samples else medians(atoms.take(is_sure), len(detector))
    is_event = (is_above | (not detector.samples)) & (is_sure | is_typical(atoms, median))
    score, least = np.abs(atoms.c) / local[atoms.sample], detector.least
    every = np.bincount(atoms.component[is_event], minlength=len(detector))
    left = np.bincount(atoms.component[is_event & is_above], minlength=len(detector))
    share = left / np.maximum(every, 1)
    if not (signed or detector.samples):
        decoys = upside_down(eta, M, theta, local, HALF * median)
        least, count = decoy_limits(atoms.take(is_event), score[is_event], decoys, w.length)
        share = share - count / np.maximum(every, 1)
    is_event &= score > detector.least[atoms.component] * (detector.samples > 0)
    back = atoms.take(~is_event)
    put_back(eta, back, detector.A)
    subtract(residual, replace(back, c=-back.c), detector.A)
    atoms, noise = atoms.take(is_event), noise[is_event]
    return DetectorCoding(detector, atoms, eta, residual, sigma, u, median, least, share, noise)


def noise_at(
    eta: Floats,
    residual: Floats,
    atoms: Pursued,
    detector: Detector,
    level: Floats,
    length: int,
) -> Floats:
    """Return the standard deviation of ``eta_j`` on the residual at atoms, (K,).

    From the correlations around each, or from the energy of the residual in its support, whichever
    is louder: the former know the colour of a burst of noise, the latter its peak.
    """
    own = detector.g[atoms.component]
    loud = np.maximum(BURST, 1.0 + CHANCE / np.sqrt(4.0 * length * roughness(detector.A)))
    return np.maximum(
        local_correlation_noise(eta, atoms, loud, own * level, length),
        own * level_within(residual, atoms, level, length),
    )


def level_within(residual: Floats, atoms: Pursued, floor: Floats, length: int) -> Floats:
    """Return the root mean square of a residual in the support of atoms, or a floor.

    What is not much louder than the floor is the floor.
    """
    total = np.cumsum(np.pad(np.mean(residual**2, axis=1, dtype=np.float64), (1, 0)))
    square = (total[atoms.sample + length] - total[atoms.sample]) / length
    return np.where(square > (BURST * floor) ** 2, np.sqrt(np.maximum(square, 0.0)), floor)


def local_correlation_noise(
    eta: Floats, atoms: Pursued, loud: Floats, floor: Floats, length: int
) -> Floats:
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
    own = MAD_SCALE * np.median(around, axis=1)
    return np.where(own > loud[atoms.component] * floor, own, floor)


def is_certain(
    detector: Detector, atoms: Pursued, local: Floats, samples: int
) -> NDArray[np.bool_]:
    """Return whether each atom exceeds the expected maximum of noise over the recording."""
    count = len(detector) * (detector.samples or samples)
    most = np.sqrt(2.0 * np.log(max(count, 2))) * np.maximum(detector.g, 1.0)
    return np.asarray(np.abs(atoms.c) >= most[atoms.component] * local[atoms.sample])


def medians(atoms: Pursued, q: int) -> Floats:
    """Return the median |c| of every component, 0 where it has no atom."""
    own = (np.abs(atoms.c[atoms.component == j]) for j in range(q))
    return np.array([np.median(sizes) if len(sizes) else 0.0 for sizes in own])


def is_typical(atoms: Pursued, median: Floats) -> NDArray[np.bool_]:
    """Return whether each atom has at least half the median coefficient of its component."""
    own = median[atoms.component]
    return np.asarray((own > 0) & (np.abs(atoms.c) >= HALF * own))


def decoy_limits(
    atoms: Pursued, score: Floats, decoys: Floats, length: int
) -> tuple[Floats, Floats]:
    """Return limits of ``c / sigma`` above which decoys are few, and their number, (q,).

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


def noise_gain(w: Whitened, eta: Floats, sigma: Floats) -> Floats:
    """Return g_j, the robust standard deviation of ``eta_j / sigma`` on the residual, (q,)."""
    half, step = w.length // 2, max(SPARSE, eta.shape[1] // ENOUGH)
    inside = slice(half, max(eta.shape[1] - half, half + 1), step)
    ratio = np.abs(eta[:, inside]) / w.centres(sigma)[inside]
    return np.asarray(np.maximum(MAD_SCALE * np.median(ratio, axis=1), MIN_GAIN))


def with_waveforms(detector: Detector, A: Floats) -> Detector:
    """Return the detector with updated waveforms."""
    return replace(detector, A=A)
