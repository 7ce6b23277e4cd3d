"""The choice of an executor: threads of this process, or the workers of a Dask cluster."""

from __future__ import annotations

import sys
from typing import Any

from orbitdl.learning.executor import Executor, ThreadExecutor


def executor_for(pieces: Any, n_jobs: int | None) -> Executor:
    """Return the executor for data in chunks (`ChunkedData`).

    Those of Dask (`DelayedData`) are worked on by the cluster that there is a client of. Threads of
    this process read all others, and those of Dask if there is none.
    """
    client = active_client() if hasattr(pieces, "chunk") else None
    if client is None:
        return ThreadExecutor(pieces, n_jobs)
    from orbitdl.executors.cluster import Cluster

    return Cluster(pieces, client)


def active_client() -> Any:
    """Return the client of a Dask cluster that is open in this process; None is made."""
    distributed = sys.modules.get("distributed")
    if distributed is None:
        return None
    try:
        return distributed.default_client()
    except ValueError:
        return None
