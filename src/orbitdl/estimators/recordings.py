"""Recordings in this process or on a cluster, ready to be learned from."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from orbitdl.domains.time.dask_recordings import DelayedRecordings, delayed_recordings
from orbitdl.domains.time.inputs import (
    Survey,
    as_recordings,
    ready,
    require_same_channels,
    survey,
)
from orbitdl.domains.time.shards import RecordingShards
from orbitdl.domains.time.signal import name_of
from orbitdl.estimators.out_of_core_recordings import (
    OutOfCoreRecordings,
    RecordingLoader,
    survey_chunk,
)
from orbitdl.executors.choice import executor_for


@dataclass(frozen=True, eq=False)
class Given:
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
    def of(cls, shards: RecordingShards | OutOfCoreRecordings, seen: Sequence[Survey]) -> Given:
        """Return recordings of which this was seen, in their order."""
        data = hashlib.sha256("".join(one.fingerprint for one in seen).encode()).hexdigest()
        lengths = tuple(one.samples for one in seen)
        return cls(shards, lengths, seen[0].axes == 1, data)

    @property
    def samples(self) -> int:
        """Of all recordings together."""
        return sum(self.lengths)


@contextmanager
def given_recordings(
    recording: Any, loader: RecordingLoader, n_jobs: int | None
) -> Iterator[Given]:
    """Look at all recordings once, and return them ready to be learned from.

    `loader` says how they are coded; its channels are found out. At the end nothing that was kept
    is left.
    """
    lazy, several = delayed_recordings(recording)
    if lazy is None:
        yield here(recording, loader, n_jobs)
    else:
        with elsewhere(lazy, loader, n_jobs, several=several) as given:
            yield given


def here(recording: Any, loader: RecordingLoader, n_jobs: int | None) -> Given:
    """Return recordings that are read in this process, a chunk at a time."""
    signals, several = as_recordings(recording)
    require_long_enough([len(signal) for signal in signals], loader.width, several=several)
    seen = [survey(signal, hashed=True) for signal in signals]
    require_change(seen)
    flags = {"positive": loader.positive, "integer_shifts": loader.integer_shifts}
    coded = [
        ready(signal, loader.width, detrend=loader.detrend, n_jobs=n_jobs) for signal in signals
    ]
    shards = RecordingShards.cut(coded, loader.width, loader.alpha, n_jobs, **flags)
    return Given.of(shards, seen)


@contextmanager
def elsewhere(
    recordings: DelayedRecordings, loader: RecordingLoader, n_jobs: int | None, *, several: bool
) -> Iterator[Given]:
    """Return recordings that are computed where they are coded."""
    with executor_for(recordings, n_jobs) as executor:
        seen: list[Survey] = executor.total(survey_chunk, executor.filled, "look")
        require_same_channels([one.channels for one in seen])
        lengths = tuple(one.samples for one in seen)
        require_long_enough(lengths, loader.width, several=several)
        require_change(seen)
        within = n_jobs if len(recordings) == 1 else None  # threads share the only one
        own = replace(loader, channels=seen[0].channels, n_jobs=within)
        yield Given.of(OutOfCoreRecordings.of(executor, own, lengths), seen)


def require_long_enough(lengths: Sequence[int], width: int, *, several: bool) -> None:
    """Refuse recordings that are shorter than a waveform."""
    shortest = min(lengths)
    if shortest < width:
        name = name_of(lengths.index(shortest) if several else None)
        raise ValueError(
            f"{name} has {shortest} sample{'s' * (shortest != 1)}, fewer than one waveform of "
            f"length={width}; pass a longer recording or a smaller length=."
        )


def require_change(seen: Sequence[Survey]) -> None:
    """Refuse recordings that are all constant."""
    if all(one.is_constant for one in seen):
        raise ValueError(
            "the recording is constant, so no waveform is in it; pass one that changes."
        )
