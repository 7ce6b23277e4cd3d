"""Channels by name or index, and time columns among them."""

from __future__ import annotations

import warnings
from typing import Any

from orbitdl.io.time_columns import looks_like_time


def channel_index(
    channel: str, ch_names: tuple[str, ...], count: int, time_column: int | None = None
) -> list[int] | None:
    """Return the indices of channels by name or number, separated by commas; None for the mean.

    Numbers are those of the file: they include a time column that was removed.

    Examples
    --------
    >>> channel_index("V1,0", ("I", "V1"), 2), channel_index("mean", (), 2)
    ([1, 0], None)
    """
    if channel == "mean" and "mean" not in ch_names:
        return None
    return [_index(name.strip(), ch_names, count, time_column) for name in channel.split(",")]


def _index(name: str, ch_names: tuple[str, ...], count: int, time_column: int | None) -> int:
    if name in ch_names:
        return ch_names.index(name)
    numbers = [k for k in range(count + (time_column is not None)) if k != time_column]
    if name.isdecimal() and int(name) in numbers:
        return numbers.index(int(name))
    listed = f", a name ({', '.join(ch_names)})" if ch_names else ""
    is_within = time_column is not None and numbers[0] < time_column < numbers[-1]
    but = f", but {time_column}" if is_within else ""
    raise ValueError(
        f"channel={name!r} does not exist: pass a number from {numbers[0]} to {numbers[-1]}{but}"
        f"{listed} or mean."
    )


def warn_of_time(values: Any, ch_names: tuple[str, ...]) -> None:
    """Warn if one of several channels increases uniformly, like time or a counter."""
    name = looks_like_time(values, ch_names, named=False)
    if name is not None:
        warnings.warn(
            f"column {name} increases uniformly, like time, but is used as a channel; read it "
            "with time_column=, or select the others with channel=.",
            stacklevel=2,
        )
