"""Samples are independent: cut them into chunks and let threads take them."""

from __future__ import annotations

from collections.abc import Callable

from joblib import Parallel, cpu_count, delayed, effective_n_jobs

from orbitdl.codes import Atoms


def in_chunks(
    solve: Callable[[slice], Atoms], n_samples: int, n_jobs: int | None, largest: int = 512
) -> Atoms:
    """Return the atoms of all samples, solved chunk by chunk; the same for any n_jobs."""
    chunks = [slice(k, min(k + largest, n_samples)) for k in range(0, n_samples, largest)]
    threads = min(effective_n_jobs(n_jobs), cpu_count(), len(chunks))  # more would only wait
    if threads == 1:
        return Atoms.concatenate([solve(chunk) for chunk in chunks])
    run = Parallel(n_jobs=threads, prefer="threads", require="sharedmem")
    return Atoms.concatenate(run(delayed(solve)(chunk) for chunk in chunks))
