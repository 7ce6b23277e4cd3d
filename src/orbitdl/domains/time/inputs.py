"""Recordings as users have them: one or several, in memory or on disk; checked.

Recordings that arrive one after another, once, are stored in a scratch folder and read from there.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import weakref
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from orbitdl.arrays.blocks import Floats, Integers
from orbitdl.arrays.validation import require_in_range
from orbitdl.coding.parallel import in_threads
from orbitdl.data.opening import come_once, remove_folder
from orbitdl.discovery.background import Background
from orbitdl.domains.time.signal import Signal, complete_samples, name_of
from orbitdl.domains.time.whitening import whitened

PART = 2**18
"""Samples that are read at a time."""


@dataclass(frozen=True)
class RecordingSurvey:
    """What one look at a recording says.

    Attributes
    ----------
    samples, channels : int
        How many there are.
    axes : int
        Of the array: 1 or 2.
    observed : int
        Samples that are there.
    constant : tuple of int
        Channels that never change.
    fingerprint : str
        SHA-256 of shape and, if requested, of values.
    """

    samples: int
    channels: int
    axes: int
    observed: int
    constant: tuple[int, ...]
    fingerprint: str


def as_recordings(recording: Any) -> tuple[list[Signal], bool]:
    """Return recordings to be read, and whether several were given.

    A list or tuple of arrays is several recordings, and so is what gives arrays one after another,
    which are kept in a scratch folder; anything else is one.
    """
    if come_once(recording) and not sparse.issparse(recording):
        recording = spooled(recording)
    several = isinstance(recording, list | tuple) and any(map(_is_array, recording))
    if not several:
        return [as_signal(recording)], False
    signals = [as_signal(one, k) for k, one in enumerate(recording)]
    require_same_channels([signal.channels for signal in signals])
    return signals, True


def as_signal(recording: Any, number: int | None = None) -> Signal:
    """Return one recording to be read; what has a signal, as `io.Recording`, gives it."""
    values, name = getattr(recording, "signal", recording), name_of(number)
    if sparse.issparse(values):
        raise ValueError(f"{name} is sparse, which is not supported; pass it as a dense array.")
    if not (hasattr(values, "shape") and hasattr(values, "dtype")):
        values = _in_memory(values, name)
    shape, kind = tuple(values.shape), np.dtype(values.dtype).kind
    if kind == "c":
        raise ValueError(f"{name} is complex; pass its real and imaginary parts as two channels.")
    if kind not in "biuf":
        raise ValueError(f"{name} must be numbers, not {values.dtype}; convert it first.")
    if len(shape) not in (1, 2) or 0 in shape:
        raise ValueError(
            f"{name} has shape {shape}; pass one of shape (samples,) or (samples, channels)."
        )
    if len(shape) == 2 and shape[0] < shape[1]:
        raise ValueError(
            f"{name} has {shape[0]} samples of {shape[1]} channels; if it is the other way round, "
            "pass its transpose, of a file with transpose=True."
        )
    sfreq, first = _known(recording, "sfreq"), _known(recording, "first_sample") or 0
    return Signal(values, sfreq=sfreq, first_sample=first, number=number)


def require_own_channels(found: int, own: int, name: str) -> None:
    """Refuse a recording of other channels than the waveforms have."""
    if found != own:
        raise ValueError(
            f"{name} has {found} channel{'s' * (found != 1)}, but this model was fitted on {own}; "
            "pass the same ones."
        )


class LocalRecordings:
    """Recordings that are read in this process, a chunk each.

    Attributes
    ----------
    signals : list of Signal
    ends : ndarray of shape (n + 1,)
        Where chunks begin: a data point is a recording.
    """

    def __init__(self, signals: list[Signal]) -> None:
        self.signals = signals
        self.ends: Integers = np.arange(len(signals) + 1, dtype=np.intp)

    def read(self, k: int) -> Signal:
        """Return recording k."""
        return self.signals[k]


def require_same_channels(channels: Sequence[int]) -> None:
    """Refuse recordings of which one has other channels than those before it."""
    for number, found in enumerate(channels):
        if found != channels[0]:
            raise ValueError(
                f"the recordings differ in their channels: {name_of(number)} has {found}, and "
                f"those before it have {channels[0]}; pass recordings of the same ones."
            )


def survey(signal: Signal, *, hashed: bool = False, n_jobs: int | None = None) -> RecordingSurvey:
    """Look at a whole recording once, a part at a time; refuse what cannot be worked with."""
    digest = hashlib.sha256(f"{len(signal)} {signal.channels}".encode())

    def look(first: int) -> tuple[int, Floats, Floats]:
        part = signal.raw(first, first + PART)
        if hashed:  # one part after the other, then
            digest.update(np.where(np.isnan(part), np.nan, part).tobytes())
        return known_range(part, signal.name)

    looks = in_threads(look, range(0, len(signal), PART), None if hashed else n_jobs)
    counts, lows, highs = zip(*looks, strict=True)
    observed, low, high = sum(counts), np.min(lows, axis=0), np.max(highs, axis=0)
    if observed == 0:
        raise ValueError(_nothing_observed(signal))
    require_in_range(float(max(high.max(), -low.min())), signal.name)
    shape = len(signal), signal.channels, len(signal.values.shape)
    constant = tuple(map(int, np.flatnonzero(low == high)))
    return RecordingSurvey(*shape, observed, constant, digest.hexdigest())


def require_live_channels(looked: RecordingSurvey, name: str) -> None:
    """Refuse a recording of which a channel never changes: it has no noise to be compared with."""
    if looked.constant:
        raise ValueError(
            f"channel {looked.constant[0]} of {name} is constant throughout; leave it out, for "
            "instance with channel= or preprocessing=[Pick(...)]."
        )


def known_range(part: Floats, name: str) -> tuple[int, Floats, Floats]:
    """Return how many samples (n, channels) are there, and the least and the largest of each."""
    if np.isinf(part).any():
        raise ValueError(f"{name} has infinite values; set them to NaN: missing.")
    known = complete_samples(part)
    there = part if known.all() else part[known]
    return len(there), there.min(axis=0, initial=np.inf), there.max(axis=0, initial=-np.inf)


def detrended(signal: Signal, length: int, *, detrend: bool) -> Signal:
    """Return the recording without the trend that waveforms of that length leave to it."""
    return replace(signal, span=length) if detrend else signal


def ready(
    signal: Signal,
    length: int,
    *,
    detrend: bool,
    n_jobs: int | None = None,
    noise: Background | None = None,
) -> Signal:
    """Return the recording as it is coded with waveforms of that length."""
    free = detrended(signal, length, detrend=detrend)
    if noise is None:
        return free.without_trend(n_jobs)
    return whitened(free, noise, length, n_jobs)


def read_in_parts(signal: Signal) -> Iterator[Floats]:
    """Yield the samples of a recording as they are, part by part."""
    return (signal.raw(first, first + PART) for first in range(0, len(signal), PART))


def _nothing_observed(signal: Signal) -> str:
    """Say that no sample is there, and whether one channel is to blame."""
    there = np.zeros(signal.channels, dtype=bool)
    for part in read_in_parts(signal):
        there |= (~np.isnan(part)).any(axis=0)
    if there.any() and not there.all():
        dead = int(np.argmin(there))
        return f"channel {dead} of {signal.name} is missing throughout; leave it out."
    return f"{signal.name} is missing throughout: all its values are NaN; pass one that has some."


def _known(recording: Any, name: str) -> Any:
    """Return what a `io.Recording` knows of itself; None: nothing, or it is an array."""
    return getattr(recording, name, None) if hasattr(recording, "signal") else None


def _is_array(thing: Any) -> bool:
    return bool(getattr(getattr(thing, "signal", thing), "shape", ()))


def _in_memory(values: Any, name: str) -> Any:
    try:
        array = np.asarray(values)
    except ValueError:
        raise ValueError(
            f"the rows of {name} differ in length; pass (samples, channels), or a list of arrays "
            "for several recordings."
        ) from None
    return array.astype(np.float64) if array.dtype.kind in "biu" else array


class ScratchFolder:
    """A temporary folder that vanishes with the last that refers to it."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="orbitdl-"))
        weakref.finalize(self, remove_folder, str(self.path), os.getpid())


@dataclass(frozen=True, eq=False)
class SpooledRecording:
    """A recording in a scratch folder, of which slices are taken."""

    values: NDArray[Any]
    folder: ScratchFolder

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the array."""
        return self.values.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """Of the array."""
        return self.values.dtype

    def __getitem__(self, samples: slice) -> NDArray[Any]:
        found: NDArray[Any] = self.values[samples]
        return found


def spooled(recordings: Iterable[Any]) -> list[SpooledRecording]:
    """Write recordings to a scratch folder, one at a time; return them to be read from there."""
    folder = ScratchFolder()
    kept = [_written(one, k, folder) for k, one in enumerate(recordings)]
    if not kept:
        raise ValueError(
            "the iterator gave no recording; pass one that was not used before, or a list."
        )
    return kept


def _written(recording: Any, number: int, folder: ScratchFolder) -> SpooledRecording:
    """Write one recording; what is no array of numbers is refused once it is read."""
    path = folder.path / f"{number}.npy"
    array = np.asarray(getattr(recording, "signal", recording))
    if array.size == 0 or array.dtype.kind not in "biuf" or array.ndim not in (1, 2):
        return SpooledRecording(array, folder)
    try:
        np.save(path, array, allow_pickle=False)
    except OSError as error:
        raise OSError(
            f"recording {number} could not be kept in a scratch folder in {path.parent.parent} "
            f"({error.strerror or error}); make room, set TMPDIR to another folder, or pass a list "
            "of arrays on disk."
        ) from error
    return SpooledRecording(np.load(path, mmap_mode="r"), folder)
