"""Selection of channels, and detection of time columns among them."""

from __future__ import annotations

import warnings

import numpy as np

from orbitdl.groups.base import Floats
from orbitdl.io.time_columns import rises_evenly


def choose_channel(
    values: Floats,
    ch_names: tuple[str, ...],
    channel: str,
    *,
    least: int,
    time_column: int | None = None,
) -> tuple[Floats, list[int] | None]:
    """Select channels (last axis) by name or index; return their indices, None for the mean.

    A single channel loses its axis. Indices include a removed time column.
    """
    if values.ndim < least:
        raise ValueError(
            f"channel={channel!r} needs data with several channels, but these have one; leave it "
            "out."
        )
    if channel == "mean":
        return np.asarray(values.mean(axis=-1)), None
    count = values.shape[-1]
    selection = [_index(name.strip(), ch_names, count, time_column) for name in channel.split(",")]
    return values[..., selection[0] if len(selection) == 1 else selection], selection


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


def warn_of_time(values: Floats, ch_names: tuple[str, ...]) -> None:
    """Warn if one of several columns increases uniformly, like time or a counter."""
    for k in range(values.shape[-1] if values.ndim == 2 and values.shape[-1] > 1 else 0):
        if rises_evenly(values[:, k]):
            name = ch_names[k] if ch_names else str(k)
            warnings.warn(
                f"column {name} increases uniformly, like time, but is used as a channel; read it "
                "with time_column=, or select the others with channel=.",
                stacklevel=2,
            )
