"""Data points that are read a part at a time, wherever they are; what is read is checked."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sized
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from orbitdl.arrays.validation import LARGEST, SMALLEST

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]
Mask = NDArray[np.bool_]

LONGEST = 120
"""Characters of what a library says of a failure that are passed on at most."""


class Part(NamedTuple):
    """Some data points, checked.

    Attributes
    ----------
    values : float64 ndarray of shape (n, ...)
        In C order, zero where an entry is missing.
    observed : bool ndarray of shape (n, ...) or None
        None: all of it.
    """

    values: Floats
    observed: Mask | None


class Source(ABC, Sized):
    """Data points that are read a part at a time; can be pickled.

    Attributes
    ----------
    shape : tuple of int
        Of one data point.
    ends : ndarray of shape (k + 1,)
        Part k is the data points from ``ends[k]`` up to ``ends[k + 1]``; there may be none in it.
    """

    shape: tuple[int, ...]
    ends: Integers

    @abstractmethod
    def _raw(self, k: int) -> tuple[ArrayLike, ArrayLike | None]:
        """Return the data points of part k as they are, and their mask if there is one."""

    def __len__(self) -> int:
        return int(self.ends[-1])

    def read(self, k: int) -> Part:
        """Return part k; an error names the data points that it is about."""
        first, last = int(self.ends[k]), int(self.ends[k + 1])
        with reading(f"data points {first} to {last - 1} of X"):
            values, mask = self._raw(k)
            array = np.asarray(values)
        require_shape(array, (last - first, *self.shape), first)
        return checked(array, first, mask)

    def take(self, rows: Integers) -> Part:
        """Return the data points of these numbers, in this order; only parts they are in are read.

        A number may come more than once.
        """
        rows = self._require_rows(rows)
        values, observed = np.empty((len(rows), *self.shape)), np.ones(0, dtype=np.bool_)
        part_of = np.searchsorted(self.ends, rows, side="right") - 1
        for k in np.unique(part_of):
            part, here = self.read(int(k)), np.flatnonzero(part_of == k)
            inside = rows[here] - self.ends[k]
            values[here] = part.values[inside]
            if part.observed is not None:
                observed = observed if observed.size else np.ones(values.shape, dtype=np.bool_)
                observed[here] = part.observed[inside]
        return Part(values, None if observed.all() else observed)

    def _require_rows(self, rows: Integers) -> Integers:
        rows = np.asarray(rows, dtype=np.intp)
        if len(rows) and not 0 <= rows.min() <= rows.max() < len(self):
            raise IndexError(f"X has data points 0 to {len(self) - 1}; take some of these.")
        return rows


def require_shape(array: NDArray[Any], shape: tuple[int, ...], first_row: int) -> None:
    """Refuse data points that are not as many, or not of the shape, that X said they were."""
    if array.shape != shape:
        raise ValueError(
            f"X gave data points {first_row} to {first_row + shape[0] - 1} as an array of shape "
            f"{array.shape}, not {shape}; pass X anew."
        )


def checked(values: ArrayLike, first_row: int | Integers, mask: ArrayLike | None = None) -> Part:
    """Return data points (n, ...) with zeros in place of missing entries, and which were observed.

    Missing is what is NaN, and what a mask (True: observed) leaves out. `first_row` is the number
    of the first data point, or of each: a message names the first that cannot be worked with.
    Data that are too small everywhere are not refused here, where only a part of them is known.
    """
    array = np.asarray(values, dtype=np.float64, order="C")
    observed = ~np.isnan(array)
    if mask is not None:
        observed &= np.asarray(mask)
    is_whole = bool(observed.all())
    filled = array if is_whole else np.where(observed, array, 0.0)
    largest = max(filled.max(initial=0.0), -filled.min(initial=0.0))
    if largest > LARGEST:
        bad = (np.abs(filled) > LARGEST).reshape(len(filled), -1).any(axis=1)
        index = int(np.argmax(bad))
        row = first_row + index if isinstance(first_row, int) else int(first_row[index])
        raise ValueError(_too_large(float(np.abs(filled[index]).max()), row))
    return Part(filled, None if is_whole else observed)


def _too_large(largest: float, row: int) -> str:
    if np.isinf(largest):
        return f"X contains infinite values, first in row {row}; replace them by finite ones first."
    return (
        f"X has values of size {largest:.0e} in row {row}, outside {SMALLEST:.0e} to "
        f"{LARGEST:.0e}; change its unit, and that of alpha."
    )


@contextmanager
def reading(what: str) -> Iterator[None]:
    """Turn any failure to read something into one sentence.

    A damaged file makes a library raise nearly anything, so that no list of exceptions would do.
    """
    try:
        yield
    except UnreadableSourceError:
        raise
    except MemoryError:
        raise
    except Exception as error:
        raise UnreadableSourceError(f"cannot read {what}{_reason(error)}.") from error


class UnreadableSourceError(ValueError):
    """Data that cannot be read; the message says which, and why."""


def _reason(error: Exception) -> str:
    """Return what a library says of a failure, on one line and without a full stop."""
    message = " ".join(str(error).split())
    shown = message if len(message) <= LONGEST else f"{message[:LONGEST]}..."
    return f": {shown.rstrip('.')}" if message else f" ({type(error).__name__})"


def dtype_of(thing: Any) -> np.dtype[Any] | None:
    """Return the type of the entries of an array-like, None if NumPy does not know it."""
    try:
        found: np.dtype[Any] = np.dtype(thing.dtype)
    except TypeError:
        return None
    return found
