"""Words that stand for members of an enumeration."""

from __future__ import annotations

from enum import StrEnum
from typing import TypeVar

Words = TypeVar("Words", bound=StrEnum)


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
