"""From a recording to windows: selection of channels, filtering, splitting, normalisation."""

from __future__ import annotations

import numpy as np

from orbitdl.groups.base import Floats
from orbitdl.io.channels import choose_channel
from orbitdl.io.enumerations import member
from orbitdl.io.layout import Kind, Layout
from orbitdl.io.prepared_signal import prepare_signal
from orbitdl.io.preprocessing import Preprocessing
from orbitdl.io.recording import Recording, as_signal
from orbitdl.io.windowing import normalised, split_windows
from orbitdl.io.windows import Windows

FEW = 8
"""Maximum number of columns of a table that is a recording by default."""


def prepare(
    recording: Recording,
    preprocessing: Preprocessing,
    *,
    layout: Layout = Layout.auto,
    shape: tuple[int, ...] | None = None,
    to_end: bool = False,
) -> Windows:
    """Select channels, apply a high-pass filter, split into windows and normalise them.

    Parameters
    ----------
    recording : Recording
        As returned by `read`, or ``Recording(signal, sfreq)``.
    preprocessing : Preprocessing
        Length and step of windows, channels, cutoff of the high-pass filter, and normalisation of
        windows to zero mean and unit norm.
    layout : Layout
        Whether rows are samples in time or windows. By default single columns, sound and WFDB
        records are recordings, and so are other arrays with two axes if the length of windows or
        the sampling rate is known.
    shape : tuple of int, optional
        Shape of a model's data points: rows of that shape are windows.
    to_end : bool
        Whether the last window ends with the recording, and a recording shorter than a window is
        padded with NaN; otherwise remaining samples are dropped.

    Returns
    -------
    Windows

    Examples
    --------
    >>> recording = Recording(np.arange(10.0), sfreq=5.0)
    >>> windows = prepare(recording, Preprocessing(window=4, step=2))
    >>> windows.values
    array([[0., 1., 2., 3.],
           [2., 3., 4., 5.],
           [4., 5., 6., 7.],
           [6., 7., 8., 9.]])
    >>> windows.start
    array([0, 2, 4, 6])
    """
    signal = _require_rows(as_signal(recording.signal))
    sfreq = preprocessing.sfreq or recording.sfreq
    channel, normalize = preprocessing.channel, preprocessing.normalize
    if not is_recording(recording, preprocessing.window, layout, shape, sfreq):
        _require_no_excerpt(recording)
        _require_no_filter(preprocessing)
        values = np.atleast_2d(signal)
        if channel is not None:
            values, _ = choose_channel(values, recording.ch_names, channel, least=3)
        return Windows(*normalised(values, normalize), values, sfreq=sfreq)
    prepared = prepare_signal(recording, preprocessing)
    length = preprocessing.window or (shape[0] if shape else None)
    if length is None:
        raise ValueError(
            f"the data are one recording of {len(signal)} samples; pass the length of windows, "
            "for instance window=201."
        )
    if len(signal) < length and not to_end:
        raise ValueError(
            f"the recording has {len(signal)} sample{'s' * (len(signal) != 1)}, fewer than one "
            f"window of {length}; pass a longer recording or a smaller window=."
        )
    values, start = split_windows(
        prepared.signal, length, preprocessing.step or length, to_end=to_end
    )
    return Windows(
        *normalised(values, normalize),
        source=prepared.source,
        start=start,
        sfreq=sfreq,
        ch_names=prepared.recording.ch_names,
        offset=recording.offset or 0,
        baseline=prepared.baseline,
        units=prepared.recording.units,
    )


def is_recording(
    recording: Recording,
    window: int | None,
    layout: Layout,
    shape: tuple[int, ...] | None,
    sfreq: float | None,
) -> bool:
    """Return whether rows are samples in time (True) or windows (False).

    `layout` decides unless it is "auto". Sound, WFDB records and single columns are recordings;
    rows of the shape of a model's data points are windows, and so are arrays of three axes. Other
    arrays are recordings if the length of windows or the sampling rate is known, or if they are
    tables (.csv, .parquet) of up to 8 columns.
    """
    signal = recording.signal
    requested = member(Layout, layout)
    if requested is not Layout.auto:
        return requested is Layout.recording
    if recording.kind == Kind.samples or signal.ndim == 1:
        return True
    if signal.shape[1:] == shape or (signal.ndim > 2 and window is None):
        return False
    if window is not None or sfreq is not None:
        return True
    return recording.kind == Kind.table and signal.shape[1] <= FEW


def _require_rows(signal: Floats) -> Floats:
    if signal.ndim == 0 or signal.size == 0:
        raise ValueError(
            f"signal has shape {signal.shape}: pass one of shape (n_times,) or (n_times, channels)."
        )
    return signal


def _require_no_excerpt(windows: Recording) -> None:
    if windows.offset is not None:
        raise ValueError(
            "the data are windows without known times, so there is no excerpt of them; pass all of "
            "them, or pass layout='recording'."
        )


def _require_no_filter(preprocessing: Preprocessing) -> None:
    if preprocessing.highpass is not None:
        raise ValueError(
            f"highpass={preprocessing.highpass:g} needs a recording, but the data are windows; "
            "pass the recording."
        )
