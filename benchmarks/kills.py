"""Kill workers of a Dask cluster while they learn: python -m benchmarks.kills."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Timer

import dask
import dask.array as da
import numpy as np
from distributed import Client, LocalCluster

from orbitdl import OrbitDictionaryLearning
from orbitdl.datasets import make_shift_data
from orbitdl.learning.state import Iteration

ITERATIONS = 40


@dataclass
class Killer:
    """Kills workers at random moments of a fit, and keeps a log. It is the callback of the fit."""

    cluster: LocalCluster
    rng: np.random.Generator
    kills: int
    log: list[str] = field(default_factory=list)
    pids: set[int] = field(default_factory=set)
    began: float = field(default_factory=time.perf_counter)

    def __post_init__(self) -> None:
        late = ITERATIONS - 5  # so that all die while there is work to do
        self.moments = set(self.rng.choice(late, self.kills, replace=False).tolist())

    def __call__(self, iteration: Iteration) -> bool:
        """Note an iteration; let a worker die during the next one if it is time for that."""
        self.note(f"iteration {iteration.number}: objective {iteration.objective:.9g}")
        if iteration.number in self.moments:
            self.kill_in(0.1 * self.rng.random())
        return iteration.number >= ITERATIONS

    def kill_in(self, seconds: float) -> None:
        """Kill a worker in so many seconds, unless the program ends before."""
        timer = Timer(seconds, self.kill)
        timer.daemon = True
        timer.start()

    def kill(self) -> None:
        """Kill a worker that is at work; while all are still starting, wait a little."""
        known = self.cluster.scheduler.workers
        nannies = [one for one in self.cluster.workers.values() if one.worker_address in known]
        alive = [one.pid for one in nannies if one.pid is not None and one.pid not in self.pids]
        if not alive:
            self.kill_in(0.2)
            return
        pid = int(self.rng.choice(alive))
        self.pids.add(pid)
        os.kill(pid, signal.SIGKILL)
        self.note(f"killed the worker with process id {pid}")

    def note(self, what: str) -> None:
        """Write a line of the log."""
        self.log.append(f"{time.perf_counter() - self.began:7.2f} s   {what}")


def fit(X: object, callback: Callable[[Iteration], bool]) -> OrbitDictionaryLearning:
    """Learn for so many iterations."""
    settings = {"n_restarts": 1, "random_state": 0, "tol": 1e-13, "max_iter": 2 * ITERATIONS}
    return OrbitDictionaryLearning(2, alpha=0.1, callback=callback, **settings).fit(X)


def fit_while_workers_die(
    kills: int, seed: int, workers: int = 2
) -> tuple[float, float, list[str]]:
    """Return the last objective in memory, that with workers dying, and what happened."""
    shape = {"n_samples": 200, "length": 16, "n_components": 2, "n_atoms": 2}
    X = make_shift_data(noise=0.05, random_state=0, **shape).X
    expected = fit(X, lambda iteration: iteration.number >= ITERATIONS).history_[-1].objective
    start = {"n_workers": workers, "threads_per_worker": 1, "dashboard_address": ":0"}
    patient = dask.config.set({"distributed.deploy.lost-worker-timeout": "10 minutes"})
    with patient, LocalCluster(**start) as cluster, Client(cluster):  # a restart may take long
        killer = Killer(cluster, np.random.default_rng(seed), kills)
        model = fit(da.from_array(X, chunks=(20, -1)), killer)
    killer.note(f"{len(killer.pids)} workers died")
    return expected, model.history_[-1].objective, killer.log


def main() -> None:
    """Print the log."""
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else 0
    expected, found, log = fit_while_workers_die(kills=5, seed=seed)
    print("\n".join(log))
    print(f"objective {found:.12g}; without kills, in memory, {expected:.12g}")


if __name__ == "__main__":
    main()
