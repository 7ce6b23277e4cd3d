"""Simulation of heartbeats: waveforms, times and baseline wander."""

import math

import numpy as np
from numpy.typing import NDArray

from orbitdl.datasets.gaussian_waves import GaussianWaves

# Each wave of a beat: height in two leads, time after the R peak and width (standard deviation),
# in seconds.
_NORMAL = np.array(
    [
        [0.15, 0.08, -0.170, 0.028],  # P
        [-0.14, -0.05, -0.045, 0.016],  # Q
        [1.00, 0.55, 0.000, 0.018],  # R
        [-0.25, -0.60, 0.045, 0.018],  # S
        [0.30, 0.18, 0.240, 0.045],  # T
    ]
)
_PREMATURE = np.array(
    [
        [0.90, -0.75, 0.000, 0.040],  # a wide R, no P before it
        [-0.55, 0.40, 0.110, 0.045],  # a deep S
        [-0.30, 0.35, 0.300, 0.055],  # an inverted T
    ]
)
_EARLY = 0.3  # by how much of an interval a premature beat comes early
_DRIFT_BAND = (0.05, 0.35)  # Hz: breathing and slower
_AT_ONCE = 2**16  # samples of the baseline computed at a time


def beat_shapes(n_leads: int) -> dict[str, GaussianWaves]:
    """Return the waveforms of normal and of premature beats in one lead or two."""
    return {
        kind: GaussianWaves(shape[:, :n_leads], shape[:, 2], shape[:, 3])
        for kind, shape in (("normal", _NORMAL), ("premature", _PREMATURE))
    }


def beat_times(
    rng: np.random.Generator,
    duration: float,
    *,
    interval: float,
    spread: float,
    premature: float,
    reach: float,
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Draw the times of beats that may overlap [0, duration], and which are premature.

    Intervals are log-normal: `interval` is their median, `spread` the standard deviation of their
    logarithm. Every beat is premature with the same probability.
    """
    enough = 10 + math.ceil(2 * (duration + 2 * reach) / interval)
    intervals = interval * np.exp(spread * rng.standard_normal(enough))
    is_premature = rng.random(enough) < premature
    start = -reach - interval * rng.random()
    times = start + np.cumsum(intervals) - _EARLY * intervals * is_premature
    near = (times > -reach) & (times < duration + reach)
    return times[near], is_premature[near]


def add_baseline(
    rng: np.random.Generator, signal: NDArray[np.float64], *, sfreq: float, size: float
) -> None:
    """Add to a lead (n_times,), in place, four slow sinusoids whose root mean square is `size`."""
    frequency = rng.uniform(*_DRIFT_BAND, size=4)
    phase = rng.uniform(0.0, 2 * np.pi, size=4)
    for first in range(0, len(signal), _AT_ONCE):
        part = signal[first : first + _AT_ONCE]
        angle = 2 * np.pi * np.outer(np.arange(first, first + len(part)) / sfreq, frequency) + phase
        part += size * math.sqrt(2 / 4) * np.sin(angle).sum(axis=1)
