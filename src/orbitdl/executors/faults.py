"""What can go wrong with a cluster, in words."""

from __future__ import annotations

from asyncio import CancelledError as LoopCancelledError
from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from typing import Any

from distributed.comm.core import CommClosedError
from distributed.scheduler import KilledWorker, NoValidWorkerError

GO_ON = "if a checkpoint was given, fit goes on from it on a new cluster or in one process"

NO_WORKERS = "the Dask cluster has no workers left"


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
        reason = reason_of(error, client)
        if reason is None:
            raise
        raise ClusterError(f"{reason}; {GO_ON}.") from error


def reason_of(error: BaseException, client: Any) -> str | None:
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
