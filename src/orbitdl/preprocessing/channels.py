"""Steps that combine or choose channels."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np

from orbitdl.groups.base import Floats
from orbitdl.io.lazy import LazyArray
from orbitdl.io.recording import Recording
from orbitdl.preprocessing.base import Step, as_recording, computed
from orbitdl.preprocessing.filters import replace_signal

CHUNKS, LENGTH = 32, 2**14
"""Excerpts from which the covariance of channels is estimated, and their length in samples."""
FLOOR = 1e-10
"""Smallest eigenvalue of a covariance, relative to the largest."""


class Pick(Step):
    """Choose channels, as `Recording.pick`.

    Parameters
    ----------
    channels : str or sequence of str or int
        Names or indices from 0, or "mean". A recording that has exactly as many channels as are
        chosen, and not these names, is taken as it is.
    """

    stored = ("sfreq_", "n_channels_")
    n_channels_: int

    def __init__(self, channels: str | Sequence[str | int]) -> None:
        self.channels = channels

    def fit(self, recording: Any, y: None = None) -> Self:
        """Find the channels."""
        known = as_recording(recording)
        super().fit(known)
        self.n_channels_ = known.pick(self.channels).n_channels
        return self

    def transform(self, recording: Any) -> Recording:
        """Return the chosen channels."""
        known = as_recording(recording)
        if known.ndim == 1 and self.n_channels_ == 1:
            return known
        if known.n_channels == self.n_channels_ and not self._names_some(known):
            return known if known.n_channels > 1 else known.pick("0")
        return known.pick(self.channels)

    def _names_some(self, recording: Recording) -> bool:
        """Return whether the recording has names of channels that are chosen."""
        own = self.channels.split(",") if isinstance(self.channels, str) else self.channels
        return any(str(name).strip() in recording.ch_names for name in own)


class CommonReference(Step):
    """Subtract what all channels have in common: their median, or mean, at every sample.

    Parameters
    ----------
    kind : {"median", "mean"}
        The median ignores large events of few channels.

    Examples
    --------
    >>> hum = np.sin(np.arange(6.0))[:, None]
    >>> recording = Recording(hum + [[0.0, 0.0, 5.0]])
    >>> CommonReference().fit_transform(recording)[0]
    array([0., 0., 5.])
    """

    def __init__(self, kind: str = "median") -> None:
        self.kind = kind

    def check(self, recording: Recording) -> None:
        """Raise ValueError unless there are channels to be referenced to each other."""
        if self.kind not in ("median", "mean"):
            raise ValueError(f'kind must be "median" or "mean", not {self.kind!r}.')
        if recording.n_channels < 2:
            raise ValueError(
                "a common reference needs several channels, and the recording has one; leave it "
                "out."
            )

    def transform(self, recording: Any) -> Recording:
        """Return the referenced recording."""
        known = as_recording(recording)
        self.check(known)
        return mapped(known, np.nanmedian if self.kind == "median" else np.nanmean)


class Whiten(Step):
    """Decorrelate the channels: multiply by the inverse root of their covariance.

    The covariance is that of the training recording, of 32 excerpts at most. Values are then in
    standard deviations. What is correlated in time is the business of the noise model of
    `WaveformLearning`.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> mixed = rng.normal(size=(5000, 2)) @ [[1.0, 0.5], [0.0, 2.0]]
    >>> white = Whiten().fit_transform(Recording(mixed))
    >>> bool(np.allclose(np.cov(white[:].T), np.eye(2)))
    True
    """

    stored = ("sfreq_", "matrix_")
    matrix_: Floats

    def fit(self, recording: Any, y: None = None) -> Self:
        """Estimate the covariance of the channels."""
        known = as_recording(recording)
        super().fit(known)
        starts = np.unique(np.linspace(0, max(len(known) - LENGTH, 0), CHUNKS).astype(int))
        parts = [known[start : start + LENGTH].reshape(-1, known.n_channels) for start in starts]
        values = np.concatenate(parts)
        values = values[~np.isnan(values).any(axis=1)]
        if len(values) <= known.n_channels:
            raise ValueError("whitening needs more complete samples than channels; pass more.")
        scale, axes = np.linalg.eigh(np.atleast_2d(np.cov(values.T)))
        root = 1 / np.sqrt(np.maximum(scale, FLOOR * scale.max()))
        self.matrix_ = (axes * root) @ axes.T
        return self

    def transform(self, recording: Any) -> Recording:
        """Return the whitened recording."""
        known = as_recording(recording)
        if known.n_channels != len(self.matrix_):
            raise ValueError(
                f"the recording has {known.n_channels} channels, and whitening was fitted on "
                f"{len(self.matrix_)}; pass the same ones."
            )
        values = Mapped(known.signal, lambda part: _times(part, self.matrix_))
        return replace_signal(known, computed(values, known.signal), units=())


class Mapped(LazyArray):
    """Samples after a function of samples (n, channels) that keeps their shape."""

    def __init__(self, values: Any, function: Callable[[Floats], Floats]) -> None:
        self.values, self.function = values, function
        self.shape = tuple(map(int, values.shape))

    def _read(self, first: int, last: int) -> Floats:
        return self.function(np.asarray(self.values[first:last], dtype=np.float64))


def mapped(recording: Recording, average: Callable[..., Floats]) -> Recording:
    """Return a recording without the average of its channels."""

    def referenced(part: Floats) -> Floats:
        with warnings.catch_warnings():  # a sample of which all channels are missing
            warnings.simplefilter("ignore", RuntimeWarning)
            return np.asarray(part - average(part, axis=1, keepdims=True))

    return replace_signal(
        recording, computed(Mapped(recording.signal, referenced), recording.signal)
    )


def _times(part: Floats, matrix: Floats) -> Floats:
    shaped = part.reshape(len(part), -1) @ matrix
    return np.asarray(shaped.reshape(part.shape))
