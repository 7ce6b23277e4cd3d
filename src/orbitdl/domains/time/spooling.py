"""Recordings that come one after another, once: kept in a scratch folder, and read from there."""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from collections.abc import Iterable, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray


class ScratchFolder:
    """A temporary folder that vanishes with the last that refers to it."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="orbitdl-"))
        weakref.finalize(self, _remove, str(self.path), os.getpid())


@dataclass(frozen=True, eq=False)
class SpooledRecording:
    """A recording in a scratch folder, of which slices are taken."""

    values: NDArray[Any]
    folder: ScratchFolder

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the array."""
        return self.values.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """Of the array."""
        return self.values.dtype

    def __getitem__(self, samples: slice) -> NDArray[Any]:
        found: NDArray[Any] = self.values[samples]
        return found


def come_once(recordings: Any) -> bool:
    """Tell what gives recordings one after another, and is neither array, sequence nor table."""
    is_other = isinstance(recordings, Set | str | bytes) or any(
        hasattr(recordings, name) for name in ("__getitem__", "__array__", "signal")
    )
    return isinstance(recordings, Iterable) and not is_other


def spooled(recordings: Iterable[Any]) -> list[SpooledRecording]:
    """Write recordings to a scratch folder, one at a time; return them to be read from there."""
    folder = ScratchFolder()
    kept = [_written(one, k, folder) for k, one in enumerate(recordings)]
    if not kept:
        raise ValueError(
            "the iterator gave no recording; pass one that was not used before, or a list."
        )
    return kept


def _written(recording: Any, number: int, folder: ScratchFolder) -> SpooledRecording:
    """Write one recording; what is no array of numbers is refused once it is read."""
    path = folder.path / f"{number}.npy"
    array = np.asarray(getattr(recording, "signal", recording))
    if array.size == 0 or array.dtype.kind not in "biuf" or array.ndim not in (1, 2):
        return SpooledRecording(array, folder)
    try:
        np.save(path, array, allow_pickle=False)
    except OSError as error:
        raise OSError(
            f"recording {number} could not be kept in a scratch folder in {path.parent.parent} "
            f"({error.strerror or error}); make room, set TMPDIR to another folder, or pass a list "
            "of arrays on disk."
        ) from error
    return SpooledRecording(np.load(path, mmap_mode="r"), folder)


def _remove(folder: str, owner: int) -> None:
    """Remove a scratch folder, unless this is a copy of the process that made it."""
    if os.getpid() == owner:
        shutil.rmtree(folder, ignore_errors=True)
