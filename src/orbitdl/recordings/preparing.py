"""From a recording to windows: channels chosen, drift taken off, cut, normalised."""

from __future__ import annotations

import numpy as np

from orbitdl.groups.base import Floats
from orbitdl.recordings.channels import choose_channel
from orbitdl.recordings.cutting import cut, normalised
from orbitdl.recordings.layout import Kind, Layout
from orbitdl.recordings.prepared_signal import prepare_signal
from orbitdl.recordings.preprocessing import Preprocessing
from orbitdl.recordings.recording import Recording, as_signal
from orbitdl.recordings.windows import Windows
from orbitdl.recordings.words import member

FEW = 8
"""A table of up to this many columns is a recording, unless something else is said."""


def prepare(
    recording: Recording,
    preprocessing: Preprocessing,
    *,
    layout: Layout = Layout.auto,
    shape: tuple[int, ...] | None = None,
    to_end: bool = False,
) -> Windows:
    """Choose channels, take drift off, cut a recording into windows and normalise them.

    Parameters
    ----------
    recording : Recording
        As `read` returns it, or ``Recording(signal, sfreq)``.
    preprocessing : Preprocessing
        Length of the windows, how far apart they start, which channels, whether a high-pass takes
        off what is slow, and whether every window is given zero mean and unit norm.
    layout : Layout
        Whether rows are samples in time or windows already; by default a rule decides: single
        columns, sound and WFDB records are recordings, and so is everything else of two axes if
        the length of the windows or the sampling rate is known.
    shape : tuple of int, optional
        Shape of a model's data points, if there is a model: rows of that shape are windows.
    to_end : bool
        Whether the last window ends where the recording does, and a recording shorter than a
        window is filled up with missing values; otherwise samples that do not fill a window are
        left out.

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
        _require_whole(recording)
        _require_no_filter(preprocessing)
        values = np.atleast_2d(signal)
        if channel is not None:
            values, _ = choose_channel(values, recording.ch_names, channel, least=3)
        return Windows(*normalised(values, normalize), values, sfreq=sfreq)
    prepared = prepare_signal(recording, preprocessing)
    length = preprocessing.window or (shape[0] if shape else None)
    if length is None:
        raise ValueError(
            f"the data are one recording of {len(signal)} samples; say how long the windows are "
            "that it is cut into, for instance window=201."
        )
    if len(signal) < length and not to_end:
        raise ValueError(
            f"the recording has {len(signal)} sample{'s' * (len(signal) != 1)}, fewer than one "
            f"window of {length}; pass a longer recording or a smaller window=."
        )
    values, start = cut(prepared.signal, length, preprocessing.step or length, to_end=to_end)
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
    """Decide whether rows are samples in time (True) or windows (False).

    `layout` decides if it is not "auto". Sound, WFDB records and single columns are recordings;
    rows of the shape of a model's data points are windows, and so are arrays of three axes; then
    everything is a recording if a window length or the sampling rate is known, and of the rest only
    tables (.csv, .parquet) of up to 8 columns are.
    """
    signal = recording.signal
    said = member(Layout, layout)
    if said is not Layout.auto:
        return said is Layout.recording
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


def _require_whole(windows: Recording) -> None:
    if windows.offset is not None:
        raise ValueError(
            "the data are windows, which lie at no known time, and an excerpt is part of a "
            "recording; pass all of them, or say layout='recording'."
        )


def _require_no_filter(preprocessing: Preprocessing) -> None:
    if preprocessing.highpass is not None:
        raise ValueError(
            f"the data are windows, and highpass={preprocessing.highpass:g} is done to a recording "
            "before it is cut; pass the recording."
        )
