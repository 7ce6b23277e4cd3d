"""Readers of the formats that MNE-Python reads: EDF, BDF, GDF, FIF, BrainVision, EEGLAB."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from orbitdl.arrays.optional import install_hint
from orbitdl.io.lazy import ReadBy
from orbitdl.io.recording import Recording
from orbitdl.io.unreadable import UnreadableError, parsing

SUFFIXES = (".edf", ".bdf", ".gdf", ".fif", ".fif.gz", ".vhdr", ".set", ".cnt", ".mff", ".nxe")
"""Suffixes of files that are given to MNE."""
UNITS = {"eeg": "V", "ecg": "V", "eog": "V", "emg": "V", "seeg": "V", "ecog": "V", "dbs": "V"}
UNITS |= {"bio": "V", "mag": "T", "ref_meg": "T", "grad": "T/m", "temperature": "C"}
"""Units that MNE holds data in, by the type of a channel."""


def from_mne(raw: Any) -> Recording:
    """Return a recording of an `mne.io.Raw`; its samples are read when they are needed.

    Parameters
    ----------
    raw : mne.io.BaseRaw

    Returns
    -------
    Recording
        Sampling rate, names, types and units of the channels are those of `raw`: MNE holds
        potentials in volts. Samples count from the first of `raw`, whose times do so too.

    Examples
    --------
    >>> import mne
    >>> info = mne.create_info(["Fz", "Cz"], 250.0, "eeg")
    >>> raw = mne.io.RawArray(np.zeros((2, 500)), info, verbose="error")
    >>> from_mne(raw)
    <Recording: 500 samples (2 s) of 2 channels (Fz, Cz) at 250 Hz, V>
    """
    types = tuple(map(str, raw.get_channel_types()))

    def samples(first: int, last: int) -> Any:
        return raw.get_data(start=first, stop=last, verbose="error").T

    return Recording(
        ReadBy((len(raw.times), len(raw.ch_names)), samples),
        sfreq=float(raw.info["sfreq"]),
        ch_names=tuple(map(str, raw.ch_names)),
        units=tuple(UNITS.get(kind, "") for kind in types),
        ch_types=types,
    )


def read_mne(path: Path) -> Recording:
    """Read a file that MNE reads; its samples are read when they are needed."""
    try:
        import mne
    except ImportError as error:
        raise ImportError(install_hint(f"reading {path.suffix} files", "mne", "mne")) from error
    with parsing(path, f"a file of the format {path.suffix}"):
        raw = mne.io.read_raw(path, preload=False, verbose="error")
        if not len(raw.ch_names):
            raise UnreadableError(f"{path} holds no channel of data.")
        raw.get_data(start=0, stop=1, verbose="error")  # a damaged file is told now
    return from_mne(raw)
