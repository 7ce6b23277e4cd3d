"""Numbers as they are typed: one sentence for what is no number and for one out of range."""

from __future__ import annotations

import math
from collections.abc import Callable

import typer


def whole_number(least: int) -> Callable[[str], int]:
    """Return what reads whole numbers from `least` on.

    Examples
    --------
    >>> whole_number(1)("4")
    4
    """

    def parse(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            value = least - 1
        if value < least:
            raise typer.BadParameter(f"it must be a whole number, {least} or more, not {text}.")
        return value

    return parse


def positive_number(text: str) -> float:
    """Read a number above zero."""
    value = _number(text)
    if not 0 < value < math.inf:
        raise typer.BadParameter(f"it must be a positive number, not {text}.")
    return value


def number_from_zero(text: str) -> float:
    """Read a number that is zero or above it."""
    value = _number(text)
    if not 0 <= value < math.inf:
        raise typer.BadParameter(f"it must be a number, 0 or more, not {text}.")
    return value


def samples_per_second(text: str) -> float:
    """Read a rate."""
    value = _number(text)
    if not 0 < value < math.inf:
        raise typer.BadParameter(
            f"it must be a positive number of samples per second, such as 360, not {text}."
        )
    return value


def threads(text: str) -> int:
    """Read how many threads work; -1 is all cores."""
    try:
        value = int(text)
    except ValueError:
        value = 0
    if value == 0:
        raise typer.BadParameter(f"it must be a number of threads, or -1 for all, not {text}.")
    return value


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan
