"""The data of a report: arrays, recordings, windows and paths, as estimators take them."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from orbitdl.domains.time.inputs import as_recordings
from orbitdl.estimators.recording_dataset import open_files
from orbitdl.io import read
from orbitdl.windows import Windows


@dataclass(frozen=True)
class Acquisition:
    """How data were acquired.

    Attributes
    ----------
    sfreq : float or None
        Sampling rate in Hz.
    ch_names : tuple of str
        Channel names, or empty.
    unit : str or None
        Physical unit, if it is the same for all channels.
    first_sample : int
        Samples of the whole recording before the data.
    """

    sfreq: float | None = None
    ch_names: tuple[str, ...] = ()
    unit: str | None = None
    first_sample: int = 0


def acquisition_of(data: Any) -> Acquisition:
    """Return what a recording, or windows of one, say of their acquisition; arrays say nothing.

    The only function of reports that reads these attributes. Names of channels of different units
    are followed by them.
    """
    names = tuple(map(str, getattr(data, "ch_names", None) or ()))
    units = tuple(map(str, getattr(data, "units", None) or ()))
    if len(set(units)) > 1 and len(units) == len(names):
        names = tuple(f"{name} ({unit})" for name, unit in zip(names, units, strict=True))
    return Acquisition(
        sfreq=getattr(data, "sfreq", None),
        ch_names=names,
        unit=units[0] if len(set(units)) == 1 else None,
        first_sample=int(getattr(data, "first_sample", None) or 0),
    )


def one_recording(model: Any, data: Any) -> Any:
    """Return a recording or an array of one; paths are opened, several recordings refused."""
    data = open_files(data)
    if isinstance(data, list | tuple):
        if as_recordings(data)[1]:
            raise ValueError("a report is about one recording; pass one of them.")
        return np.asarray(data)
    return data


def as_windows(model: Any, data: Any) -> Windows:
    """Return data points as windows; recordings are split as the model's preprocessing says."""
    if isinstance(data, Windows):
        return data
    if isinstance(data, str | PathLike):
        data = read(Path(data))
    prepared = model.prepared(data, for_events=True)
    if prepared.windows is not None:
        windows: Windows = prepared.windows
        return windows
    values = np.asarray(data, dtype=np.float64)
    if values.ndim == 0:
        raise ValueError("X is a single number; pass an array with one data point per row.")
    one = (len(values), *[1] * (values.ndim - 1))
    return Windows(values, np.zeros(one), np.ones(one), values)
