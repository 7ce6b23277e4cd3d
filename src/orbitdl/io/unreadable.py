"""Conversion of parser errors to one-sentence messages."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

LONGEST = 200
"""Maximum number of characters of a parser's message that are quoted."""


class UnreadableError(ValueError):
    """A file cannot be read; the message names the file and the error."""


@contextmanager
def parsing(path: Path, kind: str) -> Iterator[None]:
    """Convert errors of a parser to `UnreadableError`, and suppress its warnings.

    Damaged files cause parsers to raise nearly any exception. Errors of the operating system, such
    as missing permissions, are raised unchanged.
    """
    if path.is_file():
        path.open("rb").close()
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            yield
    except UnreadableError:
        raise
    except MemoryError as error:
        raise UnreadableError(
            f"cannot read {path} as {kind}: it is damaged, or does not fit into memory."
        ) from error
    except Exception as error:
        raise UnreadableError(
            f"cannot read {path} as {kind}: it is damaged or something else{_reason(error)}."
        ) from error


def _reason(error: Exception) -> str:
    """Return the message of a parser in brackets, on one line and without a full stop."""
    text = " ".join(str(error).split())
    text = "".join(letter for letter in text if letter.isprintable())[:LONGEST].rstrip(". ")
    return f" ({text})" if text else ""
