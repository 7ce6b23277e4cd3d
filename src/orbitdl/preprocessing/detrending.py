"""Slow trends, removed by medians."""

from __future__ import annotations

from typing import Any

import numpy as np

from orbitdl.arrays.validation import require_positive
from orbitdl.domains.time.signal import Signal
from orbitdl.groups.base import Floats
from orbitdl.io.lazy import LazyArray
from orbitdl.io.recording import Recording
from orbitdl.preprocessing.base import Step, as_recording, computed, require_rate
from orbitdl.preprocessing.filters import replace_signal


class Detrend(Step):
    """Subtract a slow trend: medians of segments, joined by cubic splines.

    Unlike a high-pass filter it does not ring around large events, and leaves waveforms alone that
    fill less than half of the time. `WaveformLearning` does so itself, with segments as long as a
    waveform. Denoised and completed data have the trend again.

    Parameters
    ----------
    seconds : float
        Length of a segment.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    def check(self, recording: Recording) -> None:
        """Raise ValueError unless a segment has a length in samples."""
        self._span(recording)

    def transform(self, recording: Any) -> Recording:
        """Return the recording without its trend."""
        known = as_recording(recording)
        values = Detrended(Signal(known.signal, span=self._span(known)))
        return replace_signal(known, computed(values, known.signal))

    def restore(self, values: Floats, recording: Recording) -> Floats:
        """Add the trend, which gaps have, too."""
        trend = Signal(recording.signal, span=self._span(recording)).trend(0, len(recording))
        return np.asarray(values + trend.reshape(values.shape))

    def _span(self, recording: Recording) -> int:
        rate = require_rate(recording, self.sfreq_, "Detrend")
        return max(round(require_positive(self.seconds, "seconds") * rate), 2)


class Detrended(LazyArray):
    """Samples without their trend."""

    def __init__(self, signal: Signal) -> None:
        self.signal, self.shape = signal, tuple(map(int, signal.values.shape))

    def _read(self, first: int, last: int) -> Floats:
        free = self.signal.raw(first, last) - self.signal.trend(first, last)
        return np.asarray(free.reshape(last - first, *self.shape[1:]))
