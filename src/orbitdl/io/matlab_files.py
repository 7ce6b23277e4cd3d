"""Reader of .mat files of all versions of MATLAB."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from orbitdl.arrays.optional import install_hint
from orbitdl.io.lazy import Transposed
from orbitdl.io.recording import Recording
from orbitdl.io.stored_arrays import Arrays, is_data, recording_of
from orbitdl.io.unreadable import parsing

HDF5 = b"\x89HDF\r\n\x1a\n"
"""Signature of HDF5, which version 7.3 has after a header of 512 bytes."""


def read_mat(path: Path, key: str | None = None) -> Recording:
    """Read numeric arrays of a .mat file, by their names if it holds several."""
    with path.open("rb") as file:
        head = file.read(520)
    if head.startswith(HDF5) or head[512:] == HDF5:
        return _read_new(path, key)
    from scipy.io import loadmat

    with parsing(path, "a .mat file"):
        found = loadmat(path)
        arrays = {name: value for name, value in found.items() if _is_array(name, value)}
        return recording_of(Arrays(path, list(arrays), arrays.__getitem__), key)


def _read_new(path: Path, key: str | None) -> Recording:
    """Read version 7.3: HDF5, in which arrays have their axes the other way round."""
    try:
        import h5py
    except ImportError as error:
        hint = install_hint("reading .mat files of version 7.3", "h5py", "arrays")
        raise ImportError(hint) from error
    with parsing(path, "a .mat file of version 7.3"):
        file = h5py.File(path, "r")
        names = [name for name, thing in file.items() if is_data(thing)]

        def array(name: str) -> Any:
            thing = file[name]
            return Transposed(thing) if thing.ndim == 2 else thing

        return recording_of(Arrays(path, names, array), key)


def _is_array(name: str, value: Any) -> bool:
    """Return whether a variable holds numbers: no text, cell or struct."""
    return (
        not name.startswith("__") and isinstance(value, np.ndarray) and value.dtype.kind in "biuf"
    )
