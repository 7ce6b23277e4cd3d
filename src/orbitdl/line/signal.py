"""A recording that is read a part at a time, wherever it is, with or without what is slow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import uniform_filter1d

from orbitdl.groups.base import Floats

Part = tuple[Floats, NDArray[np.bool_]]
TIMES = 4
"""How often a moving average is taken: four of them weight samples by a cubic B-spline."""
SMALL = 2**24
"""Values of a recording in memory that is freed from its trend once and for all."""


@dataclass(frozen=True, eq=False)
class Signal:
    """Anything of shape (T,) or (T, channels) that can be sliced; NaN means missing.

    Attributes
    ----------
    values : array-like
        An array in memory or on disk. Only slices of it are ever taken.
    span : int
        Samples of the moving averages whose fourfold, the trend, is taken off; 0: nothing is.
    """

    values: Any
    span: int = 0

    def __len__(self) -> int:
        return int(self.values.shape[0])

    @property
    def channels(self) -> int:
        """How many there are."""
        return 1 if len(self.values.shape) == 1 else int(self.values.shape[1])

    def raw(self, first: int, last: int) -> Floats:
        """Return the samples from `first` up to `last` as they are, (n, channels)."""
        part = np.asarray(self.values[max(first, 0) : min(last, len(self))], dtype=np.float64)
        return part.reshape(len(part), -1)

    def read(self, first: int, last: int) -> Part:
        """Return samples (n, channels), zero where one is missing, and which are there (n,).

        A sample is missing where one of its channels is.
        """
        part, trend = self._both(first, last)
        observed = complete(part)
        return np.where(observed[:, None], part - trend, 0.0), observed

    def trend(self, first: int, last: int) -> Floats:
        """Return what is taken off, (n, channels): averages of what was observed around samples."""
        return self._both(first, last)[1]

    def _both(self, first: int, last: int) -> tuple[Floats, Floats]:
        """Return samples as they are, and what is taken off: what is around them is read once."""
        first, last = max(first, 0), min(last, len(self))
        if self.span == 0:
            return self.raw(first, last), np.zeros((last - first, self.channels))
        reach = TIMES * (self.span // 2)
        start = max(first - reach, 0)
        around, here = self.raw(start, last + reach), slice(first - start, last - start)
        return around[here], trend_of(around, self.span)[here]

    def without_trend(self) -> Signal:
        """Return the same recording free of its trend: at once if it is small, or as it is read."""
        if not isinstance(self.values, np.ndarray) or isinstance(self.values, np.memmap):
            return self
        if self.span == 0 or self.values.size > SMALL:
            return self
        x, observed = self.read(0, len(self))
        return Signal(np.where(observed[:, None], x, np.nan))


def complete(values: Floats) -> NDArray[np.bool_]:
    """Tell which samples (n, channels) have all their channels."""
    missing = np.isnan(values).T.copy()  # reducing many short rows is slow, a few long ones quick
    return np.asarray(~np.logical_or.reduce(missing))


def reached(flags: NDArray[np.bool_], width: int) -> NDArray[np.bool_]:
    """Tell which places (n + width - 1,) have one of the flags (n,) among the last `width`."""
    total = np.pad(np.cumsum(np.pad(flags, (0, width - 1))), (width, 0))
    return np.asarray(total[width:] > total[:-width])


def trend_of(values: Floats, span: int) -> Floats:
    """Return the weighted average around every sample of values (n, channels), over what is there.

    With m telling what was observed and B the fourfold convolution of a box of `span` samples,
    ``(B * (m x)) / (B * m)``, and zero where nothing is near.
    """
    observed = complete(values)[:, None]
    above, below = np.where(observed, values, 0.0), observed.astype(np.float64)
    for _ in range(TIMES):
        above = uniform_filter1d(above, span, axis=0, mode="constant")
        below = uniform_filter1d(below, span, axis=0, mode="constant")
    trend: Floats = np.zeros_like(above)
    np.divide(above, below, out=trend, where=below > 1e-9)
    return trend
