"""Reading a recording from a file, whatever its format."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from orbitdl.recordings.array_files import read_npy, read_npz, read_wav
from orbitdl.recordings.columns import Chosen, NoSuchColumnError, without_column
from orbitdl.recordings.dialect import AS_FOUND, Decimal, Dialect, Separator
from orbitdl.recordings.layout import Kind
from orbitdl.recordings.parquet_files import read_parquet
from orbitdl.recordings.recording import Recording
from orbitdl.recordings.table_files import read_csv
from orbitdl.recordings.time_columns import rate_in
from orbitdl.recordings.time_units import TimeUnit
from orbitdl.recordings.unreadable import UnreadableError
from orbitdl.recordings.wfdb_records import read_wfdb
from orbitdl.recordings.words import member

FORMATS = (
    ".npy, .npz, .csv or .tsv (or .csv.gz), .parquet, .wav, or a WFDB record (its .hea file or its "
    "name)"
)
READERS: dict[str, Callable[..., Recording]] = {
    ".npy": read_npy,
    ".npz": read_npz,
    ".csv": read_csv,
    ".tsv": read_csv,
    ".csv.gz": read_csv,
    ".tsv.gz": read_csv,
    ".parquet": read_parquet,
    ".wav": read_wav,
}


def read(
    path: str | Path,
    *,
    key: str | None = None,
    separator: Separator | None = None,
    decimal: Decimal | None = None,
    channel: str | None = None,
    time_column: str | None = None,
    time_unit: TimeUnit | None = None,
) -> Recording:
    """Read a recording, or windows of one, from a file; its suffix says how.

    Parameters
    ----------
    path : str or Path
        A file .npy, .npz, .csv or .tsv (or .csv.gz), .parquet or .wav, or a WFDB record: its .hea
        file or its name. Text is in UTF-8, UTF-16 with its mark, or Windows-1252.
    key : str, optional
        Which array of an .npz file to read; needed if it holds several.
    separator : Separator, optional
        What separates the columns of a .csv file; found out if left out.
    decimal : Decimal, optional
        What marks decimals in a .csv file; found out if left out.
    channel : str, optional
        The columns of a table that must be numbers, by name or number, with commas between; others
        may hold text, which becomes NaN. By default all must be numbers. No column is left out:
        `prepare` and `prepare_signal` choose.
    time_column : str, optional
        The column of the time, by name or number: numbers, or dates and times. It is left out of
        the signal, and the sampling rate is taken from its steps, which must be even; where one is
        not, or is missing, a sentence says so.
    time_unit : TimeUnit, optional
        Unit of the numbers in that column: "s", "ms", "us", "ns", "min" or "h". By default the
        one that its name ends in (``time_ms``, ``t (us)``), or else seconds; a rate below 1 Hz or
        above 10 MHz is then refused, and the unit asked for.

    Returns
    -------
    Recording
        Values, with rate and names of the channels where the file says them. Sound has full scale
        1, WFDB records are in their physical unit. NaN or an empty cell is a missing value.

    Raises
    ------
    ValueError, FileNotFoundError, OSError
        In one sentence that names the file and says what is wrong with it.
    ImportError
        If the format needs a package that is not installed.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "walk.csv"
    ...     _ = path.write_text("left;right\\n0,5;1,5\\n0,25;\\n")
    ...     recording = read(path)
    >>> recording.signal
    array([[0.5 , 1.5 ],
           [0.25,  nan]])
    >>> recording.ch_names
    ('left', 'right')
    >>> print(recording.dialect)
    columns separated by semicolon, decimals after a comma
    """
    path, asked = Path(path), Dialect.of(separator, decimal)
    reader = _reader(path)
    if key is not None and reader is not read_npz:
        raise ValueError(
            f"key={key!r} names an array of an .npz file, and {path} is none; leave it out."
        )
    if asked != AS_FOUND and reader is not read_csv:
        raise ValueError(
            f"separator= and decimal= are for .csv files, and {path} is none; leave them out."
        )
    if time_unit is not None and time_column is None:
        raise ValueError(
            f"time_unit={time_unit} is the unit of a column of times; name it with time_column=."
        )
    unit = None if time_unit is None else member(TimeUnit, time_unit)
    chosen = Chosen(channel, time_column, unit)
    own: dict[Callable[..., Recording], tuple[object, ...]] = {
        read_npz: (key,),
        read_csv: (asked, chosen),
        read_parquet: (chosen,),
    }
    recording = reader(path, *own.get(reader, ()))
    if time_column is not None and recording.kind is not Kind.table:
        recording = _timed(recording, chosen, path)
    _require_sound(recording, path)
    return recording


def _timed(recording: Recording, chosen: Chosen, path: Path) -> Recording:
    """Take the rate of an array from one of its columns."""
    signal = recording.signal
    if recording.kind is Kind.samples or signal.ndim != 2 or signal.shape[1] < 2:
        raise NoSuchColumnError(
            f"time_column={chosen.time!r} names a column of a table, and {path} has none to spare; "
            "leave it out."
        )
    place = chosen.time_place(recording.ch_names, signal.shape[1], path)
    assert place is not None
    times = rate_in(chosen.unit, signal[:, place], str(place), path)
    return without_column(recording, place, *times)


def _reader(path: Path) -> Callable[..., Recording]:
    suffix = path.suffix.lower()
    suffix = "".join(path.suffixes[-2:]).lower() if suffix == ".gz" else suffix
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
    named = f"its suffix {path.suffix} is unknown" if path.suffix else "its name has no suffix"
    raise ValueError(f"cannot read {path}: {named}; pass {FORMATS}.")


def _require_sound(recording: Recording, path: Path) -> None:
    signal, sfreq = recording.signal, recording.sfreq
    if signal.size == 0:
        raise UnreadableError(f"{path} holds no numbers; pass a file of a recording or of windows.")
    if signal.ndim == 0:
        raise UnreadableError(f"{path} holds a single number; pass a recording or windows.")
    if np.isinf(signal).any():
        raise UnreadableError(
            f"{path} holds infinite values; put NaN, or an empty cell, where a value is missing."
        )
    if sfreq is not None and not 0 < sfreq < np.inf:
        raise UnreadableError(f"{path} is damaged: it says {sfreq:g} samples per second.")
