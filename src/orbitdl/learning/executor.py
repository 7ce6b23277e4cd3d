"""Who works on data that are somewhere else, a piece at a time."""

from __future__ import annotations

import secrets
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Protocol, Self
from weakref import WeakSet

import numpy as np

from orbitdl.coding.parallel import in_threads
from orbitdl.groups.base import Blocks, Integers
from orbitdl.learning.shards import AT_ONCE, Sum, total
from orbitdl.learning.spill import Scratch

Tell = Callable[[int, Any], object]
"""Is told of every piece, by its number, what was found out in brief; in any thread."""


class Piece(NamedTuple):
    """A piece of the data, in memory: its number, its first data point, and what is there."""

    number: int
    first: int
    data: Any


Work = Callable[[Piece, Scratch], Sum]
"""Is done on every piece. It may be done twice, and twice at once: that must not matter."""


def brief_of(work: Work[Any], answer: Any) -> Any:
    """Return what is told of an answer: all of it, unless the work has a `brief` that says less."""
    brief = getattr(work, "brief", None)
    return answer if brief is None else brief(answer)


class Round:
    """One coding of data with components A; its number finds codes in a `Scratch`."""

    def __init__(self, number: int, A: Blocks, asked: float) -> None:
        self.number, self.A, self.asked = number, A, asked


class Pieces(Protocol):
    """Data in pieces that are read one at a time: a `Source` is that."""

    @property
    def ends(self) -> Integers:
        """Where pieces begin, and where the last one ends."""

    def read(self, k: int) -> Any:
        """Return piece k."""


class Crew(ABC):
    """Those who work on pieces of data. A context: at its end nothing of theirs is left.

    Attributes
    ----------
    ends : ndarray of shape (k + 1,)
        Where pieces begin; the last number is that of all data points.
    """

    def __init__(self, ends: Integers) -> None:
        self.ends = ends
        self._rounds, self._numbers = WeakSet[Round](), count()

    @property
    def filled(self) -> list[int]:
        """The numbers of the pieces that are not empty."""
        return [int(k) for k in np.flatnonzero(np.diff(self.ends))]

    @property
    @abstractmethod
    def width(self) -> int:
        """How many pieces are worked on at a time."""

    @abstractmethod
    def total(
        self, work: Work[Sum], numbers: Sequence[int], name: str, tell: Tell | None = None
    ) -> Sum:
        """Do some work on pieces, and add up what comes of it, in the order of pieces.

        `name` says in a word what is done. `tell` hears of every piece once.
        """

    @abstractmethod
    def close(self) -> None:
        """Remove all that was kept."""

    def begin(self, A: Blocks, asked: float) -> Round:
        """Begin another coding of data."""
        new = Round(next(self._numbers), A, asked)
        self._rounds.add(new)
        return new

    @property
    def alive(self) -> frozenset[int]:
        """The rounds that somebody still refers to."""
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


class Threads(Crew):
    """Threads of this process, which read pieces as they need them."""

    def __init__(self, pieces: Pieces, n_jobs: int | None = None) -> None:
        super().__init__(pieces.ends)
        self.pieces, self.n_jobs = pieces, n_jobs
        self.scratch = Scratch(Path(tempfile.gettempdir()) / f"orbitdl-{secrets.token_hex(8)}")

    @property
    def width(self) -> int:
        return 1

    def total(
        self, work: Work[Sum], numbers: Sequence[int], name: str, tell: Tell | None = None
    ) -> Sum:
        def do(k: int) -> Sum:
            done = work(Piece(k, int(self.ends[k]), self.pieces.read(k)), self.scratch)
            if tell is not None:
                tell(k, brief_of(work, done))
            return done

        batches = (numbers[k : k + AT_ONCE] for k in range(0, len(numbers), AT_ONCE))
        return total(one for batch in batches for one in in_threads(do, batch, self.n_jobs))

    def close(self) -> None:
        self.scratch.remove()
