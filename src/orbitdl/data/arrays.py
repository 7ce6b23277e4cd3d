"""Arrays in memory or on disk, of which only slices are taken."""

from __future__ import annotations

from typing import Any

import numpy as np

from orbitdl.arrays.validation import require_mask, require_real, require_rows
from orbitdl.data.base import Integers, Part, Source, checked, dtype_of
from orbitdl.data.reopening import MappedFile, portable

BYTES = 2**22
"""What a part takes in memory, about."""
FEWEST, MOST = 256, 16384
"""Data points of a part."""


class ArraySource(Source):
    """The rows of anything that has a shape, a type and slices.

    Parameters
    ----------
    values : array-like of shape (n, ...)
        NumPy's in memory or mapped to a file, HDF5 or Zarr arrays and the like.
    mask : array-like of bool, of the same shape, optional
        True where an entry was observed.
    size : int, optional
        Data points of a part.
    """

    def __init__(self, values: Any, mask: Any = None, size: int | None = None) -> None:
        whole = tuple(map(int, values.shape))
        require_real(np.dtype(values.dtype))
        require_rows(whole)
        if mask is not None:
            mask = mask if hasattr(mask, "dtype") and hasattr(mask, "shape") else np.asarray(mask)
            require_mask(dtype_of(mask) or np.dtype(object), tuple(mask.shape), whole)
        self.values, self.mask, self.shape = values, mask, whole[1:]
        self.ends = _ends(whole, getattr(values, "chunks", None), size)

    def __getstate__(self) -> dict[str, Any]:
        """Return what is pickled: arrays on disk by where they are, not by their content."""
        return {**vars(self), "values": portable(self.values), "mask": portable(self.mask)}

    def _raw(self, k: int) -> tuple[Any, Any]:
        return self._slice(slice(int(self.ends[k]), int(self.ends[k + 1])))

    def take(self, rows: Integers) -> Part:
        """Return the data points of these numbers, in this order; a NumPy array gives just them."""
        has_rows = np.ndarray | MappedFile
        if isinstance(self.values, has_rows) and isinstance(self.mask, has_rows | None):
            rows = self._require_rows(rows)
            values, mask = self._slice(rows)
            return checked(values, rows, mask)
        return super().take(rows)

    def _slice(self, rows: slice | Integers) -> tuple[Any, Any]:
        return self.values[rows], None if self.mask is None else self.mask[rows]


def _ends(shape: tuple[int, ...], chunks: Any, size: int | None) -> Integers:
    """Return where parts end: every `size` data points, or where the chunks of an array do.

    Several small chunks make a part; a large one is cut into equal parts.
    """
    n = shape[0]
    if size is None:
        size = int(np.clip(BYTES // (8 * np.prod(shape[1:], dtype=float)), FEWEST, MOST))
        own = chunks[0] if isinstance(chunks, tuple) and chunks else None
        chunk = own if isinstance(own, int) and own > 0 else size
        step, pieces = max(size // chunk, 1) * chunk, -(-chunk // size)
    else:
        step, pieces = size, 1
    starts = np.arange(0, n, step)[:, None] + np.arange(pieces) * step // pieces
    return np.append(starts[starts < n], n).astype(np.intp)
