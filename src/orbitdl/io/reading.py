"""Reading of recordings from files in all supported formats."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from orbitdl.arrays.validation import require_count
from orbitdl.io.array_files import read_npy, read_npz
from orbitdl.io.columns import ColumnSelection, NoSuchColumnError, without_column
from orbitdl.io.dialect import UNKNOWN, Decimal, Dialect, Separator
from orbitdl.io.enumerations import member
from orbitdl.io.layout import Kind
from orbitdl.io.lazy import Transposed, is_lazy
from orbitdl.io.matlab_files import read_mat
from orbitdl.io.mne_files import SUFFIXES, read_mne
from orbitdl.io.parquet_files import read_parquet
from orbitdl.io.recording import Recording
from orbitdl.io.sound_files import OTHERS, read_sound, read_wav
from orbitdl.io.stored_arrays import read_hdf5, read_zarr
from orbitdl.io.table_files import read_csv
from orbitdl.io.time_columns import rate_in
from orbitdl.io.time_units import TimeUnit
from orbitdl.io.unreadable import UnreadableError, parsing
from orbitdl.io.wfdb_records import read_wfdb

FORMATS = (
    ".csv, .tsv or .txt (or .csv.gz), .npy, .npz, .mat, .h5, .zarr, .parquet, .wav, .flac, .edf, "
    ".bdf and others that MNE reads, or a WFDB record (its .hea file or its name)"
)
SMALL = 2**24
"""Values up to which samples are read at once; larger recordings are read when they are needed."""
READERS: dict[str, Callable[..., Recording]] = {
    ".npy": read_npy,
    ".npz": read_npz,
    ".csv": read_csv,
    ".tsv": read_csv,
    ".txt": read_csv,
    ".csv.gz": read_csv,
    ".tsv.gz": read_csv,
    ".txt.gz": read_csv,
    ".parquet": read_parquet,
    ".wav": read_wav,
    ".mat": read_mat,
    ".h5": read_hdf5,
    ".hdf5": read_hdf5,
    ".zarr": read_zarr,
    **dict.fromkeys(OTHERS, read_sound),
    **dict.fromkeys(SUFFIXES, read_mne),
}
"""Readers by suffix."""
KEYED = (read_npz, read_mat, read_hdf5, read_zarr)
"""Readers of files that hold several arrays."""


def read(
    path: str | Path,
    *,
    key: str | None = None,
    separator: Separator | None = None,
    decimal: Decimal | None = None,
    channel: str | None = None,
    time_column: str | None = None,
    time_unit: TimeUnit | None = None,
    skiprows: int = 0,
    transpose: bool = False,
) -> Recording:
    """Read a recording, or windows, from a file; the suffix determines the format.

    Parameters
    ----------
    path : str or Path
        A text table (.csv, .tsv, .txt, or .gz of them, in UTF-8, UTF-16 with a byte order mark or
        Windows-1252), .npy, .npz, .mat (of any version), .h5, .zarr, .parquet, .wav, .flac, .ogg
        or .aiff, what MNE reads (.edf, .bdf, .gdf, .fif, .vhdr, .set), or a WFDB record: its .hea
        file or its name.
    key : str, optional
        Name of the array of an .npz, .mat, .h5 or .zarr file; required if it holds several. Several
        names, separated by commas, are the channels.
    separator : Separator, optional
        Column separator of a .csv file; detected by default.
    decimal : Decimal, optional
        Decimal mark of a .csv file; detected by default.
    channel : str, optional
        Numeric columns of a table, by name or index, separated by commas; others may hold text,
        which becomes NaN. By default all must be numeric. No column is removed:
        `Recording.pick` and `orbitdl.preprocessing.Pick` select.
    time_column : str, optional
        Time column, by name or index: numbers, or dates and times. It is removed from the signal,
        and the sampling rate is computed from its steps, which must be uniform.
    time_unit : TimeUnit, optional
        Unit of the numbers in that column: "s", "ms", "us", "ns", "min" or "h". By default the unit
        in its name (``time_ms``, ``t (us)``), or else seconds; a sampling rate below 1 Hz or above
        10 MHz is then an error.
    skiprows : int
        Lines of a text table to skip at its beginning, such as a preamble of an instrument.
    transpose : bool
        Whether the array is (channels, samples).

    Returns
    -------
    Recording
        Samples, with sampling rate, names and units of the channels if the file has them. Sound has
        full scale 1, records of WFDB and MNE are in physical units. NaN or an empty cell is a
        missing value. Large recordings are read when they are needed, except text tables, Parquet
        files, .npz and old .mat files.

    Raises
    ------
    ValueError, FileNotFoundError, OSError
        The message names the file and the error in one sentence.
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
    path, requested = Path(path), Dialect.of(separator, decimal)
    reader = _reader(path)
    if key is not None and reader not in KEYED:
        raise ValueError(
            f"key={key!r} is for .npz, .mat, .h5 and .zarr files, but {path} is another format; "
            "leave it out."
        )
    if require_count(skiprows, "skiprows", least=0) and reader is not read_csv:
        raise ValueError(
            f"skiprows={skiprows} is for text tables, but {path} is another format; leave it out."
        )
    if requested != UNKNOWN and reader is not read_csv:
        raise ValueError(
            f"separator= and decimal= are for .csv files, but {path} is another format; leave them "
            "out."
        )
    if time_unit is not None and time_column is None:
        raise ValueError(
            f"time_unit={time_unit} needs a time column; pass its name as time_column=."
        )
    unit = None if time_unit is None else member(TimeUnit, time_unit)
    selection = ColumnSelection(channel, time_column, unit)
    own: dict[Callable[..., Recording], tuple[object, ...]] = {
        **dict.fromkeys(KEYED, (key,)),
        read_csv: (requested, selection, skiprows),
        read_parquet: (selection,),
    }
    recording = _turned(reader(path, *own.get(reader, ())), path, transpose=transpose)
    if time_column is not None and recording.kind is not Kind.table:
        recording = _timed(recording, selection, path)
    _require_sound(recording, path)
    return recording


def _turned(recording: Recording, path: Path, *, transpose: bool) -> Recording:
    """Return samples first; few samples as an array in memory."""
    signal = recording.signal
    if transpose:
        if recording.ndim != 2:
            raise ValueError(
                f"transpose= is for arrays of two axes, and {path} has shape {recording.shape}; "
                "leave it out."
            )
        names = recording.ch_names if len(recording.ch_names) == recording.shape[0] else ()
        recording = replace(recording, signal=Transposed(signal), ch_names=names)
        recording = replace(recording, kind=Kind.samples)
    if is_lazy(recording.signal) and np.prod(recording.shape) > SMALL:
        return recording
    with parsing(path, "numbers"):
        return replace(recording, signal=np.asarray(recording, dtype=np.float64))


def _timed(recording: Recording, selection: ColumnSelection, path: Path) -> Recording:
    """Compute the sampling rate of an array from its time column."""
    signal = recording.signal
    if recording.kind is Kind.samples or signal.ndim != 2 or signal.shape[1] < 2:
        raise NoSuchColumnError(
            f"time_column={selection.time!r} needs a table of several columns, which {path} is "
            "not; leave it out."
        )
    time = selection.time_index(recording.ch_names, signal.shape[1], path)
    assert time is not None
    times = rate_in(selection.unit, signal[:, time], str(time), path)
    return without_column(recording, time, *times)


def _reader(path: Path) -> Callable[..., Recording]:
    suffix = path.suffix.lower()
    suffix = "".join(path.suffixes[-2:]).lower() if suffix == ".gz" else suffix
    if suffix == ".dat" and path.with_suffix(".hea").is_file():
        return read_wfdb
    if path.is_dir() and suffix not in (".zarr", ".mff"):
        raise ValueError(f"cannot read {path}: it is a folder; pass a file in it.")
    if suffix in READERS:
        if not path.exists():
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
    if sfreq is not None and not 0 < sfreq < np.inf:
        raise UnreadableError(f"{path} is damaged: its sampling rate is {sfreq:g} Hz.")
    if is_lazy(signal):
        return
    if signal.size == 0:
        raise UnreadableError(f"{path} holds no numbers; pass a file of a recording or of windows.")
    if signal.ndim == 0:
        raise UnreadableError(f"{path} holds a single number; pass a recording or windows.")
    if np.isinf(signal).any():
        raise UnreadableError(
            f"{path} holds infinite values; mark missing values by NaN or an empty cell."
        )
