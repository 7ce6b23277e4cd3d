"""Arrays on disk that travel by name: another process opens the file again."""

from __future__ import annotations

import mmap
import os
import sys
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orbitdl.data.base import UnreadableSourceError


@dataclass(frozen=True)
class MappedFile:
    """An array in a file, which is mapped to memory whenever rows are read.

    Attributes
    ----------
    filename : str
    offset, length : int
        The bytes of the file in which the array is.
    first : int
        Where among them its first entry is.
    dtype : dtype
    shape, strides : tuple of int
    """

    filename: str
    offset: int
    length: int
    first: int
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    strides: tuple[int, ...]

    def __getitem__(self, rows: Any) -> NDArray[Any]:
        require_there(self.filename)
        memory = np.memmap(self.filename, np.uint8, "r", self.offset, (self.length,))
        whole = np.ndarray(self.shape, self.dtype, memory, self.first, self.strides)
        found: NDArray[Any] = whole[rows]
        return found


@dataclass(frozen=True)
class StoredDataset:
    """A dataset of an HDF5 file, which is opened whenever rows are read."""

    filename: str
    name: str
    dtype: np.dtype[Any]
    shape: tuple[int, ...]

    def __getitem__(self, rows: slice) -> NDArray[Any]:
        import h5py

        require_there(self.filename)
        with h5py.File(self.filename, "r") as file:
            found: NDArray[Any] = file[self.name][rows]
            return found


def portable(array: Any) -> Any:
    """Return an array on disk as something small that can be pickled, and others as they are.

    A file that is mapped so that changes stay in memory (mode "c") is pickled by its content.
    """
    if isinstance(array, np.ndarray) and (backing := backing_of(array)) is not None:
        can_travel = backing.filename is not None and backing.mode != "c"
        return _mapped(array, backing) if can_travel else np.array(array)
    if is_hdf5(array):
        return StoredDataset(array.file.filename, array.name, array.dtype, array.shape)
    return array


def backing_of(array: NDArray[Any]) -> np.memmap[Any, Any] | None:
    """Return the mapped file whose memory an array shows, None if it is not on disk."""
    owner: Any = array
    while isinstance(owner, np.ndarray):
        below: Any = owner.base
        if isinstance(owner, np.memmap) and isinstance(below, mmap.mmap):
            return owner
        owner = below
    return None


def is_hdf5(thing: Any) -> bool:
    """Return whether a thing is an HDF5 dataset, without importing h5py."""
    h5py = sys.modules.get("h5py")
    return h5py is not None and isinstance(thing, h5py.Dataset)


def _mapped(array: NDArray[Any], backing: np.memmap[Any, Any]) -> MappedFile:
    low, high = np.lib.array_utils.byte_bounds(array)
    start = np.lib.array_utils.byte_bounds(backing)[0]
    first = array.__array_interface__["data"][0] - low
    offset = int(backing.offset) + low - start
    name, dtype = str(backing.filename), array.dtype
    return MappedFile(name, offset, high - low, first, dtype, array.shape, array.strides)


def require_there(filename: str) -> None:
    """Refuse to read a file that is not there any more, in one sentence."""
    if not os.path.exists(filename):
        raise UnreadableSourceError(f"the file {filename} of X is not there; pass X anew.")
