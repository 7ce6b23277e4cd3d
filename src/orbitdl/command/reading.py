"""Data as the options say: read, an excerpt of them, and with a model's reading options."""

from __future__ import annotations

import shlex
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import typer

from orbitdl import OrbitDictionaryLearning, WaveformLearning
from orbitdl.command.display import Screen
from orbitdl.command.lengths import in_samples
from orbitdl.command.options import ReadingOptions
from orbitdl.domains.time.acquisition import SAME, require_same_rate
from orbitdl.io import Layout, Recording, is_recording, read
from orbitdl.io.channels import channel_index
from orbitdl.io.columns import NoSuchColumnError
from orbitdl.io.time_columns import LOOKED_AT, counts_rows, looks_like_time
from orbitdl.io.time_units import TimeUnit, unit_of
from orbitdl.preprocessing import Pick, Resample
from orbitdl.windows import Windows
from orbitdl.windows.splitting import given_windows

Model = OrbitDictionaryLearning | WaveformLearning
KEYED = (".npz", ".mat", ".h5", ".hdf5", ".zarr")
"""Suffixes of files that hold several arrays."""
MANY = 100
"""Channels whose names are listed in a message at most."""
Stored = dict[str, Any]
"""Options of reading that a model file holds: channel, time_column, time_unit."""


def read_file(
    data: Path, reading: ReadingOptions, screen: Screen, stored: Stored | None = None
) -> Recording:
    """Read a file, by default with the options that a model was learned with; say how."""
    known = stored or {}
    try:
        recording = _read(data, reading, known)
    except NoSuchColumnError:
        if reading.time_column is not None or "time_column" not in known:
            raise
        recording = _read(data, reading, {**known, "time_column": None, "time_unit": None})
    _require_agreement(recording, reading)
    if recording.time_unit is not None:
        unit, sfreq = recording.time_unit, recording.sfreq
        screen.note(f"Sampling rate: {sfreq:.6g} Hz, from times in {unit}.", time_unit=unit)
    if recording.dialect is not None:
        units = f", units {', '.join(recording.units)}" if recording.units else ""
        screen.note(
            f"Read {data.name}: {recording.dialect}{units}.", table=asdict(recording.dialect)
        )
    return replace(recording, sfreq=reading.sfreq or recording.sfreq)


def _read(data: Path, reading: ReadingOptions, stored: Stored) -> Recording:
    own = {"time_column": reading.time_column, "time_unit": reading.time_unit}
    times = own if reading.time_column is not None else stored
    unit = reading.time_unit or times.get("time_unit")
    key = stored.get("key") if data.suffix.lower() in KEYED else None
    return read(
        data,
        key=reading.key or key,
        separator=reading.separator,
        decimal=reading.decimal,
        channel=reading.channel or stored.get("channel"),
        time_column=times.get("time_column"),
        time_unit=None if unit is None else TimeUnit(unit),
        skiprows=reading.skiprows,
        transpose=reading.transpose,
    )


def _require_agreement(recording: Recording, reading: ReadingOptions) -> None:
    """Raise if the sampling frequency differs from that of the time column."""
    said, found = reading.sfreq, recording.sfreq
    if reading.time_column is None or said is None or found is None:
        return
    if abs(said - found) > SAME * found:
        raise ValueError(
            f"--sfreq {said:g} contradicts --time-column {reading.time_column}, whose steps make "
            f"{found:g} samples per second; leave out one of them."
        )


def excerpt_of(recording: Recording, reading: ReadingOptions) -> Recording:
    """Return the excerpt of a recording given by --from and --to."""
    if reading.begin is None and reading.end is None:
        return recording
    sfreq = recording.sfreq
    return recording.excerpt(in_samples(reading.begin, sfreq), in_samples(reading.end, sfreq))


def require_no_time(recording: Recording, channel: str | None) -> None:
    """Raise if a column looks like time, unless channels or the time column are given."""
    if channel is not None or recording.time_column is not None:
        return
    if recording.n_channels > max(len(recording), MANY):
        raise ValueError(
            f"the data have {len(recording)} samples of {recording.n_channels} channels; if it is "
            "the other way round, say transpose=True."
        )
    name = looks_like_time(recording.signal, recording.ch_names)
    if name is None:
        return
    names = recording.ch_names or tuple(map(str, range(recording.n_channels)))
    others = ",".join(other for other in names if other != name)
    column = recording.signal[:LOOKED_AT, names.index(name)]
    if len(names) <= MANY and counts_rows(np.asarray(column, dtype=np.float64)):
        raise ValueError(
            f"column {name} counts rows, and nothing is to be learned from it; name the columns to "
            f"use: --channel {shlex.quote(others)}."
        )
    unit = "" if unit_of(name) else " --time-unit s (or ms, us, ns, min, h)"
    raise ValueError(
        f"column {name} looks like time, from which nothing is to be learned; take the rate from "
        f"it with --time-column {shlex.quote(name)}{unit}, or name the columns to use, for "
        f"instance --channel {shlex.quote(others)}."
    )


def windows_in(
    recording: Recording, reading: ReadingOptions, channel: str | None, *, normalize: bool
) -> Windows:
    """Return the windows that a file holds."""
    if reading.begin is not None or reading.end is not None:
        raise ValueError(
            "the data are windows without known times, so there is no excerpt of them; pass all of "
            "them, or pass layout='recording'."
        )
    values = np.atleast_2d(np.asarray(recording, dtype=np.float64))
    if channel is not None and values.ndim > 2:
        index = channel_index(channel, recording.ch_names, values.shape[-1])
        values = values.mean(axis=-1) if index is None else values[..., index]
        values = values[..., 0] if index is not None and len(index) == 1 else values
    elif channel is not None:
        raise ValueError(
            f"channel={channel!r} needs data with several channels, but these have one; leave it "
            "out."
        )
    return given_windows(values, normalize=normalize, sfreq=recording.sfreq)


def data_for(
    model: Model, data: Path, reading: ReadingOptions, screen: Screen
) -> Recording | Windows:
    """Read data for a model: a recording, or the windows that a file holds."""
    if isinstance(model, WaveformLearning):
        reject({"--step": reading.step, "--layout windows": reading.layout is Layout.windows})
    stored = dict(model.acquisition_.get("reading") or {})
    picked = [step for step in model.preprocessing_ if isinstance(step, Pick)]
    if picked and reading.channel is None:
        stored["channel"] = as_text(picked[0].channels)
    recording = read_file(data, reading, screen, stored)
    learned = input_rate(model)
    if not any(isinstance(step, Resample) for step in model.preprocessing_):
        remedy = f"resample the data, or insist with sfreq={learned or 0:g}"
        require_same_rate(learned, recording.sfreq, remedy)
    recording = replace(recording, sfreq=recording.sfreq or learned)
    channel, shape = reading.channel or stored.get("channel"), model.components_.shape[1:]
    if isinstance(model, OrbitDictionaryLearning):
        splitter = model.preprocessing_[-1] if model.preprocessing_ else None
        length = None if splitter is None else splitter.length
        if not is_recording(recording, length, reading.layout, shape):
            normalize = splitter is not None and splitter.normalize
            return windows_in(recording, reading, channel, normalize=normalize)
    require_no_time(recording, channel)
    excerpt = excerpt_of(recording, reading)
    if reading.channel and excerpt.ndim > 1:
        excerpt = excerpt.pick(reading.channel)
    if not picked:
        _require_channels(excerpt.n_channels, shape[1] if len(shape) > 1 else 1)
    return excerpt


def _require_channels(found: int, own: int) -> None:
    """Raise unless a recording has as many channels as a model was learned from."""
    if found != own:
        said = [f"{count} channels" if count > 1 else "one channel" for count in (found, own)]
        raise ValueError(
            f"the recording has {said[0]}, but the model was learned from {said[1]}; select "
            "matching channels with channel=."
        )


def input_rate(model: Model) -> float | None:
    """Return the sampling rate of the recordings that a model was learned from, if known."""
    rates = [step.sfreq_ for step in model.preprocessing_ if hasattr(step, "sfreq_")]
    return rates[0] if rates else model.sfreq_


def as_text(channels: Any) -> str:
    """Return channels as an option has them."""
    return channels if isinstance(channels, str) else ",".join(map(str, channels))


def reject(options: Stored) -> None:
    """Raise on options of window models."""
    for option, given in options.items():
        if given:
            raise typer.BadParameter(
                f"{option} is for models of windows, and this one codes a recording as a whole; "
                "leave it out."
            )
