"""The file format: safetensors with a JSON header, written atomically."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

import numpy as np
import safetensors
from numpy.typing import NDArray
from safetensors.numpy import save as serialise

from orbitdl.storage.writing import write_file

Tensors = dict[str, NDArray[Any]]
Header = dict[str, Any]

VERSION = 1
"""Version of the format of model files, checkpoints and selections."""
NAME = "orbitdl"
"""The only entry of the file's metadata: the JSON header."""
LARGEST_HEADER = 2**24
"""Maximum size of the header in bytes."""
DTYPES = {"F64": np.dtype("<f8"), "I64": np.dtype("<i8")}


class ModelFileError(ValueError):
    """A model file or checkpoint cannot be written or read; the message names the reason."""


def as_path(path: object, name: str = "path") -> Path:
    """Return a path; raise ModelFileError for other types."""
    if not isinstance(path, str | os.PathLike) or not isinstance(os.fspath(path), str):
        raise ValueError(f"{name} must be the name of a file, not {path!r}.")
    if not Path(path).name or "\0" in os.fspath(path):
        raise ValueError(f"{name} must be the name of a file, not {os.fspath(path)!r}.")
    return Path(path)


def marks(kind: str) -> Header:
    """Return the header entries with the type and the version of the format."""
    return {"format": f"{NAME} {kind}", "version": VERSION}


def write(path: Path, header: Header, tensors: Tensors) -> None:
    """Write the file atomically."""
    solid = {name: np.ascontiguousarray(array) for name, array in tensors.items()}
    content = serialise(solid, metadata={NAME: json.dumps(header, allow_nan=False)})
    try:
        write_file(path, content)
    except OSError as error:
        raise ModelFileError(str(error)) from error


def read(path: Path, kind: str) -> tuple[Header, Tensors]:
    """Return the header, without its marks, and the arrays of a file of this type."""
    content = _content(path, kind)
    try:
        views = safetensors.deserialize(content)  # type: ignore[no-untyped-call]
        length = int.from_bytes(content[:8], "little")
        header = parse(json.loads(content[8 : 8 + length])["__metadata__"][NAME])
        tensors = {name: _array(view) for name, view in views}
    except (safetensors.SafetensorError, KeyError, TypeError, ValueError, RecursionError) as error:
        raise _foreign(path, kind) from error
    found = {name: header.pop(name, None) for name in marks(kind)}
    if found["format"] != marks(kind)["format"] or type(found["version"]) is not int:
        raise _foreign(path, kind)
    if found["version"] != VERSION:
        raise ModelFileError(
            f"{path} has version {found['version']} of the file format, and this orbitdl reads "
            f"version {VERSION}; use the orbitdl that wrote it, or write the file again."
        )
    return header, tensors


def parse(text: str) -> Header:
    """Parse a JSON object without NaN, infinities or huge integers."""
    header = json.loads(text, parse_constant=_refuse, parse_int=_whole, parse_float=_finite)
    if not isinstance(header, dict):
        raise ValueError("the header is not an object")
    json.dumps(header, ensure_ascii=False).encode()  # refuses half characters
    return header


def _content(path: Path, kind: str) -> bytes:
    """Return the bytes of a file with a plausible header."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise OSError("it is not a file")
        with open(path, "rb") as file:
            begin, size = file.read(9), os.fstat(file.fileno()).st_size
            length = int.from_bytes(begin[:8], "little")
            if begin[8:] != b"{" or length > min(LARGEST_HEADER, size - 8):
                raise _foreign(path, kind)
            return begin + file.read()
    except OSError as error:
        raise ModelFileError(
            f"{path} could not be read: {_words(error)}; check the name."
        ) from error
    except MemoryError as error:
        raise ModelFileError(f"{path} is too large for the memory of this machine.") from error


def _array(view: dict[str, Any]) -> NDArray[Any]:
    dtype = DTYPES[view["dtype"]]
    array = np.frombuffer(view["data"], dtype=dtype).reshape(view["shape"])
    return array.astype(dtype.newbyteorder("="))


def _foreign(path: Path, kind: str) -> ModelFileError:
    return ModelFileError(f"{path} is not an orbitdl {kind}, or it is damaged; name another file.")


def _words(error: OSError) -> str:
    return (error.strerror or str(error)).lower()


def _refuse(text: str) -> float:
    raise ValueError(f"{text} is not a number")


def _whole(text: str) -> int:
    if len(text) > 19:
        raise ValueError("an integer is too large")
    return int(text)


def _finite(text: str) -> float:
    value = float(text)
    return value if abs(value) < float("inf") else _refuse(text)
