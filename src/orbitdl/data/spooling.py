"""Arrays of an iterator: written to a temporary file, which is then read in chunks."""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orbitdl.arrays.validation import as_real
from orbitdl.data.arrays import ArraySource
from orbitdl.data.reopening import MappedFile

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
    weakref.finalize(source, _remove, folder, os.getpid())
    return source


def _written(arrays: Iterable[Any], folder: Path) -> MappedFile:
    """Write arrays to a file, one after the other, and return all of them as one."""
    scratch, k = Scratch(folder), -1
    try:
        for k, values in enumerate(arrays):
            scratch.append(as_real(values, f"array {k} of X"), k)
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


def _remove(folder: str, owner: int) -> None:
    """Remove a scratch folder, unless this is a copy of the process that made it."""
    if os.getpid() == owner:
        shutil.rmtree(folder, ignore_errors=True)
