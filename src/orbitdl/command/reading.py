"""Reading recordings and tables of windows from files, whatever their format."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

Floats = NDArray[np.float64]

FORMATS = ".npy, .npz, .csv, .parquet, .wav, or a WFDB record (its .hea file or its name)"


@dataclass(frozen=True, eq=False)
class Content:
    """What a file holds.

    Attributes
    ----------
    values : ndarray
    rate : float or None
        Samples a second, where the file says so.
    names : tuple of str
        Names of the columns or leads, where there are any.
    kind : str
        "recording" where the format says that rows are samples in time, "table" for rows and
        columns, "array" for numbers without a meaning of their own.
    """

    values: Floats
    rate: float | None = None
    names: tuple[str, ...] = ()
    kind: str = "array"


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


def read_csv(path: Path) -> Content:
    """Read rows of numbers; a first row that is not numbers names the columns.

    Columns are separated by what the first row has most of: commas, semicolons, tabs or blanks. An
    empty cell is a missing value.
    """
    with path.open(encoding="utf-8-sig", errors="replace") as lines:
        first = lines.readline().strip()
    separator = max(",;\t", key=first.count)
    separator = separator if separator in first else r"\s+"
    header = 0 if any(_is_text(cell) for cell in _cells(first, separator)) else None
    try:
        frame = pd.read_csv(
            path, sep=separator, header=header, skip_blank_lines=False, encoding="utf-8-sig"
        )
    except (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeDecodeError) as error:
        reason = str(error).strip().rstrip(".").replace("\n", " ")
        raise ValueError(f"cannot read {path} as a table of numbers: {reason}.") from error
    return _of_frame(frame, path, first_row=1 if header is None else 2, named=header is not None)


def _cells(line: str, separator: str) -> list[str]:
    return line.split() if separator == r"\s+" else line.split(separator)


def _is_text(cell: str) -> bool:
    try:
        float(cell.strip().strip('"') or "nan")
    except ValueError:
        return cell.strip() not in ("NA", "N/A", "null", "NULL")
    return False


def read_parquet(path: Path) -> Content:
    """Read a table of numbers from a Parquet file."""
    try:
        import pyarrow
    except ImportError as error:
        raise ImportError(
            'Parquet files need pyarrow: install it with pip install "orbitdl[parquet]".'
        ) from error
    try:
        frame = pd.read_parquet(path)
    except pyarrow.ArrowException as error:
        reason = str(error).strip().rstrip(".").replace("\n", " ")
        raise ValueError(f"cannot read {path} as a Parquet file: {reason}.") from error
    return _of_frame(frame, path, first_row=1, named=True)


def _of_frame(frame: pd.DataFrame, path: Path, *, first_row: int, named: bool) -> Content:
    """Return the numbers of a table, or point at the first cell that is none."""
    columns = []
    for place, name in enumerate(frame.columns):
        column = frame.iloc[:, place]
        numbers = pd.to_numeric(column, errors="coerce")
        bad = np.flatnonzero(numbers.isna() & column.notna())
        if len(bad):
            raise ValueError(
                f"{path} holds {column.iloc[bad[0]]!r} in row {bad[0] + first_row}, column "
                f"{name if named else place + 1}, where a number is needed; leave the cell empty "
                "if the value is missing."
            )
        columns.append(numbers.to_numpy(dtype=np.float64, na_value=np.nan))
    values = np.column_stack(columns) if columns else np.zeros((0, 0))
    return Content(values, names=tuple(map(str, frame.columns)) if named else (), kind="table")


def read_wav(path: Path) -> Content:
    """Read sound; whole numbers are scaled so that full scale is 1."""
    import warnings

    from scipy.io import wavfile

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", wavfile.WavFileWarning)  # chunks that are not sound
            rate, sound = wavfile.read(path)
    except (ValueError, EOFError) as error:
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
