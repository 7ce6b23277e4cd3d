"""Arrays of samples that are read when they are sliced."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orbitdl.groups.base import Floats


class LazyArray(ABC):
    """Samples (T,) or (T, channels) of which a slice reads only what it holds.

    Attributes
    ----------
    shape : tuple of int
    """

    shape: tuple[int, ...]
    dtype = np.dtype(np.float64)

    @abstractmethod
    def _read(self, first: int, last: int) -> Floats:
        """Return the samples from `first` up to `last`, of shape (n,) or (n, channels)."""

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Number of values."""
        return int(np.prod(self.shape))

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, key: Any) -> Any:
        rows, *others = key if isinstance(key, tuple) else (key,)
        if isinstance(rows, slice):
            first, last, step = rows.indices(len(self))
            if step > 0:
                part = self._read(first, max(first, last))[::step]
                return part[(slice(None), *others)] if others else part
        elif isinstance(rows, int | np.integer):
            k = range(len(self))[rows]
            return self._read(k, k + 1)[(0, *others)]
        return np.asarray(self)[key]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        values = self._read(0, len(self))
        return values if dtype is None else values.astype(dtype, copy=False)


class ReadBy(LazyArray):
    """Samples that a function of `first` and `last` reads, such as that of a library."""

    def __init__(self, shape: tuple[int, ...], read: Callable[[int, int], Any]) -> None:
        self.shape, self.read = shape, read

    def _read(self, first: int, last: int) -> Floats:
        if first >= last:
            return np.zeros((0, *self.shape[1:]))
        return np.asarray(self.read(first, last), dtype=np.float64).reshape(-1, *self.shape[1:])


class Columns(LazyArray):
    """Some channels of samples (T, channels), in this order; a single index loses its axis."""

    def __init__(self, values: Any, index: int | Sequence[int]) -> None:
        self.values, self.index = values, index
        kept = () if isinstance(index, int) else (len(index),)
        self.shape = (int(values.shape[0]), *kept)

    def _read(self, first: int, last: int) -> Floats:
        return np.asarray(self.values[first:last], dtype=np.float64)[:, self.index]


class Mean(LazyArray):
    """The mean of all channels of samples (T, channels)."""

    def __init__(self, values: Any) -> None:
        self.values, self.shape = values, (int(values.shape[0]),)

    def _read(self, first: int, last: int) -> Floats:
        return np.asarray(np.asarray(self.values[first:last], dtype=np.float64).mean(axis=-1))


class Scaled(LazyArray):
    """Samples times a gain, plus an offset, per channel or for all: integers in their unit."""

    def __init__(self, values: Any, gain: Any, offset: Any = 0.0) -> None:
        self.values, self.gain, self.offset = values, gain, offset
        self.shape = tuple(values.shape)

    def _read(self, first: int, last: int) -> Floats:
        part = np.asarray(self.values[first:last], dtype=np.float64)
        return np.asarray(part * self.gain + self.offset)


class Transposed(LazyArray):
    """Samples (T, channels) of an array on disk that holds (channels, T)."""

    def __init__(self, values: Any) -> None:
        self.values, self.shape = values, tuple(map(int, values.shape[::-1]))

    def _read(self, first: int, last: int) -> Floats:
        return np.asarray(self.values[:, first:last], dtype=np.float64).T


class Joined(LazyArray):
    """Parts of a recording at their positions, and NaN in the gaps between them."""

    def __init__(self, parts: Sequence[Any], starts: Sequence[int]) -> None:
        self.parts, self.starts = list(parts), list(starts)
        self.shape = (self.starts[-1] + len(self.parts[-1]), *self.parts[0].shape[1:])

    def _read(self, first: int, last: int) -> Floats:
        result = np.full((last - first, *self.shape[1:]), np.nan)
        for part, start in zip(self.parts, self.starts, strict=True):
            begin, end = max(first, start), min(last, start + len(part))
            if begin < end:
                result[begin - first : end - first] = part[begin - start : end - start]
        return result


def is_lazy(values: Any) -> bool:
    """Return whether samples are not an array in memory, so that only slices may be taken."""
    return not isinstance(values, np.ndarray) or isinstance(values, np.memmap)
