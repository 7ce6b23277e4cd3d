"""Time columns: detection, and the sampling rate from their steps."""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from orbitdl.groups.base import Floats
from orbitdl.io.time_units import UNIT, TimeUnit, unit_of
from orbitdl.io.unreadable import UnreadableError

NAMES = re.compile(
    rf"(elapsed[ _]?)?(times?|t|timestamps?|date|datetime)"
    rf"([ _/]+({UNIT}|utc)|[ _]*[(\[]({UNIT}|utc)[)\]])?|secs?|seconds?|milliseconds?",
    re.IGNORECASE,
)
"""Common names of time columns, with or without a unit."""
SLOWEST, FASTEST = 1.0, 1e7
"""Range of plausible sampling rates in Hz if the unit was not passed."""
MINUTES = re.compile(r"\d+:\d\d(\.\d*)?")
"""PhysioNet's notation of times below one hour: 0:00.003."""
EVEN = 1e-3
"""Relative tolerance of the steps of a column that is taken for time."""
MANY = 8
"""Number of steps from which rounded times are accepted as well."""
TOLERANCE = 0.5
"""Relative tolerance of the steps of a time column: written times are rounded."""
LOOKED_AT = 2**16
"""Samples at the beginning that are looked at."""
DIGITS = 9
"""Significant digits of the sampling rate; further ones are rounding errors."""


def looks_like_time(signal: Any, ch_names: Sequence[str], *, named: bool = True) -> str | None:
    """Return the name, or else the index, of the first column that looks like time.

    Its name says so (unless `named` is False), or it increases uniformly at the beginning.

    Examples
    --------
    >>> table = np.column_stack([np.arange(9) / 100, np.sin(np.arange(9.0))])
    >>> looks_like_time(table, ()), looks_like_time(table[:, 1:], ("x",))
    ('0', None)
    """
    if len(signal.shape) != 2 or signal.shape[1] < 2:
        return None
    head = np.asarray(signal[:LOOKED_AT], dtype=np.float64)
    for k, values in enumerate(head.T):
        name = ch_names[k] if ch_names else str(k)
        if (named and NAMES.fullmatch(name)) or rises_evenly(values):
            return name
    return None


def rises_evenly(values: Floats) -> bool:
    """Return whether numbers increase by equal steps, like time or a counter."""
    steps = np.diff(values)
    if len(steps) < 2 or not steps.min() > 0:
        return False
    off = values - np.linspace(values[0], values[-1], len(values))
    is_rounded = len(steps) >= MANY and np.abs(off).max() <= TOLERANCE * steps.mean()
    return bool(is_rounded or np.ptp(steps) <= EVEN * steps.mean())


def counts_rows(values: Floats) -> bool:
    """Return whether numbers are 0, 1, 2, ..., or begin at another integer."""
    return len(values) > 1 and bool(np.all(np.diff(values) == 1.0) and values[0] % 1 == 0)


def rate_in(
    unit: TimeUnit | None, times: Floats, name: str, path: Path | str, first: int = 1
) -> tuple[float, TimeUnit]:
    """Return the sampling rate of numeric times, and their unit.

    The unit is the one passed, or that in the name of the column, or else seconds. If it was not
    passed, an implausible sampling rate raises UnreadableError.
    """
    taken = unit or unit_of(name) or TimeUnit.s
    if unit is None and unit_of(name) is None and counts_rows(times):
        raise UnreadableError(
            f"{path}, column {name}: it counts rows, and says no sampling rate; leave it out with "
            "channel=, or pass time_unit=, if these are times."
        )
    sfreq = rate_of(times * taken.seconds, name, path, first)
    if unit is None and not SLOWEST <= sfreq <= FASTEST:
        raise UnreadableError(
            f"{path}, column {name}: steps in {taken} make a sampling rate of {sfreq:.4g} Hz; pass "
            f"time_unit={taken}, if that is correct, or one of "
            f"{', '.join(other for other in TimeUnit if other != taken)}."
        )
    return sfreq, taken


def rate_of(seconds: Floats, name: str, path: Path | str, first: int = 1) -> float:
    """Return the sampling rate in Hz; raise UnreadableError for times that are not uniform.

    Parameters
    ----------
    seconds : ndarray of shape (n,)
        NaN where missing.
    name : str
        Name of the column, for messages.
    path : Path
    first : int
        Number of the first row, for messages.

    Notes
    -----
    The sampling rate is ``(n - 1) / (t_n - t_1)``. Times are often rounded to few decimals, so
    steps may differ from the mean by at most half of it. A missing sample doubles a step.
    """
    where = f"{path}, column {name}:"
    if len(seconds) < 2:
        raise UnreadableError(f"{where} a single time has no sampling rate; pass more samples.")
    missing = np.flatnonzero(np.isnan(seconds))
    if len(missing):
        raise UnreadableError(
            f"{where} the time in row {first + missing[0]} is missing; add it, or remove the row "
            "at either end."
        )
    steps = np.diff(seconds)
    back = np.flatnonzero(steps <= 0)
    if len(back):
        row = first + back[0]
        raise UnreadableError(
            f"{where} time does not increase from row {row} to row {row + 1}; sort the rows."
        )
    mean = float(np.median(steps)) if len(steps) < 3 else _trimmed_mean(steps)
    uneven = np.flatnonzero(np.abs(steps - mean) > TOLERANCE * mean)
    if len(uneven):
        row = first + uneven[0]
        raise UnreadableError(
            f"{where} the step from row {row} to row {row + 1} is {steps[uneven[0]]:.4g} s, but "
            f"mostly {mean:.4g} s; insert empty rows for missing samples, or resample."
        )
    return float(f"{len(steps) / (seconds[-1] - seconds[0]):.{DIGITS}g}")


def _trimmed_mean(steps: Floats) -> float:
    """Return the mean of steps near their median, which is robust to gaps."""
    median = float(np.median(steps))
    return float(steps[np.abs(steps - median) <= TOLERANCE * median].mean())


def _in_full(cell: Any) -> Any:
    """Return a time without quotes, with hours added to minutes as in '0:00.003'."""
    if not isinstance(cell, str):
        return cell
    plain = cell.strip("'[] ")
    return f"0:{plain}" if MINUTES.fullmatch(plain) else plain


def seconds_of(column: Sequence[Any], name: str, path: Path | str, first: int = 1) -> Floats:
    """Return times such as 2024-05-01T12:00:00.25 in seconds from the first.

    An empty cell becomes NaN; other text raises UnreadableError.
    """
    import pandas as pd

    cells = [None if cell is pd.NaT or cell == "" else _in_full(cell) for cell in column]
    texts = [cell if isinstance(cell, str) else None for cell in cells]
    is_missing = np.array([cell is None for cell in cells])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # pandas warns about its guess of the format
        strings: Any = pd.Series(texts, dtype=object)
        since: Any = pd.to_timedelta(strings, errors="coerce")
        if since.isna().sum() > is_missing.sum():
            values: Any = pd.Series(cells, dtype=object)
            times: Any = pd.to_datetime(values, errors="coerce", utc=True)
            since = times - times.min()
    wrong = np.flatnonzero(since.isna() & ~is_missing)
    if len(wrong):
        raise UnreadableError(
            f"{path}, column {name}: {cells[wrong[0]]!r} in row {first + wrong[0]} is neither "
            "a number nor a date and time; pass another column as time_column=."
        )
    return np.asarray(since.dt.total_seconds(), dtype=np.float64)
