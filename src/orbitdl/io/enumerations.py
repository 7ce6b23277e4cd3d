"""Enumerations by name, and printable names."""

from __future__ import annotations

from enum import StrEnum
from typing import TypeVar

Words = TypeVar("Words", bound=StrEnum)


def printable(name: str) -> str:
    """Return a name with non-printable characters, such as line breaks, escaped.

    Examples
    --------
    >>> print(printable("a\\nb\\x1b[31m \u00b5V"))
    a\\nb\\x1b[31m \u00b5V
    """
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode()
        for letter in name
    )


def member(words: type[Words], word: str) -> Words:
    """Return the member of an enumeration by name; raise ValueError if there is none.

    Examples
    --------
    >>> class Size(StrEnum):
    ...     small = "small"
    ...     large = "large"
    >>> member(Size, "small")
    <Size.small: 'small'>
    """
    if word not in [str(known) for known in words]:
        listed = " or ".join(repr(str(known)) for known in words)
        raise ValueError(f"{words.__name__.lower()} must be {listed}, not {word!r}.")
    return words(word)
