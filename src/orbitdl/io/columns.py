"""Selection of the columns of a table."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from orbitdl.io.recording import Recording
from orbitdl.io.time_columns import NAMES
from orbitdl.io.time_units import TimeUnit
from orbitdl.io.unreadable import UnreadableError

DATE = re.compile(r"\d+[-:/]\d+[-:/]\d")
"""Prefix of dates and times: 2024-05-01, 12:30:00."""
SHOWN = 40
"""Maximum number of characters of a cell quoted in a message."""


class NoSuchColumnError(UnreadableError):
    """A requested column does not exist."""


@dataclass(frozen=True)
class ColumnSelection:
    """Selected columns, by name or index from 0.

    Attributes
    ----------
    channel : str or None
        Numeric columns, separated by commas; None or "mean": all.
    time : str or None
        The time column, if any.
    unit : TimeUnit or None
        Unit of numeric times; None: from the name of the column.
    """

    channel: str | None = None
    time: str | None = None
    unit: TimeUnit | None = None

    def time_index(self, names: tuple[str, ...], count: int, path: Path) -> int | None:
        """Return the index of the time column, or None."""
        if self.time is None:
            return None
        index = column_index(self.time, names, count)
        if index is None:
            listed = f" or a name ({', '.join(names)})" if names else ""
            raise NoSuchColumnError(
                f"{path} has no time_column={self.time!r}; pass a number from 0 to "
                f"{count - 1}{listed}."
            )
        return index

    def needed(self, names: tuple[str, ...], count: int, time: int | None) -> set[int]:
        """Return the indices of all columns that must be numeric; all if a channel is unknown."""
        every = set(range(count)) - {time}
        if self.channel is None:
            return every
        indices = [column_index(name.strip(), names, count) for name in self.channel.split(",")]
        known = {index for index in indices if index is not None}
        return known if len(known) == len(indices) else every


EVERY = ColumnSelection()
"""All columns, without a time column."""


def column_index(name: str, names: tuple[str, ...], count: int) -> int | None:
    """Return the index of a column by its name, or else by its number from 0; None: missing.

    Examples
    --------
    >>> column_index("x", ("t", "x"), 2), column_index("0", ("t", "x"), 2)
    (1, 0)
    """
    if name in names:
        return names.index(name)
    return int(name) if name.isdecimal() and int(name) < count else None


def without_column(
    recording: Recording, index: int, sfreq: float, unit: TimeUnit | None = None
) -> Recording:
    """Return a recording with a sampling rate, without its time column."""
    ch_names = tuple(name for k, name in enumerate(recording.ch_names) if k != index)
    signal = np.delete(recording.signal, index, axis=1)
    timed = replace(recording, sfreq=sfreq, time_column=index, time_unit=unit)
    units = tuple(unit for k, unit in enumerate(recording.units) if k != index)
    return replace(timed, signal=signal, ch_names=ch_names, units=units)


def not_a_number(
    where: str, cell: object, row: int, column: object, numbers: Sequence[str] = ()
) -> str:
    """Return a message about text in a numeric column; `numbers` are columns without text."""
    shown = cell[:SHOWN] if isinstance(cell, str) else cell
    others = [name for name in numbers if not NAMES.fullmatch(name)]
    choice = f", or choose columns of numbers with channel={','.join(others)!r}" if others else ""
    if DATE.match(str(cell)) or NAMES.fullmatch(str(column)):
        remedy = f"read it as times with time_column={str(column)!r}{choice}."
    else:
        remedy = f"leave the cell empty if the value is missing{choice}."
    return f"{where} has {shown!r} in row {row}, column {column}, instead of a number; {remedy}"
