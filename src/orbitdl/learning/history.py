"""What a fit leaves behind: the alpha that it chose, and one record per iteration."""

from __future__ import annotations

from collections import UserList
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from orbitdl.learning.state import Record

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class ChosenAlpha:
    """What ``alpha="auto"`` came to, and why; and whether anything recurs in the data points."""

    value: float
    reason: str
    recurs: bool = True


class History(UserList[Record]):
    """The records of a fit, the start first.

    Examples
    --------
    >>> History([Record(0, 2.5, 0.01, 3.0, 0, 0.1)]).to_frame()
       number  objective   gap  atoms  unused  seconds
    0       0        2.5  0.01    3.0       0      0.1
    """

    def __repr__(self) -> str:
        if not self:
            return "History(empty)"
        first, last = self[0].objective, self[-1].objective
        return f"History({len(self)} records, objective {first:.6g} to {last:.6g})"

    def stands_still(self, tol: float) -> bool:
        """Return whether the last iteration lowered the objective by less than a fraction tol."""
        return len(self) > 1 and self[-2].objective - self[-1].objective <= tol * self[-1].objective

    def to_frame(self) -> pd.DataFrame:
        """Return the records as a table, one row per iteration."""
        import pandas as pd

        return pd.DataFrame([asdict(record) for record in self])
