"""Tasks that only sleep, on many workers: what a cluster takes besides the work, and a model."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import dask.array
import numpy as np
from distributed import Client, LocalCluster

from orbitdl.data.dask_arrays import DaskSource
from orbitdl.executors.cluster import Cluster
from orbitdl.learning.executor import DataChunk
from orbitdl.learning.spill import AtomStore

THREADS = 10
"""Workers that only sleep are threads, so many of one worker: a process cannot start a hundred."""


@dataclass(frozen=True)
class Plan:
    """An iteration: so many pieces, each worked on for so many seconds, by so many workers.

    Attributes
    ----------
    task : float
        Seconds that the scheduler takes for a piece.
    """

    pieces: int
    seconds: float
    workers: int
    task: float

    @property
    def predicted(self) -> float:
        """``ceil(pieces / workers) seconds``, or what the scheduler takes if that is longer."""
        return max(self.rounds * self.seconds, self.scheduling) + self.task * self.workers

    @property
    def rounds(self) -> int:
        """ChunkedData that the busiest worker has, one after the other."""
        return math.ceil(self.data / self.workers)

    @property
    def scheduling(self) -> float:
        """Seconds that the scheduler works."""
        return self.data * self.task


@dataclass(frozen=True)
class Sleep:
    """Work that takes some time, and answers with so many bytes."""

    seconds: float
    bytes: int

    def __call__(self, chunk: DataChunk, store: AtomStore) -> Any:
        time.sleep(self.seconds)
        return np.ones(self.bytes // 8)


def simulated(workers: int, size: int) -> list[tuple[Plan, float]]:
    """Run tasks that sleep; return plans with the seconds they took, the cost of a task first."""
    with sleepers(workers, 20 * workers) as executor:
        executor.total(Sleep(0.0, size), executor.filled, "code")
        pieces = len(executor.filled)
        task = timed_wall(executor, Plan(pieces, 0.0, workers, 0.0), size) / pieces
        plans = [
            Plan(pieces, 0.0, workers, task),
            Plan(pieces, 0.5, workers, task),
            Plan(pieces, 1.0, workers, task),
            Plan(pieces // 4, 2.0, workers, task),
            Plan(pieces // 4 + 1, 2.0, workers, task),
        ]
        return [(plan, timed_wall(executor, plan, size)) for plan in plans]


def timed_wall(executor: Cluster, plan: Plan, size: int) -> float:
    """Return the seconds by the clock that a plan takes."""
    began = time.perf_counter()
    executor.total(Sleep(plan.seconds, size), executor.filled[: plan.pieces], "code")
    return time.perf_counter() - began


@contextmanager
def sleepers(workers: int, pieces: int) -> Iterator[Cluster]:
    """Start so many workers in this process, for so many pieces of next to no data."""
    own = math.gcd(workers, THREADS)
    settings = {"threads_per_worker": own, "processes": False, "dashboard_address": None}
    with LocalCluster(n_workers=workers // own, **settings) as cluster, Client(cluster) as client:
        tiny = dask.array.zeros((pieces, 1), chunks=(1, -1))
        with Cluster(DaskSource(tiny), client) as executor:
            yield executor
