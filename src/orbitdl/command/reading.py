"""Reading recordings and tables of windows from files, whatever their format."""

from __future__ import annotations

import struct
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orbitdl.command.content import Content, Floats
from orbitdl.command.tables import read_csv, read_parquet

FORMATS = ".npy, .npz, .csv, .parquet, .wav, or a WFDB record (its .hea file or its name)"


def read(path: Path, key: str | None = None) -> Content:
    """Read a file by its suffix; `key` names the array of an .npz file."""
    reader = _reader(path)
    if key is not None and reader is not read_npz:
        raise ValueError(f"--key names an array of an .npz file, and {path} is none; leave it out.")
    content = read_npz(path, key) if reader is read_npz else reader(path)
    if content.values.size == 0:
        raise ValueError(f"{path} holds no numbers.")
    if np.isinf(content.values).any():
        raise ValueError(f"{path} holds infinite values; put NaN where a value is missing.")
    return content


def _reader(path: Path) -> Callable[..., Content]:
    suffix = path.suffix.lower()
    if path.is_dir():
        raise ValueError(f"cannot read {path}: it is a folder; name a file in it.")
    if suffix in READERS:
        if not path.is_file():
            raise FileNotFoundError(f"cannot read {path}: there is no such file.")
        return READERS[suffix]
    if suffix in (".hea", ".dat") or path.with_name(path.name + ".hea").is_file():
        return read_wfdb
    if not path.exists():
        raise FileNotFoundError(f"cannot read {path}: there is no such file or WFDB record.")
    raise ValueError(f"cannot read {path}: pass {FORMATS}.")


def read_npy(path: Path) -> Content:
    """Read one array; objects, which would need unpickling, are refused."""
    try:
        array = np.load(path, allow_pickle=False)
    except (ValueError, EOFError) as error:
        raise _damaged(path, "an .npy file") from error
    return Content(as_numbers(array, path))


def read_npz(path: Path, key: str | None = None) -> Content:
    """Read the only array of an archive, or the one named."""
    if not zipfile.is_zipfile(path):
        raise _damaged(path, "an .npz file")
    with np.load(path, allow_pickle=False) as archive:
        name = _choose(archive.files, key, path)
        try:
            array = archive[name]
        except (ValueError, EOFError, zipfile.BadZipFile, zlib.error) as error:
            raise _damaged(path, "an .npz file") from error
    return Content(as_numbers(array, path))


def _damaged(path: Path, kind: str) -> ValueError:
    return ValueError(f"cannot read {path} as {kind} of numbers: it is damaged or something else.")


def _choose(names: list[str], key: str | None, path: Path) -> str:
    listed = ", ".join(names)
    if key is None and len(names) != 1:
        raise ValueError(f"{path} holds {len(names)} arrays ({listed}); choose one with --key.")
    if key is not None and key not in names:
        raise ValueError(f"{path} has no array {key!r}; --key must be one of {listed}.")
    return names[0] if key is None else key


def read_wav(path: Path) -> Content:
    """Read sound; whole numbers are scaled so that full scale is 1."""
    import warnings

    from scipy.io import wavfile

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", wavfile.WavFileWarning)  # chunks that are not sound
            rate, sound = wavfile.read(path)
    except (ValueError, EOFError, struct.error) as error:
        raise ValueError(
            f"cannot read {path} as a WAV file: it is damaged or of an unknown kind."
        ) from error
    if sound.dtype == np.uint8:
        values = (sound.astype(np.float64) - 128) / 128
    elif sound.dtype.kind == "i":
        values = sound.astype(np.float64) / -float(np.iinfo(sound.dtype).min)
    else:
        values = sound.astype(np.float64)
    return Content(values, rate=float(rate), kind="recording")


def read_wfdb(path: Path) -> Content:
    """Read a WFDB record in physical units."""
    import warnings

    try:
        with warnings.catch_warnings():  # wfdb 4.3 warns at import of what pandas 4 will drop
            warnings.simplefilter("ignore", DeprecationWarning)
            import wfdb
    except ImportError as error:
        raise ImportError(
            'WFDB records need wfdb: install it with pip install "orbitdl[ecg]".'
        ) from error
    stem = path.with_suffix("") if path.suffix.lower() in (".hea", ".dat") else path
    try:
        record = wfdb.rdrecord(str(stem))
    except Exception as error:  # a damaged header raises nearly anything
        raise ValueError(f"cannot read {path} as a WFDB record: {error}") from error
    values = np.asarray(record.p_signal, dtype=np.float64)
    return Content(values, float(record.fs), tuple(record.sig_name), "recording")


def as_numbers(array: NDArray[Any], path: Path) -> Floats:
    """Return real numbers as float64."""
    if array.dtype.kind not in "biuf":
        raise ValueError(f"cannot read {path}: it holds {array.dtype}, not real numbers.")
    return np.asarray(array, dtype=np.float64)


READERS: dict[str, Callable[..., Content]] = {
    ".npy": read_npy,
    ".npz": read_npz,
    ".csv": read_csv,
    ".parquet": read_parquet,
    ".wav": read_wav,
}
