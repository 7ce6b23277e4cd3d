"""Reading data, and applying a model to windows with a progress bar."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from orbitdl import Codes, OrbitDictionaryLearning
from orbitdl.command.display import Screen
from orbitdl.command.lengths import in_samples
from orbitdl.command.options import WindowOptions
from orbitdl.command.team import WorkerTeam
from orbitdl.groups.base import Floats
from orbitdl.groups.default import group_or_default
from orbitdl.io import Preprocessing, Recording, Windows, prepare_for, read
from orbitdl.io.columns import NoSuchColumnError
from orbitdl.io.new_data import common_rate
from orbitdl.io.preparing import is_recording
from orbitdl.io.time_columns import looks_like_time
from orbitdl.io.time_units import TimeUnit, unit_of

CHUNK = 2048
"""Windows per batch; progress is shown after each batch."""
PARTS = 4
"""Ratio of window length and step for event tables: every event is within 1/8 of a window from a
centre."""
NO_PREPROCESSING = Preprocessing()
"""Preprocessing without a model."""
SAME = 1e-3
"""Relative difference below which sampling frequencies are considered equal after rounding."""


def read_data(
    data: Path, cutting: WindowOptions, screen: Screen, kept: Preprocessing = NO_PREPROCESSING
) -> Recording:
    """Read a file, by default with the channels of a model, and report how it was read."""
    try:
        recording = _read(data, cutting, kept)
    except NoSuchColumnError:
        if cutting.time_column is not None:
            raise
        recording = _read(data, cutting, replace(kept, time_column=None, time_unit=None))
    _require_agreement(recording, cutting)
    if recording.time_unit is not None:
        unit, sfreq = recording.time_unit, recording.sfreq
        screen.note(f"Sampling rate: {sfreq:.6g} Hz, from times in {unit}.", time_unit=unit)
    if recording.dialect is not None:
        units = f", units {', '.join(recording.units)}" if recording.units else ""
        screen.note(
            f"Read {data.name}: {recording.dialect}{units}.", table=asdict(recording.dialect)
        )
    return recording


def _read(data: Path, cutting: WindowOptions, kept: Preprocessing) -> Recording:
    own = kept if cutting.time_column is None else cutting
    unit = cutting.time_unit or own.time_unit
    return read(
        data,
        key=cutting.key,
        separator=cutting.separator,
        decimal=cutting.decimal,
        channel=cutting.channel or kept.channel,
        time_column=own.time_column,
        time_unit=None if unit is None else TimeUnit(unit),
    )


def _require_agreement(recording: Recording, cutting: WindowOptions) -> None:
    """Raise if the sampling frequency differs from that of the time column."""
    said, found = cutting.sfreq, recording.sfreq
    if cutting.time_column is None or said is None or found is None:
        return
    if abs(said - found) > SAME * found:
        raise ValueError(
            f"--sfreq {said:g} contradicts --time-column {cutting.time_column}, whose steps make "
            f"{found:g} samples per second; leave out one of them."
        )


def require_no_time(recording: Recording, channel: str | None) -> None:
    """Raise if a column looks like time, unless channels or the time column are given."""
    if channel is not None or recording.time_column is not None:
        return
    name = looks_like_time(recording.signal, recording.ch_names)
    if name is None:
        return
    names = recording.ch_names or tuple(map(str, range(recording.signal.shape[1])))
    others = ",".join(other for other in names if other != name)
    unit = "" if unit_of(name) else " --time-unit s (or ms, us, ns, min, h)"
    raise ValueError(
        f"column {name} looks like time, from which nothing is to be learned; take the rate from "
        f"it with --time-column {shlex.quote(name)}{unit}, or name the columns to use, for "
        f"instance --channel {shlex.quote(others)}."
    )


def excerpt_of(recording: Recording, cutting: WindowOptions, sfreq: float | None) -> Recording:
    """Return the excerpt of a recording given by --from and --to."""
    if cutting.begin is None and cutting.end is None:
        return recording
    begin, end = in_samples(cutting.begin, sfreq), in_samples(cutting.end, sfreq)
    return replace(recording, sfreq=sfreq).excerpt(begin, end)


def windows_for(
    model: OrbitDictionaryLearning,
    data: Path,
    cutting: WindowOptions,
    screen: Screen,
    *,
    for_events: bool = False,
) -> Windows:
    """Read data and split them into windows as for the model; options take precedence.

    Windows that list events overlap, so that every event is in the middle of one.
    """
    kept = Preprocessing.of(model.preprocessing_)
    recording = read_data(data, cutting, screen, kept)
    shape, sfreq = model.components_.shape[1:], cutting.sfreq or recording.sfreq
    if is_recording(recording, kept.window, cutting.layout, shape, sfreq):
        require_no_time(recording, cutting.channel or kept.channel)
    sfreq = common_rate(model, recording, cutting.sfreq)
    return prepare_for(
        model,
        excerpt_of(recording, cutting, sfreq),
        step=in_samples(cutting.step, sfreq) or (_overlapping_step(model) if for_events else None),
        channel=cutting.channel,
        sfreq=sfreq,
        layout=cutting.layout,
    )


def _overlapping_step(model: OrbitDictionaryLearning) -> int | None:
    """Return a quarter of a window if the group shifts and training windows were adjacent."""
    kept, shape = Preprocessing.of(model.preprocessing_), model.components_.shape[1:]
    overlaps = kept.step is not None and kept.step < (kept.window or shape[0])
    if overlaps or not group_or_default(model.group).on(shape).presentation.in_time:
        return None
    return max(int(shape[0]) // PARTS, 1)


def encode_windows(
    model: OrbitDictionaryLearning,
    windows: Windows,
    screen: Screen,
    *,
    alpha: float | None = None,
    debias: bool = False,
    team: WorkerTeam | None = None,
) -> Codes:
    """Encode all windows in batches with a progress bar, in this process or on a cluster."""
    parts: list[Codes] = []
    with screen.working("Coding", len(windows)) as done:
        if team is not None:
            return team.encode_windows(model, team.chunks(windows.values), done, alpha, debias)
        for k in range(0, len(windows), CHUNK):
            chunk = windows.values[k : k + CHUNK]
            parts.append(model.encode(chunk, alpha=alpha, debias=debias))
            done(len(parts[-1]))
    return Codes.concatenate(parts)


def map_windows(
    change: Callable[[Floats], Floats],
    windows: Windows,
    what: str,
    screen: Screen,
    *,
    chosen: NDArray[np.bool_] | None = None,
    at_once: bool = False,
) -> Floats:
    """Apply a function to all windows or a subset, and reassemble the recording.

    They are taken a chunk at a time, under a progress bar, unless all are needed at once.
    """
    result = windows.values.copy()
    places = np.arange(len(windows)) if chosen is None else np.flatnonzero(chosen)
    size = max(len(places), 1) if at_once else CHUNK
    with screen.working(what, len(places)) as done:
        for k in range(0, len(places), size):
            part = places[k : k + size]
            result[part] = change(windows.values[part])
            done(len(part))
    return windows.restore(result)
