"""Recordings as EDF files."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

import numpy as np

from orbitdl.arrays.optional import install_hint
from orbitdl.io.recording import Recording
from orbitdl.storage.writing import write_file


def to_edf(recording: Recording, path: str | PathLike[str]) -> Path:
    """Write a recording as an EDF file, which programs for EEG and sleep read.

    Its samples have 16 bits: a channel is stored in 65 536 steps from its least to its greatest
    value. EDF has no mark for missing samples, and whole seconds: the last one is filled up with
    the last sample.

    Parameters
    ----------
    recording : Recording
        With its sampling rate; units and names of channels are stored, too.
    path : path-like

    Returns
    -------
    Path
        The file written.
    """
    try:
        import edfio
    except ImportError as error:
        raise ImportError(install_hint("writing EDF files", "edfio", "mne")) from error
    if recording.sfreq is None:
        raise ValueError("an EDF file needs the sampling rate; pass a Recording with sfreq=.")
    values = recording[:].reshape(len(recording), -1)
    if np.isnan(values).any():
        raise ValueError("an EDF file has no mark for missing samples; complete the recording.")
    rest = -len(values) % round(recording.sfreq)
    values = np.concatenate([values, np.repeat(values[-1:], rest, axis=0)])
    count = values.shape[1]
    names = recording.ch_names or tuple(f"channel {k}" for k in range(count))
    units = recording.units or ("",) * count
    signals = [
        edfio.EdfSignal(x, recording.sfreq, label=name[:16], physical_dimension=unit[:8])
        for x, name, unit in zip(values.T, names, units, strict=True)
    ]
    place = Path(path)
    write_file(place, edfio.Edf(signals).to_bytes())
    return place
