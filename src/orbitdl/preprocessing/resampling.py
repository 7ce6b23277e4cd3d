"""Another sampling rate."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from orbitdl.arrays.validation import require_positive
from orbitdl.groups.base import Floats
from orbitdl.io.lazy import LazyArray
from orbitdl.io.recording import Recording
from orbitdl.preprocessing.base import Step, as_recording, computed, require_rate
from orbitdl.preprocessing.filters import replace_signal

LARGEST = 1000
"""Largest numerator or denominator of the ratio of two rates."""
HALF_LENGTH = 10
"""Half the length of the anti-aliasing filter, in periods of the lower of the two rates."""


class Resample(Step):
    """Change the sampling rate, without aliasing and without delay.

    Recordings of different rates become comparable. Samples of events then count at the new rate;
    their onsets in seconds do not change, except in excerpts, whose first sample is rounded to one
    at the new rate.

    Parameters
    ----------
    sfreq : float
        The new sampling rate in Hz.

    Examples
    --------
    >>> t = np.arange(1000) / 500.0
    >>> slow = Resample(100.0).fit_transform(Recording(np.sin(20 * t), sfreq=500.0))
    >>> slow.sfreq, len(slow)
    (100.0, 200)
    >>> bool(np.abs(slow[20:-20] - np.sin(20 * t[::5])[20:-20]).max() < 1e-3)
    True
    """

    def __init__(self, sfreq: float) -> None:
        self.sfreq = sfreq

    def check(self, recording: Recording) -> None:
        """Raise ValueError unless both rates are known, and have a ratio of small integers."""
        self.ratio(recording)

    def ratio(self, recording: Recording) -> Fraction:
        """Return the new rate over that of a recording."""
        before = require_rate(recording, self.sfreq_, "resampling")
        wanted = require_positive(self.sfreq, "sfreq") / before
        ratio = Fraction(wanted).limit_denominator(LARGEST)
        if ratio.numerator > LARGEST or abs(float(ratio) / wanted - 1) > 1e-6:
            raise ValueError(
                f"{before:g} Hz cannot be resampled to {self.sfreq:g} Hz: their ratio is not one "
                f"of integers up to {LARGEST}; choose another rate."
            )
        return ratio

    def transform(self, recording: Any) -> Recording:
        """Return the recording at the new rate."""
        known = as_recording(recording)
        ratio = self.ratio(known)
        if ratio == 1:
            return known
        values = computed(Resampled(known.signal, ratio), known.signal)
        first = known.first_sample
        start = None if first is None else round(first * ratio)
        return replace_signal(known, values, sfreq=float(self.sfreq), first_sample=start)


class Resampled(LazyArray):
    """Samples at `ratio` times the rate; NaN where an input sample nearby is missing."""

    def __init__(self, values: Any, ratio: Fraction) -> None:
        self.values, self.ratio = values, ratio
        self.shape = (math.ceil(int(values.shape[0]) * ratio), *map(int, values.shape[1:]))

    def _read(self, first: int, last: int) -> Floats:
        from scipy.signal import resample_poly

        up, down = self.ratio.numerator, self.ratio.denominator
        around = HALF_LENGTH * max(up, down) // up + 2
        begin = max((first * down // up - around) // down, 0) * down  # output begin * up / down
        end = min(-(-last * down // up) + around, int(self.values.shape[0]))
        part = np.asarray(self.values[begin:end], dtype=np.float64)
        missing = np.isnan(part)
        result = resample_poly(np.where(missing, 0.0, part), up, down, axis=0)
        if missing.any():
            near = resample_poly(missing.astype(np.float64), up, down, axis=0)
            result = np.where(np.abs(near) > 0.05, np.nan, result)
        start = first - begin * up // down
        return np.asarray(result[start : start + last - first])
