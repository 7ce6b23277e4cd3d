"""What runs on a worker of a Dask cluster. Whatever runs twice counts once.

Errors of a cluster are reported as `ClusterError`.
"""

from __future__ import annotations

import pickle
from asyncio import CancelledError as LoopCancelledError
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any, cast

from distributed import Worker, WorkerPlugin, get_worker
from distributed.comm.core import CommClosedError
from distributed.scheduler import KilledWorker, NoValidWorkerError

from orbitdl.coding.atoms import Atoms
from orbitdl.kernels.blas import single_threaded_blas
from orbitdl.learning.executor import DataChunk, Work, summary_of
from orbitdl.learning.shards import total
from orbitdl.learning.spill import AtomStore, Loaded

GO_ON = "if a checkpoint was given, fit goes on from it on a new cluster or in one process"

NO_WORKERS = "the Dask cluster has no workers left"


TOPIC = "orbitdl"
"""Topic of the events of all workers."""
SHARE = 0.25
"""Share of the memory of a worker that loaded data may take, beside the data of Dask."""


class ClusterError(RuntimeError):
    """A cluster that cannot go on; the message says why, and what can be done."""


@contextmanager
def in_words(client: Any) -> Iterator[None]:
    """Say in one sentence that a cluster is lost; failures of the work itself stay as they are."""
    try:
        yield
    except (ClusterError, KilledWorker):
        raise
    except (Exception, LoopCancelledError) as error:
        reason = cause_of(error, client)
        if reason is None:
            raise
        raise ClusterError(f"{reason}; {GO_ON}.") from error


def cause_of(error: BaseException, client: Any) -> str | None:
    """Return what happened to a cluster, None if nothing did."""
    if client.status != "running":
        return "the connection to the Dask cluster was closed or lost"
    if isinstance(error, CancelledError | LoopCancelledError):
        return (
            "parts of X were cancelled, or were lost with a worker and cannot be made again, as "
            "those that client.scatter sent; pass X anew, as an array that workers can compute"
        )
    if isinstance(error, NoValidWorkerError):
        return NO_WORKERS
    if isinstance(error, CommClosedError):
        return "the connection to the Dask cluster was lost"
    if isinstance(error, ModuleNotFoundError):
        return f"a worker has no module {error.name}; install there what is installed here"
    return None


def killed(error: KilledWorker, attempts: int) -> ClusterError:
    """Return the error that says that workers died again and again."""
    return ClusterError(
        f"workers of the Dask cluster died again and again, in {attempts} attempts, at the task "
        f"{error.task}, probably for want of memory; give them more, or X smaller chunks; {GO_ON}."
    )


Check = Callable[[Any, int, int], Any]
"""Returns a chunk as checked data, given the numbers of its first data point and of the one after
its last."""


class Keeper(WorkerPlugin):
    """Owns the atoms on disk, and the loaded data in memory, of one executor on a worker."""

    def __init__(self, name: str) -> None:
        self.name = name

    def setup(self, worker: Worker) -> None:
        """Begin without loaded data."""
        self.loaded, self.bytes = dict[int, tuple[bytes, Any]](), 0
        self.lock = Lock()
        limit = getattr(worker.memory_manager, "memory_limit", None)
        self.most = SHARE * limit if limit else float("inf")

    def __getstate__(self) -> dict[str, Any]:
        """Return what is pickled: the name alone."""
        return {"name": self.name}

    def teardown(self, worker: Worker) -> None:
        """Remove all of it."""
        self.loaded = {}
        store_of(worker, self.name).remove()

    def remember(self, number: int, key: bytes, shards: Any) -> None:
        """Keep loaded data in memory, if there is enough of it."""
        size = int(getattr(shards, "nbytes", 0))
        with self.lock:
            if self.bytes + size <= self.most:
                self.loaded[number] = key, shards
                self.bytes += size


@dataclass(frozen=True)
class WorkerStore(AtomStore):
    """The store of a worker, which also finds atoms of other workers of the same machine."""

    keeper: Keeper | None = None

    def loaded(self, chunk: DataChunk, loader: Any, load: Callable[[Any], Loaded]) -> Loaded:
        if self.keeper is None:
            return load(chunk)
        key = pickle.dumps(loader)
        known, shards = self.keeper.loaded.get(chunk.number, (b"", None))
        if known == key:
            return cast(Loaded, shards)
        fresh = load(chunk)
        self.keeper.remember(chunk.number, key, fresh)
        return fresh

    def find(self, number: int, chunk: int) -> Atoms | None:
        own = super().find(number, chunk)
        if own is not None:
            return own
        others = sorted(self.folder.parent.parent.glob(f"*/{self.folder.name}"))
        found = (AtomStore(folder).find(number, chunk) for folder in others)
        return next((atoms for atoms in found if atoms is not None), None)


def store_of(worker: Worker, name: str) -> WorkerStore:
    """Return the store of this name on a worker."""
    keeper = cast(Keeper | None, worker.plugins.get(name))
    return WorkerStore(Path(worker.local_directory) / name, keeper)


@dataclass(frozen=True, eq=False)
class Job:
    """Some work on chunks of data, as a worker is given it.

    Attributes
    ----------
    work : callable
    check : callable
    keeper : str
        Name of the stores.
    token : str
        Of this round.
    is_watched : bool
        Whether there is a callback for every chunk.
    """

    work: Work[Any]
    check: Check
    keeper: str
    token: str
    is_watched: bool

    @single_threaded_blas()
    def do(self, number: int, first: int, last: int, values: Any) -> Any:
        """Return the result of the work on one chunk."""
        worker = get_worker()
        store = store_of(worker, self.keeper)
        chunk = DataChunk(number, first, partial(self.check, values, first, last))
        result = self.work(chunk, store)
        if self.keeper not in worker.plugins:  # all was over while this still ran
            store.remove()
        elif self.is_watched:
            summary = pickle.dumps(summary_of(self.work, result))
            worker.log_event(TOPIC, [self.keeper, self.token, number, summary])
        return result


def open_job(pickled: bytes) -> Job:
    """Return a job; a task of its own, so that workers pass it on and can make it anew."""
    job: Job = pickle.loads(pickled)
    return job


def do(job: Job, number: int, first: int, last: int, values: Any) -> Any:
    """Do a job on one chunk."""
    return job.do(number, first, last, values)


def add_up(results: Sequence[Any]) -> Any:
    """Add up results in their order."""
    return total(results)
