"""Simulated recordings: a known waveform at any times in noise of a known spectrum."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from benchmarks.data import Floats

LENGTH, SAMPLES, EVENTS = 64, 20_000, 100
"""Samples of a waveform and of a recording, and events of a recording."""
SMALLEST, SPREAD = 3.0, 5.0
"""Smallest amplitude over the noise in the matched filter, and largest over smallest."""
SPECTRA: dict[str, Callable[[Floats], Floats]] = {
    "white": np.ones_like,
    "pink": lambda f: 1 / np.maximum(f, 1e-3),
    "brown": lambda f: np.where(f > 2e-3, 1 / np.maximum(f, 1e-3) ** 2, 1e-3),
    "blue": lambda f: f + 1e-3,
    "band-limited": lambda f: np.where((f > 0.02) & (f < 0.2), 1.0, 1e-4),
}
"""Power spectra over frequency in cycles per sample; pink is 1/f, brown 1/f^2 high-passed."""


@dataclass(frozen=True)
class Planted:
    """A recording and its events; `alone` if no other event is within a waveform's length."""

    x: Floats
    times: Floats
    amplitudes: Floats
    alone: np.ndarray


def wavelet(t: Floats) -> Floats:
    """Return the waveform of unit norm at times in samples, 0 its peak; support 64 samples."""
    t = np.asarray(t, dtype=float)
    shape = np.exp(-0.5 * (t / 8) ** 2) * np.cos(2 * np.pi * t / 24)
    return shape / NORM


NORM = 1.0
NORM = float(np.linalg.norm(wavelet(np.arange(-64, 65))))


def spectrum(colour: str, n: int) -> Floats:
    """Return the power spectrum at the frequencies of `rfft`, of mean 1."""
    power = SPECTRA[colour](np.fft.rfftfreq(n))
    return np.asarray(power / power.mean())


def noise(rng: np.random.Generator, colour: str, n: int) -> Floats:
    """Return Gaussian noise of unit variance with one of the spectra."""
    white = np.fft.rfft(rng.standard_normal(n))
    return np.fft.irfft(white * np.sqrt(spectrum(colour, n)), n)


def filtered_sd(colour: str, n: int = SAMPLES) -> float:
    """Return the standard deviation of unit noise after correlation with the waveform."""
    gain = np.abs(np.fft.rfft(wavelet(np.arange(n) - n // 2))) ** 2
    return float(np.sqrt(np.mean(spectrum(colour, n) * gain)))


def add_events(x: Floats, shape: Callable[[Floats], Floats], times: Floats, sizes: Floats) -> None:
    """Add waveforms at any times to a recording, in place."""
    around = np.arange(-2 * LENGTH, 2 * LENGTH + 1)
    for time, size in zip(times, sizes, strict=True):
        index = round(time) + around
        index = index[(index >= 0) & (index < len(x))]
        x[index] += size * shape(index - time)


def simulate(seed: int, colour: str, overlap: float) -> Planted:
    """Simulate a recording whose noise has unit standard deviation in the matched filter.

    A share `overlap` of the events is in pairs, 0.25 to 0.75 lengths apart.
    """
    rng = np.random.default_rng([seed, list(SPECTRA).index(colour), round(100 * overlap)])
    paired = round(overlap * EVENTS / 2)
    free = EVENTS - paired
    step = (SAMPLES - 4 * LENGTH) / free
    first = 2 * LENGTH + step * np.arange(free) + rng.uniform(0, step - 2 * LENGTH, free)
    chosen = rng.permutation(free)[:paired]
    second = first[chosen] + rng.uniform(0.25, 0.75, paired) * LENGTH
    times = np.concatenate([first, second])
    alone = np.ones(EVENTS, dtype=bool)
    alone[chosen] = alone[free:] = False
    amplitudes = SMALLEST * SPREAD ** rng.uniform(0, 1, EVENTS)
    x = noise(rng, colour, SAMPLES) / filtered_sd(colour)
    add_events(x, wavelet, times, amplitudes)
    order = np.argsort(times)
    return Planted(x, times[order], amplitudes[order], alone[order])
