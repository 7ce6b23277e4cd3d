"""Recordings in this process or on a cluster, ready to be learned from."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from orbitdl.domains.time.dask_recordings import DelayedRecordings, delayed_recordings
from orbitdl.domains.time.inputs import (
    RecordingSurvey,
    as_recordings,
    ready,
    require_live_channels,
    require_same_channels,
    survey,
)
from orbitdl.domains.time.shards import RecordingShards
from orbitdl.domains.time.signal import name_of
from orbitdl.estimators.out_of_core_recordings import (
    OutOfCoreRecordings,
    RecordingLoader,
    survey_recording,
)
from orbitdl.executors.choice import executor_for
from orbitdl.io.reading import read
from orbitdl.io.recording import Recording
from orbitdl.io.time_columns import looks_like_time


@dataclass(frozen=True, eq=False)
class RecordingDataset:
    """Recordings to learn from.

    Attributes
    ----------
    shards : RecordingShards or OutOfCoreRecordings
    lengths : tuple of int
        Samples of every recording.
    one_axis : bool
        Whether they are (T,), and not (T, channels).
    fingerprint : str
        The same wherever they are.
    """

    shards: RecordingShards | OutOfCoreRecordings
    lengths: tuple[int, ...]
    one_axis: bool
    fingerprint: str

    @classmethod
    def of(
        cls, shards: RecordingShards | OutOfCoreRecordings, surveys: Sequence[RecordingSurvey]
    ) -> RecordingDataset:
        """Return recordings that were surveyed, in their order."""
        data = hashlib.sha256("".join(one.fingerprint for one in surveys).encode()).hexdigest()
        lengths = tuple(one.samples for one in surveys)
        return cls(shards, lengths, surveys[0].axes == 1, data)

    @property
    def samples(self) -> int:
        """Of all recordings together."""
        return sum(self.lengths)


@contextmanager
def recording_dataset(
    recording: Any, loader: RecordingLoader, n_jobs: int | None
) -> Iterator[RecordingDataset]:
    """Look at all recordings once, and return them ready to be learned from.

    `loader` says how they are coded; its channels are found out. At the end nothing that was kept
    is left.
    """
    lazy, several = delayed_recordings(recording)
    if lazy is None:
        yield local_dataset(recording, loader, n_jobs)
    else:
        with out_of_core(lazy, loader, n_jobs, several=several) as dataset:
            yield dataset


def open_files(recording: Any) -> Any:
    """Return recordings; paths of files are opened: ``.npy`` is memory-mapped, others are read."""
    if isinstance(recording, list | tuple):
        return [open_files(one) if isinstance(one, str | PathLike) else one for one in recording]
    if not isinstance(recording, str | PathLike):
        return recording
    path = Path(recording)
    if path.suffix == ".npy" and path.is_file():
        with suppress(ValueError, OSError):  # `read` says what is wrong
            return np.load(path, mmap_mode="r")
    found = read(path)
    require_no_time(found, path.name)
    return found


def require_no_time(recording: Recording, name: str) -> None:
    """Refuse a file of which a column looks like time: nothing is to be learned from it."""
    column = looks_like_time(recording.signal, recording.ch_names)
    if column is not None:
        raise ValueError(
            f"column {column} of {name} looks like time; pass "
            f"orbitdl.io.read({name!r}, time_column={column!r}), which takes the sampling "
            "rate from it, or the other columns as an array."
        )


def local_dataset(recording: Any, loader: RecordingLoader, n_jobs: int | None) -> RecordingDataset:
    """Return recordings that are read in this process, a chunk at a time."""
    signals, several = as_recordings(recording)
    require_long_enough([len(signal) for signal in signals], loader.width, several=several)
    surveys = [survey(signal, hashed=True) for signal in signals]
    require_change(surveys)
    flags = {"positive": loader.positive, "integer_shifts": loader.integer_shifts}
    coded = [
        ready(signal, loader.width, detrend=loader.detrend, n_jobs=n_jobs) for signal in signals
    ]
    shards = RecordingShards.cut(coded, loader.width, loader.alpha, n_jobs, **flags)
    return RecordingDataset.of(shards, surveys)


@contextmanager
def out_of_core(
    recordings: DelayedRecordings, loader: RecordingLoader, n_jobs: int | None, *, several: bool
) -> Iterator[RecordingDataset]:
    """Return recordings that are computed where they are coded."""
    with executor_for(recordings, n_jobs) as executor:
        surveys: list[RecordingSurvey] = executor.total(survey_recording, executor.filled, "look")
        require_same_channels([one.channels for one in surveys])
        lengths = tuple(one.samples for one in surveys)
        require_long_enough(lengths, loader.width, several=several)
        require_change(surveys)
        within = n_jobs if len(recordings) == 1 else None  # threads share the only one
        own = replace(loader, channels=surveys[0].channels, n_jobs=within)
        yield RecordingDataset.of(OutOfCoreRecordings.of(executor, own, lengths), surveys)


def require_long_enough(lengths: Sequence[int], width: int, *, several: bool) -> None:
    """Refuse recordings that are shorter than a waveform."""
    shortest = min(lengths)
    if shortest < width:
        name = name_of(lengths.index(shortest) if several else None)
        raise ValueError(
            f"{name} has {shortest} sample{'s' * (shortest != 1)}, fewer than one waveform of "
            f"length={width}; pass a longer recording or a smaller length=."
        )


def require_change(surveys: Sequence[RecordingSurvey]) -> None:
    """Refuse recordings that are constant, or have a channel that is."""
    if all(len(one.constant) == one.channels for one in surveys):
        raise ValueError(
            "the recording is constant, so no waveform is in it; pass one that changes."
        )
    for number, one in enumerate(surveys):
        require_live_channels(one, name_of(number if len(surveys) > 1 else None))
