"""Objects with the methods of other packages' that pages use, so that these pages run without them.

`Raw` and `Epochs` stand for those of MNE, `SpikeRecording` and `NumpySorting` for SpikeInterface's:
the same names, arguments, axes and units, and nothing else.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from orbitdl.datasets import make_ecg_like, make_ecg_recording, make_spike_recording

Floats = NDArray[np.float64]


class Annotations:
    """Stand for ``mne.Annotations``."""

    def __init__(self) -> None:
        self.onset, self.duration = np.zeros(0), np.zeros(0)
        self.description = np.zeros(0, dtype=str)

    def append(self, onset: Floats, duration: Floats, description: list[str]) -> Annotations:
        """Add annotations; onsets count from the beginning of the measurement."""
        order = np.argsort(np.r_[self.onset, onset])
        self.onset = np.r_[self.onset, onset][order]
        self.duration = np.r_[self.duration, duration][order]
        self.description = np.r_[self.description, description][order]
        return self


class Raw:
    """Stand for ``mne.io.Raw``: half a minute of ECG in volts, a second of it marked bad."""

    ch_names = ["ECG"]
    first_time = 10.0

    def __init__(self) -> None:
        self.annotations = Annotations().append(np.array([15.0]), np.array([1.0]), ["BAD_moved"])
        self.info = {"sfreq": 360.0}

    @cached_property
    def _volts(self) -> Floats:
        heart = make_ecg_recording(duration=30, sfreq=self.info["sfreq"], random_state=0)
        return 1e-3 * heart.signal[None]

    def get_data(self, picks: list[str], *, reject_by_annotation: str | None = None) -> Floats:
        """Return values (channels, samples)."""
        values = self._volts[[self.ch_names.index(name) for name in picks]].copy()
        if reject_by_annotation == "NaN":
            first = int((15.0 - self.first_time) * self.info["sfreq"])
            values[:, first : first + int(self.info["sfreq"])] = np.nan
        return values


class Epochs:
    """Stand for ``mne.Epochs``: 100 stretches of 128 samples in one channel."""

    def get_data(self) -> Floats:
        """Return values (epochs, channels, samples)."""
        return make_ecg_like(n_windows=100, random_state=0).X[:, None, :]


class SpikeRecording:
    """Stand for a recording of SpikeInterface: two seconds of three neurons, one segment."""

    @cached_property
    def _values(self) -> Floats:
        return make_spike_recording(duration=2, random_state=0).signal

    def get_num_samples(self, segment_index: int | None = None) -> int:
        """Return the length of a segment."""
        return len(self._values)

    def get_num_channels(self) -> int:
        """Return the number of channels."""
        return self._values.shape[1]

    def get_dtype(self) -> np.dtype[np.float64]:
        """Return the type of values."""
        return self._values.dtype

    def get_sampling_frequency(self) -> float:
        """Return samples per second."""
        return 24000.0

    def get_traces(
        self,
        segment_index: int | None = None,
        start_frame: int | None = None,
        end_frame: int | None = None,
    ) -> Floats:
        """Return values (samples, channels) of a part."""
        return self._values[start_frame:end_frame]


class NumpySorting:
    """Stand for the class of that name."""

    def __init__(self, samples: NDArray[np.int64], labels: NDArray[np.int64]) -> None:
        self._samples, self._labels = samples, labels

    @classmethod
    def from_samples_and_labels(
        cls,
        samples_list: list[NDArray[np.int64]],
        labels_list: list[NDArray[np.int64]],
        sampling_frequency: float,
    ) -> NumpySorting:
        """Return spikes by their samples and labels, a list entry for every segment."""
        return cls(samples_list[0], labels_list[0])

    @property
    def unit_ids(self) -> NDArray[np.int64]:
        """The labels there are."""
        return np.unique(self._labels)

    def get_unit_spike_train(self, unit_id: int) -> NDArray[np.int64]:
        """Return the samples of one unit's spikes."""
        return self._samples[self._labels == unit_id]
