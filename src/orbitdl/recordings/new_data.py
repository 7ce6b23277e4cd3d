"""Doing to new data what was done to the data that a model was learned from."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Protocol

import numpy as np

from orbitdl.domains.time.acquisition import compare, require_same_rate
from orbitdl.recordings.layout import Layout
from orbitdl.recordings.prepared_signal import PreparedSignal, prepare_signal
from orbitdl.recordings.preparing import prepare
from orbitdl.recordings.preprocessing import Preprocessing
from orbitdl.recordings.recording import Recording
from orbitdl.recordings.windows import Windows


class Model(Protocol):
    """A fitted estimator: what is asked of it here."""

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
    """Make windows of new data as they were made of those that a model was learned from.

    Parameters
    ----------
    model : OrbitDictionaryLearning
        A model whose ``preprocessing_`` says how its data were made, as ``orbitdl fit`` and
        ``model.save(path, preprocessing=...)`` keep it. Without it a recording is cut into
        windows of the length of the components, and nothing else is done.
    recording : Recording
        New data.
    step, channel, sfreq, layout
        Override what the model says; see `Preprocessing` and `prepare`. Another sampling rate than
        the model's is refused; other units, channel names or another scale are warned of.

    Returns
    -------
    Windows
        All of the recording: the last window ends where the recording does. Windows that were
        apart in learning adjoin here.

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
    kept = Preprocessing.of(model.preprocessing_)
    again = replace(
        again, window=kept.window, step=step or _step_again(kept), normalize=kept.normalize
    )
    windows = prepare(recording, again, layout=layout, shape=shape, to_end=True)
    if windows.values.shape[1:] != shape:
        raise ValueError(
            f"the data give windows of shape {windows.values.shape[1:]}, but the model was learned "
            f"from shape {shape}; choose what fits with channel= or layout=."
        )
    compare(model.preprocessing_, windows.acquisition(normalize=kept.normalize))
    return windows


def prepare_signal_for(
    model: Model,
    recording: Recording,
    *,
    channel: str | None = None,
    sfreq: float | None = None,
) -> PreparedSignal:
    """Choose channels and take off drift as of the recording that waveforms were learned from.

    Parameters
    ----------
    model : WaveformLearning
        A model whose ``preprocessing_`` says how its recording was prepared; without it nothing is
        done.
    recording : Recording
        New data.
    channel, sfreq
        Go before what the model says; see `Preprocessing`.

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
            f"{_channels(own)}; choose what fits with channel=."
        )
    return prepared


def _again(
    model: Model, recording: Recording, channel: str | None, sfreq: float | None
) -> Preprocessing:
    """Return what is done to a whole recording: as a model says, unless something else is said."""
    kept, shape = Preprocessing.of(model.preprocessing_), model.components_.shape[1:]
    sfreq = common_rate(model, recording, sfreq)
    return Preprocessing(
        channel=channel or (kept.channel if _has_channels(recording, shape) else None),
        sfreq=sfreq,
        highpass=_highpass_again(kept, sfreq),
    )


def _channels(shape: tuple[int, ...]) -> str:
    return f"{shape[0]} channels" if shape and shape[0] > 1 else "one channel"


def common_rate(model: Model, recording: Recording, sfreq: float | None) -> float | None:
    """Return the sampling rate that a recording, or what is said of it, and a model agree on."""
    found, learned = sfreq or recording.sfreq, Preprocessing.of(model.preprocessing_).sfreq
    require_same_rate(learned, found, f"resample the data, or insist with sfreq={learned or 0:g}")
    return found or learned


def _step_again(kept: Preprocessing) -> int | None:
    """Return how far apart windows start if nothing else is said; None: they adjoin."""
    if kept.step is None or kept.window is None:
        return None
    return min(kept.step, kept.window)


def _highpass_again(kept: Preprocessing, sfreq: float | None) -> float | None:
    """Return the same cutoff for data whose rate is known: it was in cycles per sample if not."""
    if kept.highpass is None or kept.sfreq is not None or sfreq is None:
        return kept.highpass
    return kept.highpass * sfreq


def _has_channels(recording: Recording, shape: tuple[int, ...]) -> bool:
    signal = np.asarray(recording.signal)
    return signal.ndim > 1 and signal.shape[-1] > 1 and signal.shape[1:] != shape
