"""Stretches in which a channel keeps its value: saturation and flat lines."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from orbitdl.groups.base import Floats, Integers
from orbitdl.recordings.artefacts import Artefact, Stretch
from orbitdl.recordings.stretches import equal_runs

STEEP = 4
"""How many of its smallest steps a signal takes into a ceiling; into a smooth top it takes one."""
OUTSIDE = 0.005
"""Share of values that are beyond a level, on one side, where standing still is saturation."""


def find_plateaus(x: Floats, channel: int, saturated: int, flat: int) -> Iterator[Stretch]:
    """Find saturation and flat lines of a channel (n_times,), in which NaN is never equal."""
    start, length = equal_runs(x)
    seen = ~np.isnan(x[start])
    if np.count_nonzero(~np.isnan(x)) < 2:
        return
    start, length, value = start[seen], length[seen], x[start[seen]]
    still = length >= flat * np.median(length)
    if value.min() == value.max():  # the channel never changes: nothing else to compare with
        still[:] = True
    smallest, largest = _usual_range(value, length, still)
    extreme = ((value == value.max()) | (value == value.min())) & (value.min() < value.max())
    cut = extreme & (length >= saturated) & _is_entered_steeply(x, start, length)
    at_limit = cut | (still & (extreme | (value < smallest) | (value > largest)))
    for k in np.flatnonzero(still | cut):
        reason = Artefact.saturation if at_limit[k] else Artefact.flat
        words = f"{length[k]} samples in a row have the value {value[k]:.6g}"
        if at_limit[k]:
            words += ", at the edge of what the channel takes: it was cut there"
        yield Stretch(int(start[k]), int(start[k] + length[k]), channel, reason, f"{words}.")


def _usual_range(value: Floats, length: Integers, still: NDArray[np.bool_]) -> tuple[float, float]:
    """Return the values between which the channel is nearly always where it does not stand still.

    A channel that always stands still has no such range, and is flat.
    """
    moving = np.repeat(value[~still], length[~still])
    if len(moving) == 0:
        return -np.inf, np.inf
    smallest, largest = np.quantile(moving, [OUTSIDE, 1 - OUTSIDE])
    return float(smallest), float(largest)


def _is_entered_steeply(x: Floats, start: Integers, length: Integers) -> NDArray[np.bool_]:
    """Return which runs the signal enters or leaves in a step far larger than its smallest."""
    steps = np.abs(np.diff(x, prepend=np.nan, append=np.nan))
    moved = steps[steps > 0]
    if len(moved) == 0:
        return np.zeros(len(start), dtype=bool)
    largest = np.fmax(steps[start], steps[start + length])
    return np.asarray(largest > STEEP * moved.min())
