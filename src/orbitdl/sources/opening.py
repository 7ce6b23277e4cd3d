"""Data as users have them, if they are to be read a part at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from orbitdl.sources.arrays import ArraySource
from orbitdl.sources.base import Source, dtype_of
from orbitdl.sources.reopened import backing_of

LARGE = 2**28
"""Bytes from which on an array in memory is read in parts, so that no second one is made of it."""


def as_source(X: Any, mask: Any = None, size: int | None = None) -> Source | None:
    """Return data to be read a part at a time, None for what is handled in memory as a whole.

    Parameters
    ----------
    X : array-like
        Arrays on disk and large ones give a source; lists, tables and small arrays give None.
    mask : array-like of bool, optional
        In the shape of X, True where an entry was observed.
    size : int, optional
        Data points of a part; by default about 16 MB, in step with the chunks of an array on disk.
    """
    return ArraySource(X, mask, size) if _is_array_to_slice(X) else None


def _is_array_to_slice(X: Any) -> bool:
    """Tell arrays that are on disk, or that are too large to make another of."""
    if isinstance(X, np.ndarray):
        is_mapped = isinstance(X, np.memmap) and backing_of(X) is not None
        return is_mapped or X.nbytes >= LARGE
    if isinstance(X, np.generic) or sparse.issparse(X):
        return False
    has_all = all(hasattr(X, name) for name in ("shape", "dtype", "__getitem__"))
    return has_all and dtype_of(X) is not None
