"""Columns that tell the time: finding them, and the rate that their steps make."""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from orbitdl.groups.base import Floats
from orbitdl.recordings.time_units import UNIT, TimeUnit, unit_of
from orbitdl.recordings.unreadable import UnreadableError

NAMES = re.compile(
    rf"(elapsed[ _]?)?(times?|t|timestamps?|date|datetime)"
    rf"([ _/]+({UNIT}|utc)|[ _]*[(\[]({UNIT}|utc)[)\]])?|secs?|seconds?|milliseconds?",
    re.IGNORECASE,
)
"""What people call a column of times, with a unit or without."""
SLOWEST, FASTEST = 1.0, 1e7
"""Rates in Hz beyond which the unit is asked for, unless it was given."""
MINUTES = re.compile(r"\d+:\d\d(\.\d*)?")
"""Times since the start as PhysioNet writes those below an hour: 0:00.003."""
EVEN = 1e-3
"""How much, in parts of their mean, steps of numbers that look like time differ at most."""
MANY = 8
"""From so many steps on they may differ by a rounding, if no number is off a straight line."""
TOLERANCE = 0.5
"""How much, in parts of their mean, steps of time may differ: written times are rounded."""
DIGITS = 9
"""Of a rate: more of them would be rounding errors of the times."""


def looks_like_time(signal: Floats, ch_names: Sequence[str]) -> str | None:
    """Return the name, or else the number, of a column of several that seems to tell the time.

    It is called so, or rises evenly.

    Examples
    --------
    >>> table = np.column_stack([np.arange(9) / 100, np.sin(np.arange(9.0))])
    >>> looks_like_time(table, ()), looks_like_time(table[:, 1:], ("x",))
    ('0', None)
    """
    for k in range(signal.shape[1] if signal.ndim == 2 and signal.shape[1] > 1 else 0):
        name = ch_names[k] if ch_names else str(k)
        if NAMES.fullmatch(name) or rises_evenly(signal[:, k]):
            return name
    return None


def rises_evenly(values: Floats) -> bool:
    """Tell whether numbers rise by equal steps, as time and running numbers do."""
    steps = np.diff(values)
    if len(steps) < 2 or not steps.min() > 0:
        return False
    off = values - np.linspace(values[0], values[-1], len(values))
    is_rounded = len(steps) >= MANY and np.abs(off).max() <= TOLERANCE * steps.mean()
    return bool(is_rounded or np.ptp(steps) <= EVEN * steps.mean())


def rate_in(
    unit: TimeUnit | None, times: Floats, name: str, path: Path, first: int = 1
) -> tuple[float, TimeUnit]:
    """Return the sampling rate of times that are numbers, and their unit.

    The unit is the given one, or that in the name of the column, or else seconds. Unless it was
    given, a rate that would be unusual is questioned.
    """
    taken = unit or unit_of(name) or TimeUnit.s
    sfreq = rate_of(times * taken.seconds, name, path, first)
    if unit is None and not SLOWEST <= sfreq <= FASTEST:
        raise UnreadableError(
            f"{path}, column {name}: steps in {taken} make a sampling rate of {sfreq:.4g} Hz; say "
            f"the unit of time with time_unit={taken}, if that is right, or one of "
            f"{', '.join(other for other in TimeUnit if other != taken)}."
        )
    return sfreq, taken


def rate_of(seconds: Floats, name: str, path: Path, first: int = 1) -> float:
    """Return the sampling rate in Hz of times, or refuse those that do not rise evenly.

    Parameters
    ----------
    seconds : ndarray of shape (n,)
        NaN where no time is written.
    name : str
        Of the column, for messages.
    path : Path
    first : int
        The number of the first row, for messages.

    Notes
    -----
    The rate is ``(n - 1) / (t_n - t_1)``. Times are often written with few decimals, so that a step
    may be off by a rounding: it may differ from the mean by half of it at most. Where a sample is
    missing, a step is twice the others.
    """
    where = f"{path}, column {name}:"
    if len(seconds) < 2:
        raise UnreadableError(f"{where} a single time tells no rate; pass more samples.")
    missing = np.flatnonzero(np.isnan(seconds))
    if len(missing):
        raise UnreadableError(
            f"{where} no time stands in row {first + missing[0]}; fill it in, or leave out the row "
            "at either end."
        )
    steps = np.diff(seconds)
    back = np.flatnonzero(steps <= 0)
    if len(back):
        row = first + back[0]
        raise UnreadableError(
            f"{where} time does not go on from row {row} to row {row + 1}; put the rows in order."
        )
    mean = float(np.median(steps)) if len(steps) < 3 else _usual(steps)
    uneven = np.flatnonzero(np.abs(steps - mean) > TOLERANCE * mean)
    if len(uneven):
        row = first + uneven[0]
        raise UnreadableError(
            f"{where} from row {row} to row {row + 1} it takes {steps[uneven[0]]:.4g} s, and "
            f"mostly {mean:.4g} s; put in empty rows where samples are missing, or resample."
        )
    return float(f"{len(steps) / (seconds[-1] - seconds[0]):.{DIGITS}g}")


def _usual(steps: Floats) -> float:
    """Return the mean of steps near their median, which gaps do not change."""
    median = float(np.median(steps))
    return float(steps[np.abs(steps - median) <= TOLERANCE * median].mean())


def _in_full(cell: Any) -> Any:
    """Return a time without quotes, and minutes with the hours that they lack, as in '0:00.003'."""
    if not isinstance(cell, str):
        return cell
    plain = cell.strip("'[] ")
    return f"0:{plain}" if MINUTES.fullmatch(plain) else plain


def seconds_of(column: Sequence[Any], name: str, path: Path, first: int = 1) -> Floats:
    """Return times that are no numbers, such as 2024-05-01T12:00:00.25, as seconds from the first.

    An empty cell becomes NaN; what cannot be a time is pointed at.
    """
    import pandas as pd

    cells = [None if cell is pd.NaT or cell == "" else _in_full(cell) for cell in column]
    texts = [cell if isinstance(cell, str) else None for cell in cells]
    is_missing = np.array([cell is None for cell in cells])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # pandas tells how it guesses
        strings: Any = pd.Series(texts, dtype=object)
        since: Any = pd.to_timedelta(strings, errors="coerce")
        if since.isna().sum() > is_missing.sum():
            given: Any = pd.Series(cells, dtype=object)
            times: Any = pd.to_datetime(given, errors="coerce", utc=True)
            since = times - times.min()
    wrong = np.flatnonzero(since.isna() & ~is_missing)
    if len(wrong):
        raise UnreadableError(
            f"{path}, column {name}: {cells[wrong[0]]!r} in row {first + wrong[0]} is neither "
            "a number nor a date and time; name another column in time_column=."
        )
    return np.asarray(since.dt.total_seconds(), dtype=np.float64)
