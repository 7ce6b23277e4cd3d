"""What the rows and columns of a file mean."""

from __future__ import annotations

import warnings

import numpy as np

from orbitdl.recordings.content import Content, Floats

FEW = 8
"""A table of up to this many columns is a recording, unless something else is said."""


def is_recording(
    content: Content, window: int | None, layout: str, shape: tuple[int, ...] | None
) -> bool:
    """Decide whether rows are samples in time (True) or windows (False).

    `layout` decides if it is not "auto". Sound, WFDB records and single columns are recordings;
    rows of the shape of a model's data points are windows, and so are arrays of three axes; then
    everything is a recording if a window length is known, and of the rest only tables (.csv,
    .parquet) of up to 8 columns are.
    """
    values = content.values
    if layout != "auto":
        return layout == "recording"
    if content.kind == "recording" or values.ndim == 1:
        return True
    if values.shape[1:] == shape or (values.ndim > 2 and window is None):
        return False
    return window is not None or (content.kind == "table" and values.shape[1] <= FEW)


def choose_channel(values: Floats, names: tuple[str, ...], channel: str, *, least: int) -> Floats:
    """Return columns of the last axis by name or number; one alone loses its axis."""
    if values.ndim < least:
        raise ValueError("--channel needs data with several channels, and these have one.")
    if channel == "mean":
        return np.asarray(values.mean(axis=-1))
    count = values.shape[-1]
    chosen = [_place(name.strip(), names, count) for name in channel.split(",")]
    return values[..., chosen[0]] if len(chosen) == 1 else values[..., chosen]


def _place(name: str, names: tuple[str, ...], count: int) -> int:
    if name in names:
        return names.index(name)
    if name.isdecimal() and int(name) < count:
        return int(name)
    listed = f", a name ({', '.join(names)})" if names else ""
    raise ValueError(
        f"--channel {name} is not there: pass a number from 0 to {count - 1}{listed} or mean."
    )


def warn_of_time(values: Floats, names: tuple[str, ...]) -> None:
    """Warn if a column of several rises evenly, as time or a running number does."""
    for k in range(values.shape[-1] if values.ndim == 2 and values.shape[-1] > 1 else 0):
        steps = np.diff(values[:, k])
        if len(steps) > 1 and steps.min() > 0 and np.ptp(steps) <= 1e-3 * steps.mean():
            name = names[k] if names else str(k)
            warnings.warn(
                f"column {name} rises evenly, as time does, and counts as a channel; "
                "leave it out with --channel.",
                stacklevel=2,
            )
