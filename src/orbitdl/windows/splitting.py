"""Splitting of recordings into windows, and their normalisation to zero mean and unit norm."""

from __future__ import annotations

import numpy as np

from orbitdl.groups.base import Floats, Integers
from orbitdl.io.recording import Recording
from orbitdl.windows.overlaps import window_starts
from orbitdl.windows.windows import Windows


def split_recording(
    recording: Recording,
    length: int,
    step: int | None = None,
    *,
    normalize: bool = False,
    to_end: bool = False,
) -> Windows:
    """Split a recording into windows.

    Parameters
    ----------
    recording : Recording
    length, step : int
        Length of windows, and distance of their starts, in samples; by default they adjoin.
    normalize : bool
        Whether to give every window zero mean and unit norm.
    to_end : bool
        Whether the last window ends with the recording, and a recording shorter than a window is
        padded with NaN; otherwise remaining samples are dropped.

    Examples
    --------
    >>> windows = split_recording(Recording(np.arange(10.0), sfreq=5.0), 4, 2)
    >>> windows.values
    array([[0., 1., 2., 3.],
           [2., 3., 4., 5.],
           [4., 5., 6., 7.],
           [6., 7., 8., 9.]])
    >>> windows.start
    array([0, 2, 4, 6])
    """
    if len(recording) < length and not to_end:
        raise ValueError(
            f"the recording has {len(recording)} sample{'s' * (len(recording) != 1)}, fewer than "
            f"one window of {length}; pass a longer recording or a smaller window=."
        )
    source = recording[:]
    if recording.shape[1:] == (1,):
        source = source[:, 0]
    values, start = split_windows(source, length, step or length, to_end=to_end)
    return Windows(
        *normalised(values, normalize),
        source=source,
        start=start,
        sfreq=recording.sfreq,
        ch_names=recording.ch_names,
        first_sample=recording.first_sample or 0,
        units=recording.units,
    )


def given_windows(
    values: Floats, *, normalize: bool = False, sfreq: float | None = None
) -> Windows:
    """Return windows (n, length, ...) of which no recording is known."""
    return Windows(*normalised(values, normalize), source=values, sfreq=sfreq)


def split_windows(
    signal: Floats, length: int, step: int, *, to_end: bool
) -> tuple[Floats, Integers]:
    """Return windows (n, length, ...) and their first samples.

    With `to_end` the last window ends with the signal, and a signal shorter than a window is padded
    with NaN.
    """
    if to_end and len(signal) < length:
        beyond = np.full((length - len(signal), *signal.shape[1:]), np.nan)
        signal = np.concatenate([signal, beyond])
    rest = len(signal) - length
    more = -(-rest // step) if to_end else rest // step
    start = window_starts(1 + more, length, step, len(signal))
    every = np.lib.stride_tricks.sliding_window_view(signal, length, axis=0)[start]
    return np.ascontiguousarray(np.moveaxis(every, -1, 1)), start


def normalised(values: Floats, wanted: bool) -> tuple[Floats, Floats, Floats]:
    """Return ``(values - mean) / scale``, mean and scale; mean 0 and scale 1 if not wanted.

    Means per channel, norms over all channels, of observed values. A constant window becomes zero
    with scale 1.
    """
    others = tuple(range(1, values.ndim))
    if not wanted:
        mean = np.zeros((len(values), 1, *values.shape[2:]))
        return values, mean, np.ones((len(values), *[1] * len(others)))
    observed = ~np.isnan(values)
    count = np.maximum(observed.sum(axis=1, keepdims=True), 1)
    mean = np.where(observed, values, 0.0).sum(axis=1, keepdims=True) / count
    centred = values - mean
    norm = np.sqrt(np.nansum(centred**2, axis=others, keepdims=True))
    # a constant window minus its mean is rounding errors, which must not be scaled to norm 1
    largest = np.where(observed, np.abs(values), 0.0).max(axis=others, keepdims=True)
    varies = norm > 4 * np.finfo(np.float64).eps * values[0].size * largest
    scale = np.where(varies, norm, 1.0)
    return np.where(varies | ~observed, centred / scale, 0.0), mean, scale
