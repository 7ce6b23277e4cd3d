"""Decompression and decoding of text files."""

from __future__ import annotations

import codecs
import gzip
import zlib
from pathlib import Path

from orbitdl.io.unreadable import UnreadableError

EXPANSION, SMALL = 100, 2**28
"""Maximum expansion of a compressed file, as a factor and in bytes (the larger one applies)."""
MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
"""Byte order marks and their encodings."""


def content_of(path: Path) -> bytes:
    """Return a text recoded to UTF-8, from the encoding of its mark, UTF-8, or Windows-1252.

    Files with the suffix .gz are decompressed.
    """
    data = _expanded(path) if path.suffix.lower() == ".gz" else path.read_bytes()
    marked = next((MARKS[mark] for mark in MARKS if data.startswith(mark)), None)
    for encoding in [marked] if marked else ["utf-8", "cp1252"]:
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        if "\0" not in text:
            return data if encoding == "utf-8" else text.encode()
    raise UnreadableError(
        f"cannot read {path} as a table of numbers: its encoding is not UTF-8, UTF-16 or "
        "Windows-1252; save it as UTF-8."
    )


def require_expansion(size: int, compressed: int, path: Path) -> None:
    """Raise UnreadableError for an implausible compression ratio."""
    if size > max(SMALL, EXPANSION * compressed):
        raise UnreadableError(
            f"{path} would expand more than {EXPANSION} times, to {size / 2**30:.1f} GB or more; "
            "decompress it first if that is intended."
        )


def _expanded(path: Path) -> bytes:
    """Return the content of a compressed file, up to the maximum expansion."""
    compressed = path.stat().st_size
    try:
        with gzip.open(path) as file:
            data = file.read(max(SMALL, EXPANSION * compressed) + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise UnreadableError(
            f"cannot read {path} as a compressed file: it is damaged or something else."
        ) from error
    require_expansion(len(data), compressed, path)
    return data
