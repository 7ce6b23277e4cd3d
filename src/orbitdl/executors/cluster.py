"""Workers of a Dask cluster, each of which works on the pieces of data that it holds."""

from __future__ import annotations

import logging
import pickle
import secrets
from collections.abc import Sequence
from contextlib import suppress
from itertools import count
from typing import Any, Protocol

from distributed.protocol.pickle import dumps
from distributed.scheduler import KilledWorker

from orbitdl.data.base import reading
from orbitdl.executors.faults import GO_ON, NO_WORKERS, ClusterError, in_words, killed
from orbitdl.executors.tasks import Check, Job, Keeper, add_up, do, forget_topic, open_job
from orbitdl.executors.versions import require_alike
from orbitdl.groups.base import Integers
from orbitdl.learning.executor import Crew, Tell, Work
from orbitdl.learning.shards import Sum

TOGETHER = 8
"""Answers that are added up by one task."""
RETRIES = 2
"""How often a task that failed is done again: what it reads may come from far away."""
LOOK, PATIENCE = 10.0, 300.0
"""Seconds after which it is looked whether there are workers, and how long none is waited for."""
ATTEMPTS = 3
"""How often a round is begun, when workers die at one task until Dask gives up."""


class DelayedPieces(Protocol):
    """Data in pieces that are computed anywhere: a `DaskSource` is that.

    Attributes
    ----------
    check : callable
        ``check(chunk, first, last)`` makes a checked piece of data points first to last - 1, on
        a worker; it can be pickled, and does not hold the data.
    """

    @property
    def ends(self) -> Integers:
        """Where pieces begin, and where the last one ends."""

    @property
    def check(self) -> Check:
        """Makes a checked piece of what was computed."""

    def chunk(self, k: int) -> Any:
        """Return piece k as a `Delayed`."""


class Cluster(Crew):
    """Workers of a Dask cluster. Data stay there; of a round one sum comes back.

    Answers are added up by a tree whose shape depends on the number of pieces alone, so that who
    works, and who dies, does not change how sums round. Nothing is pinned to a worker: a piece
    goes to where its data are, and to another one if that is gone or busy.
    """

    def __init__(self, pieces: DelayedPieces, client: Any) -> None:
        super().__init__(pieces.ends)
        require_alike(client)
        self.client, self.check = client, pieces.check
        self.name = f"orbitdl-{secrets.token_hex(4)}"
        self._ears, self._tokens = Ears(), count()
        with in_words(client):
            client.register_plugin(Keeper(self.name), name=self.name)
            client.subscribe_topic(self.name, self._ears)
            futures = client.compute([pieces.chunk(k) for k in self.filled], retries=RETRIES)
        self.chunks = dict(zip(self.filled, futures, strict=True))

    @property
    def width(self) -> int:
        return max(int(sum(self.client.nthreads().values())), 1)

    def total(
        self, work: Work[Sum], numbers: Sequence[int], name: str, tell: Tell | None = None
    ) -> Sum:
        for attempt in range(1, ATTEMPTS + 1):
            token = f"{self.name.removeprefix('orbitdl-')}-{next(self._tokens)}"
            job = Job(work, self.check, self.name, token, tell is not None)
            self._ears.listen(token, tell, afresh=attempt == 1)
            try:
                found: Sum = self._result(*self._graph(job, numbers, name))
                return found
            except KilledWorker as error:
                if attempt == ATTEMPTS:
                    raise killed(error, attempt) from error
                logging.getLogger("orbitdl").warning("orbitdl: %s The work begins again.", error)
                self.client.retry([one for one in self.chunks.values() if one.status == "error"])
        raise AssertionError("unreachable")

    def _graph(self, job: Job, numbers: Sequence[int], name: str) -> tuple[dict[Any, Any], Any]:
        """Return tasks by their keys, which the dashboard shows, and the key of the sum of all."""
        opened = f"orbitdl-work-{job.token}"
        keys: list[Any] = [(f"orbitdl-{name}-{job.token}", k) for k in numbers]
        pickled = dumps(job)  # type: ignore[no-untyped-call]
        tasks: dict[Any, Any] = {opened: (open_job, pickled)}
        for key, k in zip(keys, numbers, strict=True):
            first, last = int(self.ends[k]), int(self.ends[k + 1])
            tasks[key] = (do, opened, k, first, last, self.chunks[k])
        level = 0
        while len(keys) > 1:
            groups = [keys[k : k + TOGETHER] for k in range(0, len(keys), TOGETHER)]
            keys = [(f"orbitdl-add-{job.token}", level, k) for k in range(len(groups))]
            tasks |= {key: (add_up, group) for key, group in zip(keys, groups, strict=True)}
            level += 1
        return tasks, keys[0]

    def _result(self, tasks: dict[Any, Any], root: Any) -> Any:
        """Let the cluster work, and return the sum; what fails or is interrupted is cancelled."""
        with in_words(self.client):
            future = self.client.get(tasks, root, sync=False, retries=RETRIES)
            try:
                return self._awaited(future)
            except Exception:
                self._blame_chunk()
                raise
            finally:
                with suppress(Exception):  # the client may be closed
                    self.client.cancel([future])

    def _awaited(self, future: Any) -> Any:
        """Return a result; a cluster without workers is waited for, but not for ever."""
        alone = 0
        while True:
            try:
                return future.result(timeout=LOOK)
            except TimeoutError:
                if future.done():  # the work itself ran out of time
                    raise
            alone = 0 if self.client.nthreads() else alone + 1
            if alone == 1:
                logging.getLogger("orbitdl").warning(
                    "orbitdl: the Dask cluster has no workers; waiting for one"
                )
            if alone * LOOK >= PATIENCE:
                raise ClusterError(f"{NO_WORKERS}; {GO_ON}.")

    def _blame_chunk(self) -> None:
        """Say which part of X could not be computed, if that is what failed."""
        failed = [(k, one) for k, one in self.chunks.items() if one.status == "error"]
        for k, future in failed:
            error = future.exception()
            if isinstance(error, KilledWorker):
                raise error
            first, last = int(self.ends[k]), int(self.ends[k + 1]) - 1
            with reading(f"chunk {k} of X, which has data points {first} to {last}"):
                raise error

    def close(self) -> None:
        """Let go of data, and remove what workers kept."""
        self.chunks = {}
        if self.client.status != "running":
            return
        with suppress(Exception):  # a cluster that is gone has kept nothing
            self.client.unregister_worker_plugin(self.name)
            self.client.run_on_scheduler(forget_topic, self.name, self.client.id)


class Ears:
    """Hears what workers say of pieces, and tells it once a piece."""

    def __init__(self) -> None:
        self.heard = set[int]()
        self.listen("", None, afresh=True)

    def listen(self, token: str, tell: Tell | None, *, afresh: bool) -> None:
        """Listen to a round; unless it is the same once more, all pieces are to be heard of."""
        self.token, self.tell = token, tell
        if afresh:
            self.heard = set()

    def __call__(self, event: tuple[float, Any]) -> None:
        """Hear of an event, in the thread of the client."""
        token, number, told = event[1]
        if self.tell is not None and token == self.token and number not in self.heard:
            self.heard.add(number)
            self.tell(number, pickle.loads(told))
