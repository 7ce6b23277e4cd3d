"""Loader of the MIT-BIH Arrhythmia Database."""

import os
from pathlib import Path
from typing import Literal

from orbitdl.arrays.optional import install_hint
from orbitdl.io.recording import Recording
from orbitdl.io.wfdb_records import import_wfdb, read_wfdb

_SOURCE = "https://physionet.org/files/mitdb/1.0.0/"
_SHA256 = {
    "100.dat": "b2ea3c250e56e48f4b7b90697832b8ecd1afa1e0bb31f2dcfea4ed6e1075a639",
    "100.hea": "60ebc904c7bf3e04d142638d3fd5c903e8dc9f10f1ea3264e07926aa089ee75e",
}


def load_ecg(record: str = "100", *, channel: int | Literal["mean"] | None = 0) -> Recording:
    """Load a record of the MIT-BIH Arrhythmia Database.

    Files are read from the folder `mitdb` of `$ORBITDL_DATA`, or else from the user's cache. Record
    100 is otherwise downloaded once from PhysioNet and checked against its hash.

    Parameters
    ----------
    record : str
        Name of the record. Records other than 100 are read where their files are present.
    channel : int, "mean" or None
        Which lead to return, their mean, or with None all of them as columns.

    Returns
    -------
    Recording
        The `signal` in millivolts, its `sfreq` and its `ch_names`.

    Raises
    ------
    ImportError
        If the extra `orbitdl[ecg]` is not installed.
    FileNotFoundError
        If the record is neither present nor downloadable.

    Notes
    -----
    The database [1]_ is published by PhysioNet under the Open Data Commons Attribution License
    1.0. Record 100 has two leads, MLII and V5, and 650 000 samples at 360 Hz.

    References
    ----------
    .. [1] G. B. Moody and R. G. Mark, "The impact of the MIT-BIH Arrhythmia Database", IEEE
       Engineering in Medicine and Biology 20(3), 45-50, 2001.

    Examples
    --------
    >>> recording = load_ecg("100")  # doctest: +SKIP
    >>> recording.signal.shape, recording.sfreq, recording.ch_names  # doctest: +SKIP
    ((650000,), 360.0, ('MLII',))
    >>> from orbitdl.datasets import segment
    >>> X = segment(recording.signal, length=201, step=10)[:1000]  # doctest: +SKIP
    """
    import_wfdb()  # before anything is looked for or downloaded in vain
    content = read_wfdb(_folder(record) / record)
    if channel is None:
        return content
    if channel != "mean" and channel not in range(content.n_channels):
        raise ValueError(
            f"channel={channel!r} is not a lead of record {record}: "
            f'pass a number from 0 to {content.n_channels - 1}, "mean", or None for all leads.'
        )
    return content.pick(str(channel))


def _folder(record: str) -> Path:
    """Return the folder of a record's two files; download them if necessary."""
    names = {f"{record}.dat", f"{record}.hea"}
    data = os.environ.get("ORBITDL_DATA")
    if data and _holds(Path(data) / "mitdb", names):
        return Path(data) / "mitdb"
    try:
        import pooch
    except ImportError as error:
        raise ImportError(install_hint("load_ecg", "pooch", "ecg")) from error

    cache = Path(pooch.os_cache("orbitdl")) / "mitdb"
    if _holds(cache, names):
        return cache
    remedy = f"set ORBITDL_DATA to a folder that holds mitdb/{record}.dat and mitdb/{record}.hea"
    if not names <= _SHA256.keys():
        raise FileNotFoundError(
            f"Record {record} was not found and only record 100 is downloaded: {remedy}."
        )
    store = pooch.create(path=cache, base_url=_SOURCE, registry=_SHA256)
    try:
        for name in sorted(names):
            store.fetch(name)
    except OSError as error:
        raise FileNotFoundError(
            f"Record {record} could not be downloaded from {_SOURCE}: {remedy}, "
            f"or connect to the internet once to fill the cache in {cache}."
        ) from error
    return cache


def _holds(folder: Path, names: set[str]) -> bool:
    return all((folder / name).is_file() for name in names)
