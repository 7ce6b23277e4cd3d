"""What waveforms make of recordings that Dask will compute: not yet computed either."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from orbitdl.domains.time.codes import RecordingCodes
from orbitdl.domains.time.dask_recordings import DelayedRecordings
from orbitdl.domains.time.inputs import named
from orbitdl.domains.time.signal import Signal
from orbitdl.estimators.on_recordings import Applied, Explained
from orbitdl.events.code_events import no_events
from orbitdl.events.detected_events import no_detected_events
from orbitdl.executors.choice import executor_for
from orbitdl.kernels.blas import single_threaded_blas
from orbitdl.learning.executor import DataChunk
from orbitdl.learning.spill import AtomStore

Make = Callable[[Applied, Signal, str], Any]
"""Makes something of a recording and its name."""


@dataclass(frozen=True, eq=False)
class OnRecording:
    """Makes something of a recording, where that was computed."""

    applied: Applied
    make: Make

    @single_threaded_blas()
    def __call__(self, values: Any, number: int) -> Any:
        return self.make(self.applied, self.applied.signal_of(values, number), named(number))


@dataclass(frozen=True, eq=False)
class ListEvents:
    """Lists the events of a recording, with its number first, where that was computed."""

    applied: Applied
    settings: dict[str, float | None]

    @single_threaded_blas()
    def __call__(self, values: Any, number: int, codes: RecordingCodes | None) -> pd.DataFrame:
        signal = self.applied.signal_of(values, number)
        return with_number(self.applied.events(signal, codes, self.settings), number)


@dataclass(frozen=True, eq=False)
class ExplainRecording:
    """Returns how much codes explain of a recording."""

    applied: Applied

    @single_threaded_blas()
    def __call__(self, chunk: DataChunk, store: AtomStore) -> Explained:
        name = named(chunk.number)
        return self.applied.explained(self.applied.require_channels(chunk.data, name), name)


def each_later(recordings: DelayedRecordings, applied: Applied, make: Make) -> list[Any]:
    """Return what is made of every recording, each a `Delayed`."""
    import dask

    work = dask.delayed(OnRecording(applied, make), pure=False)
    return [work(one, k) for k, one in enumerate(recordings.recordings)]


def events_later(
    recordings: DelayedRecordings,
    applied: Applied,
    codes: Sequence[Any],
    settings: dict[str, float | None],
) -> Any:
    """Return a Dask dataframe of events, a recording a partition."""
    import dask
    import dask.dataframe

    work = dask.delayed(ListEvents(applied, settings), pure=False)
    pairs = zip(recordings.recordings, codes, strict=True)
    tables = [work(one, k, known) for k, (one, known) in enumerate(pairs)]
    empty = no_detected_events if applied.detects(settings) else no_events
    columns = with_number(empty(settings["sfreq"]), 0)
    return dask.dataframe.from_delayed(tables, meta=columns, verify_meta=False)


def score_of(recordings: DelayedRecordings, applied: Applied, n_jobs: int | None) -> float:
    """Return how much codes explain of all recordings, which are coded where they are."""
    with executor_for(recordings, n_jobs) as executor:
        return executor.total(ExplainRecording(applied), executor.filled, "score").score


def with_number(events: pd.DataFrame, number: int) -> pd.DataFrame:
    """Return a table whose first column is the number of the recording."""
    table = events.copy()
    table.insert(0, "recording", number)
    return table
