"""Channels of a recording: choosing some of them, and one that may be none."""

from __future__ import annotations

import warnings

import numpy as np

from orbitdl.groups.base import Floats
from orbitdl.recordings.time_columns import rises_evenly


def choose_channel(
    values: Floats,
    ch_names: tuple[str, ...],
    channel: str,
    *,
    least: int,
    time_column: int | None = None,
) -> tuple[Floats, list[int] | None]:
    """Return columns of the last axis by name or number, and where they are; None: their mean.

    One alone loses its axis. Numbers count a column of the time that was taken out.
    """
    if values.ndim < least:
        raise ValueError(
            f"channel={channel!r} needs data with several channels, and these have one."
        )
    if channel == "mean":
        return np.asarray(values.mean(axis=-1)), None
    count = values.shape[-1]
    chosen = [_place(name.strip(), ch_names, count, time_column) for name in channel.split(",")]
    return values[..., chosen[0] if len(chosen) == 1 else chosen], chosen


def _place(name: str, ch_names: tuple[str, ...], count: int, time_column: int | None) -> int:
    if name in ch_names:
        return ch_names.index(name)
    numbers = [k for k in range(count + (time_column is not None)) if k != time_column]
    if name.isdecimal() and int(name) in numbers:
        return numbers.index(int(name))
    listed = f", a name ({', '.join(ch_names)})" if ch_names else ""
    is_within = time_column is not None and numbers[0] < time_column < numbers[-1]
    but = f", but {time_column}" if is_within else ""
    raise ValueError(
        f"channel={name!r} is not there: pass a number from {numbers[0]} to {numbers[-1]}{but}"
        f"{listed} or mean."
    )


def warn_of_time(values: Floats, ch_names: tuple[str, ...]) -> None:
    """Warn if a column of several rises evenly, as time or a running number does."""
    for k in range(values.shape[-1] if values.ndim == 2 and values.shape[-1] > 1 else 0):
        if rises_evenly(values[:, k]):
            name = ch_names[k] if ch_names else str(k)
            warnings.warn(
                f"column {name} rises evenly, as time does, and counts as a channel; "
                "read it with time_column=, or leave it out by naming the others in channel=.",
                stacklevel=2,
            )
