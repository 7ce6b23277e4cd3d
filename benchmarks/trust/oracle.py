"""Matched filter that knows the waveform and the spectrum of the noise: the best detector."""

from __future__ import annotations

import numpy as np
from scipy.signal import resample

from benchmarks.data import Floats
from benchmarks.trust.simulated import LENGTH, Planted, filtered_sd, spectrum, wavelet

FINE = 4
"""Candidate times per sample."""
LOWEST, MOST = 2.0, 400
"""Height at which the search ends, in noise standard deviations, and events at most."""


def heights(recording: Planted, colour: str) -> tuple[Floats, Floats]:
    """Return times and heights of peaks, each subtracted before the next is searched for.

    Notes
    -----
    Recording and waveform are divided by the square root of the spectrum, which gives y and b. In
    noise alone the height ``u = <y, b> / (s ||b||)`` has unit variance, s the scale of the noise.
    """
    n = len(recording.x)
    whiten = 1 / np.sqrt(spectrum(colour, n))
    b = np.fft.rfft(np.fft.ifftshift(wavelet(np.arange(n) - n // 2))) * whiten
    field = resample(np.fft.irfft(np.fft.rfft(recording.x) * whiten * np.conj(b), n), FINE * n)
    own = np.fft.irfft(np.abs(b) ** 2, n)
    response = resample(own, FINE * n) / own[0]
    return pursue(field * filtered_sd(colour, n) / np.sqrt(own[0]), response)


def pursue(field: Floats, kernel: Floats) -> tuple[Floats, Floats]:
    """Take the largest peak, subtract it, and repeat; `kernel` is its response, 1 at lag 0."""
    field, n, reach = field.copy(), len(field), 4 * LENGTH * FINE
    response = kernel[np.arange(-reach, reach + 1) % n]
    times, found = list[float](), list[float]()
    while len(times) < MOST:
        at = int(np.argmax(field))
        if field[at] < LOWEST:
            break
        times.append(at / FINE)
        found.append(float(field[at]))
        around = np.arange(at - reach, at + reach + 1)
        inside = (around >= 0) & (around < n)
        field[around[inside]] -= field[at] * response[inside]
    return np.array(times), np.array(found)


def recall_at(share: float, true: np.ndarray, total: int) -> float:
    """Return the recall of the longest list whose share of false events is at most `share`.

    `true` holds for every candidate, from the largest height down, whether it is an event.
    """
    falses = np.cumsum(~true) / np.arange(1, len(true) + 1)
    allowed = np.flatnonzero(falses <= share)
    return float(np.sum(true[: allowed[-1] + 1]) / total) if len(allowed) else 0.0
