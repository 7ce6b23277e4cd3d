"""Files that cannot be read: whatever a parser raises becomes one sentence about the file."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

LONGEST = 200
"""Characters of what a parser says that are passed on at most."""


class UnreadableError(ValueError):
    """A file that cannot be read; the message names it and says what is wrong with it."""


@contextmanager
def parsing(path: Path, kind: str) -> Iterator[None]:
    """Turn every failure to read a file as something into `UnreadableError`; keep parsers quiet.

    A damaged file makes a parser raise nearly anything, so that no list of exceptions would do.
    What the system refuses, a file without permission, is said as such.
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
    """Return what a parser says in brackets, on one line and without a full stop."""
    words = " ".join(str(error).split())
    told = "".join(letter for letter in words if letter.isprintable())[:LONGEST].rstrip(". ")
    return f" ({told})" if told else ""
