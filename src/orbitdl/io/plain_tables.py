"""Fast reader of text tables with complete rows and no quotes."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable

import numpy as np
import pandas as pd

from orbitdl.groups.base import Floats
from orbitdl.io.dialect import CHARACTER, Decimal, Separator
from orbitdl.io.dialect_detection import Reading


def read_at_once(
    content: bytes, reading: Reading, first: int, needed: Iterable[int], time: int | None
) -> tuple[Floats, Floats | list[str]] | None:
    """Return numbers (n, columns), NaN in unused columns, and the times as numbers or text.

    None if the table has quotes, incomplete rows, or cells that are not numbers: the slow reader
    then reports where.
    """
    columns = set(needed)
    if not _is_plain(content, reading, first):
        return None
    for numbers in (columns | {time}, columns) if time is not None else (columns,):
        try:
            frame = _parsed(content, reading, first, numbers)
        except ValueError:
            continue
        values = np.full((len(frame), reading.columns), np.nan)
        for column in columns:
            values[:, column] = frame[column]
        return values, [] if time is None else _times(frame[time])
    return None


def _is_plain(content: bytes, reading: Reading, first: int) -> bool:
    """Return whether all rows have as many separators, and nothing is quoted or empty."""
    separator = reading.dialect.separator
    assert separator is not None
    start = 0
    for _ in range(first):
        start = content.find(b"\n", start) + 1
    rows = content.count(b"\n", start) + (not content.endswith(b"\n"))
    marks = content.count(CHARACTER[separator].encode(), start)
    return (
        separator is not Separator.blank
        and reading.width == reading.columns
        and marks == rows * (reading.columns - 1)
        and content.find(b'"', start) < 0
        and not content.endswith((b"\n\n", b"\r\n\r\n"))
        and len(content) > start
    )


def _parsed(content: bytes, reading: Reading, first: int, numbers: set[int]) -> pd.DataFrame:
    """Return all columns, numeric or as text."""
    others = set(range(reading.columns)) - numbers
    separator = reading.dialect.separator
    assert separator is not None
    frame: pd.DataFrame = pd.read_csv(
        io.BytesIO(content),
        sep=CHARACTER[separator],
        decimal="," if reading.dialect.decimal is Decimal.comma else ".",
        header=None,
        skiprows=first,
        dtype=dict.fromkeys(numbers, np.float64) | dict.fromkeys(others, str),
        skip_blank_lines=False,
        skipinitialspace=True,
        quoting=csv.QUOTE_NONE,
    )
    return frame


def _times(column: pd.Series) -> Floats | list[str]:
    """Return times as numbers, or as text."""
    if column.dtype.kind in "iuf":
        return np.asarray(column, dtype=np.float64)
    return [cell if isinstance(cell, str) else "" for cell in column]
