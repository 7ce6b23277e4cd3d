"""Parsing of numbers, with one message for invalid and out-of-range values."""

from __future__ import annotations

import math
import re
from collections.abc import Callable

import typer


def integer_from(least: int) -> Callable[[str], int]:
    """Return a parser of integers >= `least`.

    Examples
    --------
    >>> integer_from(1)("4")
    4
    """

    def parse(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            value = least - 1
        if value < least:
            raise typer.BadParameter(f"it must be an integer, {least} or more, not {text}.")
        return value

    return parse


def number_or_auto(text: str) -> str:
    """Parse an integer >= 1, or "auto".

    Examples
    --------
    >>> number_or_auto("4"), number_or_auto("auto")
    ('4', 'auto')
    """
    return text if text == "auto" else str(integer_from(1)(text))


def positive_number(text: str) -> float:
    """Parse a positive number."""
    value = _number(text)
    if not 0 < value < math.inf:
        raise typer.BadParameter(f"it must be a positive number, not {text}.")
    return value


def non_negative_number(text: str) -> float:
    """Parse a non-negative number."""
    value = _number(text)
    if not 0 <= value < math.inf:
        raise typer.BadParameter(f"it must be a number, 0 or more, not {text}.")
    return value


def samples_per_second(text: str) -> float:
    """Parse a sampling frequency."""
    value = _number(text)
    if not 0 < value < math.inf:
        raise typer.BadParameter(
            f"it must be a positive number of samples per second, such as 360, not {text}."
        )
    return value


def threads(text: str) -> int:
    """Parse a number of threads; -1 means all cores."""
    try:
        value = int(text)
    except ValueError:
        value = 0
    if value == 0:
        raise typer.BadParameter(f"it must be a number of threads, or -1 for all, not {text}.")
    return value


class Counts(tuple[int, ...]):
    """Candidate integers, as a list or a range."""


class Weights(tuple[float, ...]):
    """Candidate positive numbers."""


def counts(text: str) -> Counts:
    """Parse integers >= 1, and ranges of them.

    Examples
    --------
    >>> counts("1,2,4"), counts("1-3,6")
    ((1, 2, 4), (1, 2, 3, 6))
    """
    found = [re.fullmatch(r"\s*(\d+)\s*(?:-\s*(\d+)\s*)?", part) for part in text.split(",")]
    ends = [(int(one[1]), int(one[2] or one[1])) for one in found if one is not None]
    if None in found or any(not 1 <= first <= last for first, last in ends):
        raise typer.BadParameter(
            f"it must be integers, 1 or more, such as 1,2,4 or 1-4, not {text}."
        )
    return Counts(n for first, last in ends for n in range(first, last + 1))


def weights(text: str) -> Weights:
    """Parse comma-separated positive numbers."""
    values = [_number(part) for part in text.split(",")]
    if not all(0 < value < math.inf for value in values):
        raise typer.BadParameter(f"it must be positive numbers, such as 0.1,0.2, not {text}.")
    return Weights(values)


def number_between(least: float, most: float) -> Callable[[str], float]:
    """Return a parser of numbers in a range."""

    def parse(text: str) -> float:
        value = _number(text)
        if not least <= value <= most:
            raise typer.BadParameter(
                f"it must be a number between {least:g} and {most:g}, not {text}."
            )
        return value

    return parse


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan
