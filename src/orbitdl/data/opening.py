"""Data as users have them, if they are to be read a part at a time."""

from __future__ import annotations

from collections.abc import Iterable, Set
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from orbitdl.data.arrays import ArraySource
from orbitdl.data.base import Source, UnreadableSourceError, dtype_of, reading
from orbitdl.data.dask_arrays import DaskSource, is_of_dask
from orbitdl.data.parquet import ParquetSource, is_dataset
from orbitdl.data.reopening import backing_of, is_hdf5
from orbitdl.data.spooling import spooled

LARGE = 2**28
"""Bytes from which on an array in memory is read in parts, so that no second one is made of it."""
PARQUET = (".parquet", ".pq")


def as_source(X: Any, mask: Any = None, size: int | None = None) -> Source | None:
    """Return data to be read a part at a time, None for what is handled in memory as a whole.

    Parameters
    ----------
    X : array-like, path-like or iterable
        A source is made of arrays on disk (NumPy, HDF5, Zarr and the like), large arrays in memory,
        Dask arrays, the name of an .npy file or of a Parquet file or folder, a
        `pyarrow.dataset.Dataset`, and of what gives arrays (n_k, ...) one after another, which are
        kept in a scratch file. Lists, tables and small arrays give None.
    mask : array-like of bool, optional
        In the shape of X, True where an entry was observed. Tables and iterators have NaN instead.
    size : int, optional
        Data points of a part; by default about 4 MB, in step with the chunks of an array on disk.
        Dask arrays and Parquet files have parts of their own.
    """
    if isinstance(X, Source):
        _require_no_mask(mask, "data that are open already")
        return X
    if sparse.issparse(X):
        return None
    if is_of_dask(X):
        return DaskSource(X, mask)
    if isinstance(X, str | PathLike):
        return _named(Path(X), mask, size)
    if is_dataset(X):
        return _of_parquet(X, mask)
    if _is_array_to_slice(X):
        return ArraySource(X, mask, size)
    if _gives_arrays(X):
        _require_no_mask(mask, "arrays that come one after another")
        return spooled(X, size)
    return None


def _named(path: Path, mask: Any, size: int | None) -> Source | None:
    """Open a file by its name; None for other text."""
    is_npy, is_parquet = path.suffix == ".npy", path.suffix in PARQUET
    if not path.exists():
        if is_npy or is_parquet:
            raise UnreadableSourceError(f"there is no file {path}; check the name.")
        return None
    if is_parquet or path.is_dir():
        return _of_parquet(path, mask)
    if not is_npy:
        raise UnreadableSourceError(
            f"{path} is neither an .npy file nor a Parquet file or folder; open it and pass the "
            "array that is in it."
        )
    with reading(f"{path} as an .npy file of numbers"):
        values = np.lib.format.open_memmap(path, mode="r")
    return ArraySource(values, mask, size)


def _of_parquet(place: Any, mask: Any) -> Source:
    _require_no_mask(mask, "a Parquet dataset")
    return ParquetSource(place)


def _require_no_mask(mask: Any, what: str) -> None:
    if mask is not None:
        raise ValueError(f"a mask cannot go with {what}; put NaN where an entry is missing.")


def _is_array_to_slice(X: Any) -> bool:
    """Return whether X is an array on disk, or one too large to be copied."""
    if isinstance(X, np.ndarray):
        is_mapped = isinstance(X, np.memmap) and backing_of(X) is not None
        return is_mapped or X.nbytes >= LARGE
    if isinstance(X, np.generic) or hasattr(X, "columns"):
        return False
    if is_hdf5(X) and not X:
        raise UnreadableSourceError("the HDF5 file of X is closed; open it again and pass X anew.")
    has_all = all(hasattr(X, name) for name in ("shape", "dtype", "__getitem__"))
    return has_all and dtype_of(X) is not None


def _gives_arrays(X: Any) -> bool:
    """Return whether X is an iterable of arrays: no array, sequence or table itself."""
    is_other = isinstance(X, Set) or hasattr(X, "__getitem__") or hasattr(X, "__array__")
    return isinstance(X, Iterable) and not is_other
