"""Formatting of numbers, units and enumerations in sentences."""

from __future__ import annotations

import math
from collections.abc import Sequence

from orbitdl.groups.presentation import NO_BREAK


def percent(fraction: float) -> str:
    """Return a fraction as a percentage with about three digits.

    Examples
    --------
    >>> [percent(x).replace(NO_BREAK, " ") for x in (0.9731, 0.0001, 1.0, 0.0, 1e-9)]
    ['97.3 %', '0.01 %', '100 %', '0 %', 'less than 0.001 %']
    """
    value = 100 * fraction
    if 0 < value < 0.001:
        return f"less than 0.001{NO_BREAK}%"
    digits = 1 if abs(value) >= 1 else 3
    text = f"{value:.{digits}f}".rstrip("0").rstrip(".")
    return f"{text}{NO_BREAK}%"


def bound(fraction: float) -> str:
    """Return a percentage that the fraction does not exceed.

    Examples
    --------
    >>> [bound(x).replace(NO_BREAK, " ") for x in (8.41e-5, 1e-9, 0.0, 0.0312)]
    ['0.009 %', '0.001 %', '0 %', '3.2 %']
    """
    digits = 1 if fraction >= 0.01 else 3
    return percent(math.ceil(100 * fraction * 10**digits) / 10**digits / 100)


def number(value: float) -> str:
    """Return a number with at most four digits and a thousands separator.

    Examples
    --------
    >>> [number(x).replace(NO_BREAK, " ") for x in (12345.0, 0.123456, 7.0, 1e-7)]
    ['12 345', '0.1235', '7', '1e-07']
    """
    if math.isfinite(value) and (value == int(value) or abs(value) >= 1000):
        return f"{value:,.0f}".replace(",", NO_BREAK) if abs(value) < 1e9 else f"{value:.3g}"
    return f"{value:.4g}"


def count(n: float, thing: str, things: str | None = None) -> str:
    """Return "1 window", "2 windows"."""
    return f"{number(n)} {thing if n == 1 else things or thing + 's'}"


def comma_list(items: Sequence[object]) -> str:
    """Return "1", "1 and 2", "1, 2 and 3"; long lists are truncated.

    Examples
    --------
    >>> comma_list([0]), comma_list([0, 3]), comma_list(range(20))
    ('0', '0 and 3', '0, 1, 2, 3, 4, 5, 6, 7 and 12 more')
    """
    names = [str(item) for item in items]
    if len(names) > 9:
        names = [*names[:8], f"{len(names) - 8} more"]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def sizes(shape: tuple[int, ...], along: str, sfreq: float | None) -> str:
    """Describe the size of a data point, with its duration if `sfreq` is known."""
    if along != "sample":
        return f"of {' x '.join(map(str, shape))} values"
    channels = f" in {count(shape[1], 'channel')}" if len(shape) == 2 else ""
    duration = "" if sfreq is None else f" ({shape[0] / sfreq:.3g} s)"
    return f"of {count(shape[0], 'sample')}{duration}{channels}"
