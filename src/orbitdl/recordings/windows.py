"""From a file's content to windows to learn from, and from windows back to a recording."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from orbitdl.recordings.content import Content, Floats
from orbitdl.recordings.layout import choose_channel, is_recording, warn_of_time
from orbitdl.recordings.overlaps import taper, window_starts
from orbitdl.recordings.preprocessing import Preprocessing


@dataclass(frozen=True, eq=False)
class Windows:
    """Data points, and where in which recording they were.

    Attributes
    ----------
    values : ndarray of shape (n, d) or (n, d, channels)
        ``(data - mean) / scale``; NaN where a value is missing.
    mean : ndarray of shape (n, 1) or (n, 1, channels)
    scale : ndarray of shape (n, 1) or (n, 1, 1)
    source : ndarray of shape (samples,) or (samples, channels), or that of the windows
        The recording, or the windows, before anything was done to them.
    start : ndarray of shape (n,) or None
        The sample of the recording that a window begins with; None: the windows were given.
    rate : float or None
        Samples a second.
    names : tuple of str
        Names of the channels, where there are any.
    """

    values: Floats
    mean: Floats
    scale: Floats
    source: Floats
    start: NDArray[np.intp] | None = None
    rate: float | None = None
    names: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.values)

    @property
    def left_out(self) -> int:
        """Samples at the end of the recording that no window holds."""
        if self.start is None:
            return 0
        end: int = int(self.start[-1]) + self.values.shape[1]
        return max(len(self.source) - end, 0)

    @property
    def has_gaps(self) -> NDArray[np.bool_]:
        """Which windows (n,) miss values within the recording, or the windows that were given."""
        missing = np.isnan(self.values)
        if self.start is not None:
            place = self.start[:, None] + np.arange(self.values.shape[1])
            missing[place >= len(self.source)] = False
        return np.asarray(missing.any(axis=tuple(range(1, missing.ndim))))

    @property
    def step(self) -> int | None:
        """Samples from the start of one window to the next; None: unknown, or a single window."""
        if self.start is None or len(self.start) < 2:
            return None
        return int(self.start[1] - self.start[0])

    @property
    def overlap(self) -> bool:
        """Whether windows share samples of the recording."""
        return self.step is not None and self.step < self.values.shape[1]

    def restore(self, values: Floats) -> Floats:
        """Undo the normalisation, and put windows of a recording one after the other.

        Where windows overlap a mean is taken in which the middle of a window counts most and its
        borders least; between windows that are apart, NaN.
        """
        data = values * self.scale + self.mean
        if self.start is None:
            return data
        length, rest = data.shape[1], [1] * (data.ndim - 2)
        place = self.start[:, None] + np.arange(length)
        weight = taper(length)
        total = np.zeros((int(place.max()) + 1, *data.shape[2:]))
        np.add.at(total, place, data * weight.reshape(-1, *rest))
        count = np.bincount(place.ravel(), np.tile(weight, len(data)))
        count[count == 0] = np.nan
        return np.asarray(total / count.reshape(-1, *rest))[: len(self.source)]


def prepare(
    content: Content,
    steps: Preprocessing,
    *,
    layout: str = "auto",
    shape: tuple[int, ...] | None = None,
    to_end: bool = False,
) -> Windows:
    """Choose channels, cut a recording into windows and normalise them.

    `shape` is that of a model's data points, if there is a model. With `to_end` the last window
    ends where the recording does, and one that is shorter than a window is filled up with missing
    values; otherwise samples that do not fill a window are left out.
    """
    rate = steps.rate or content.rate
    if not is_recording(content, steps.window, layout, shape):
        values = np.atleast_2d(content.values)
        if steps.channel is not None:
            values = choose_channel(values, content.names, steps.channel, least=3)
        return Windows(*normalised(values, steps.normalize), values, rate=rate)
    signal, names = _signal(content, steps.channel)
    length = steps.window or (shape[0] if shape else None)
    if length is None:
        raise ValueError(
            f"the data are one recording of {len(signal)} samples; say how long the windows are "
            "that it is cut into, for instance --window 201."
        )
    values, start = cut(signal, length, steps.step or length, to_end=to_end)
    return Windows(*normalised(values, steps.normalize), signal, start, rate, names)


def _signal(content: Content, channel: str | None) -> tuple[Floats, tuple[str, ...]]:
    """Return the recording (samples,) or (samples, channels), and names of its channels."""
    signal = content.values
    if signal.ndim > 2:
        raise ValueError(
            f"the data have shape {signal.shape}, so they are windows already and cannot be cut; "
            "leave out --window and --layout."
        )
    if channel is not None:
        return choose_channel(signal, content.names, channel, least=2), ()
    warn_of_time(signal, content.names)
    return (signal[:, 0], ()) if signal.shape[1:] == (1,) else (signal, content.names)


def cut(signal: Floats, window: int, step: int, *, to_end: bool) -> tuple[Floats, NDArray[np.intp]]:
    """Return windows (n, window, ...) and the samples that they start at."""
    if to_end and len(signal) < window:
        beyond = np.full((window - len(signal), *signal.shape[1:]), np.nan)
        signal = np.concatenate([signal, beyond])
    if len(signal) < window:
        raise ValueError(
            f"the recording has {len(signal)} samples, fewer than one window of {window}; pass a "
            "longer recording or a smaller --window."
        )
    rest = len(signal) - window
    more = -(-rest // step) if to_end else rest // step
    start = window_starts(1 + more, window, step, len(signal))
    every = np.lib.stride_tricks.sliding_window_view(signal, window, axis=0)[start]
    return np.array(np.moveaxis(every, -1, 1), order="C"), start


def normalised(values: Floats, wanted: bool) -> tuple[Floats, Floats, Floats]:
    """Return ``(values - mean) / scale``, mean and scale; 0 and 1 where not wanted.

    The mean is taken in each channel and the norm over all of them, of what was observed, as in
    `orbitdl.datasets.segment`. A constant window becomes zero, of scale 1.
    """
    others, seen = tuple(range(1, values.ndim)), ~np.isnan(values)
    count = np.maximum(seen.sum(axis=1, keepdims=True), 1)
    if not wanted:
        mean = np.zeros(count.shape)
        return values, mean, np.ones((len(values), *[1] * len(others)))
    mean = np.where(seen, values, 0.0).sum(axis=1, keepdims=True) / count
    centred = values - mean
    norm = np.sqrt(np.nansum(centred**2, axis=others, keepdims=True))
    largest = np.where(seen, np.abs(values), 0.0).max(axis=others, keepdims=True)
    varies = norm > 4 * np.finfo(np.float64).eps * values[0].size * largest
    scale = np.where(varies, norm, 1.0)
    return np.where(varies | ~seen, centred / scale, 0.0), mean, scale
