"""Atomic writing of tables and arrays."""

from __future__ import annotations

import io
import math
import os
import re
import tempfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from orbitdl.adapters.wfdb import annotation_file, require_symbols
from orbitdl.groups.base import Floats
from orbitdl.storage.writing import write_file

Inputs = tuple[Path | None, ...]
DIGITS, DIGITS_OF_TABLE = 7, 10
"""Significant digits of signals as text, and of events, which lie between samples of long ones."""
OWN = re.compile(
    rb'"orbitdl|\bcomponent\b.*\b(coefficient|amplitude)\b|n_components.*standard_error|component_0'
    rb"|\A(\[\])?\Z",
    re.DOTALL,
)
"""Marks of what we write: metadata of models and reports, columns of tables; or nothing is lost."""
SEARCHED_BYTES = 4096
"""Bytes at either end of a file that are searched for signatures."""
SymbolMap = Mapping[int, str]
"""Annotation codes of components."""

TABLES = (".csv", ".parquet", ".json")
ARRAYS = (".npy", ".csv")
MODELS = (".safetensors", "")
PAGES = (".html", ".htm")
ANNOTATIONS = (".atr", ".qrs", ".ann")
"""Annotators of WFDB records."""


def require_writable(
    path: Path,
    suffixes: tuple[str, ...] = (),
    inputs: Inputs = (),
    *,
    overwrite: bool = False,
) -> None:
    """Raise before any work if an output is not writable, is an input, or exists.

    With `overwrite` an existing file may be replaced; one that orbitdl wrote may be in any case.
    """
    folder = path.absolute().parent
    if any(source is not None and path.resolve() == source.resolve() for source in inputs):
        raise ValueError(f"cannot write {path}: it is what is read; name another file.")
    if suffixes and path.suffix.lower() not in suffixes:
        listed = " or ".join(filter(None, suffixes))
        raise ValueError(f"cannot write {path}: its name must end in {listed}.")
    if path.is_dir():
        raise ValueError(f"cannot write {path}: it is a folder; name a file in it.")
    if not folder.is_dir():
        raise ValueError(f"cannot write {path}: there is no folder {folder}; make it first.")
    if path.exists() and not path.is_file():
        raise ValueError(f"cannot write {path}: it is a device or the like; name a file.")
    if path.exists() and not os.access(path, os.W_OK):
        raise ValueError(f"cannot write {path}: it is read-only; name another file.")
    if path.exists() and not (overwrite or is_own(path)):
        raise ValueError(
            f"cannot write {path}: it exists, and nothing in it says that orbitdl wrote it; name "
            "another file, or replace it with --overwrite."
        )
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise ValueError(f"cannot write {path}: {error.strerror}; name another place.") from error


def is_own(path: Path) -> bool:
    """Return whether a file has the signature of a model, report or table of orbitdl.

    Numbers bear none. Annotations, which experts correct by hand, are never told to be ours.
    """
    if not path.is_file() or is_annotation(path):
        return False
    with path.open("rb") as file:
        begin = file.read(SEARCHED_BYTES)
        file.seek(max(path.stat().st_size - SEARCHED_BYTES, 0))
        return OWN.search(begin) is not None or OWN.search(file.read()) is not None


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
        content = frame.to_csv(index=False, float_format=f"%.{DIGITS_OF_TABLE}g").encode()
    write_file(path, content)


def require_events_writable(
    path: Path, inputs: Inputs, symbols: SymbolMap, *, overwrite: bool
) -> None:
    """Raise before any work if events cannot be written to a path."""
    require_writable(path, TABLES + ANNOTATIONS, inputs, overwrite=overwrite)
    if is_annotation(path):
        require_symbols(symbols)
    elif symbols:
        raise ValueError(
            f"--symbols are codes of annotations ({', '.join(ANNOTATIONS)}), and {path} is a "
            "table; leave them out."
        )


def is_annotation(path: Path) -> bool:
    """Return whether events are written as annotations of a WFDB record."""
    return path.suffix.lower() in ANNOTATIONS


def write_events(frame: pd.DataFrame, path: Path, sfreq: float | None, symbols: SymbolMap) -> None:
    """Write events as a table, or as annotations of a WFDB record."""
    if is_annotation(path):
        write_file(path, annotation_file(frame["sample"], frame["component"], sfreq, symbols))
    else:
        write_table(frame, path)


def write_array(
    array: Floats,
    path: Path,
    names: tuple[str, ...] = (),
    computed: NDArray[np.bool_] | None = None,
) -> None:
    """Write an array as .npy, or as .csv with column names, if any.

    In text, values that were computed (all, if left out) are rounded to 1e-7 of the largest.
    """
    buffer = io.BytesIO()
    if path.suffix.lower() == ".npy":
        np.save(buffer, array, allow_pickle=False)
    elif array.ndim > 2:
        raise ValueError(f"cannot write {path}: an array of shape {array.shape} needs .npy.")
    else:
        shown = _rounded(array) if computed is None else np.where(computed, _rounded(array), array)
        frame = pd.DataFrame(shown)
        header = list(names) if len(names) == frame.shape[1] else False
        frame.to_csv(buffer, index=False, header=header, na_rep="nan")
    write_file(path, buffer.getvalue())


def _rounded(array: Floats) -> Floats:
    """Return values rounded to 1e-7 of the largest: the resolution of 24-bit converters."""
    largest = float(np.nanmax(np.abs(array), initial=0.0))
    decimals = DIGITS - 1 - math.floor(math.log10(largest)) if largest > 0 else 0
    return np.round(array, decimals) + 0.0  # no negative zeros
