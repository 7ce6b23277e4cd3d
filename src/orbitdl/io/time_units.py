"""Units of time, and their detection in names of columns."""

from __future__ import annotations

import re
from enum import StrEnum


class TimeUnit(StrEnum):
    """Unit of the numbers in a column of times."""

    s = "s"
    ms = "ms"
    us = "us"
    ns = "ns"
    min = "min"
    h = "h"

    @property
    def seconds(self) -> float:
        """The unit in seconds."""
        return SECONDS[self]


SECONDS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9, "min": 60.0, "h": 3600.0}
WORDS = {
    TimeUnit.s: r"s|secs?|seconds?",
    TimeUnit.ms: r"ms|msecs?|milliseconds?",
    TimeUnit.us: r"us|\u00b5s|\u03bcs|usecs?|microseconds?",
    TimeUnit.ns: r"ns|nsecs?|nanoseconds?",
    TimeUnit.min: r"mins?|minutes?",
    TimeUnit.h: r"h|hrs?|hours?",
}
"""Notations of the units."""
UNIT = "|".join(WORDS.values())
UNIT_AT_END = re.compile(rf"(?:.*[ _/(\[])?({UNIT})[)\]]?", re.IGNORECASE)


def unit_of(name: str) -> TimeUnit | None:
    """Return the unit of time at the end of the name of a column, or None.

    Examples
    --------
    >>> [str(unit_of(name)) for name in ("time_ms", "t (us)", "Time [s]", "minutes", "t")]
    ['ms', 'us', 's', 'min', 'None']
    """
    found = UNIT_AT_END.fullmatch(name.strip())
    of_word = (unit for unit, word in WORDS.items() if found and _is(word, found[1]))
    return next(of_word, None)


def _is(pattern: str, text: str) -> bool:
    return re.fullmatch(pattern, text, re.IGNORECASE) is not None
