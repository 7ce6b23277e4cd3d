"""Reading tables of numbers from Parquet files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from orbitdl.arrays.optional import install_hint
from orbitdl.groups.base import Floats
from orbitdl.recordings.columns import EVERY, Chosen, not_a_number, without_column
from orbitdl.recordings.layout import Kind
from orbitdl.recordings.recording import Recording
from orbitdl.recordings.time_columns import rate_in, rate_of, seconds_of
from orbitdl.recordings.unreadable import UnreadableError, parsing
from orbitdl.recordings.words import printable

if TYPE_CHECKING:
    import pandas as pd


def read_parquet(path: Path, chosen: Chosen = EVERY) -> Recording:
    """Read a table of numbers from a Parquet file; columns that are not needed may be text."""
    try:
        import pyarrow  # noqa: F401
    except ImportError as error:
        raise ImportError(install_hint("reading Parquet files", "pyarrow", "parquet")) from error
    import pandas as pd

    with parsing(path, "a Parquet file"):
        frame = pd.read_parquet(path)
        names = tuple(printable(str(name).strip()) for name in frame.columns)
        place = chosen.time_place(names, len(names), path)
        needed = chosen.needed(names, len(names), place)
        others = [names[k] for k in sorted(needed) if frame.dtypes.iloc[k].kind in "iufb"]
        columns = [
            _of_column(frame.iloc[:, k].rename(names[k]), path, others if k in needed else None)
            for k in range(len(names))
        ]
        values = np.column_stack(columns) if columns else np.zeros((0, 0))
    recording = Recording(values, ch_names=names, kind=Kind.table)
    if place is None:
        return recording
    column, name = frame.iloc[:, place], names[place]
    if column.dtype.kind in "iuf":
        times = np.asarray(column.to_numpy(dtype=np.float64, na_value=np.nan))
        return without_column(recording, place, *rate_in(chosen.unit, times, name, path))
    return without_column(recording, place, rate_of(_seconds(column, name, path), name, path))


def _seconds(column: pd.Series, name: str, path: Path) -> Floats:
    """Return the times in a column that are no numbers."""
    if column.dtype.kind == "m":
        return np.asarray(column.dt.total_seconds(), dtype=np.float64)
    return seconds_of(column.to_list(), name, path)


def _of_column(column: pd.Series, path: Path, others: list[str] | None) -> Floats:
    """Return the numbers of a column, or point at the first cell that is none.

    None instead of columns that are numbers: this one is not needed, and may be anything.
    """
    import pandas as pd

    if column.dtype.kind in "mM":
        if others is not None:
            raise UnreadableError(
                f"{path} holds times in column {column.name}, where numbers are needed; say "
                f"time_column={str(column.name)!r}, or name other columns in channel=."
            )
        return np.full(len(column), np.nan)
    numbers = pd.to_numeric(column, errors="coerce")
    bad = np.flatnonzero(numbers.isna() & column.notna())
    if len(bad) and others is not None:
        raise UnreadableError(
            not_a_number(str(path), column.iloc[bad[0]], bad[0] + 1, column.name, others)
        )
    return np.asarray(numbers.to_numpy(dtype=np.float64, na_value=np.nan))
