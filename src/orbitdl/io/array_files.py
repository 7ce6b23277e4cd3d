"""Readers of .npy and .npz files."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orbitdl.groups.base import Floats
from orbitdl.io.layout import Kind
from orbitdl.io.recording import Recording
from orbitdl.io.stored_arrays import Arrays, recording_of, require_numbers
from orbitdl.io.text_files import require_expansion
from orbitdl.io.unreadable import parsing


def read_npy(path: Path) -> Recording:
    """Read one array; arrays of objects, which need unpickling, raise UnreadableError."""
    with parsing(path, "an .npy file of numbers"):
        values = np.load(path, allow_pickle=False, mmap_mode="r")
        require_numbers(values, path)
        return Recording(values, kind=Kind.array)


def read_npz(path: Path, key: str | None = None) -> Recording:
    """Read arrays of an archive, by their names if it holds several."""
    with (
        parsing(path, "an .npz file of numbers"),
        zipfile.ZipFile(path),  # np.load would accept an .npy file, too
        np.load(path, allow_pickle=False) as archive,
    ):
        stored = {info.filename.removesuffix(".npy"): info for info in archive.zip.infolist()}

        def array(name: str) -> Any:
            require_expansion(stored[name].file_size, stored[name].compress_size, path)
            return archive[name]

        return recording_of(Arrays(path, archive.files, array), key)


def as_numbers(array: NDArray[Any], path: Path) -> Floats:
    """Return real numbers as float64."""
    require_numbers(array, path)
    return np.asarray(array, dtype=np.float64)
