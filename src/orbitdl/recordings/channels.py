"""Channels of a recording: choosing some of them, and one that may be none."""

from __future__ import annotations

import warnings

import numpy as np

from orbitdl.groups.base import Floats


def choose_channel(values: Floats, leads: tuple[str, ...], channel: str, *, least: int) -> Floats:
    """Return columns of the last axis by name or number; one alone loses its axis."""
    if values.ndim < least:
        raise ValueError(
            f"channel={channel!r} needs data with several channels, and these have one."
        )
    if channel == "mean":
        return np.asarray(values.mean(axis=-1))
    count = values.shape[-1]
    chosen = [_place(name.strip(), leads, count) for name in channel.split(",")]
    return values[..., chosen[0]] if len(chosen) == 1 else values[..., chosen]


def _place(name: str, leads: tuple[str, ...], count: int) -> int:
    if name in leads:
        return leads.index(name)
    if name.isdecimal() and int(name) < count:
        return int(name)
    listed = f", a name ({', '.join(leads)})" if leads else ""
    raise ValueError(
        f"channel={name!r} is not there: pass a number from 0 to {count - 1}{listed} or mean."
    )


def warn_of_time(values: Floats, leads: tuple[str, ...]) -> None:
    """Warn if a column of several rises evenly, as time or a running number does."""
    for k in range(values.shape[-1] if values.ndim == 2 and values.shape[-1] > 1 else 0):
        steps = np.diff(values[:, k])
        if len(steps) > 1 and steps.min() > 0 and np.ptp(steps) <= 1e-3 * steps.mean():
            name = leads[k] if leads else str(k)
            warnings.warn(
                f"column {name} rises evenly, as time does, and counts as a channel; "
                "leave it out by naming the others in channel=.",
                stacklevel=2,
            )
