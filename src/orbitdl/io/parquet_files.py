"""Reader of Parquet files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from orbitdl.arrays.optional import install_hint
from orbitdl.groups.base import Floats
from orbitdl.io.columns import EVERY, ColumnSelection, not_a_number, without_column
from orbitdl.io.enumerations import printable
from orbitdl.io.layout import Kind
from orbitdl.io.recording import Recording
from orbitdl.io.time_columns import rate_in, rate_of, seconds_of
from orbitdl.io.unreadable import UnreadableError, parsing

if TYPE_CHECKING:
    import pandas as pd


def read_parquet(path: Path, selection: ColumnSelection = EVERY) -> Recording:
    """Read a table of numbers from a Parquet file; unused columns may hold text."""
    try:
        import pyarrow  # noqa: F401
    except ImportError as error:
        raise ImportError(install_hint("reading Parquet files", "pyarrow", "parquet")) from error
    import pandas as pd

    with parsing(path, "a Parquet file"):
        frame = pd.read_parquet(path)
        names = tuple(printable(str(name).strip()) for name in frame.columns)
        time = selection.time_index(names, len(names), path)
        needed = selection.needed(names, len(names), time)
        others = [names[k] for k in sorted(needed) if frame.dtypes.iloc[k].kind in "iufb"]
        columns = [
            _of_column(frame.iloc[:, k].rename(names[k]), path, others if k in needed else None)
            for k in range(len(names))
        ]
        values = np.column_stack(columns) if columns else np.zeros((0, 0))
    recording = Recording(values, ch_names=names, kind=Kind.table)
    if time is None:
        return recording
    column, name = frame.iloc[:, time], names[time]
    if column.dtype.kind in "iuf":
        times = np.asarray(column.to_numpy(dtype=np.float64, na_value=np.nan))
        return without_column(recording, time, *rate_in(selection.unit, times, name, path))
    return without_column(recording, time, rate_of(_seconds(column, name, path), name, path))


def _seconds(column: pd.Series, name: str, path: Path) -> Floats:
    """Return the times of a column that is not numeric, in seconds."""
    if column.dtype.kind == "m":
        return np.asarray(column.dt.total_seconds(), dtype=np.float64)
    return seconds_of(column.to_list(), name, path)


def _of_column(column: pd.Series, path: Path, others: list[str] | None) -> Floats:
    """Return the numbers of a column; raise UnreadableError at the first other cell.

    If `others` (the names of numeric columns) is None, the column is unused and may hold text.
    """
    import pandas as pd

    if column.dtype.kind in "mM":
        if others is not None:
            raise UnreadableError(
                f"{path} has times in column {column.name} instead of numbers; pass "
                f"time_column={str(column.name)!r}, or select other columns with channel=."
            )
        return np.full(len(column), np.nan)
    numbers = pd.to_numeric(column, errors="coerce")
    bad = np.flatnonzero(numbers.isna() & column.notna())
    if len(bad) and others is not None:
        raise UnreadableError(
            not_a_number(str(path), column.iloc[bad[0]], bad[0] + 1, column.name, others)
        )
    return np.asarray(numbers.to_numpy(dtype=np.float64, na_value=np.nan))
