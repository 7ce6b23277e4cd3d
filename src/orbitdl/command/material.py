"""Training data: reading, validation and preprocessing."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from orbitdl import OrbitDictionaryLearning, WaveformLearning
from orbitdl.command.display import Screen, counted
from orbitdl.command.learning_options import PreprocessingOptions
from orbitdl.command.lengths import Length, in_samples
from orbitdl.command.options import ReadingOptions
from orbitdl.command.reading import excerpt_of, read_file, require_no_time, windows_in
from orbitdl.domains.time.acquisition import acquired
from orbitdl.estimators.waveform import SHORTEST
from orbitdl.groups import Group
from orbitdl.io import Recording, is_recording
from orbitdl.preprocessing import SplitWindows
from orbitdl.preprocessing.pipeline import fit_steps
from orbitdl.windows import Windows

Model = OrbitDictionaryLearning | WaveformLearning


@dataclass(frozen=True, eq=False)
class Material:
    """Data to learn from, after preprocessing.

    Attributes
    ----------
    recording : Recording or None
        What was read, or an excerpt of it; None if the file holds windows.
    steps : list of Step
        Fitted steps of preprocessing.
    result : Recording or Windows
        What is learned from.
    length : int or None
        Samples of a waveform; None: components of windows are learned.
    stored : dict
        Options of reading that the model file holds.
    """

    recording: Recording | None
    steps: list[Any]
    result: Recording | Windows
    length: int | None
    stored: dict[str, Any]

    @classmethod
    def read(
        cls,
        data: Path,
        length: Length | None,
        preparing: PreprocessingOptions,
        reading: ReadingOptions,
        screen: Screen,
    ) -> Material:
        """Read a file, say how, and apply the preprocessing that the options ask for."""
        recording, channel = read_file(data, reading, screen), reading.channel
        sfreq = preparing.resample or recording.sfreq
        names = ("time_column", "time_unit", "key")
        stored = {name: getattr(reading, name) for name in names if getattr(reading, name)}
        window = in_samples(preparing.window, sfreq)
        if length is None and not is_recording(recording, window, reading.layout):
            _require_no_filters(preparing)
            windows = windows_in(recording, reading, channel, normalize=preparing.normalize)
            _require_something(windows)
            stored |= {} if channel is None else {"channel": channel}
            own = SplitWindows(windows.values.shape[1], normalize=preparing.normalize)
            return cls(None, [own.fit(recording)], windows, None, stored)
        if recording.ndim > 2:
            raise ValueError(
                f"the data have shape {recording.shape}, so they are windows, not a recording; "
                "leave out window=, length= and layout=."
            )
        require_no_time(recording, channel)
        excerpt = excerpt_of(recording, reading)
        steps = preparing.steps(channel)
        if length is None:
            _require_length(excerpt, window)
            step = in_samples(reading.step, sfreq)
            steps.append(SplitWindows(window or 0, step, preparing.normalize))
        (fitted, (applied,)) = fit_steps(steps, [excerpt])
        if length is None:
            _require_something(applied.result)
            return cls(excerpt, fitted, applied.result, None, stored)
        return cls(excerpt, fitted, applied.result, _samples_of(length, sfreq), stored)

    def model(self, group: Group, flags: dict[str, Any], settings: dict[str, Any]) -> Model:
        """Return the estimator for these data, of recordings or of windows."""
        if self.length is None:
            return OrbitDictionaryLearning(group=group, **settings)
        return WaveformLearning(length=self.length, **flags, **settings)

    def hold(self, model: Model) -> None:
        """Let a model that was fitted to the result hold the preprocessing that led to it."""
        model.preprocessing = self.steps or None
        model.preprocessing_ = self.steps
        result = self.result
        known = result.acquisition() if isinstance(result, Windows) else acquired(result)
        model.acquisition_ = known | ({"reading": self.stored} if self.stored else {})


def _samples_of(length: Length, sfreq: float | None) -> int:
    """Return the number of samples of a waveform; raise if there are too few."""
    samples = length.samples(sfreq)
    if samples < SHORTEST:
        seconds = "" if length.is_time else f", in seconds for instance {length.text}s"
        raise ValueError(
            f"--length {length.text} is {counted(samples, 'sample')}, and a waveform has at "
            f"least {SHORTEST}; pass a longer one{seconds}."
        )
    return samples


def _require_length(recording: Recording, window: int | None) -> None:
    """Raise unless it is known how long windows are."""
    if window is not None:
        return
    is_array = recording.ndim > 1
    channels = f" in {recording.n_channels} channels" if is_array else ""
    or_windows = "; if rows are windows, say --layout windows" if is_array else ""
    raise ValueError(
        f"the data are one recording of {counted(len(recording), 'sample')}{channels}; say "
        "with --length how long a waveform in it is at most, for instance --length 0.7s, "
        f"or split it with --window{or_windows}."
    )


def _require_no_filters(preparing: PreprocessingOptions) -> None:
    """Raise on filters for windows, of which none has what lies around it."""
    for name in ("highpass", "lowpass", "notch", "reference", "resample"):
        value = getattr(preparing, name)
        if value is not None:
            shown = f"{value:g}" if isinstance(value, float) else value
            raise ValueError(
                f"--{name} {shown} needs a recording, but the data are windows; pass the recording."
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
