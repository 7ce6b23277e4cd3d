"""What a file holds, whatever its format."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from orbitdl.recordings.dialect import Dialect

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Content:
    """What a file holds.

    Attributes
    ----------
    values : ndarray
    rate : float or None
        Samples a second, where the file says so.
    names : tuple of str
        Names of the columns or leads, where there are any.
    kind : str
        "recording" where the format says that rows are samples in time, "table" for rows and
        columns, "array" for numbers without a meaning of their own.
    dialect : Dialect or None
        How a table is written, where it is text.
    """

    values: Floats
    rate: float | None = None
    names: tuple[str, ...] = ()
    kind: str = "array"
    dialect: Dialect | None = None
