"""Training data: reading, validation and preprocessing."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from orbitdl.command.applying import excerpt_of, read_data, require_no_time
from orbitdl.command.display import Screen, counted
from orbitdl.command.learning_options import PreprocessingOptions
from orbitdl.command.lengths import Length, in_samples
from orbitdl.command.options import WindowOptions
from orbitdl.estimators.waveform import SHORTEST
from orbitdl.io import (
    Layout,
    PreparedSignal,
    Preprocessing,
    Recording,
    Windows,
    prepare,
    prepare_signal,
)
from orbitdl.io.preparing import is_recording


@dataclass(frozen=True)
class Material:
    """Data as read, and their preprocessing.

    Attributes
    ----------
    recording : Recording
        Or the excerpt of it that is wanted; windows, if these are what the file holds.
    preprocessing : Preprocessing
    layout : Layout
    """

    recording: Recording
    preprocessing: Preprocessing
    layout: Layout

    @classmethod
    def read(
        cls, data: Path, preparing: PreprocessingOptions, cutting: WindowOptions, screen: Screen
    ) -> Material:
        """Read a file, and report the detected format."""
        recording = read_data(data, cutting, screen)
        sfreq = cutting.sfreq or recording.sfreq
        window = in_samples(preparing.window, sfreq)
        step = in_samples(cutting.step, sfreq) or window
        channel, normalize, highpass = cutting.channel, preparing.normalize, preparing.highpass
        times = cutting.time_column, cutting.time_unit
        steps = Preprocessing(window, step, normalize, channel, sfreq, highpass, *times)
        return cls(excerpt_of(recording, cutting, sfreq), steps, cutting.layout)

    def samples(self, length: Length) -> int:
        """Return the number of samples of a waveform; raise if there are too few."""
        samples = length.samples(self.preprocessing.sfreq)
        if samples < SHORTEST:
            seconds = "" if length.is_time else f", in seconds for instance {length.text}s"
            raise ValueError(
                f"--length {length.text} is {counted(samples, 'sample')}, and a waveform has at "
                f"least {SHORTEST}; pass a longer one{seconds}."
            )
        return samples

    def signal(self) -> PreparedSignal:
        """Return the preprocessed recording."""
        require_no_time(self.recording, self.preprocessing.channel)
        return prepare_signal(self.recording, self.preprocessing)

    def windows(self) -> Windows:
        """Return the given windows, or those of the recording."""
        known = self.preprocessing.window, self.layout, None, self.preprocessing.sfreq
        if is_recording(self.recording, *known):
            self._require_length()
            require_no_time(self.recording, self.preprocessing.channel)
        windows = prepare(self.recording, self.preprocessing, layout=self.layout)
        _require_something(windows)
        return windows

    def _require_length(self) -> None:
        if self.preprocessing.window is None:
            signal = self.recording.signal
            is_array = signal.ndim > 1
            channels = f" in {signal.shape[1]} channels" if is_array else ""
            or_windows = "; if rows are windows, say --layout windows" if is_array else ""
            raise ValueError(
                f"the data are one recording of {counted(len(signal), 'sample')}{channels}; say "
                "with --length how long a waveform in it is at most, for instance --length 0.7s, "
                f"or split it with --window{or_windows}."
            )


def _require_something(windows: Windows) -> None:
    """Raise if the data are empty or constant."""
    values = windows.values
    observed = ~np.isnan(values)
    if not observed.any():
        raise ValueError(
            "the data are missing throughout: all values are NaN or empty cells; pass some that "
            "have values."
        )
    over_time = 0 if windows.start is not None else None
    source = windows.source if over_time == 0 else values
    changes = np.fmax.reduce(source, over_time) > np.fmin.reduce(source, over_time)
    if not np.any(changes) or not values[observed].any():
        raise ValueError(
            "the data are constant, so no component is in them; pass some that change."
        )
