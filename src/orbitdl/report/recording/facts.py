"""Content of the report of a recording: the model, the recording and its events."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from orbitdl.coding.atoms import Atoms
from orbitdl.coding.codes import Codes
from orbitdl.domains.time.atoms import at_times, in_order
from orbitdl.domains.time.inputs import as_recordings, detrended
from orbitdl.domains.time.penalty import LevelField
from orbitdl.domains.time.signal import Signal
from orbitdl.domains.time.waveforms import Waveforms
from orbitdl.domains.time.whitening import whitened
from orbitdl.estimators.preprocessed import after_preprocessing
from orbitdl.estimators.recording_dataset import open_files
from orbitdl.estimators.waveform import WaveformLearning
from orbitdl.events.intervals import missing_segments
from orbitdl.events.prominence import peaks_of
from orbitdl.groups.base import Floats, Integers
from orbitdl.groups.presentation import NO_BREAK
from orbitdl.io import Recording
from orbitdl.learning.history import History
from orbitdl.report.phrasing import count, number
from orbitdl.report.recording.intervals import Intervals, marked_intervals
from orbitdl.report.recording.resolution import sampled_segments
from orbitdl.report.recording.trace import ExplainedSignal, Trace


@dataclass(frozen=True)
class Clock:
    """Times from the start of a recording, of which a signal may be an excerpt.

    Attributes
    ----------
    sfreq : float or None
        Samples per second.
    offset : int
        Samples before the signal.

    Examples
    --------
    >>> Clock(100.0).time(372_512.0), Clock(None, 40).time(12.26)
    ('1:02:05.1', '52.3')
    >>> Clock(100.0).span(125.0).replace(NO_BREAK, " "), Clock(None).span(125.0)
    ('1.25 s', '125 samples')
    """

    sfreq: float | None
    offset: int = 0

    def time(self, sample: float) -> str:
        """Return the time of a sample as h:mm:ss.s, or its number."""
        place = sample + self.offset
        if self.sfreq is None:
            return f"{place:.1f}".removesuffix(".0")
        digits = 3 if self.sfreq > 2000 else 1
        ticks = max(round(place / self.sfreq * 10**digits), 0)
        seconds, rest = divmod(ticks, 10**digits)
        hours, minutes = seconds // 3600, seconds // 60 % 60
        return f"{hours}:{minutes:02d}:{seconds % 60:02d}.{rest:0{digits}d}"

    def span(self, samples: float) -> str:
        """Return a short duration, with a few digits."""
        if self.sfreq is None:
            return f"{number(float(f'{samples:.4g}'))} samples"
        seconds = samples / self.sfreq
        if seconds < 0.1:
            return f"{number(float(f'{1000 * seconds:.3g}'))}{NO_BREAK}ms"
        return f"{number(float(f'{seconds:.3g}'))}{NO_BREAK}s"

    def duration(self, samples: int) -> str:
        """Return the duration of a recording: "24 h 0 min", "1 min 5 s", "3.5 s", "900 samples"."""
        if self.sfreq is None:
            return count(samples, "sample")
        seconds = round(samples / self.sfreq)
        if seconds < 60:
            return self.span(samples)
        large, small, units = seconds // 60, seconds % 60, ("min", "s")
        if seconds >= 3600:
            large, small, units = seconds // 3600, seconds // 60 % 60, ("h", "min")
        return f"{large}{NO_BREAK}{units[0]} {small}{NO_BREAK}{units[1]}"

    def frequency(self, interval: float) -> str:
        """Return the frequency for an interval in samples."""
        if self.sfreq is None:
            return f"one every {self.span(interval)}"
        per_second = self.sfreq / interval
        if per_second >= 10:
            return f"{number(float(f'{per_second:.3g}'))} per second"
        return f"{number(float(f'{60 * per_second:.3g}'))} per minute"


LEAST_SIMILAR = 12
"""Number of events listed as least similar to their waveform."""
MOST_LEVELS = 1000
"""Maximum number of noise levels drawn; each is the maximum of its neighbours."""
LISTED = 24
"""Maximum number of unusual intervals listed, those farthest from the median first."""


@dataclass(frozen=True, eq=False)
class RecordingFacts:
    """Content of the report of a recording.

    Attributes
    ----------
    model : WaveformLearning
    signal : Signal
    clock : Clock
    channels : tuple of str
    title : str
    unit : str or None
    codes : Codes
    events : DataFrame
    missing : ndarray of shape (m, 2)
        Where segments without data begin and end.
    """

    model: WaveformLearning
    signal: Signal
    clock: Clock
    channels: tuple[str, ...]
    title: str
    unit: str | None
    codes: Codes
    events: pd.DataFrame
    missing: Integers

    @property
    def history(self) -> History:
        """One record per iteration; empty if the model has none."""
        return getattr(self.model, "history_", None) or History()

    @cached_property
    def waveforms(self) -> Waveforms:
        """The waveforms in the unit of the data, (q, length, channels)."""
        return self.model._in_data_unit()[0]

    @cached_property
    def peaks(self) -> Floats:
        """Position in each waveform that is the time of its events, (q,)."""
        model = self.model.event_model_
        return peaks_of(self.waveforms) if model is None else model.peaks

    @property
    def component(self) -> Integers:
        """Number of the waveform of each event."""
        return self.events["component"].to_numpy()

    @cached_property
    def counts(self) -> Integers:
        """Events of each waveform, (q,)."""
        return np.bincount(self.component, minlength=len(self.waveforms))

    @cached_property
    def amplitudes(self) -> Floats:
        """Median amplitude of each waveform, (q,); NaN where it has no events."""
        medians = self.events.groupby("component")["amplitude"].median()
        return medians.reindex(range(len(self.waveforms))).to_numpy(dtype=np.float64)

    @cached_property
    def intervals(self) -> Intervals:
        """Intervals between events."""
        return marked_intervals(self.events, len(self.waveforms))

    @cached_property
    def least_similar(self) -> Integers:
        """Numbers of the events with the lowest similarity to their waveform, lowest first."""
        return np.argsort(self.events["similarity"].to_numpy(), kind="stable")[:LEAST_SIMILAR]

    @cached_property
    def far_intervals(self) -> Integers:
        """Numbers of the events that end the most unusual intervals, most unusual first."""
        ratio = self.intervals.ratio(self.component)
        unusual = np.flatnonzero(self.intervals.unusual)
        return unusual[np.argsort(-np.abs(np.log(ratio[unusual])), kind="stable")][:LISTED]

    @property
    def unusual(self) -> NDArray[np.bool_]:
        """Whether each event is listed on the page."""
        listed = np.zeros(len(self.events), dtype=bool)
        listed[self.least_similar] = True
        listed[self.far_intervals] = True
        return listed

    @cached_property
    def noise(self) -> tuple[Floats, Floats] | None:
        """Positions in samples, and the noise levels there relative to the background."""
        if self.model.event_model_ is None:
            return None
        noise, length = self.model.event_model_.background, self.model.length
        field = whitened(self.signal, noise, length, self.model.n_jobs).penalty
        assert isinstance(field, LevelField)
        positions, levels = field.times + length / 2, field.values[0]
        step = max(len(levels) // MOST_LEVELS, 1)
        return positions[::step], np.maximum.reduceat(levels, np.arange(0, len(levels), step))

    @cached_property
    def trace(self) -> Trace:
        """Samples and outline of the signal, as drawn."""
        positions = self.events["sample"].to_numpy()[[*self.least_similar, *self.far_intervals]]
        length, sfreq = self.waveforms.length, self.clock.sfreq
        minute = round(60 * sfreq) if sfreq else 64 * length
        size = len(self.signal), self.signal.channels
        segments = sampled_segments(*size, length, positions, minute)
        atoms = _atoms_of(self.events, self.peaks)
        return ExplainedSignal(self.signal, self.waveforms, atoms).trace(segments)


def gather(
    model: WaveformLearning, recording: Any, title: str | None, unit: str | None
) -> RecordingFacts:
    """Encode the recording, detect its events, and collect the content of the report."""
    check_is_fitted(model)
    recording = open_files(recording)
    if isinstance(recording, list | tuple) and as_recordings(recording)[1]:
        raise ValueError("a report is about one recording; pass one of them.")
    if not hasattr(recording, "signal"):
        recording = Recording(np.asarray(recording))
    model, recording = after_preprocessing(model, recording)
    signal = as_recordings(recording.signal)[0][0]
    codes = model.encode(recording.signal)
    events = model.events(recording.signal, recording.sfreq, codes=codes)
    return RecordingFacts(
        model=model,
        signal=detrended(signal, model.length, detrend=model.detrend),
        clock=Clock(recording.sfreq, recording.first_sample or 0),
        channels=_names(recording.ch_names, signal.channels),
        title="Events of a recording" if title is None else str(title),
        unit=unit,
        codes=codes,
        events=events,
        missing=missing_segments(signal),
    )


def _atoms_of(events: pd.DataFrame, peaks: Floats) -> Atoms:
    """Return events as atoms with their amplitudes; event tables give the time of the peak."""
    component = events["component"].to_numpy()
    begin = events["sample"].to_numpy() - peaks[component]
    return in_order(at_times(component, begin, events["amplitude"].to_numpy(), len(peaks)))


def _names(ch_names: tuple[str, ...], channels: int) -> tuple[str, ...]:
    """Return names of the channels; unnamed channels are numbered."""
    if len(ch_names) == channels:
        return tuple(map(str, ch_names))
    return tuple(f"channel {k}" for k in range(channels)) if channels > 1 else ("signal",)
