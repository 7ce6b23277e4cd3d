"""A recording as the model explains it: samples, residual, gaps and noise level."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from orbitdl.coding.atoms import Atoms
from orbitdl.domains.time.atoms import at_times, in_order
from orbitdl.domains.time.inputs import as_recordings, detrended
from orbitdl.domains.time.penalty import LevelField
from orbitdl.domains.time.signal import Signal
from orbitdl.domains.time.waveforms import Waveforms
from orbitdl.domains.time.whitening import whitened
from orbitdl.events.intervals import missing_segments
from orbitdl.events.prominence import peaks_of
from orbitdl.groups.base import Floats, Integers
from orbitdl.report.listed import listed_events
from orbitdl.report.resolution import sampled_segments
from orbitdl.report.trace import Trace, trace_of

MOST_LEVELS = 1000
"""Maximum number of noise levels drawn; each is the maximum of its neighbours."""
MINUTE = 60.0
"""Seconds at the start and the end of a recording that are stored sample by sample."""


@dataclass(frozen=True, eq=False)
class CodedRecording:
    """A recording and the events that explain it.

    Attributes
    ----------
    model : WaveformLearning
    signal : Signal
        Its trend is subtracted before encoding.
    events : DataFrame
        Their `sample` counts from the start of the whole recording.
    first_sample : int
        Samples of the whole recording before the signal.
    missing : ndarray of shape (m, 2)
        Begin and end of segments without data, in samples of the signal.
    sfreq : float or None
    """

    model: Any
    signal: Signal
    events: pd.DataFrame
    first_sample: int
    missing: Integers
    sfreq: float | None

    @classmethod
    def of(
        cls, model: Any, data: Any, events: pd.DataFrame, first_sample: int, sfreq: float | None
    ) -> CodedRecording:
        """Return a recording, or an array of one, with its events."""
        signal = as_recordings(data)[0][0]
        own = detrended(signal, model.length, detrend=model.detrend)
        return cls(model, own, events, first_sample, missing_segments(signal), sfreq)

    @cached_property
    def waveforms(self) -> Waveforms:
        """The components in the unit of the data, (q, length, channels)."""
        waveforms: Waveforms = self.model._in_data_unit()[0]
        return waveforms

    @cached_property
    def peaks(self) -> Floats:
        """Position in each component that is the time of its events, (q,)."""
        return peaks(self.model)

    @property
    def position(self) -> Floats:
        """Positions of the events in the signal, (n,)."""
        return np.asarray(self.events["sample"], dtype=np.float64) - self.first_sample

    @property
    def missing_share(self) -> float:
        """Fraction of the samples in which a channel is missing."""
        return float((self.missing[:, 1] - self.missing[:, 0]).sum()) / len(self.signal)

    @cached_property
    def noise_level(self) -> tuple[Floats, Floats] | None:
        """Samples, and the noise levels there relative to the background; None: white noise."""
        if self.model.event_model_ is None:
            return None
        noise, length = self.model.event_model_.background, self.model.length
        field = whitened(self.signal, noise, length, self.model.n_jobs).penalty
        assert isinstance(field, LevelField)
        sample, levels = self.first_sample + field.times + length / 2, field.values[0]
        step = max(len(levels) // MOST_LEVELS, 1)
        return sample[::step], np.maximum.reduceat(levels, np.arange(0, len(levels), step))

    @cached_property
    def trace(self) -> Trace:
        """Samples and outline of the signal; every sample around the events listed."""
        length = self.waveforms.length
        minute = round(MINUTE * self.sfreq) if self.sfreq else 64 * length
        size = len(self.signal), self.signal.channels
        listed = self.position[listed_events(self.events)]
        segments = sampled_segments(*size, length, listed, minute)
        return trace_of(self.signal, self.waveforms, self._atoms(), segments)

    def _atoms(self) -> Atoms:
        """Return events as atoms with their amplitudes; event tables give the time of the peak."""
        component = self.events["component"].to_numpy()
        begin = self.position - self.peaks[component]
        amplitude = self.events["amplitude"].to_numpy()
        return in_order(at_times(component, begin, amplitude, len(self.peaks)))


def peaks(model: Any) -> Floats:
    """Return the position in each component of a model that is the time of its events, (q,)."""
    if model.event_model_ is None:
        return peaks_of(model._in_data_unit()[0])
    return np.asarray(model.event_model_.peaks)
