"""The data of all comparisons: windows of one public electrocardiogram, and components."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy import signal

from orbitdl import OrbitDictionaryLearning
from orbitdl.datasets import load_ecg, segment
from orbitdl.groups import ContinuousShift

Floats = NDArray[np.float64]

LENGTH, STEP, COUNT = 201, 10, 1000
CHOSEN = {1: [0], 2: [0, 500], 3: [0, 333, 777], 4: [0, 250, 500, 750]}
"""Windows that serve as components, by their number."""


@cache
def _all_windows() -> Floats:
    recording = load_ecg("100").signal[: STEP * COUNT + LENGTH]
    return segment(recording, LENGTH, STEP)[:COUNT]


def windows(n: int = COUNT) -> Floats:
    """Return n of the first 1000 windows of record 100, lead 0, evenly spread: (n, 201)."""
    return _all_windows()[:: COUNT // n][:n].copy()


def some_windows(q: int) -> Floats:
    """Return q windows to serve as components, (q, 201)."""
    chosen = CHOSEN.get(q, np.arange(q) * COUNT // q)
    return _all_windows()[chosen].copy()


def white_noise(q: int) -> Floats:
    """Return q components of white noise, the hardest there are: (q, 201), unit norm."""
    noise = np.random.default_rng(0).standard_normal((q, LENGTH))
    return noise / np.linalg.norm(noise, axis=1, keepdims=True)


@cache
def learned(q: int, alpha: float, iterations: int = 5) -> Floats:
    """Return q components after a few iterations of learning from 200 windows, (q, 201)."""
    model = OrbitDictionaryLearning(
        q, ContinuousShift(), alpha=alpha, max_iter=iterations, init=some_windows(q),
        callback=lambda iteration: iteration.number == iterations,
    )  # fmt: skip
    components: Floats = model.fit(windows(200)).components_
    return components


def resampled(X: Floats, length: int) -> Floats:
    """Return the same signals at another sampling rate, with unit norm: (n, length)."""
    other = signal.resample(X, length, axis=1)
    return other / np.linalg.norm(other, axis=1, keepdims=True)
