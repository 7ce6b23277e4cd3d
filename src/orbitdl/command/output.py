"""Writing tables and arrays: whole or not at all."""

from __future__ import annotations

import io
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from orbitdl.groups.base import Floats
from orbitdl.recordings.wfdb_annotations import annotation_file, require_symbols
from orbitdl.storage.container import replace_file

Inputs = tuple[Path | None, ...]
Symbols = Mapping[int, str]
"""Annotation codes of components."""

TABLES = (".csv", ".parquet", ".json")
ARRAYS = (".npy", ".csv")
ANNOTATIONS = (".atr", ".qrs", ".ann")
"""Annotators of WFDB records."""


def require_writable(path: Path, suffixes: tuple[str, ...] = (), inputs: Inputs = ()) -> None:
    """Refuse an output that cannot be written, or is an input, before any work is done."""
    folder = path.absolute().parent
    if any(source is not None and path.resolve() == source.resolve() for source in inputs):
        raise ValueError(f"cannot write {path}: it is what is read; name another file.")
    if suffixes and path.suffix.lower() not in suffixes:
        raise ValueError(f"cannot write {path}: its name must end in {' or '.join(suffixes)}.")
    if path.is_dir():
        raise ValueError(f"cannot write {path}: it is a folder; name a file in it.")
    if not folder.is_dir():
        raise ValueError(f"cannot write {path}: there is no folder {folder}; make it first.")
    if path.exists() and not os.access(path, os.W_OK):
        raise ValueError(f"cannot write {path}: it is read-only; name another file.")
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise ValueError(f"cannot write {path}: {error.strerror}; name another place.") from error


def write_table(frame: pd.DataFrame, path: Path) -> None:
    """Write a table in the format of the suffix: .csv, .parquet or .json (a list of rows)."""
    suffix = path.suffix.lower()
    if suffix == ".parquet":
        buffer = io.BytesIO()
        frame.to_parquet(buffer, index=False)
        content = buffer.getvalue()
    elif suffix == ".json":
        content = frame.to_json(orient="records", double_precision=15).encode()
    else:
        content = frame.to_csv(index=False).encode()
    _write(path, content)


def require_events_writable(path: Path, inputs: Inputs, symbols: Symbols) -> None:
    """Refuse a place for events that cannot be written, before any work is done."""
    require_writable(path, TABLES + ANNOTATIONS, inputs)
    if is_annotation(path):
        require_symbols(symbols)
    elif symbols:
        raise ValueError(
            f"--symbols are codes of annotations ({', '.join(ANNOTATIONS)}), and {path} is a "
            "table; leave them out."
        )


def is_annotation(path: Path) -> bool:
    """Tell whether events are written as annotations of a WFDB record."""
    return path.suffix.lower() in ANNOTATIONS


def write_events(
    frame: pd.DataFrame, path: Path, time: str, rate: float | None, symbols: Symbols
) -> None:
    """Write events as a table, or as annotations; their time in samples is the column of a name."""
    if is_annotation(path):
        _write(path, annotation_file(frame[time], frame["component"], rate, symbols))
    else:
        write_table(frame, path)


def write_array(array: Floats, path: Path, names: tuple[str, ...] = ()) -> None:
    """Write an array as .npy, or as .csv with the names of its columns, if there are any."""
    buffer = io.BytesIO()
    if path.suffix.lower() == ".npy":
        np.save(buffer, array, allow_pickle=False)
    else:
        columns = array.shape[1] if array.ndim > 1 else 1
        header = ",".join(names) if len(names) == columns else ""
        np.savetxt(buffer, array, delimiter=",", fmt="%.17g", header=header, comments="")
    _write(path, buffer.getvalue())


def _write(path: Path, content: bytes) -> None:
    try:
        replace_file(path, content)
    except OSError as error:
        raise OSError(
            f"{path} could not be written: {error.strerror}; make room for it."
        ) from error
