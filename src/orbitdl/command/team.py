"""Workers of a Dask cluster, for --workers and --scheduler."""

from __future__ import annotations

import logging
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import typer

from orbitdl import Codes, OrbitDictionaryLearning, WaveformLearning
from orbitdl.arrays.optional import install_hint
from orbitdl.command.options import ClusterOptions
from orbitdl.data.arrays import MOST
from orbitdl.data.base import Source
from orbitdl.data.opening import as_source
from orbitdl.domains.time.acquisition import compare_with
from orbitdl.estimators.preprocessed import after_preprocessing
from orbitdl.groups.base import Floats
from orbitdl.io import Recording

TIMEOUT = 8
"""Seconds to wait for a scheduler."""
MIN_CHUNKS = 4
"""Minimum number of chunks per worker, for load balancing."""
READ_BY_WORKERS = (".npy", ".parquet")
"""File types whose chunks workers read themselves."""


@dataclass(frozen=True)
class WorkerTeam:
    """Workers of a Dask cluster."""

    client: Any

    @property
    def size(self) -> int:
        """Number of workers."""
        return max(len(self.client.nthreads()), 1)

    def chunks(self, values: Floats, path: Path | None = None) -> Any:
        """Return windows (n, ...) as a Dask array.

        Chunks of a file that holds just these windows are read by the workers, others are sent.
        """
        import dask.array

        size = min(max(-(-len(values) // (MIN_CHUNKS * self.size)), 1), MOST)
        is_read_there = path is not None and path.suffix in READ_BY_WORKERS
        source = as_source(path, size=size) if is_read_there else None
        if source is None or (len(source), *source.shape) != values.shape:
            return dask.array.from_array(values, chunks=(size, *values.shape[1:]))
        read = dask.delayed(_read)
        parts = [
            dask.array.from_delayed(read(source, k), (int(rows), *source.shape), np.float64)
            for k, rows in enumerate(np.diff(source.ends))
        ]
        return dask.array.concatenate(parts)

    def delayed(self, recording: Any) -> Any:
        """Return a recording as one delayed object."""
        import dask

        return dask.delayed(recording)

    def encode_windows(
        self,
        model: OrbitDictionaryLearning,
        chunks: Any,
        done: Callable[[int], object],
        alpha: float | None,
    ) -> Codes:
        """Return the codes of windows; `done` is called with the size of each completed chunk."""
        import dask
        import distributed

        completed: Any = distributed.as_completed
        work, plain = dask.delayed(_encode), after_preprocessing(model, None)[0]
        tasks = [work(plain, one, alpha) for one in chunks.to_delayed().ravel()]
        futures = self.client.compute(tasks)
        for future in completed(futures):
            done(len(future.result()))
        return Codes.concatenate(self.client.gather(futures))

    def encode_recording(
        self, model: WaveformLearning, recording: Recording, alpha: float | None
    ) -> Codes:
        """Return the codes of a recording, computed by one worker."""
        plain, result = after_preprocessing(model, recording)
        compare_with(model.acquisition_, result)
        lazy = plain.encode(self.delayed(np.asarray(result)), alpha=alpha)
        codes: Codes = self.client.compute(lazy).result()
        return codes


def cluster_notes(team: WorkerTeam) -> list[str]:
    """Return a remark that one recording uses one worker only."""
    if team.size == 1:
        return []
    return ["A recording is coded as a whole by one worker: the others have nothing to do."]


@contextmanager
def cluster_for(asked: ClusterOptions) -> Iterator[WorkerTeam | None]:
    """Connect to workers if requested; workers started here are stopped at the end."""
    if asked.workers is not None and asked.scheduler is not None:
        raise typer.BadParameter(
            "--workers starts a cluster and --scheduler joins one; leave out one of them."
        )
    if asked.workers is None and asked.scheduler is None:
        yield None
        return
    distributed = _distributed()
    if asked.scheduler is not None:
        with _joined(distributed, asked.scheduler) as client:
            yield WorkerTeam(client)
        return
    settings = {"threads_per_worker": 1, "processes": True, "dashboard_address": None}
    settings |= {"silence_logs": logging.ERROR}  # what is wrong we say ourselves
    with _patient():
        with _ignoring_interrupts():  # workers inherit that: Ctrl-C is for this process alone
            cluster = distributed.LocalCluster(n_workers=asked.workers, **settings)
        with cluster, distributed.Client(cluster) as client:
            yield WorkerTeam(client)


def _patient() -> Any:
    """Allow a dead worker time to restart; the default of Dask is 15 seconds."""
    import dask

    return dask.config.set({"distributed.deploy.lost-worker-timeout": "10 minutes"})


def _joined(distributed: Any, address: str) -> Any:
    import dask

    _require_certificates(distributed, address)
    before = dask.config.get("scheduler", None)
    try:
        return distributed.Client(address, timeout=TIMEOUT)
    except (OSError, ValueError, TypeError):  # what Dask makes of a wrong address
        dask.config.set(scheduler=before)  # a client that could not be made leaves its name there
        raise ValueError(
            f"no Dask scheduler answers at {address}; start one with dask scheduler, or see that "
            "the address is the one that it prints."
        ) from None


def _require_certificates(distributed: Any, address: str) -> None:
    """Raise if the configuration of Dask lacks certificates for an encrypted connection."""
    known = distributed.Security().get_connection_args("client")
    if address.startswith("tls://") and known.get("ssl_context") is None:
        raise ValueError(
            f"{address} is encrypted, and the configuration of Dask names no certificates; set "
            "distributed.comm.tls.ca-file, .client.cert and .client.key there, or the variables "
            "DASK_DISTRIBUTED__COMM__TLS__CA_FILE, ..__CLIENT__CERT and ..__CLIENT__KEY."
        )


def _distributed() -> Any:
    try:
        import distributed
    except ImportError as error:
        raise ImportError(
            install_hint("a cluster (--workers, --scheduler)", "dask distributed", "distributed")
        ) from error
    return distributed


@contextmanager
def _ignoring_interrupts() -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _read(source: Source, k: int) -> Floats:
    """Return chunk k, with NaN for missing entries."""
    values, observed = source.read(k)
    return values if observed is None else np.where(observed, values, np.nan)


def _encode(model: OrbitDictionaryLearning, chunk: Floats, alpha: float | None) -> Codes:
    codes: Codes = model.set_params(n_jobs=None).encode(chunk, alpha=alpha)
    return codes
