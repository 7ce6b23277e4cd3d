"""Denoised and completed recordings and windows, with a progress bar."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orbitdl import OrbitDictionaryLearning, WaveformLearning
from orbitdl.command.display import Screen
from orbitdl.command.lengths import in_samples
from orbitdl.command.listing import CHUNK
from orbitdl.command.options import ReadingOptions
from orbitdl.command.reading import reject
from orbitdl.estimators.windows import PreparedData
from orbitdl.groups.base import Floats
from orbitdl.io import Recording
from orbitdl.preprocessing import Pick, Resample
from orbitdl.preprocessing.pipeline import apply_steps
from orbitdl.windows import Windows

Mask = NDArray[np.bool_]


def prepared_for(
    model: OrbitDictionaryLearning, data: Recording | Windows, reading: ReadingOptions
) -> tuple[PreparedData, Windows]:
    """Return data as a model of windows takes them."""
    prepared = model.prepared(data, in_samples(reading.step, model.sfreq_ or data.sfreq))
    assert prepared.windows is not None
    return prepared, prepared.windows


def map_windows(
    change: Callable[[Floats], Floats],
    windows: Windows,
    what: str,
    screen: Screen,
    *,
    chosen: Mask | None = None,
    at_once: bool = False,
) -> Floats:
    """Return all windows after a function is applied to them, or to the chosen ones.

    They are taken a batch at a time, under a progress bar, unless all are needed at once.
    """
    result: Floats = windows.values.copy()
    places = np.arange(len(windows)) if chosen is None else np.flatnonzero(chosen)
    size = max(len(places), 1) if at_once else CHUNK
    with screen.working(what, len(places)) as done:
        for k in range(0, len(places), size):
            part = places[k : k + size]
            result[part] = change(windows.values[part])
            done(len(part))
    return result


def completed(
    model: OrbitDictionaryLearning | WaveformLearning,
    data: Recording | Windows,
    reading: ReadingOptions,
    screen: Screen,
    *,
    exact: bool,
    debias: bool,
) -> tuple[Floats, Mask]:
    """Return data with their missing values filled in, and which were missing."""
    if isinstance(model, WaveformLearning):
        assert isinstance(data, Recording)
        reject({"--exact": exact})
        with screen.window_progress(data, "Filling in") as done:
            filled: Any = model.complete(data, debias=debias, progress=done)
        source = np.asarray(chosen(model, data), dtype=np.float64)
    else:
        prepared, windows = prepared_for(model, data, reading)
        filled = map_windows(
            lambda X: model.complete(X, exact=exact, debias=debias),
            windows,
            "Filling in",
            screen,
            chosen=windows.has_gaps,
        )
        filled = np.where(windows.unfilled, np.nan, prepared.restored(filled))
        source = windows.source
        if isinstance(data, Recording):
            source = np.asarray(chosen(model, data), dtype=np.float64)
    whole = np.array(filled)
    source = source.reshape(whole.shape)  # of one channel, with an axis of it or without
    missing = np.isnan(source)
    np.copyto(whole, source, where=~missing)
    return whole, missing


def chosen(model: Any, recording: Recording) -> Recording:
    """Return the channels that a model takes, at its rate, before filters."""
    steps = [step for step in model.preprocessing_ if isinstance(step, Pick | Resample)]
    result: Recording = apply_steps(steps, recording).result
    return result


def names_of(model: Any, data: Recording | Windows) -> tuple[str, ...]:
    """Return names of the channels of data, or else those that the model was learned from."""
    known = chosen(model, data) if isinstance(data, Recording) else data
    names: tuple[str, ...] = known.ch_names or model.ch_names_
    return names
