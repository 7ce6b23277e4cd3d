"""Columns of a table: which of them are used, and which must be numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from orbitdl.recordings.recording import Recording
from orbitdl.recordings.time_columns import NAMES
from orbitdl.recordings.time_units import TimeUnit
from orbitdl.recordings.unreadable import UnreadableError

DATE = re.compile(r"\d+[-:/]\d+[-:/]\d")
"""How dates and times begin: 2024-05-01, 12:30:00."""
SHOWN = 40
"""Characters of a cell that a message quotes at most."""


class NoSuchColumnError(UnreadableError):
    """A column that a table does not have."""


@dataclass(frozen=True)
class Chosen:
    """Say which columns are used: by name, or by number from 0.

    Attributes
    ----------
    channel : str or None
        The columns that must be numbers, with commas between; None or "mean": all.
    time : str or None
        The column of the time; None: there is none.
    unit : TimeUnit or None
        Of the time, where that is numbers; None: the name of the column may say it.
    """

    channel: str | None = None
    time: str | None = None
    unit: TimeUnit | None = None

    def time_place(self, names: tuple[str, ...], count: int, path: Path) -> int | None:
        """Return where the column of the time is; None: none was named."""
        if self.time is None:
            return None
        place = place_of(self.time, names, count)
        if place is None:
            listed = f" or a name ({', '.join(names)})" if names else ""
            raise NoSuchColumnError(
                f"{path} has no column {self.time!r} that time_column= could be; pass a number "
                f"from 0 to {count - 1}{listed}."
            )
        return place

    def needed(self, names: tuple[str, ...], count: int, time: int | None) -> set[int]:
        """Return the places of all columns that must be numbers.

        Where a channel is not there it may be that nothing has to be chosen: then all are needed.
        """
        every = set(range(count)) - {time}
        if self.channel is None:
            return every
        places = [place_of(name.strip(), names, count) for name in self.channel.split(",")]
        known = {place for place in places if place is not None}
        return known if len(known) == len(places) else every


EVERY = Chosen()
"""All columns, and none of them tells the time."""


def place_of(name: str, names: tuple[str, ...], count: int) -> int | None:
    """Return the place of a column by its name, or else by its number from 0; None: not there.

    Examples
    --------
    >>> place_of("x", ("t", "x"), 2), place_of("0", ("t", "x"), 2), place_of("y", (), 2)
    (1, 0, None)
    """
    if name in names:
        return names.index(name)
    return int(name) if name.isdecimal() and int(name) < count else None


def without_column(
    recording: Recording, place: int, sfreq: float, unit: TimeUnit | None = None
) -> Recording:
    """Return a recording of this rate, without the column of the time that it was taken from."""
    ch_names = tuple(name for k, name in enumerate(recording.ch_names) if k != place)
    signal = np.delete(recording.signal, place, axis=1)
    timed = replace(recording, sfreq=sfreq, time_column=place, time_unit=unit)
    units = tuple(unit for k, unit in enumerate(recording.units) if k != place)
    return replace(timed, signal=signal, ch_names=ch_names, units=units)


def not_a_number(
    where: str, cell: object, row: int, column: object, numbers: Sequence[str] = ()
) -> str:
    """Say where text stands, and how to do without it; `numbers` names columns without text."""
    shown = cell[:SHOWN] if isinstance(cell, str) else cell
    others = [name for name in numbers if not NAMES.fullmatch(name)]
    choice = f", or choose columns of numbers with channel={','.join(others)!r}" if others else ""
    if DATE.match(str(cell)) or NAMES.fullmatch(str(column)):
        remedy = f"take the rate from it with time_column={str(column)!r}{choice}."
    else:
        remedy = f"leave the cell empty if the value is missing{choice}."
    return (
        f"{where} holds {shown!r} in row {row}, column {column}, where a number is needed; {remedy}"
    )
