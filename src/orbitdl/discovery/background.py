"""The spectrum of the background noise, and the short filter that whitens it.

An autoregressive model of order p for every channel, ``sum_i h_i x[t - i] = white noise``, by
Burg's method on the quiet segments of a recording. A segment is quiet if its prediction error is at
most the running median: this excludes events, which are rare, but not bursts of noise, which last.
The filter has minimum phase: whitening can be undone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_toeplitz
from scipy.ndimage import median_filter

from orbitdl.arrays.blocks import Floats

ORDER = 16
"""Maximum order of the filter: far below the length of a waveform, so that it fits no events."""
ROUNDS = 2
"""Iterations of selecting quiet segments by the previous filter."""
MEDIAN_WIDTH = 8
"""Waveform lengths over which the running median extends: events fill less than half of them."""
MAD_SCALE = 1.4826
"""Standard deviation of a Gaussian whose absolute values have median 1."""
SHARE = 0.05
"""Weight of all segments relative to the quiet ones: a lower bound of the noise at frequencies at
which events are strong."""
MIN_NOISE = 0.02
"""Lower bound of the noise, relative to the standard deviation of the whitened recording."""
FLOOR, GRID = 0.005, 4096
"""White noise floor relative to the standard deviation, that of 8-bit quantisation; and number of
frequencies at which spectra are evaluated."""
RIDGE = 1e-6
"""Relative regularisation of the filter for recordings without noise."""


@dataclass(frozen=True, eq=False)
class Background:
    """A noise model: one prediction-error filter and one scale per channel.

    Attributes
    ----------
    filters : ndarray of shape (channels, p + 1)
        Its first column is one.
    scale : ndarray of shape (channels,)
        Standard deviation of the filtered background, in the unit of the recording.
    """

    filters: Floats
    scale: Floats

    @property
    def order(self) -> int:
        """Order of the filter."""
        return int(self.filters.shape[1]) - 1

    @classmethod
    def white(cls, scale: Floats) -> Background:
        """Return white noise of known standard deviations."""
        return cls(np.ones((len(scale), 1)), scale)

    def whiten(self, x: Floats) -> Floats:
        """Return ``h * x / scale`` of samples (n, channels) without the first `order` samples."""
        p = self.order
        kernel = (self.filters / self.scale[:, None]).T
        y = x[p:] * kernel[0]
        for lag in range(1, p + 1):
            y += x[p - lag : len(x) - lag] * kernel[lag]
        return np.asarray(y)

    def filtered(self, x: Floats, observed: NDArray[np.bool_]) -> tuple[Floats, NDArray[np.bool_]]:
        """Return whitened samples (n, channels) and whether each is observed, (n,).

        A sample is known if it and the `order` before it were observed; the others are zero.
        """
        p, y = self.order, np.zeros_like(x)
        missing = np.concatenate([[0], np.cumsum(~np.pad(observed, (p, 0)))])
        known = missing[p + 1 :] == missing[: -p - 1]
        if len(x) > p:
            y[p:] = self.whiten(x)
        return np.where(known[:, None], y, 0.0), np.asarray(known)

    def undo(self, y: Floats) -> Floats:
        """Return the samples (n, channels) whose whitened form is y; zeros precede the first."""
        from scipy.signal import lfilter  # takes long to import

        channels = zip(self.filters, self.scale, y.T, strict=True)
        return np.stack([lfilter([scale], h, column) for h, scale, column in channels], axis=1)


def estimate_background(x: Floats, observed: NDArray[np.bool_], length: int) -> Background:
    """Estimate the noise model of samples x (n, channels), zero where not observed.

    `length` is that of a waveform, in samples.
    """
    order = max(min(ORDER, length // 4), 1)
    size = max(4 * order, length // 4)
    count = len(x) // size
    is_full = observed[: count * size].reshape(count, size).all(axis=1)
    segments = x[: count * size].reshape(count, size, -1)[is_full].transpose(2, 0, 1)
    if not is_full.any():
        return Background.white(np.maximum(np.std(x[observed], axis=0), 1e-300))
    width, weight = max(MEDIAN_WIDTH * length // size, 3), np.ones(segments.shape[1])
    for _ in range(ROUNDS + 1):
        fitted = [burg(channel, weight, order) for channel in segments]
        errors = np.sum([relative_errors(errors) for _, errors in fitted], axis=0)
        calm = errors <= median_filter(errors, width + 1 - width % 2)  # the running median
        weight = (1.0 - SHARE) * calm / max(calm.sum(), 1) + SHARE / len(calm)
    floor = (FLOOR * np.std(x[observed], axis=0)) ** 2
    filters = np.stack(
        [floored_filter(h, float(weight @ e), f) for (h, e), f in zip(fitted, floor, strict=True)]
    )
    return Background(filters, robust_scales(x, observed, filters))


def burg(segments: Floats, weight: Floats, order: int) -> tuple[Floats, Floats]:
    """Return the prediction-error filter (p + 1,) of segments (n, m), and their errors (n,).

    Burg's method: reflection coefficients ``k = -2 sum w f b / sum w (f^2 + b^2)`` of the forward
    and backward errors f and b, with a weight for every segment. The filter has minimum phase: its
    inverse is stable.
    """
    forward, backward, h = segments[:, 1:], segments[:, :-1], np.ones(1)
    floor = RIDGE * float(weight @ np.einsum("nm,nm->n", segments, segments))
    for _ in range(order):
        product = weight @ np.einsum("nm,nm->n", forward, backward)
        below = weight @ np.einsum("nm,nm->n", forward, forward)
        below += weight @ np.einsum("nm,nm->n", backward, backward)
        k = -2.0 * product / (below + floor) if below > 0.0 else 0.0
        h = np.pad(h, (0, 1)) + k * np.pad(h, (0, 1))[::-1]
        forward, backward = (forward + k * backward)[:, 1:], (backward + k * forward)[:, :-1]
    return h, np.mean(forward**2, axis=1)


def floored_filter(h: Floats, variance: float, floor: float) -> Floats:
    """Return the filter of noise with the spectrum ``variance / |h(f)|^2 + floor``.

    By its Yule-Walker equations. A smooth recording without noise would be predicted perfectly,
    and its filter would see the differences between events only.
    """
    power = variance / np.maximum(np.abs(np.fft.rfft(h, GRID)) ** 2, 1e-300) + floor
    lags = np.fft.irfft(power)[: len(h)]
    if lags[0] <= 0.0:
        return h
    return np.concatenate([[1.0], solve_toeplitz(lags[:-1], -lags[1:])])


def relative_errors(errors: Floats) -> Floats:
    """Return errors relative to their median."""
    return np.asarray(errors / max(float(np.median(errors)), 1e-300))


def robust_scales(x: Floats, observed: NDArray[np.bool_], filters: Floats) -> Floats:
    """Return the standard deviation of the whitened background of every channel."""
    unit = Background(filters, np.ones(len(filters)))
    values = unit.whiten(x)[observed[unit.order :]]
    if not len(values):
        return np.asarray(np.maximum(np.std(x, axis=0), 1e-300))
    scale = MAD_SCALE * np.median(np.abs(values), axis=0)
    return np.asarray(np.maximum(scale, np.maximum(MIN_NOISE * np.std(values, axis=0), 1e-300)))
