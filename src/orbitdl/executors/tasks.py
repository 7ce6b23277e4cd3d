"""What runs on a worker of a Dask cluster. Whatever runs twice counts once."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from distributed import Worker, WorkerPlugin, get_worker

from orbitdl.coding.codes import Atoms
from orbitdl.kernels.blas import single_threaded_blas
from orbitdl.learning.executor import Piece, Work, brief_of
from orbitdl.learning.shards import total
from orbitdl.learning.spill import Scratch

Check = Callable[[Any, int, int], Any]
"""Turns a chunk, with the numbers of its first data point and of the one after its last, to a
checked piece of data."""


class Keeper(WorkerPlugin):
    """Keeps a scratch folder on every worker, as long as those who asked for it are at work."""

    def __init__(self, name: str) -> None:
        self.name = name

    def teardown(self, worker: Worker) -> None:
        """Remove it."""
        scratch_of(worker, self.name).remove()


class WorkerScratch(Scratch):
    """The scratch folder of a worker, who also finds what others on the same machine kept."""

    def find(self, number: int, piece: int) -> Atoms | None:
        own = super().find(number, piece)
        if own is not None:
            return own
        beside = sorted(self.folder.parent.parent.glob(f"*/{self.folder.name}"))
        found = (Scratch(folder).find(number, piece) for folder in beside)
        return next((atoms for atoms in found if atoms is not None), None)


def scratch_of(worker: Worker, name: str) -> Scratch:
    """Return the scratch folder of this name on a worker."""
    return WorkerScratch(Path(worker.local_directory) / name)


@dataclass(frozen=True, eq=False)
class Job:
    """Some work on pieces of data, as a worker is given it.

    Attributes
    ----------
    work : callable
    check : callable
    keeper : str
        Name of the scratch folders.
    token : str
        Of this round.
    is_told : bool
        Whether somebody wants to hear of every piece.
    """

    work: Work[Any]
    check: Check
    keeper: str
    token: str
    is_told: bool

    @single_threaded_blas()
    def do(self, number: int, first: int, last: int, chunk: Any) -> Any:
        """Return what comes of the work on one piece."""
        worker = get_worker()
        scratch = scratch_of(worker, self.keeper)
        answer = self.work(Piece(number, first, self.check(chunk, first, last)), scratch)
        if self.keeper not in worker.plugins:  # all was over while this still ran
            scratch.remove()
        elif self.is_told:
            told = pickle.dumps(brief_of(self.work, answer))
            worker.log_event(self.keeper, [self.token, number, told])
        return answer


def open_job(pickled: bytes) -> Job:
    """Return a job; a task of its own, so that workers pass it on and can make it anew."""
    job: Job = pickle.loads(pickled)
    return job


def do(job: Job, number: int, first: int, last: int, chunk: Any) -> Any:
    """Do a job on one piece."""
    return job.do(number, first, last, chunk)


def add_up(answers: Sequence[Any]) -> Any:
    """Add up answers in their order."""
    return total(answers)


def forget_topic(topic: str, client: str, dask_scheduler: Any = None) -> None:
    """Let a client hear no more of a topic, whose events the scheduler would keep for ever.

    Both in one call: a client that left later would make the topic anew.
    """
    dask_scheduler.unsubscribe_topic(topic, client)
    broker = getattr(dask_scheduler, "_broker", None)
    getattr(broker, "_topics", {}).pop(topic, None)
