"""What a fit leaves behind: one record an iteration."""

from __future__ import annotations

from collections import UserList
from dataclasses import asdict, dataclass, fields

import numpy as np
import pandas as pd

from orbitdl.learning.iteration import Iteration
from orbitdl.storage.container import Tensors
from orbitdl.storage.descriptions import checked_array


@dataclass(frozen=True)
class Record:
    """Objective, largest certified gap, atoms a sample, unused components and seconds."""

    number: int
    objective: float
    gap: float
    atoms: float
    unused: int
    seconds: float

    @classmethod
    def of(cls, iteration: Iteration, unseen: float) -> Record:
        """Summarise an iteration; `unseen` is the energy of the data that no code can reach."""
        it = iteration
        return cls(it.number, it.objective + unseen, it.gap, it.atoms, it.unused, it.seconds)

    def __str__(self) -> str:
        return (
            f"iteration {self.number:3d}   objective {self.objective:.6g}   gap {self.gap:.1e}   "
            f"atoms a sample {self.atoms:.2f}   unused {self.unused}   {self.seconds:.2f} s"
        )


COLUMNS = {f.name: np.int64 if f.type == "int" else np.float64 for f in fields(Record)}
"""The columns of a history and their types."""


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
        """Tell whether the last iteration lowered the objective by less than a fraction tol."""
        return len(self) > 1 and self[-2].objective - self[-1].objective <= tol * self[-1].objective

    def to_frame(self) -> pd.DataFrame:
        """Return the records as a table, one row an iteration."""
        return pd.DataFrame([asdict(record) for record in self])

    def to_arrays(self) -> Tensors:
        """Return the records as one array a column."""
        rows = [asdict(record) for record in self]
        return {
            name: np.array([row[name] for row in rows], dtype=dtype)
            for name, dtype in COLUMNS.items()
        }

    @classmethod
    def from_arrays(cls, arrays: Tensors, length: int) -> History:
        """Return the history of that many records that `to_arrays` was given, after a check."""
        columns = [
            checked_array(arrays, name, (length,), dtype).tolist()
            for name, dtype in COLUMNS.items()
        ]
        history = cls(Record(*row) for row in zip(*columns, strict=True))
        if [record.number for record in history] != list(range(length)):
            raise ValueError("the history does not count from 0")
        return history
