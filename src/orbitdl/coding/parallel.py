"""Samples are independent: cut them into chunks and let threads take them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from joblib import Parallel, cpu_count, delayed, effective_n_jobs

from orbitdl.codes import Atoms

Item = TypeVar("Item")
Result = TypeVar("Result")


def in_threads(
    work: Callable[[Item], Result], items: Sequence[Item], n_jobs: int | None
) -> list[Result]:
    """Return ``work`` of every item, in their order; threads take one item at a time."""
    threads = len(items)
    if threads > 1:
        threads = min(effective_n_jobs(n_jobs), cpu_count(), threads)  # more would only wait
    if threads <= 1:
        return [work(item) for item in items]
    run = Parallel(n_jobs=threads, prefer="threads", require="sharedmem")
    return list(run(delayed(work)(item) for item in items))


def in_chunks(
    solve: Callable[[slice], Atoms], n_samples: int, n_jobs: int | None, largest: int = 512
) -> Atoms:
    """Return the atoms of all samples, solved chunk by chunk; the same for any n_jobs."""
    chunks = [slice(k, min(k + largest, n_samples)) for k in range(0, n_samples, largest)]
    return Atoms.concatenate(in_threads(solve, chunks, n_jobs))
