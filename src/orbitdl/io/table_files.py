"""Reader of text tables: .csv and .tsv, compressed or not."""

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
from orbitdl.io.columns import EVERY, ColumnSelection, not_a_number, without_column
from orbitdl.io.dialect import CHARACTER, UNKNOWN, Dialect, Separator
from orbitdl.io.dialect_detection import Reading, detect
from orbitdl.io.layout import Kind
from orbitdl.io.plain_tables import read_at_once
from orbitdl.io.recording import Recording
from orbitdl.io.text_files import content_of
from orbitdl.io.time_columns import rate_in, rate_of, seconds_of
from orbitdl.io.time_units import TimeUnit, unit_of
from orbitdl.io.unreadable import UnreadableError, parsing

LOOKED_AT = 1000
"""Number of lines from which the dialect is detected."""
AT_ONCE = 4096
"""Rows converted at a time."""


@dataclass(frozen=True)
class Table:
    """A text table with its dialect and selected columns.

    Attributes
    ----------
    path : Path
    content : bytes
        The text in UTF-8.
    reading : Reading
    first : int
        Number of lines before the first row.
    time : int or None
        Index of the time column.
    needed : set of int
        Indices of numeric columns.
    """

    path: Path
    content: bytes
    reading: Reading
    first: int
    time: int | None
    needed: set[int]

    @property
    def where(self) -> str:
        """The file and its dialect, for messages."""
        return f"{self.path} (read as {self.reading.dialect})"

    def name(self, column: int) -> str:
        """Return the name of a column, or else its number."""
        return self.reading.header[column] if self.reading.header else str(column)


def read_csv(
    path: Path,
    requested: Dialect | None = None,
    selection: ColumnSelection = EVERY,
    skiprows: int = 0,
) -> Recording:
    """Read rows of numbers; a first row of text is the header.

    Columns are separated by semicolons, tabs, commas or blanks; the decimal mark is a point or a
    comma. Both are detected jointly, unless requested; .tsv implies tabs. Empty cells and lines are
    missing values; leading lines that begin with # or % are skipped, and `skiprows` others. A
    second row may hold units. Unused columns may hold text.
    """
    content = without_lines(content_of(path), skiprows)
    top = list(islice(_lines(content), LOOKED_AT))
    before = _lines_before_table(top)
    requested = _with_announced(top[before - 1] if before else "", requested or UNKNOWN)
    if path.name.lower().removesuffix(".gz").endswith(".tsv"):
        requested = Dialect(requested.separator or Separator.tab, requested.decimal)
    try:
        reading = detect(_evidence(top[before:]), requested)
    except ValueError as error:
        raise UnreadableError(f"the format of {path} is ambiguous: {error}.") from error
    reading = _without_false_header(reading, selection)
    names = tuple(reading.header[: reading.columns])
    time = selection.time_index(names, reading.columns, path)
    needed = selection.needed(names, reading.columns, time)
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
    return without_column(recording, time, *_rate(times, table, selection.unit))


def _rate(
    times: Floats | list[str], table: Table, unit: TimeUnit | None
) -> tuple[float, TimeUnit | None]:
    """Return the sampling rate of a time column, and its unit if it is numeric."""
    assert table.time is not None
    name, units, row = table.name(table.time), table.reading.units, table.first + 1
    unit = unit or (unit_of(units[table.time]) if units else None)
    numbers = times if isinstance(times, np.ndarray) else table.reading.dialect.numbers(times)
    if not isinstance(times, np.ndarray) and None in numbers:
        return rate_of(seconds_of(times, name, table.path, row), name, table.path, row), None
    return rate_in(unit, np.array(numbers, dtype=np.float64), name, table.path, row)


def _without_false_header(reading: Reading, selection: ColumnSelection) -> Reading:
    """Treat the header as data if it is numeric in all columns that are numeric in the body."""
    if selection == EVERY or reading.heads > 1:
        return reading
    if not (reading.header and reading.body and reading.is_even):
        return reading
    first, numbers = (reading.dialect.numbers(row) for row in (reading.header, reading.body[0]))
    both = [x for x, y in zip(first, numbers, strict=True) if y is not None]
    if not both or any(x is None or x != x for x in both):
        return reading
    return replace(reading, header=[], body=[reading.header, *reading.body], heads=0)


def _require_fitting_header(table: Table) -> None:
    """Raise UnreadableError unless there are as many names as columns."""
    reading = table.reading
    if not reading.fits_header:
        count = len(reading.header)
        rows = ((k, len(row)) for k, row in enumerate(reading.body) if any(row[count:]))
        odd, width = next(rows, (0, reading.width))
        raise UnreadableError(
            f"cannot read {table.where} as a table of numbers: row {table.first} names "
            f"{count} columns, and row {table.first + 1 + odd} has {width} cells; "
            "if lines before the table are no part of it, leave them out with skiprows=."
        )


def without_lines(content: bytes, count: int) -> bytes:
    """Return a text without its first lines."""
    for _ in range(count):
        content = content.partition(b"\n")[2]
    return content


def _lines(content: bytes) -> Iterator[str]:
    """Return an iterator over the lines of a text."""
    return io.TextIOWrapper(io.BytesIO(content), encoding="utf-8")


def _filled_lines(content: bytes) -> list[str]:
    """Return the lines of a text without trailing empty ones."""
    lines = list(_lines(content))
    while lines and not lines[-1].strip():
        lines.pop()
    return lines


def _lines_before_table(lines: list[str]) -> int:
    """Return the number of lines before a table: comments, and Excel's ``sep=``."""
    count = 0
    while count < len(lines) and lines[count].startswith(("#", "%", "sep=")):
        count += 1
    return count


def _with_announced(line: str, requested: Dialect) -> Dialect:
    """Return the dialect with the separator of a line ``sep=;``."""
    announced = re.fullmatch(r"sep=(.)\s*", line)
    known = [name for name, mark in CHARACTER.items() if announced and mark == announced[1]]
    return Dialect(requested.separator or (known[0] if known else None), requested.decimal)


def _evidence(lines: list[str]) -> list[str]:
    """Return the lines for detection, without a last line that may be truncated."""
    complete = lines if len(lines) < 3 or lines[-1].endswith("\n") else lines[:-1]
    return complete[:LOOKED_AT]


def _cells(reading: Reading, lines: list[str], first: int, where: str) -> Iterator[list[str]]:
    """Yield the cells of all rows from line `first` on, in blocks of rows."""
    rows = reading.dialect.rows(lines[first:])
    for line in range(first + 1, len(lines) + 1, AT_ONCE):
        part = list(islice(rows, AT_ONCE))
        if {reading.columns} != set(map(len, part)):
            part = [_filled(row, k, reading, where) for k, row in enumerate(part, line)]
        yield list(chain(*part))


def _columns(table: Table) -> tuple[Floats, list[str]]:
    """Return the numbers of all rows, NaN for text in unused columns, and the cells of the times.

    Raise UnreadableError at the first cell of a numeric column that is not a number.
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
    """Raise UnreadableError at the first cell of a numeric column that is not a number."""
    width = table.reading.width
    text = {k % width for k, number in enumerate(found) if number is None}
    bad = [k for k, x in enumerate(found) if x is None and k % width in table.needed]
    if bad:
        row, column = divmod(bad[0], width)
        others = [table.name(k) for k in sorted(table.needed - text)]
        name = table.reading.header[column] if table.reading.header else column + 1
        raise UnreadableError(not_a_number(table.where, cells[bad[0]], line + row, name, others))


def _filled(row: list[str], line: int, reading: Reading, where: str) -> list[str]:
    """Return the cells of a row; an empty line is a row of missing values."""
    if len(row) == reading.width and not any(row[reading.columns :]):
        return row
    if not any(row):
        return [""] * reading.width
    raise UnreadableError(
        f"cannot read {where} as a table of numbers: row {line} has {len(row)} cells, and the "
        f"first has {reading.columns}; if lines before the table are no part of it, leave them out "
        "with skiprows=."
    )
