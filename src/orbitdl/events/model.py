"""The event model: noise, detection, and templates in the unit of the data.

Coding works on whitened samples. In the unit of the data an event of component j with coefficient c
is ``c T_j(t - tau)``. The template ``T_j`` is the least-squares waveform of the recording, free of
its trend but not whitened, at the events of the detector.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve
from scipy.ndimage import convolve1d, uniform_filter1d

from orbitdl.arrays.blocks import Floats
from orbitdl.coding.atoms import Atoms
from orbitdl.discovery.background import MAD_SCALE, Background
from orbitdl.discovery.coding import Detector, DetectorCoding, with_waveforms
from orbitdl.discovery.discover import Discovery, background_of, calibrated, discover
from orbitdl.discovery.misfit import unit
from orbitdl.discovery.occurrences import is_event
from orbitdl.domains.time.atoms import at_times, in_order
from orbitdl.domains.time.chunk import Chunk, Recordings
from orbitdl.domains.time.chunks import split_recording
from orbitdl.domains.time.refit import retimed
from orbitdl.domains.time.signal import Signal
from orbitdl.domains.time.splines import GRAM, coefficients_of, norms_of
from orbitdl.domains.time.sums import event_sums
from orbitdl.domains.time.waveforms import Waveforms
from orbitdl.events.prominence import peaks_of

MAX_LENGTHS = 10_000
"""Maximum size of an excerpt in waveform lengths: enough events for all estimates."""
MIN_ENERGY = 0.1
"""Minimum energy fraction after denoising; otherwise a waveform is left unchanged."""
RIDGE = 1e-6
"""Relative regularisation of templates with few events."""
NEIGHBOURS, CAUTION = 9, (6.0, 2.0)
"""Width of the smoothing of power spectra in frequencies, and factors of noise subtraction: larger
the first time, because the times of events were aligned with the noise of the waveforms."""
SMOOTHING = np.array([1.0, 4.0, 6.0, 4.0, 1.0]) / 16.0
"""Binomial filter, zero at the Nyquist frequency, at which integer times fit noise most."""
SAMPLED = 0.76
"""Standard error of a waveform at samples over that of its coefficients, by the diagonal of N: the
root of ``(5040 / 2416)^-1`` times the mean of ``b(w)^2 / G(w)``, see `denoised`."""
FIXED_SEED = 0
"""Seed of discovery: a fixed one, so that fits can be resumed."""


@dataclass(frozen=True, eq=False)
class Excerpt:
    """Detrended chunks of recordings in memory.

    Attributes
    ----------
    x : ndarray of shape (n, channels)
        Zero where not observed, and for one waveform length between two chunks.
    observed : ndarray of shape (n,)
    length : int
        Samples of a waveform.
    """

    x: Floats
    observed: NDArray[np.bool_]
    length: int

    @classmethod
    def of(cls, recordings: Recordings) -> Excerpt:
        """Return evenly spaced chunks of recordings."""
        _, length, channels = recordings.space.block_shape
        most = -(-MAX_LENGTHS * length // max(recordings.sizes))
        chosen = recordings.of_some(values_from, most)
        is_all = len(chosen) == len(recordings.sizes)
        between, parts = np.full((length, channels), np.nan), list[Floats]()
        for values, begins in chosen:
            parts += [between, values] if begins or not is_all else [values]
        joined = np.concatenate(parts[1:])
        observed = ~np.isnan(joined[:, 0])
        return cls(np.where(observed[:, None], joined, 0.0), observed, length)


def values_from(chunk: Chunk) -> tuple[Floats, bool]:
    """Return the samples of a chunk, NaN where missing, and whether a recording begins."""
    return chunk.known_values(), chunk.begins


@dataclass(frozen=True, eq=False)
class EventModel:
    """Detection of events, and templates in the unit of the data.

    Attributes
    ----------
    background : Background
        The noise model.
    detector : Detector
        Calibrated on the recordings of the fit.
    templates : ndarray of shape (q, W, channels)
        Spline coefficients of the waveforms in the unit of the data, per unit of coefficient.
    bands : ndarray of shape (q, W, channels)
        Standard errors of these waveforms at integer samples, relative to their norm.
    signed : bool
        Whether coefficients may be negative.
    explained : float
        Explained fraction of the energy above noise, in the fit.
    """

    background: Background
    detector: Detector
    templates: Floats
    bands: Floats
    signed: bool
    explained: float

    @classmethod
    def unknown(cls, background: Background) -> EventModel:
        """Return an event model with a noise model but without waveforms."""
        nothing = np.zeros((0, 1, len(background.scale)))
        return cls(background, Detector.start(nothing), nothing, nothing, False, 0.0)

    @property
    def gains(self) -> Floats:
        """Norm of every template: the amplitude of an event of coefficient one, (q,)."""
        return norms_of(self.templates)

    @property
    def peaks(self) -> Floats:
        """Position of the peak of every template, the time of an event, (q,)."""
        return peaks_of(Waveforms(self.templates), self.detector.A)


def noise_of(excerpt: Excerpt) -> Background:
    """Estimate the noise model of an excerpt."""
    rng = np.random.default_rng(FIXED_SEED)
    return background_of(excerpt.x, excerpt.observed, excerpt.length, rng)


def white_noise_of(excerpt: Excerpt) -> Background:
    """Return white noise of the robust standard deviation of every channel."""
    scale = MAD_SCALE * np.median(np.abs(excerpt.x[excerpt.observed]), axis=0)
    return Background.white(np.where(scale > 0, scale, 1.0))


def waveforms_in(
    excerpt: Excerpt, noise: Background, number: int | None = None, *, signed: bool = False
) -> Discovery:
    """Return the recurring waveforms, refined: all of them, or a requested number."""
    rng, every = np.random.default_rng(FIXED_SEED), (excerpt.x, excerpt.observed, excerpt.length)
    found = discover(*every, noise, rng, number, signed=signed)
    if not len(found.detector):
        return found
    A = refined(excerpt, noise, found.detector.A)
    return replace(found, detector=with_waveforms(found.detector, A))


def refined(excerpt: Excerpt, noise: Background, A: Floats) -> Floats:
    """Return waveforms (q, W, channels) sharpened to fractions of a sample.

    Events at integer samples blur their mean. So the times of the events are refitted, and the
    waveforms by least squares at these times, on whitened samples. Times that follow the noise of a
    waveform would bring it out in the next: an event is placed where it agrees best with that
    noise. Times first follow smooth waveforms, in which there is little of it, and then waveforms
    that are denoised. One without events stays.
    """
    y, known = noise.filtered(excerpt.x, excerpt.observed)
    signal = Signal(np.where(known[:, None], y, np.nan))
    white = Excerpt(y, known, excerpt.length)
    now = calibrated(excerpt.x, excerpt.observed, noise, A, np.random.default_rng(FIXED_SEED))
    events = events_in(now.coded, excerpt)
    free = np.ones(len(events.time), dtype=bool)
    u = Waveforms.through(convolve1d(A, SMOOTHING, axis=1, mode="constant")).u
    for caution in CAUTION:
        events = retimed(split_recording(signal, excerpt.length), Waveforms(u), events, free)
        u, spread, left = templates_of(white, events, u)
        s = MAD_SCALE * np.median(np.abs(left[known]), axis=0)
        new = denoised(Waveforms(u).samples(), spread * s, caution)
        A = np.stack([unit(a) if a.any() else old for a, old in zip(new, A, strict=True)])
        u = Waveforms.through(A).u
    return A


def denoised(a: Floats, sd: Floats, caution: float) -> Floats:
    """Return waveforms (q, W, channels), denoised by spectral subtraction at known noise levels.

    An empirical Wiener filter: the spectrum F is multiplied by ``max(0, 1 - caution N / P)``, where
    N is the power of the noise and P that of F, averaged over neighbouring frequencies. A waveform
    that is rough with noise would seem to tell times better than it does.

    White noise of samples at all fractions of a sample gives coefficients of B-splines the power
    ``1 / G(w)``, G the spectrum of their Gram matrix, and samples of the waveform ``b(w)^2 / G(w)``
    with the symbol ``b(w) = (4 + 2 cos w) / 6``. `sd` is that of coefficients, by the diagonal of
    the Gram matrix.
    """
    length = a.shape[1]
    spectrum = np.fft.rfft(a, 2 * length, axis=1)
    power = uniform_filter1d(np.abs(spectrum) ** 2, NEIGHBOURS, axis=1)
    w = np.pi * np.arange(length + 1) / length
    gram = 2.0 * GRAM @ np.cos(np.outer(np.arange(len(GRAM)), w)) - GRAM[0]
    colour = GRAM[0] * ((4.0 + 2.0 * np.cos(w)) / 6.0) ** 2 / gram
    noise = length * np.mean(sd**2, axis=1, keepdims=True) * colour[:, None]
    gain = np.maximum(1.0 - caution * noise / np.maximum(power, 1e-300), 0.0)
    left = np.fft.irfft(spectrum * gain, 2 * length, axis=1)[:, :length]
    is_lost = np.sum(left**2, axis=(1, 2), keepdims=True) < MIN_ENERGY * np.sum(
        a**2, (1, 2), keepdims=True
    )
    return np.where(is_lost, a, left)


def event_model(
    excerpt: Excerpt, noise: Background, waveforms: Waveforms, *, signed: bool
) -> EventModel:
    """Calibrate the detection of waveforms on an excerpt."""
    if not len(waveforms):
        empty = waveforms.u
        return EventModel(noise, Detector.start(empty), empty, empty, signed, 0.0)
    A = np.stack([unit(a) for a in waveforms.samples()])
    rng = np.random.default_rng(FIXED_SEED)
    now = calibrated(excerpt.x, excerpt.observed, noise, A, rng, signed=signed)
    events = events_in(now.coded, excerpt)
    templates, spread, left = templates_of(excerpt, events, np.zeros_like(waveforms.u))
    for j in np.flatnonzero(norms_of(templates) == 0.0):  # no events: only the filter is undone
        templates[j] = coefficients_of(noise.undo(A[j])[None])[0]
    s = np.sqrt(residual_variance(left, excerpt, events, len(templates)))[:, None]
    norms = norms_of(templates)[:, None, None]
    bands = SAMPLED * spread * s / np.where(norms > 0, norms, np.inf)
    share = explained_share(noise, excerpt, now.coded, now.sigma)
    return EventModel(noise, now.detector, templates, bands, signed, share)


def explained_share(
    noise: Background, excerpt: Excerpt, coded: DetectorCoding, sigma: Floats
) -> float:
    """Return ``1 - (sum (r/sigma)^2 - n) / (sum (y/sigma)^2 - n)`` of n whitened samples."""
    y, known = noise.filtered(excerpt.x, excerpt.observed)
    inside = slice(excerpt.length, -excerpt.length)
    r, level = coded.residual[inside][known], sigma[inside][known][:, None]
    left, before = (float(np.sum((z / level) ** 2)) - z.size for z in (r, y[known]))
    return float(np.clip(1.0 - left / before, 0.0, 1.0)) if before > 0 else 0.0


def events_in(coded: DetectorCoding, excerpt: Excerpt) -> Atoms:
    """Return the events of a coding, sorted by time, at integer samples."""
    atoms = coded.atoms.take(is_event(coded, len(excerpt.x)))
    time = atoms.sample - excerpt.length + atoms.lag
    return in_order(at_times(atoms.component, time, atoms.c, len(coded.detector)))


def templates_of(excerpt: Excerpt, events: Atoms, u: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the least-squares waveforms of events, their relative errors, and the residual.

    Where events do not determine them, they stay at the coefficients u (q, W, channels).

    With the sums N and R over events (`orbitdl.domains.time.sums`), ``u = N^-1 R``. The standard
    errors of u are about ``s N_nn^-1/2``, by the diagonal of N, where s is that of what is left at
    events.
    """
    shape, q = u.shape, len(u)
    sums = event_sums(excerpt.x, excerpt.observed, excerpt.length, q, events)
    diagonal = np.diag(sums.normal)
    ridge = RIDGE * np.repeat(diagonal.reshape(q, -1).max(axis=1), shape[1]) + 1e-300
    factor = cho_factor(sums.normal + np.diag(ridge), lower=True)
    right = sums.cross + ridge[:, None] * u.reshape(q * shape[1], -1)
    u = np.ascontiguousarray(cho_solve(factor, right).reshape(shape))
    left = excerpt.x - Waveforms(u).add_up(
        len(excerpt.x), events.component, events.time, events.coefficient
    )
    return u, np.sqrt(1.0 / np.maximum(diagonal + ridge, 1e-300)).reshape(q, -1, 1), left


def residual_variance(left: Floats, excerpt: Excerpt, events: Atoms, q: int) -> Floats:
    """Return the variance of the residual at the events of each component, (q, channels).

    ``sum_k c_k^2 s_k^2 / sum_k c_k^2`` with the mean square s_k^2 over the samples of event k: the
    noise, which differs from event to event, and the differences of events from their mean.
    """
    total = np.cumsum(
        np.pad(np.where(excerpt.observed[:, None], left, 0.0) ** 2, [(1, 0), (0, 0)]), 0
    )
    known = np.cumsum(np.pad(excerpt.observed, (1, 0)))
    begin = np.floor(events.time).astype(np.intp)
    first, last = (np.clip(at, 0, len(left)) for at in (begin, begin + excerpt.length))
    square = (total[last] - total[first]) / np.maximum(known[last] - known[first], 1)[:, None]
    result = np.zeros((q, left.shape[1]))
    weight = events.coefficient**2
    np.add.at(result, events.component, weight[:, None] * square)
    every = np.bincount(events.component, weight, minlength=q)
    return np.asarray(result / np.maximum(every, 1e-300)[:, None])
