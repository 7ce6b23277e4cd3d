"""Results: rows with a target and a verdict, tables, and the settings of a run."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from benchmarks.harness import Table as Table  # the same in both reports


@dataclass(frozen=True)
class Settings:
    """Size of a run.

    Attributes
    ----------
    quick : bool
        Few records, short recordings, few seeds: verdicts are indicative only.
    records : tuple of str
        Names of MIT-BIH records; empty for all that have annotations.
    seeds : int
        Simulated recordings per condition.
    """

    quick: bool = False
    records: tuple[str, ...] = ()
    seeds: int = 100


@dataclass(frozen=True)
class Row:
    """One measure on one data set.

    Attributes
    ----------
    data, measure : str
    ours : float
    peers : dict of str to float
        The same measure of other tools.
    low, high : float or None
        Target: smallest and largest value that holds it. Without both there is no verdict.
    seconds : float or None
        CPU seconds per record, learning and events together.
    note : str
    """

    data: str
    measure: str
    ours: float
    peers: dict[str, float] = field(default_factory=dict)
    low: float | None = None
    high: float | None = None
    seconds: float | None = None
    note: str = ""

    @property
    def holds(self) -> bool | None:
        """Whether the target is held; None without a target, False for NaN."""
        if self.low is None and self.high is None:
            return None
        low = -math.inf if self.low is None else self.low
        high = math.inf if self.high is None else self.high
        return low <= self.ours <= high

    @property
    def target(self) -> str:
        """The target in writing."""
        if self.low is not None and self.high is not None:
            return f"{number(self.low)} to {number(self.high)}"
        if self.low is not None:
            return f">= {number(self.low)}"
        return "" if self.high is None else f"<= {number(self.high)}"


@dataclass(frozen=True)
class Section:
    """The results on one data set; `not_run` is the reason if there are none."""

    title: str
    rows: list[Row] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    note: str = ""
    not_run: str = ""


def number(value: float) -> str:
    """Write a number: integers in full, others with four decimals at most."""
    if math.isnan(value):
        return "none"
    if float(value).is_integer():
        return f"{value:.0f}"
    if abs(value) >= 10:
        return f"{value:.1f}"
    return f"{value:.4f}".rstrip("0") if abs(value) >= 1e-3 else f"{value:.2g}"


VERDICTS = {True: "held", False: "missed", None: "no target"}


def line(row: Row) -> str:
    """Write a row as one line of a terminal."""
    peers = "".join(f", {name} {number(value)}" for name, value in row.peers.items())
    target = f" (target {row.target})" if row.target else ""
    what = f"{row.data}, {row.measure}: {number(row.ours)}{target}{peers}"
    return f"{VERDICTS[row.holds]:<10}{what}"
