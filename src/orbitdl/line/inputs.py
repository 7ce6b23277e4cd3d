"""Recordings as users have them: one or several, in memory or on disk; checked."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from orbitdl.groups.base import Floats
from orbitdl.line.signal import Signal, complete
from orbitdl.validation import require_usual_number

PART = 2**18
"""Samples that are read at a time."""


@dataclass(frozen=True)
class Survey:
    """What one look at a recording says.

    Attributes
    ----------
    observed : int
        Samples that are there.
    is_constant : bool
        Whether every channel is.
    fingerprint : str
        SHA-256 of shape and, if that was asked for, of values.
    """

    observed: int
    is_constant: bool
    fingerprint: str


def as_recordings(recording: Any) -> tuple[list[Signal], bool]:
    """Return recordings to be read, and whether a list of them was given.

    A list or tuple of arrays is several recordings; anything else is one.
    """
    several = isinstance(recording, list | tuple) and any(map(_is_array, recording))
    if not several:
        return [as_signal(recording)], False
    signals = [as_signal(one) for one in recording]
    channels = {signal.channels for signal in signals}
    if len(channels) > 1:
        listed = " and ".join(map(str, sorted(channels)))
        raise ValueError(
            f"the recordings differ in their channels ({listed}); pass recordings of the same ones."
        )
    return signals, True


def as_signal(recording: Any) -> Signal:
    """Return one recording to be read; what has a signal, as `recordings.Recording`, gives it."""
    values = getattr(recording, "signal", recording)
    if not (hasattr(values, "shape") and hasattr(values, "dtype")):
        values = _in_memory(values)
    shape, kind = tuple(values.shape), np.dtype(values.dtype).kind
    if kind == "c":
        raise ValueError(
            "the recording is complex; pass its real and imaginary parts as two channels."
        )
    if kind not in "biuf":
        raise ValueError(f"the recording must be numbers, not {values.dtype}; convert it first.")
    if len(shape) not in (1, 2) or 0 in shape:
        raise ValueError(
            f"the recording has shape {shape}; pass one of shape (samples,) or (samples, channels)."
        )
    if len(shape) == 2 and shape[0] < shape[1]:
        raise ValueError(
            f"the recording has {shape[0]} samples of {shape[1]} channels; if it is the other way "
            "round, pass its transpose."
        )
    return Signal(values)


def survey(signal: Signal, *, hashed: bool = False) -> Survey:
    """Look at a whole recording once, a part at a time; refuse what cannot be worked with."""
    digest = hashlib.sha256(f"{len(signal)} {signal.channels}".encode())
    observed, low, high = 0, np.full(signal.channels, np.inf), np.full(signal.channels, -np.inf)
    for part in parts_of(signal):
        if np.isinf(part).any():
            raise ValueError("the recording has infinite values; set them to NaN: missing.")
        there = part[complete(part)]
        observed += len(there)
        low = np.minimum(low, there.min(axis=0, initial=np.inf))
        high = np.maximum(high, there.max(axis=0, initial=-np.inf))
        if hashed:
            digest.update(np.where(np.isnan(part), np.nan, part).data)
    if observed == 0:
        raise ValueError(_nothing_observed(signal))
    require_usual_number(float(max(high.max(), -low.min())), "the recording")
    return Survey(observed, bool(np.all(low == high)), digest.hexdigest())


def ready(signal: Signal, length: int, *, detrend: bool) -> Signal:
    """Return the recording as it is coded with waveforms of that length."""
    return replace(signal, span=length).without_trend() if detrend else signal


def parts_of(signal: Signal) -> Iterator[Floats]:
    """Yield the samples of a recording as they are, part by part."""
    return (signal.raw(first, first + PART) for first in range(0, len(signal), PART))


def _nothing_observed(signal: Signal) -> str:
    """Say that no sample is there, and whether one channel is to blame."""
    there = np.zeros(signal.channels, dtype=bool)
    for part in parts_of(signal):
        there |= (~np.isnan(part)).any(axis=0)
    if there.any() and not there.all():
        dead = int(np.argmin(there))
        return f"channel {dead} of the recording is missing throughout; leave it out."
    return "the recording is missing throughout (NaN); pass one with samples."


def _is_array(thing: Any) -> bool:
    return hasattr(getattr(thing, "signal", thing), "shape")


def _in_memory(values: Any) -> Any:
    try:
        array = np.asarray(values)
    except ValueError:
        raise ValueError(
            "the rows of the recording differ in length; pass (samples, channels), or a list of "
            "arrays for several recordings."
        ) from None
    return array.astype(np.float64) if array.dtype.kind in "biu" else array
