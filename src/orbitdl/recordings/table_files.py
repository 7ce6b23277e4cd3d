"""Reading tables of numbers: .csv and .parquet."""

from __future__ import annotations

import re
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from orbitdl.groups.base import Floats
from orbitdl.recordings.dialect import AS_FOUND, CHARACTER, Dialect
from orbitdl.recordings.dialect_detection import Reading, detect
from orbitdl.recordings.layout import Kind
from orbitdl.recordings.recording import Recording
from orbitdl.recordings.unreadable import UnreadableError, parsing

if TYPE_CHECKING:
    import pandas as pd

LOOKED_AT = 1000
"""Lines that decide how a table is written; all others are held to it."""
AT_ONCE = 4096
"""Rows that become numbers at a time."""
SHOWN = 40
"""Characters of a cell that a message quotes at most."""


def read_csv(path: Path, asked: Dialect | None = None) -> Recording:
    """Read rows of numbers; a first row that is not numbers names the columns.

    Columns are separated by semicolons, tabs, commas or blanks, or there is one; decimals come
    after a point or a comma. Both are found out together, by `detect`, unless `asked` for. An empty
    cell or line is a missing value; lines that begin with # at the top are left out.
    """
    lines = _lines_of(path)
    before = _lines_before_table(lines)
    asked = _with_announced(lines[before - 1] if before else "", asked or AS_FOUND)
    try:
        reading = detect(_evidence(lines[before:]), asked)
    except ValueError as error:
        raise UnreadableError(f"cannot tell how {path} is to be read: {error}.") from error
    with parsing(path, "a table of numbers"):
        values = _numbers(reading, lines, before, path)
    names = tuple(reading.header[: reading.columns])
    return Recording(values, leads=names, kind=Kind.table, dialect=reading.dialect)


def _lines_of(path: Path) -> list[str]:
    """Return the lines of a text; empty ones at its end are left out."""
    try:
        with path.open(encoding="utf-8-sig") as file:
            lines = list(file)
    except UnicodeDecodeError as error:
        raise UnreadableError(
            f"cannot read {path} as a table of numbers: its letters are not in UTF-8; save it so."
        ) from error
    while lines and not lines[-1].strip():
        lines.pop()
    return lines


def _lines_before_table(lines: list[str]) -> int:
    """Return how many lines precede a table: comments, and the separator as Excel announces it."""
    count = 0
    while count < len(lines) and lines[count].startswith(("#", "sep=")):
        count += 1
    return count


def _with_announced(line: str, asked: Dialect) -> Dialect:
    """Return what is known of a table after ``sep=;``."""
    announced = re.fullmatch(r"sep=(.)\s*", line)
    known = [name for name, mark in CHARACTER.items() if announced and mark == announced[1]]
    return Dialect(asked.separator or (known[0] if known else None), asked.decimal)


def _evidence(lines: list[str]) -> list[str]:
    """Return the lines that decide; a last one without an end may have been cut short."""
    whole = lines if len(lines) < 3 or lines[-1].endswith("\n") else lines[:-1]
    return whole[:LOOKED_AT]


def _numbers(reading: Reading, lines: list[str], before: int, path: Path) -> Floats:
    """Return the numbers of all rows, or point at the first row or cell that is none."""
    where, first = f"{path} (read as {reading.dialect})", before + bool(reading.header)
    if not reading.fits_header:
        raise UnreadableError(
            f"cannot read {where} as a table of numbers: row {first} names {len(reading.header)} "
            f"columns, and row {first + 1} has {reading.width} cells."
        )
    rows, parts = reading.dialect.rows(lines[first:]), [np.zeros((0, reading.columns))]
    for line in range(first + 1, len(lines) + 1, AT_ONCE):
        part = list(islice(rows, AT_ONCE))
        if {reading.columns} != set(map(len, part)):
            part = [_filled(row, k, reading, where) for k, row in enumerate(part, line)]
        parts.append(_numbers_of_cells(list(chain(*part)), line, reading, where))
    return np.concatenate(parts)


def _numbers_of_cells(cells: list[str], line: int, reading: Reading, where: str) -> Floats:
    found = reading.dialect.numbers(cells)
    if None in found:
        row, column = divmod(found.index(None), reading.width)
        name = reading.header[column] if reading.header else column + 1
        cell = cells[row * reading.width + column]
        raise UnreadableError(_not_a_number(where, cell, line + row, name))
    return np.array(found, dtype=np.float64).reshape(-1, reading.width)[:, : reading.columns]


def _filled(row: list[str], line: int, reading: Reading, where: str) -> list[str]:
    """Return the cells of a row; a line without any misses all values."""
    if len(row) == reading.width and not any(row[reading.columns :]):
        return row
    if not any(row):
        return [""] * reading.width
    raise UnreadableError(
        f"cannot read {where} as a table of numbers: row {line} has {len(row)} cells, and the "
        f"first has {reading.columns}."
    )


def _not_a_number(where: str, cell: object, row: int, column: object) -> str:
    shown = cell[:SHOWN] if isinstance(cell, str) else cell
    return (
        f"{where} holds {shown!r} in row {row}, column {column}, where a number is needed; leave "
        "the cell empty if the value is missing."
    )


def read_parquet(path: Path) -> Recording:
    """Read a table of numbers from a Parquet file."""
    try:
        import pyarrow  # noqa: F401
    except ImportError as error:
        raise ImportError(
            'reading Parquet files needs pyarrow: install it with pip install "orbitdl[parquet]".'
        ) from error
    import pandas as pd

    with parsing(path, "a Parquet file"):
        frame = pd.read_parquet(path)
        columns = [_of_column(frame.iloc[:, place], path) for place in range(frame.shape[1])]
        names = tuple(str(name).strip() for name in frame.columns)
        values = np.column_stack(columns) if columns else np.zeros((0, 0))
    return Recording(values, leads=names, kind=Kind.table)


def _of_column(column: pd.Series, path: Path) -> Floats:
    """Return the numbers of a column, or point at the first cell that is none."""
    import pandas as pd

    if column.dtype.kind in "mM":
        raise UnreadableError(
            f"{path} holds times in column {column.name}, where numbers are needed; leave it out."
        )
    numbers = pd.to_numeric(column, errors="coerce")
    bad = np.flatnonzero(numbers.isna() & column.notna())
    if len(bad):
        raise UnreadableError(
            _not_a_number(str(path), column.iloc[bad[0]], bad[0] + 1, column.name)
        )
    return np.asarray(numbers.to_numpy(dtype=np.float64, na_value=np.nan))
