"""The workers of a Dask cluster as an executor: each works on the chunks of data that it holds."""

from __future__ import annotations

import logging
import pickle
import platform
import pydoc
import secrets
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import count
from threading import Lock
from typing import Any, Protocol
from weakref import WeakKeyDictionary

import cloudpickle
from dask import delayed
from distributed import KilledWorker

from orbitdl.arrays.blocks import Integers
from orbitdl.data.base import reading
from orbitdl.executors.tasks import (
    GO_ON,
    NO_WORKERS,
    TOPIC,
    Check,
    ClusterError,
    Job,
    Keeper,
    add_up,
    do,
    in_words,
    killed,
    open_job,
)
from orbitdl.learning.executor import Executor, OnDone, Work
from orbitdl.learning.shards import Sum

TOGETHER = 8
"""Results that are added up by one task."""
RETRIES = 2
"""How often a task that failed is done again: what it reads may come from far away."""
LOOK, PATIENCE = 10.0, 300.0
"""Seconds between checks that there are workers, and seconds that a cluster without any is waited
for."""
ATTEMPTS = 3
"""How often a round is begun, when workers die at one task until Dask gives up."""


class DelayedData(Protocol):
    """Data in chunks that Dask computes anywhere: a `DaskSource` is that.

    Attributes
    ----------
    check : callable
        ``check(values, first, last)`` returns data points first to last - 1, checked, on a worker;
        it can be pickled, and does not hold the data.
    """

    @property
    def ends(self) -> Integers:
        """First data points of chunks, and the number of all data points."""

    @property
    def check(self) -> Check:
        """Returns computed values as checked data."""

    def chunk(self, k: int) -> Any:
        """Return chunk k as a `Delayed`."""


class Cluster(Executor):
    """Workers of a Dask cluster. Data stay there, loaded once; a round returns one sum.

    Results are added up by a tree whose shape depends on the number of chunks alone, so that who
    works, and who dies, does not change how sums round. Nothing is pinned to a worker: the work on
    a chunk goes to where its data are, and to another worker if that is gone or busy.
    """

    def __init__(self, data: DelayedData, client: Any) -> None:
        super().__init__(data.ends)
        require_alike(client)
        self.client, self.check = client, data.check
        self.name = f"orbitdl-{secrets.token_hex(4)}"
        self._listener, self._tokens = Listener(), count()
        with in_words(client):
            client.register_plugin(Keeper(self.name), name=self.name)
            Switchboard.of(client).connect(self.name, self._listener)
            futures = client.compute([data.chunk(k) for k in self.filled], retries=RETRIES)
        self.chunks = dict(zip(self.filled, futures, strict=True))

    @property
    def width(self) -> int:
        return max(int(sum(self.client.nthreads().values())), 1)

    def total(
        self, work: Work[Sum], numbers: Sequence[int], name: str, on_done: OnDone | None = None
    ) -> Sum:
        for attempt in range(1, ATTEMPTS + 1):
            token = f"{self.name.removeprefix('orbitdl-')}-{next(self._tokens)}"
            job = Job(work, self.check, self.name, token, on_done is not None)
            self._listener.listen(token, on_done, afresh=attempt == 1)
            try:
                found: Sum = self._result(self._summed(job, numbers, name))
                return found
            except KilledWorker as error:
                if attempt == ATTEMPTS:
                    raise killed(error, attempt) from error
                logging.getLogger("orbitdl").warning("orbitdl: %s The work begins again.", error)
                self.client.retry([one for one in self.chunks.values() if one.status == "error"])
        raise AssertionError("unreachable")

    def _summed(self, job: Job, numbers: Sequence[int], name: str) -> Any:
        """Return the sum of the results of chunks as a `Delayed`, with keys for the dashboard."""
        pickled = cloudpickle.dumps(job)
        opened = delayed(open_job, traverse=False)(
            pickled, dask_key_name=f"orbitdl-work-{job.token}"
        )
        work, add = delayed(do, traverse=False), delayed(add_up)
        results = []
        for k in numbers:
            key = (f"orbitdl-{name}-{job.token}", k)
            span = int(self.ends[k]), int(self.ends[k + 1])
            results.append(work(opened, k, *span, self.chunks[k], dask_key_name=key))
        level = 0
        while len(results) > 1:
            groups = [results[k : k + TOGETHER] for k in range(0, len(results), TOGETHER)]
            keys = [(f"orbitdl-add-{job.token}", level, k) for k in range(len(groups))]
            results = [
                add(group, dask_key_name=key) for group, key in zip(groups, keys, strict=True)
            ]
            level += 1
        return results[0]

    def _result(self, summed: Any) -> Any:
        """Let the cluster work, and return the sum; what fails or is interrupted is cancelled."""
        with in_words(self.client):
            future = self.client.compute(summed, optimize_graph=False, retries=RETRIES)
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
        """Release data, and remove what workers stored."""
        self.chunks = {}
        if self.client.status != "running":
            return
        with suppress(Exception):  # a cluster that is gone has stored nothing
            self.client.unregister_worker_plugin(self.name)
            Switchboard.of(self.client).disconnect(self.name)


class Listener:
    """Passes events of workers on to a callback, once per chunk."""

    def __init__(self) -> None:
        self.done = set[int]()
        self.listen("", None, afresh=True)

    def listen(self, token: str, on_done: OnDone | None, *, afresh: bool) -> None:
        """Listen to a round; unless it is the same once more, no chunk of it is done."""
        self.token, self.on_done = token, on_done
        if afresh:
            self.done = set()

    def __call__(self, token: str, number: int, summary: bytes) -> None:
        """Take an event, in the thread of the client."""
        if self.on_done is not None and token == self.token and number not in self.done:
            self.done.add(number)
            self.on_done(number, pickle.loads(summary))


class Switchboard:
    """Passes the events of one topic on to the listeners of a client, by the names of executors.

    A topic per executor would stay on the scheduler for ever.
    """

    known: WeakKeyDictionary[Any, Switchboard] = WeakKeyDictionary()
    lock = Lock()

    def __init__(self, subscribe: Callable[[str, Any], None]) -> None:
        self.listeners = dict[str, Listener]()
        subscribe(TOPIC, self)

    @classmethod
    def of(cls, client: Any) -> Switchboard:
        """Return that of a client."""
        with cls.lock:
            if client not in cls.known:
                cls.known[client] = cls(client.subscribe_topic)
            return cls.known[client]

    def connect(self, name: str, listener: Listener) -> None:
        """Pass events of this executor on to a listener."""
        self.listeners[name] = listener

    def disconnect(self, name: str) -> None:
        """Pass none on any longer."""
        self.listeners.pop(name, None)

    def __call__(self, event: tuple[float, Any]) -> None:
        """Take an event of the topic."""
        name, *told = event[1]
        listener = self.listeners.get(name)
        if listener is not None:
            listener(*told)


OWN = "orbitdl.__version__"
LOST = OSError, TimeoutError
"""What is returned in place of an answer where the connection to a worker is lost."""


def require_alike(client: Any) -> None:
    """Refuse a cluster of another Python or orbitdl, before any work.

    Workers are asked by functions of Python itself: those without orbitdl know no other.
    """
    if client.asynchronous:
        raise ClusterError(
            "the client of the Dask cluster is asynchronous, but fit waits for results; make it "
            "with Client(...) alone."
        )
    with in_words(client):
        pythons = _asked(client, platform.python_version)
        versions = _asked(client, pydoc.locate, OWN)
    for who in pythons.keys() & versions.keys():
        _require(who, "Python", _minor(pythons[who]), _minor(platform.python_version()))
        _require(who, "orbitdl", versions[who], pydoc.locate(OWN))


def _asked(client: Any, ask: Any, *args: str) -> dict[str, Any]:
    """Return what the scheduler and all workers say; one that dies meanwhile says nothing.

    Dask gives its tasks to others, or to the worker that takes its place.
    """
    told = {"the scheduler": client.run_on_scheduler(ask, *args)}
    answers: dict[str, Any] = client.run(ask, *args, on_error="return")
    alive = ((name, one) for name, one in answers.items() if not isinstance(one, LOST))
    return told | {f"the worker {name}": answer for name, answer in alive}


def _require(who: str, what: str, there: Any, here: Any) -> None:
    if isinstance(there, Exception):
        raise ClusterError(f"{who} cannot import {what} ({there}); install {what} {here} there.")
    if there == here:
        return
    if there is None:
        raise ClusterError(f"{who} has no {what}; install {what} {here} there.")
    raise ClusterError(
        f"{who} has {what} {there}, but this process has {here}; install the same on both."
    )


def _minor(version: Any) -> Any:
    """Return "3.12" of "3.12.4", and anything else as it is."""
    return ".".join(version.split(".")[:2]) if isinstance(version, str) else version
