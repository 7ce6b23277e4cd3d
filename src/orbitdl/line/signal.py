"""A recording that is read a part at a time, wherever it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orbitdl.groups.base import Floats

Part = tuple[Floats, NDArray[np.bool_]]


@dataclass(frozen=True, eq=False)
class Signal:
    """Anything of shape (T,) or (T, channels) that can be sliced; NaN means missing.

    Attributes
    ----------
    values : array-like
        An array in memory or on disk. Only slices of it are ever taken.
    level : ndarray of shape (channels,)
        What is taken off every channel.
    """

    values: Any
    level: Floats

    @classmethod
    def of(cls, values: Any) -> Signal:
        """Return a signal as it is."""
        return cls(values, np.zeros(1 if len(values.shape) == 1 else values.shape[1]))

    def __len__(self) -> int:
        return int(self.values.shape[0])

    @property
    def channels(self) -> int:
        """How many there are."""
        return len(self.level)

    def raw(self, first: int, last: int) -> Floats:
        """Return the samples from `first` up to `last` as they are, (n, channels)."""
        part = np.asarray(self.values[max(first, 0) : min(last, len(self))], dtype=np.float64)
        return part.reshape(len(part), -1)

    def read(self, first: int, last: int) -> Part:
        """Return samples (n, channels), zero where one is missing, and which are there (n,).

        A sample is missing where one of its channels is.
        """
        part = self.raw(first, last)
        observed = np.asarray(~np.isnan(part).any(axis=1))
        return np.where(observed[:, None], part - self.level, 0.0), observed
