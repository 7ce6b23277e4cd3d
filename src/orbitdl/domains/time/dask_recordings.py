"""Recordings that are somewhere else, each one piece: what Dask will compute to an array."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from orbitdl.arrays.blocks import Integers
from orbitdl.data.base import reading
from orbitdl.data.dask_arrays import scheduler_of
from orbitdl.domains.time.inputs import as_signal
from orbitdl.domains.time.signal import Signal, name_of


class DelayedRecordings:
    """Recordings that Dask will compute, one piece each: an atom near a border needs both sides.

    Parameters
    ----------
    recordings : sequence of dask.delayed.Delayed
        Each computes to an array (T,) or (T, channels). Nothing is computed before it is read.

    Attributes
    ----------
    ends : ndarray of shape (n + 1,)
        Where pieces begin: a data point is a recording.
    """

    def __init__(self, recordings: Sequence[Any]) -> None:
        self.recordings = list(recordings)
        self.ends: Integers = np.arange(len(self.recordings) + 1, dtype=np.intp)

    def __len__(self) -> int:
        return len(self.recordings)

    def chunk(self, k: int) -> Any:
        """Return the values of recording k as a `Delayed`, to be computed anywhere."""
        return self.recordings[k]

    def read(self, k: int) -> Signal:
        """Compute recording k here."""
        with reading(name_of(k)):
            values = self.chunk(k).compute(scheduler=scheduler_of(self.chunk(k), "synchronous"))
        return check_recording(values, k, k + 1)

    @property
    def check(self) -> Callable[[Any, int, int], Signal]:
        """Makes a checked recording of what was computed, on a worker."""
        return check_recording


def check_recording(values: Any, first: int, last: int) -> Signal:
    """Return the recording of this number, given what was computed, wherever that was."""
    return as_signal(values, first)


def delayed_recordings(recording: Any) -> tuple[DelayedRecordings | None, bool]:
    """Return recordings that Dask will compute, None if these are others; whether it is a list.

    One is a `Delayed`; in a list Dask arrays do as well, which are then computed one by one as a
    whole.
    """
    several = isinstance(recording, list | tuple)
    if not several:
        return (DelayedRecordings([recording]) if is_delayed(recording) else None), False
    lazy = [hasattr(one, "__dask_graph__") for one in recording]
    if not any(lazy):
        return None, True
    if not all(lazy):
        raise ValueError(
            f"{name_of(lazy.index(False))} is in memory, and {name_of(lazy.index(True))} is "
            "delayed; pass all of one kind."
        )
    import dask

    return DelayedRecordings(
        [one if is_delayed(one) else dask.delayed(one) for one in recording]
    ), True


def is_delayed(thing: Any) -> bool:
    """Return whether Dask computes this object in one step: its arrays have a shape before."""
    return hasattr(thing, "__dask_graph__") and not hasattr(type(thing), "shape")
