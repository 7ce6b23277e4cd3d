"""The one way in which files are written: complete or not at all, and never over anything else."""

from __future__ import annotations

import os
import re
import secrets
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO


def require_target(path: str | os.PathLike[str]) -> Path:
    """Return the path if a file can be written there; refuse folders and special files.

    Raises
    ------
    OSError
        One sentence that says what is there instead.
    """
    target = Path(path)
    refused = f"{target} could not be written"
    if target.is_dir():
        raise IsADirectoryError(f"{refused}: it is a folder; name a file in it.")
    if target.exists() and not target.is_file():
        raise OSError(f"{refused}: it is a device or a pipe, not a file; name another place.")
    if not Path(os.path.realpath(target)).parent.is_dir():
        raise FileNotFoundError(f"{refused}: there is no folder {target.parent}; make it first.")
    return target


def write_file(path: str | os.PathLike[str], content: bytes | str) -> Path:
    """Write the file, text as UTF-8, or leave the old one as it is; return its path.

    The content goes to a temporary file in the same folder, to the disk, and takes the name in
    one step, so that at any moment the name stands for a complete file. A symbolic link stays one.

    Raises
    ------
    OSError
        One sentence that says why the file could not be written.
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
            f"{target} could not be written: {reason}; make room, or name another place."
        ) from error
    return target


def replace_file(target: Path, content: bytes) -> None:
    """Put the content under this name in one step; an OSError leaves all as it was."""
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
    """Remove what killed writes to this path left behind."""
    target = Path(os.path.realpath(path))
    pattern = re.compile(rf"\.{re.escape(target.name)}\.[0-9a-f]{{16}}\.part")
    with suppress(OSError):
        for name in filter(pattern.fullmatch, os.listdir(target.parent)):
            target.with_name(name).unlink()


def _write_through(file: BinaryIO, content: bytes) -> None:
    file.write(content)
    file.flush()
    os.fsync(file.fileno())
