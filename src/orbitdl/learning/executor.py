"""Executors: who works on data that are read a chunk at a time."""

from __future__ import annotations

import secrets
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol, Self
from weakref import WeakSet

import numpy as np

from orbitdl.arrays.blocks import Blocks, Integers
from orbitdl.coding.parallel import in_threads
from orbitdl.learning.shards import AT_ONCE, Sum
from orbitdl.learning.spill import AtomStore

OnDone = Callable[[int, Any], object]
"""Is called once for every chunk with its number and a summary of its result, in any thread."""


class DataChunk:
    """A chunk of data: its number, its first data point, and how it is read, once if at all."""

    def __init__(self, number: int, first: int, read: Callable[[], Any]) -> None:
        self.number, self.first, self._read = number, first, read

    @cached_property
    def data(self) -> Any:
        """What was read, checked."""
        return self._read()


Work = Callable[[DataChunk, AtomStore], Sum]
"""Is done on every chunk. It may be done twice, and twice at once: that must not matter."""


def summary_of(work: Work[Any], result: Any) -> Any:
    """Return the summary of a result: all of it, unless the work has a `summary` that is less."""
    summary = getattr(work, "summary", None)
    return result if summary is None else summary(result)


class CodingRound:
    """One coding of data with components A; its number finds atoms in an `AtomStore`."""

    def __init__(self, number: int, A: Blocks, tol: float) -> None:
        self.number, self.A, self.tol = number, A, tol


class ChunkedData(Protocol):
    """Data that are read a chunk at a time: a `Source` is that."""

    @property
    def ends(self) -> Integers:
        """First data points of chunks, and the number of all data points."""

    def read(self, k: int) -> Any:
        """Return chunk k."""


class Executor(ABC):
    """Works on chunks of data. A context: at its end nothing that it stored is left.

    Attributes
    ----------
    ends : ndarray of shape (k + 1,)
        First data points of chunks; the last number is that of all data points.
    """

    def __init__(self, ends: Integers) -> None:
        self.ends = ends
        self._rounds, self._numbers = WeakSet[CodingRound](), count()

    @property
    def filled(self) -> list[int]:
        """The numbers of the chunks that are not empty."""
        return [int(k) for k in np.flatnonzero(np.diff(self.ends))]

    @property
    @abstractmethod
    def width(self) -> int:
        """How many chunks are worked on at a time."""

    @abstractmethod
    def total(
        self, work: Work[Sum], numbers: Sequence[int], name: str, on_done: OnDone | None = None
    ) -> Sum:
        """Do some work on chunks, and add up the results in the order of chunks.

        `name` is a word for the work.
        """

    @abstractmethod
    def close(self) -> None:
        """Remove all that was stored."""

    def begin(self, A: Blocks, tol: float) -> CodingRound:
        """Begin another coding of data."""
        new = CodingRound(next(self._numbers), A, tol)
        self._rounds.add(new)
        return new

    @property
    def alive(self) -> frozenset[int]:
        """The rounds that are still referred to."""
        return frozenset(one.number for one in self._rounds)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class ThreadExecutor(Executor):
    """Threads of this process, which read chunks as they need them."""

    def __init__(self, data: ChunkedData, n_jobs: int | None = None) -> None:
        super().__init__(data.ends)
        self.data, self.n_jobs = data, n_jobs
        self.store = AtomStore(Path(tempfile.gettempdir()) / f"orbitdl-{secrets.token_hex(8)}")

    @property
    def width(self) -> int:
        return 1

    def total(
        self, work: Work[Sum], numbers: Sequence[int], name: str, on_done: OnDone | None = None
    ) -> Sum:
        def do(k: int) -> Sum:
            chunk = DataChunk(k, int(self.ends[k]), partial(self.data.read, k))
            done = work(chunk, self.store)
            if on_done is not None:
                on_done(k, summary_of(work, done))
            return done

        summed = None
        for first in range(0, len(numbers), AT_ONCE):
            for one in in_threads(do, numbers[first : first + AT_ONCE], self.n_jobs):
                summed = one if summed is None else summed + one
        assert summed is not None
        return summed

    def close(self) -> None:
        self.store.remove()
