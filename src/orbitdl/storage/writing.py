"""Atomic writing of files."""

from __future__ import annotations

import os
import re
import secrets
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO


def require_target(path: str | os.PathLike[str]) -> Path:
    """Return the path if a file can be written there.

    Raises
    ------
    OSError
        For folders and special files.
    """
    target = Path(path)
    refused = f"{target} could not be written"
    if target.is_dir():
        raise IsADirectoryError(f"{refused}: it is a folder; name a file in it.")
    if target.exists() and not target.is_file():
        raise OSError(f"{refused}: it is a device or a pipe, not a file; pass another path.")
    if not Path(os.path.realpath(target)).parent.is_dir():
        raise FileNotFoundError(f"{refused}: there is no folder {target.parent}; make it first.")
    return target


def write_file(path: str | os.PathLike[str], content: bytes | str) -> Path:
    """Write a file atomically, text as UTF-8; return its path.

    The content is written to a temporary file in the same folder, synchronised to disk, and
    renamed, so that at any time the name refers to a complete file. Symbolic links are followed.

    Raises
    ------
    OSError
        If the file cannot be written.
    """
    target = require_target(path)
    try:
        replace_file(
            Path(os.path.realpath(target)),
            content.encode() if isinstance(content, str) else content,
        )
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise OSError(
            f"{target} could not be written: {reason}; free disk space, or pass another path."
        ) from error
    return target


def replace_file(target: Path, content: bytes) -> None:
    """Replace the content of a file atomically."""
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(8)}.part")
    try:
        with open(temporary, "xb") as file:
            _write_through(file, content)
        os.replace(temporary, target)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise
    if os.name == "posix":  # the new name reaches the disk too
        folder = os.open(target.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def sweep(path: Path) -> None:
    """Remove temporary files of interrupted writes to this path."""
    target = Path(os.path.realpath(path))
    pattern = re.compile(rf"\.{re.escape(target.name)}\.[0-9a-f]{{16}}\.part")
    with suppress(OSError):
        for name in filter(pattern.fullmatch, os.listdir(target.parent)):
            target.with_name(name).unlink()


def _write_through(file: BinaryIO, content: bytes) -> None:
    file.write(content)
    file.flush()
    os.fsync(file.fileno())
