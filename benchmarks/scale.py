"""What data larger than memory take: time per iteration, memory, and what another worker saves.

    python -m benchmarks.scale --windows 1000000 --folder /tmp

writes windows of 201 samples to a file (float32), learns from them with local workers, and prints
a table, row by row. Seconds are of the clock, for workers are processes of their own.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any

import dask
import dask.array
import numpy as np
from distributed import Client, LocalCluster

from benchmarks.data import Floats
from benchmarks.harness import interleave
from benchmarks.report import facts, grid
from orbitdl import OrbitDictionaryLearning
from orbitdl.datasets import make_ecg_like
from orbitdl.groups import ContinuousShift

LENGTH, COMPONENTS, ALPHA = 201, 4, 0.1
CHUNK = 5000
"""Data points of a chunk."""
HEAD = """# Scale

Measured by `python -m benchmarks.scale`, which wrote this page: windows of 201 samples in a file,
continuous shifts, 4 components. Seconds are of the clock, but for the first row."""
COLUMNS = "work", "seconds", "beside", "ratio", "memory of a process, MB"
BLOCK = 10_000
"""Windows that are simulated at a time; the last figure of a block's seed is its number."""


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale", description=__doc__)
    parser.add_argument("--windows", type=int, default=1_000_000)
    parser.add_argument("--folder", type=Path, default=Path("out/scale"))
    parser.add_argument("--quick", action="store_true", help="without the fit of all defaults")
    parser.add_argument("--page", type=Path, metavar="FILE", help="write all of it here too")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    path = written(options.folder, options.windows)
    print(f"{facts()}\n\n{grid(COLUMNS, [])}", flush=True)
    rows = chain(in_shards(path), by_workers(path, options.windows))
    done = []
    for row in rows if options.quick else chain(rows, all_automatic(path, options.windows)):
        print("| " + " | ".join(row) + " |", flush=True)
        done.append(row)
    if options.page:
        options.page.write_text(f"{HEAD}\n\nMachine: {facts()}.\n\n{grid(COLUMNS, done)}\n")


def written(folder: Path, n: int) -> Path:
    """Write windows to a file, a block at a time, unless they are there."""
    path = folder / f"windows-{n}.npy"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(".part")
        shape = (n, LENGTH)
        out = np.lib.format.open_memmap(part, mode="w+", dtype=np.float32, shape=shape)
        for first in range(0, n, BLOCK):
            size = min(BLOCK, n - first)
            block = make_ecg_like(n_windows=size, length=LENGTH, random_state=first // BLOCK)
            out[first : first + size] = block.X
        del out
        part.rename(path)
    return path


def on_disk(path: Path, n: int) -> Any:
    """Return the first windows of a file as a Dask array, whose chunks are read by workers."""
    read = dask.delayed(rows_of, pure=True)
    ends = [*range(0, n, CHUNK), n]
    parts = [
        dask.array.from_delayed(read(str(path), a, b), (b - a, LENGTH), np.float32)
        for a, b in zip(ends[:-1], ends[1:], strict=True)
    ]
    return dask.array.concatenate(parts)


def rows_of(path: str, first: int, last: int) -> Any:
    """Read some windows."""
    return np.array(np.load(path, mmap_mode="r")[first:last])


def learner(**settings: Any) -> OrbitDictionaryLearning:
    """Return what learns the same from the same start, in two iterations of all data."""
    start = make_ecg_like(n_windows=COMPONENTS, length=LENGTH, random_state=99).X
    given = {"alpha": ALPHA, "init": start, "max_iter": 2, "batch_size": None}
    return OrbitDictionaryLearning(
        n_components=COMPONENTS, group=ContinuousShift(), random_state=0, **(given | settings)
    )


def in_shards(path: Path, n: int = 10_000) -> Iterator[tuple[str, ...]]:
    """Compare an array in memory with the same read in parts, in seconds of one thread."""
    mapped: Floats = np.load(path, mmap_mode="r")[:n]
    array = np.array(mapped)
    jobs = {"memory": lambda: learner().fit(array), "parts": lambda: learner().fit(mapped)}
    times = interleave(jobs, 3)
    ours, theirs = times["parts"].median, times["memory"].median
    name = f"{n} windows in parts, against an array in memory "
    yield name, f"{ours:.1f}", f"{theirs:.1f}", f"{ours / theirs:.2f} (at most 1.1)", ""


def by_workers(path: Path, n: int) -> Iterator[tuple[str, ...]]:
    """Compare many windows with a tenth of them, and two workers with one."""
    tenth = n // 10
    two, _ = iteration(path, tenth, 2)
    one, _ = iteration(path, tenth, 1)
    again, _ = iteration(path, tenth, 2)
    few = statistics.median([two, again])
    faster = f"{one / few:.2f} times faster (at least 1.7)"
    yield (
        f"{tenth} windows, an iteration, 2 workers, against 1",
        f"{few:.1f}",
        f"{one:.1f}",
        faster,
        "",
    )
    many, memory = iteration(path, n, 2)
    linear = f"{many / few * tenth / n:.2f} of linear (at most 1.2)"
    name = f"{n} windows, an iteration, 2 workers, against {tenth}"
    yield name, f"{many:.1f}", f"{few:.1f}", linear, memory


def iteration(path: Path, n: int, workers: int) -> tuple[float, str]:
    """Return the seconds of an iteration, and the peak memory of all processes."""
    with cluster(workers) as client:
        model = learner().fit(on_disk(path, n))
        return statistics.median(r.seconds for r in model.history_), memory_of(client)


def all_automatic(path: Path, n: int) -> Iterator[tuple[str, ...]]:
    """Learn with everything left as it is but the number of components."""
    with cluster(2) as client:
        began = time.perf_counter()
        model = learner(alpha="auto", init="data", max_iter=50, batch_size="auto")
        model.fit(on_disk(path, n))
        seconds = time.perf_counter() - began
        how = f"{model.n_iter_} passes, {model.provenance_['batches']}, alpha {model.alpha_:.3g}"
        yield f"{n} windows, 2 workers, all automatic", f"{seconds:.0f}", "", how, memory_of(client)


@contextmanager
def cluster(workers: int) -> Iterator[Any]:
    """Start local workers, and let them compile."""
    settings = {"threads_per_worker": 1, "dashboard_address": None, "memory_limit": "1.4GB"}
    with LocalCluster(n_workers=workers, **settings) as here, Client(here) as client:
        tiny = dask.array.from_array(
            np.random.default_rng(0).standard_normal((64, LENGTH)), (32, -1)
        )
        learner().fit(tiny)
        yield client


def memory_of(client: Any) -> str:
    """Return the peak memory of the workers and of this process, in megabytes."""
    peaks = [*client.run(peak).values(), peak()]
    return ", ".join(f"{megabytes:.0f}" for megabytes in peaks)


def peak() -> float:
    """Return the most memory that this process has had, in megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
