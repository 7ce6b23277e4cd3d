"""Preprocessing of new data with the settings of a model."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Protocol

import numpy as np

from orbitdl.domains.time.acquisition import compare, require_same_rate
from orbitdl.io.layout import Layout
from orbitdl.io.prepared_signal import PreparedSignal, prepare_signal
from orbitdl.io.preparing import prepare
from orbitdl.io.preprocessing import Preprocessing
from orbitdl.io.recording import Recording
from orbitdl.io.windows import Windows


class Model(Protocol):
    """A fitted estimator with stored preprocessing."""

    components_: Any
    preprocessing_: dict[str, Any]


def prepare_for(
    model: Model,
    recording: Recording,
    *,
    step: int | None = None,
    channel: str | None = None,
    sfreq: float | None = None,
    layout: Layout = Layout.auto,
) -> Windows:
    """Split new data into windows with the preprocessing of a model.

    Parameters
    ----------
    model : OrbitDictionaryLearning
        A model with ``preprocessing_``, as stored by ``orbitdl fit`` and
        ``model.save(path, preprocessing=...)``. Without it a recording is split into windows of the
        length of the components.
    recording : Recording
        New data.
    step, channel, sfreq, layout
        Override the settings of the model; see `Preprocessing` and `prepare`. A sampling rate
        different from the model's raises ValueError; other units, channel names or another scale
        cause a warning.

    Returns
    -------
    Windows
        They cover the recording: the last window ends with it, and there are no gaps between
        windows.

    Examples
    --------
    >>> from orbitdl import OrbitDictionaryLearning
    >>> from orbitdl.groups import IntegerShift
    >>> signal = np.sin(np.arange(100.0))
    >>> steps = Preprocessing(window=20, step=10, normalize=True)
    >>> X = prepare(Recording(signal), steps).values
    >>> model = OrbitDictionaryLearning(1, IntegerShift(), max_iter=20, random_state=0).fit(X)
    >>> model.preprocessing_ = steps.to_dict()
    >>> windows = prepare_for(model, Recording(signal[:95]))
    >>> windows.start
    array([ 0, 10, 20, 30, 40, 50, 60, 70, 75])
    """
    shape = model.components_.shape[1:]
    again = _again(model, recording, channel, sfreq)
    stored = Preprocessing.of(model.preprocessing_)
    again = replace(
        again, window=stored.window, step=step or _step_again(stored), normalize=stored.normalize
    )
    windows = prepare(recording, again, layout=layout, shape=shape, to_end=True)
    if windows.values.shape[1:] != shape:
        raise ValueError(
            f"the data have windows of shape {windows.values.shape[1:]}, but the model was learned "
            f"from shape {shape}; select matching data with channel= or layout=."
        )
    compare(model.preprocessing_, windows.acquisition(normalize=stored.normalize))
    return windows


def prepare_signal_for(
    model: Model,
    recording: Recording,
    *,
    channel: str | None = None,
    sfreq: float | None = None,
) -> PreparedSignal:
    """Select channels and remove drift with the preprocessing of a model.

    Parameters
    ----------
    model : WaveformLearning
        A model with ``preprocessing_``; without it the recording is returned unchanged.
    recording : Recording
        New data.
    channel, sfreq
        Override the settings of the model; see `Preprocessing`.

    Examples
    --------
    >>> from orbitdl import WaveformLearning
    >>> from orbitdl.datasets import make_ecg_recording
    >>> heart = make_ecg_recording(duration=20, n_leads=2, random_state=0)
    >>> steps = Preprocessing(channel="V1", sfreq=heart.sfreq, highpass=0.5)
    >>> model = WaveformLearning(length=200, max_iter=2, tol=0.01, random_state=0)
    >>> model = model.fit(prepare_signal(heart, steps).signal)
    >>> model.preprocessing_ = steps.to_dict()
    >>> prepare_signal_for(model, heart).signal.shape
    (7200,)
    """
    prepared = prepare_signal(recording, _again(model, recording, channel, sfreq))
    found, own = prepared.signal.shape[1:], model.components_.shape[2:]
    if found != own:
        raise ValueError(
            f"the recording has {_channels(found)}, but the model was learned from "
            f"{_channels(own)}; select matching channels with channel=."
        )
    return prepared


def _again(
    model: Model, recording: Recording, channel: str | None, sfreq: float | None
) -> Preprocessing:
    """Return the preprocessing of a recording: that of the model with overrides."""
    stored, shape = Preprocessing.of(model.preprocessing_), model.components_.shape[1:]
    sfreq = common_rate(model, recording, sfreq)
    return Preprocessing(
        channel=channel or (stored.channel if _has_channels(recording, shape) else None),
        sfreq=sfreq,
        highpass=_highpass_again(stored, sfreq),
    )


def _channels(shape: tuple[int, ...]) -> str:
    return f"{shape[0]} channels" if shape and shape[0] > 1 else "one channel"


def common_rate(model: Model, recording: Recording, sfreq: float | None) -> float | None:
    """Return the common sampling rate of a recording, or its override, and a model."""
    found, learned = sfreq or recording.sfreq, Preprocessing.of(model.preprocessing_).sfreq
    require_same_rate(learned, found, f"resample the data, or insist with sfreq={learned or 0:g}")
    return found or learned


def _step_again(stored: Preprocessing) -> int | None:
    """Return the default step of windows, without gaps; None: the length of a window."""
    if stored.step is None or stored.window is None:
        return None
    return min(stored.step, stored.window)


def _highpass_again(stored: Preprocessing, sfreq: float | None) -> float | None:
    """Return the cutoff in Hz; it is stored in cycles per sample without a sampling rate."""
    if stored.highpass is None or stored.sfreq is not None or sfreq is None:
        return stored.highpass
    return stored.highpass * sfreq


def _has_channels(recording: Recording, shape: tuple[int, ...]) -> bool:
    signal = np.asarray(recording.signal)
    return signal.ndim > 1 and signal.shape[-1] > 1 and signal.shape[1:] != shape
