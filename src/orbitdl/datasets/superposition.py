"""Superposition of events at continuous times, and noise."""

import math

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from orbitdl.arrays.validation import require_positive
from orbitdl.datasets.gaussian_waves import GaussianWaves

_EVENTS_AT_ONCE = 256
"""Events evaluated at a time, which bounds memory."""
_SAMPLES_AT_ONCE = 2**16
"""Samples of noise drawn at a time, which bounds memory."""


def count_samples(duration: float, sfreq: float) -> int:
    """Return the number of samples of a duration in seconds."""
    n = round(require_positive(duration, "duration") * require_positive(sfreq, "sfreq"))
    if n < 1:
        raise ValueError(
            f"duration={duration!r} at sfreq={sfreq!r} makes no sample: pass a longer duration."
        )
    return n


def locate(times: NDArray[np.float64], sfreq: float, n: int) -> pd.DataFrame:
    """Return the table of events at times in seconds: `position`, `seconds` and `inside`."""
    position = times * sfreq
    inside = (position >= 0) & (position <= n - 1)
    return pd.DataFrame({"position": position, "seconds": times, "inside": inside})


def add_noise(rng: np.random.Generator, signal: NDArray[np.float64], size: float) -> None:
    """Add white noise of standard deviation `size` to a signal (n_times, channels), in place."""
    for first in range(0, len(signal), _SAMPLES_AT_ONCE):
        part = signal[first : first + _SAMPLES_AT_ONCE]
        part += size * rng.standard_normal(part.shape)


def superpose(
    signal: NDArray[np.float64],
    waves: GaussianWaves,
    times: NDArray[np.float64],
    amplitudes: NDArray[np.float64],
    *,
    sfreq: float,
    reach: float,
) -> None:
    """Add ``amplitude * waves(t - time)`` of all events to a signal (n_times, channels), in place.

    Waveforms are evaluated at exact times within `reach` seconds of the reference point.
    """
    n, channels = signal.shape
    flat = signal.reshape(-1)  # adding at numbers is many times faster along one axis
    around = np.arange(-math.ceil(reach * sfreq), math.ceil(reach * sfreq) + 1)
    for first in range(0, len(times), _EVENTS_AT_ONCE):
        some = slice(first, first + _EVENTS_AT_ONCE)
        index = np.rint(times[some] * sfreq).astype(int)[:, None] + around
        value = waves.at(index / sfreq - times[some, None]) * amplitudes[some, None, None]
        inside = (index >= 0) & (index < n)
        place = index[inside][:, None] * channels + np.arange(channels)
        np.add.at(flat, place.ravel(), value[inside].ravel())
