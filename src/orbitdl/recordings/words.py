"""Words that stand for members of an enumeration."""

from __future__ import annotations

from enum import StrEnum
from typing import TypeVar

Words = TypeVar("Words", bound=StrEnum)


def printable(name: str) -> str:
    """Return a name on one line: what is not printable, such as a line break, is escaped.

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
    """Return the member that a word names, or refuse it in one sentence.

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
