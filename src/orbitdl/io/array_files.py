"""Readers of .npy, .npz and .wav files."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from orbitdl.groups.base import Floats
from orbitdl.io.enumerations import printable
from orbitdl.io.layout import Kind
from orbitdl.io.recording import Recording
from orbitdl.io.text_files import require_expansion
from orbitdl.io.unreadable import UnreadableError, parsing

STREAMED = 2**32 - 1
"""Size field of a streamed WAV file, written before its length was known."""


def read_npy(path: Path) -> Recording:
    """Read one array; arrays of objects, which need unpickling, raise UnreadableError."""
    with parsing(path, "an .npy file of numbers"):
        return Recording(as_numbers(np.load(path, allow_pickle=False), path), kind=Kind.array)


def read_npz(path: Path, key: str | None = None) -> Recording:
    """Read the array `key` of an archive, or its only array."""
    with (
        parsing(path, "an .npz file of numbers"),
        zipfile.ZipFile(path),  # np.load would accept an .npy file, too
        np.load(path, allow_pickle=False) as archive,
    ):
        name = _choose(archive.files, key, path)
        stored = {info.filename.removesuffix(".npy"): info for info in archive.zip.infolist()}
        require_expansion(stored[name].file_size, stored[name].compress_size, path)
        values = as_numbers(archive[name], path)
        return Recording(values, kind=Kind.array)


def _choose(names: list[str], key: str | None, path: Path) -> str:
    listed = ", ".join(map(printable, names))
    if key is None and len(names) != 1:
        raise UnreadableError(f"{path} holds {len(names)} arrays ({listed}); choose one with key=.")
    if key is not None and key not in names:
        raise UnreadableError(f"{path} has no array {key!r}; key= must be one of {listed}.")
    return names[0] if key is None else key


def read_wav(path: Path) -> Recording:
    """Read a WAV file; integers are scaled to full scale 1."""
    from scipy.io import wavfile

    with parsing(path, "a WAV file"):
        _require_complete(path)
        sfreq, sound = wavfile.read(path)
        values = as_numbers(sound, path)
    if sound.dtype == np.uint8:  # in place: these are copies, and may be long
        values -= 128
        values /= 128
    elif sound.dtype.kind == "i":
        values /= -float(np.iinfo(sound.dtype).min)
    return Recording(values, sfreq=float(sfreq))


def _require_complete(path: Path) -> None:
    """Raise UnreadableError for a file shorter than its header states."""
    with path.open("rb") as file:
        kind = file.read(12)[:4]
        order: Literal["big", "little"] = "big" if kind == b"RIFX" else "little"
        while kind != b"RF64" and len(head := file.read(8)) == 8:
            size = int.from_bytes(head[4:], order)
            if head[:4] == b"data":
                there = path.stat().st_size - file.tell()
                if there < size < STREAMED:
                    raise UnreadableError(
                        f"{path} is truncated: its header states {size} bytes of samples, but it "
                        f"has {there}; copy it again."
                    )
                return
            file.seek(size + size % 2, 1)


def as_numbers(array: NDArray[Any], path: Path) -> Floats:
    """Return real numbers as float64."""
    if array.dtype.kind not in "biuf":
        raise UnreadableError(f"cannot read {path}: it holds {array.dtype}, not real numbers.")
    return np.asarray(array, dtype=np.float64)
