"""Data as users have them, if they are to be read a part at a time."""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from collections.abc import Iterable, Iterator, Set
from contextlib import contextmanager, suppress
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from orbitdl.arrays.validation import as_real_array
from orbitdl.data.arrays import ArraySource
from orbitdl.data.base import Source, UnreadableSourceError, dtype_of, reading
from orbitdl.data.dask_arrays import DaskSource, is_of_dask
from orbitdl.data.parquet import ParquetSource, is_dataset
from orbitdl.data.reopening import MappedFile, backing_of, is_hdf5

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
    if come_once(X):
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


def come_once(X: Any) -> bool:
    """Return whether X is an iterable of data: no array, sequence, recording or table itself."""
    others = ("__getitem__", "__array__", "signal")
    is_other = isinstance(X, Set) or any(hasattr(X, name) for name in others)
    return isinstance(X, Iterable) and not is_other


AT_ONCE = 2**20
"""Values that are written anew at a time when the type of the scratch file has to change."""


def spooled(arrays: Iterable[Any], size: int | None = None) -> ArraySource:
    """Return the data points of arrays (n_k, ...) as one source.

    The iterator is read once, an array at a time. The scratch file is in a temporary folder and
    vanishes with the source; a pickled copy of it lives no longer than that.
    """
    folder = tempfile.mkdtemp(prefix="orbitdl-")
    try:
        source = ArraySource(_written(arrays, Path(folder)), None, size)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    weakref.finalize(source, remove_folder, folder, os.getpid())
    return source


def _written(arrays: Iterable[Any], folder: Path) -> MappedFile:
    """Write arrays to a file, one after the other, and return all of them as one."""
    scratch, k = Scratch(folder), -1
    try:
        for k, values in enumerate(arrays):
            scratch.append(as_real_array(values, f"array {k} of X"), k)
        with _room(folder):
            scratch.file.flush()
    finally:
        scratch.close()
    if k < 0:
        raise ValueError("X is an iterator that gave nothing; pass one that was not used before.")
    return scratch.as_array()


class Scratch:
    """A file to which arrays are appended; data points of one shape, in a type that holds them."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.count = folder, 0
        self.dtype: np.dtype[Any] | None = None
        self.shape: tuple[int, ...] | None = None
        self.file = (folder / "data points").open("wb")

    def append(self, array: NDArray[Any], k: int) -> None:
        """Add the data points of array k."""
        self._require_same_shape(array.shape, k)
        if len(array) == 0:
            return
        dtype = array.dtype if array.dtype.str[1:] == "f4" or array.dtype.kind in "iu" else None
        if self.dtype is None:
            self.dtype = np.dtype(np.float64) if dtype is None else dtype.newbyteorder("=")
        elif not np.can_cast(np.float64 if dtype is None else dtype, self.dtype, "safe"):
            self._widen(self.dtype)
        self._write(np.ascontiguousarray(array, dtype=self.dtype))
        self.count += len(array)

    def as_array(self) -> MappedFile:
        """Return all that was written, (n, ...)."""
        dtype = np.dtype(np.float64) if self.dtype is None else self.dtype
        shape = (self.count, *(self.shape or ()))
        strides = tuple(int(np.prod(shape[k + 1 :])) * dtype.itemsize for k in range(len(shape)))
        length = int(np.prod(shape)) * dtype.itemsize
        return MappedFile(str(self.file.name), 0, length, 0, dtype, shape, strides)

    def close(self) -> None:
        """Close the file; what a full disk would not take was told before, or does not matter."""
        with suppress(OSError):
            self.file.close()

    def _require_same_shape(self, shape: tuple[int, ...], k: int) -> None:
        if len(shape) < 2:
            raise ValueError(
                f"array {k} of X has shape {shape}; an iterator must give arrays of several data "
                "points, of shape (n, ...) each."
            )
        self.shape = self.shape or shape[1:]
        if shape[1:] != self.shape:
            raise ValueError(
                f"array {k} of X has data points of shape {shape[1:]}, and those before it of "
                f"shape {self.shape}; let all have the same."
            )

    def _widen(self, dtype: np.dtype[Any]) -> None:
        """Write what is there once more, as float64."""
        with _room(self.folder):
            self.file.close()
        narrow = Path(self.file.name)
        self.dtype, self.file = np.dtype(np.float64), (self.folder / "float64").open("wb")
        with narrow.open("rb") as file:
            while (values := np.fromfile(file, dtype, AT_ONCE)).size:
                self._write(values.astype(np.float64))
        narrow.unlink()

    def _write(self, array: NDArray[Any]) -> None:
        with _room(self.folder):
            self.file.write(array.data)


@contextmanager
def _room(folder: Path) -> Iterator[None]:
    """Say in one sentence that a scratch file could not be written."""
    try:
        yield
    except OSError as error:
        raise OSError(
            f"the arrays of X could not be kept in a scratch file in {folder.parent} "
            f"({error.strerror or error}); make room, set TMPDIR to another folder, or save X in a "
            "file and pass its name."
        ) from error


def remove_folder(folder: str, owner: int) -> None:
    """Remove a scratch folder, unless this is a copy of the process that made it."""
    if os.getpid() == owner:
        shutil.rmtree(folder, ignore_errors=True)
