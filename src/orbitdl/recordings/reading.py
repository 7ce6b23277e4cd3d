"""Reading recordings and tables of windows from files, whatever their format."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orbitdl.command.display import Screen
from orbitdl.recordings.content import Content, Floats
from orbitdl.recordings.dialect import AS_FOUND, Dialect
from orbitdl.recordings.foreign import UnreadableError, parsing
from orbitdl.recordings.tables import read_csv, read_parquet

FORMATS = ".npy, .npz, .csv, .parquet, .wav, or a WFDB record (its .hea file or its name)"


def read(path: Path, key: str | None = None, asked: Dialect | None = None) -> Content:
    """Read a file by its suffix.

    `key` names the array of an .npz file, `asked` says how a .csv file is written. Whatever is
    wrong with a file is said in one sentence that names it: a ValueError, ImportError or OSError.
    """
    reader, asked = _reader(path), asked or AS_FOUND
    if key is not None and reader is not read_npz:
        raise ValueError(f"--key names an array of an .npz file, and {path} is none; leave it out.")
    if asked != AS_FOUND and reader is not read_csv:
        raise ValueError(
            f"--separator and --decimal are for .csv files, and {path} is none; leave them out."
        )
    own: dict[Callable[..., Content], object] = {read_npz: key, read_csv: asked}
    content = reader(path, own[reader]) if reader in own else reader(path)
    _require_sound(content, path)
    return content


def read_and_tell(path: Path, screen: Screen, key: str | None, asked: Dialect) -> Content:
    """Read a file, and say how a table was understood."""
    content = read(path, key, asked)
    if content.dialect is not None:
        screen.note(f"Read {path.name}: {content.dialect}.", table=asdict(content.dialect))
    return content


def _require_sound(content: Content, path: Path) -> None:
    if content.values.size == 0:
        raise UnreadableError(f"{path} holds no numbers.")
    if content.values.ndim == 0:
        raise UnreadableError(f"{path} holds a single number; pass a recording or windows.")
    if np.isinf(content.values).any():
        raise UnreadableError(f"{path} holds infinite values; put NaN where a value is missing.")
    if content.rate is not None and not 0 < content.rate < np.inf:
        raise UnreadableError(f"{path} is damaged: it says {content.rate:g} samples per second.")


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
    with parsing(path, "an .npy file of numbers"):
        return Content(as_numbers(np.load(path, allow_pickle=False), path))


def read_npz(path: Path, key: str | None = None) -> Content:
    """Read the only array of an archive, or the one named."""
    with (
        parsing(path, "an .npz file of numbers"),
        zipfile.ZipFile(path),  # an .npy file by another name is none
        np.load(path, allow_pickle=False) as archive,
    ):
        return Content(as_numbers(archive[_choose(archive.files, key, path)], path))


def _choose(names: list[str], key: str | None, path: Path) -> str:
    listed = ", ".join(names)
    if key is None and len(names) != 1:
        raise UnreadableError(
            f"{path} holds {len(names)} arrays ({listed}); choose one with --key."
        )
    if key is not None and key not in names:
        raise UnreadableError(f"{path} has no array {key!r}; --key must be one of {listed}.")
    return names[0] if key is None else key


def read_wav(path: Path) -> Content:
    """Read sound; whole numbers are scaled so that full scale is 1."""
    from scipy.io import wavfile

    with parsing(path, "a WAV file"):
        rate, sound = wavfile.read(path)
        values = as_numbers(sound, path)
    if sound.dtype == np.uint8:
        values = (values - 128) / 128
    elif sound.dtype.kind == "i":
        values = values / -float(np.iinfo(sound.dtype).min)
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
    with parsing(path, "a WFDB record"):
        _require_all_leads(wfdb.rdheader(str(stem)), path)
        record = wfdb.rdrecord(str(stem))
        values = as_numbers(record.p_signal, path)
        return Content(values, float(record.fs), tuple(record.sig_name), "recording")


def _require_all_leads(header: Any, path: Path) -> None:
    """Refuse a header that announces other leads than it describes, before any is read."""
    described = getattr(header, "file_name", None)  # a record of several parts describes none
    if described is not None and len(described) != header.n_sig:
        raise UnreadableError(
            f"cannot read {path} as a WFDB record: its header announces {header.n_sig} leads and "
            f"describes {len(described)}."
        )


def as_numbers(array: NDArray[Any], path: Path) -> Floats:
    """Return real numbers as float64."""
    if array.dtype.kind not in "biuf":
        raise UnreadableError(f"cannot read {path}: it holds {array.dtype}, not real numbers.")
    return np.asarray(array, dtype=np.float64)


READERS: dict[str, Callable[..., Content]] = {
    ".npy": read_npy,
    ".npz": read_npz,
    ".csv": read_csv,
    ".parquet": read_parquet,
    ".wav": read_wav,
}
