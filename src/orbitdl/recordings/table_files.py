"""Reading tables of numbers that are written as text: .csv and .tsv, compressed or not."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain, islice
from math import nan
from pathlib import Path

import numpy as np

from orbitdl.groups.base import Floats
from orbitdl.recordings.columns import EVERY, Chosen, not_a_number, without_column
from orbitdl.recordings.dialect import AS_FOUND, CHARACTER, Dialect, Separator
from orbitdl.recordings.dialect_detection import Reading, detect
from orbitdl.recordings.layout import Kind
from orbitdl.recordings.plain_tables import read_at_once
from orbitdl.recordings.recording import Recording
from orbitdl.recordings.text_files import content_of
from orbitdl.recordings.time_columns import rate_in, rate_of, seconds_of
from orbitdl.recordings.time_units import TimeUnit, unit_of
from orbitdl.recordings.unreadable import UnreadableError, parsing

LOOKED_AT = 1000
"""Lines that decide how a table is written; all others are held to it."""
AT_ONCE = 4096
"""Rows that become numbers at a time."""


@dataclass(frozen=True)
class Table:
    """A table as text: how it is written, and which of its columns are used.

    Attributes
    ----------
    path : Path
    content : bytes
        The text in UTF-8.
    reading : Reading
    first : int
        Lines before the first row.
    time : int or None
        The column of the time.
    needed : set of int
        Columns that must be numbers.
    """

    path: Path
    content: bytes
    reading: Reading
    first: int
    time: int | None
    needed: set[int]

    @property
    def where(self) -> str:
        """The file, and how it was understood."""
        return f"{self.path} (read as {self.reading.dialect})"

    def name(self, column: int) -> str:
        """Return the name of a column, or else its number."""
        return self.reading.header[column] if self.reading.header else str(column)


def read_csv(path: Path, asked: Dialect | None = None, chosen: Chosen = EVERY) -> Recording:
    """Read rows of numbers; a first row that is not numbers names the columns.

    Columns are separated by semicolons, tabs, commas or blanks, or there is one; decimals come
    after a point or a comma. Both are found out together, by `detect`, unless `asked` for; .tsv is
    short for tabs. An empty cell or line is a missing value; lines that begin with # at the top are
    left out. A second row may hold the units of the columns. Columns that are not needed may be
    text.
    """
    content = content_of(path)
    top = list(islice(_lines(content), LOOKED_AT))
    before = _lines_before_table(top)
    asked = _with_announced(top[before - 1] if before else "", asked or AS_FOUND)
    if path.name.lower().removesuffix(".gz").endswith(".tsv"):
        asked = Dialect(asked.separator or Separator.tab, asked.decimal)
    try:
        reading = detect(_evidence(top[before:]), asked)
    except ValueError as error:
        raise UnreadableError(f"cannot tell how {path} is to be read: {error}.") from error
    reading = _without_false_header(reading, chosen)
    names = tuple(reading.header[: reading.columns])
    time = chosen.time_place(names, reading.columns, path)
    needed = chosen.needed(names, reading.columns, time)
    first = before + reading.heads
    table = Table(path, content, reading, first, time, needed)
    _require_fitting_header(table)
    with parsing(path, "a table of numbers"):
        plain = read_at_once(content, reading, first, needed, time)
        values, times = _columns(table) if plain is None else plain
    units = tuple(reading.units[: reading.columns])
    recording = Recording(values, None, names, Kind.table, reading.dialect, units=units)
    if time is None:
        return recording
    return without_column(recording, time, *_rate(times, table, chosen.unit))


def _rate(
    times: Floats | list[str], table: Table, unit: TimeUnit | None
) -> tuple[float, TimeUnit | None]:
    """Return the rate that the cells of a column make, and their unit if they are numbers."""
    assert table.time is not None
    name, units, row = table.name(table.time), table.reading.units, table.first + 1
    unit = unit or (unit_of(units[table.time]) if units else None)
    numbers = times if isinstance(times, np.ndarray) else table.reading.dialect.numbers(times)
    if not isinstance(times, np.ndarray) and None in numbers:
        return rate_of(seconds_of(times, name, table.path, row), name, table.path, row), None
    return rate_in(unit, np.array(numbers, dtype=np.float64), name, table.path, row)


def _without_false_header(reading: Reading, chosen: Chosen) -> Reading:
    """Take a first row for data if all is a number in it but what is text in every row."""
    if chosen == EVERY or reading.heads > 1:
        return reading
    if not (reading.header and reading.body and reading.is_even):
        return reading
    first, numbers = (reading.dialect.numbers(row) for row in (reading.header, reading.body[0]))
    both = [x for x, y in zip(first, numbers, strict=True) if y is not None]
    if not both or any(x is None or x != x for x in both):
        return reading
    return replace(reading, header=[], body=[reading.header, *reading.body], heads=0)


def _require_fitting_header(table: Table) -> None:
    """Refuse names that are not as many as the columns."""
    reading = table.reading
    if not reading.fits_header:
        raise UnreadableError(
            f"cannot read {table.where} as a table of numbers: row {table.first} names "
            f"{len(reading.header)} columns, and row {table.first + 1} has {reading.width} cells."
        )


def _lines(content: bytes) -> Iterator[str]:
    """Return the lines of a text, one after the other."""
    return io.TextIOWrapper(io.BytesIO(content), encoding="utf-8")


def _filled_lines(content: bytes) -> list[str]:
    """Return the lines of a text; empty ones at its end are left out."""
    lines = list(_lines(content))
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


def _cells(reading: Reading, lines: list[str], first: int, where: str) -> Iterator[list[str]]:
    """Yield the cells of all rows from line `first` on, of some rows at a time."""
    rows = reading.dialect.rows(lines[first:])
    for line in range(first + 1, len(lines) + 1, AT_ONCE):
        part = list(islice(rows, AT_ONCE))
        if {reading.columns} != set(map(len, part)):
            part = [_filled(row, k, reading, where) for k, row in enumerate(part, line)]
        yield list(chain(*part))


def _columns(table: Table) -> tuple[Floats, list[str]]:
    """Return the numbers of all rows, NaN for text that is not needed, and the cells of the time.

    The first cell that is needed and no number is pointed at.
    """
    reading, width = table.reading, table.reading.width
    parts, times, line = [np.zeros((0, reading.columns))], list[str](), table.first + 1
    for cells in _cells(reading, _filled_lines(table.content), table.first, table.where):
        found = reading.dialect.numbers(cells)
        if None in found:
            _require_numbers(found, cells, line, table)
            found = [nan if number is None else number for number in found]
        rows = np.array(found, dtype=np.float64).reshape(-1, width)
        parts.append(rows[:, : reading.columns])
        if table.time is not None:
            times += cells[table.time :: width]
        line += len(rows)
    return np.concatenate(parts), times


def _require_numbers(found: list[float | None], cells: list[str], line: int, table: Table) -> None:
    """Point at the first cell that is needed and no number, and at columns that are numbers."""
    width = table.reading.width
    text = {k % width for k, number in enumerate(found) if number is None}
    bad = [k for k, x in enumerate(found) if x is None and k % width in table.needed]
    if bad:
        row, column = divmod(bad[0], width)
        others = [table.name(k) for k in sorted(table.needed - text)]
        name = table.reading.header[column] if table.reading.header else column + 1
        raise UnreadableError(not_a_number(table.where, cells[bad[0]], line + row, name, others))


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
