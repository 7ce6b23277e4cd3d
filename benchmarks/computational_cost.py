"""What learning takes, measured here, and from that what it takes on a cluster.

    python -m benchmarks.computational_cost --output docs/computational_cost.md

measures the cost of a window, of a second of recording and of a task, and what goes over the wire;
predicts an iteration over many windows on many workers; and checks the prediction by running the
same tasks, which only sleep, on as many workers within this process.
"""

from __future__ import annotations

import argparse
import math
import pickle
import warnings
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.harness import interleave, timed
from benchmarks.report import facts, grid
from benchmarks.simulation import Plan, simulated
from benchmarks.verdict import number
from orbitdl import OrbitDictionaryLearning, WaveformLearning
from orbitdl.data.arrays import ArraySource
from orbitdl.datasets import make_ecg_like, make_ecg_recording
from orbitdl.executors.cluster import TOGETHER
from orbitdl.groups import ContinuousShift, Group, IntegerShift
from orbitdl.learning.executor import ThreadExecutor
from orbitdl.learning.out_of_core import CodeChunk, CodingReport, WarmStart
from orbitdl.learning.out_of_core_samples import OutOfCoreSamples

LENGTH, COMPONENTS, ALPHA, PER_PIECE = 201, 4, 0.1, 5000
WINDOWS, WORKERS = 1_000_000_000, 100
"""The large case that the page is about."""
PIECE = 100_000
"""Windows in a chunk of it: 80 MB in single precision."""


@dataclass(frozen=True)
class Costs:
    """What was measured: CPU seconds per window, of an iteration and of one coding; bytes."""

    group: Group
    iteration: float
    coding: float
    out: int
    back: int


def main() -> None:
    """Measure, and write the page."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.computational_cost", description=__doc__
    )
    parser.add_argument("--output", type=Path, default=Path("docs/computational_cost.md"))
    parser.add_argument("--workers", type=int, default=WORKERS, help="workers that only sleep")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    costs = [measured(group) for group in (ContinuousShift(), IntegerShift())]
    checked = simulated(options.workers, costs[0].back)
    page = "\n\n".join(
        [
            head(),
            of_windows(costs),
            of_recordings(),
            over_the_wire(costs[0]),
            as_predicted(checked),
            large(costs, checked[0][0].task),
        ]
    )
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(page + "\n")
    print(page)


def measured(group: Group, n: int = 4000) -> Costs:
    """Measure the cost of windows, in chunks, with learned components."""
    X = make_ecg_like(n_windows=n, length=LENGTH, random_state=0).X
    model = OrbitDictionaryLearning(
        COMPONENTS, group, ALPHA, max_iter=5, n_restarts=1, random_state=0, batch_size=None
    )
    model.fit(X[:1000])
    source = ArraySource(X, None, PER_PIECE)
    learn = partial(iterations, model, source)
    times = interleave({"learn": learn, "code": lambda: model.encode(X)}, 3)
    work, report = sent(model, source)
    return Costs(
        group, times["learn"].median / times["learn"].result / n, times["code"].median / n,
        len(pickle.dumps(work)), len(pickle.dumps(report)),
    )  # fmt: skip


def iterations(model: OrbitDictionaryLearning, source: ArraySource) -> int:
    """Learn for a few iterations; return how many codings that took."""
    given = replace_init(model)
    given.fit(source)
    return len(given.history_)


def replace_init(model: OrbitDictionaryLearning) -> OrbitDictionaryLearning:
    """Return a learner that starts a little beside learned components."""
    rng = np.random.default_rng(0)
    start = model.components_ + 0.02 * rng.standard_normal(model.components_.shape)
    return OrbitDictionaryLearning(
        COMPONENTS, model.group, ALPHA, max_iter=4, init=start, batch_size=None
    )


def sent(model: OrbitDictionaryLearning, source: ArraySource) -> tuple[CodeChunk, CodingReport]:
    """Return what goes to a worker for an iteration, and what comes back."""
    group = model.group or IntegerShift()
    representation = group.on((LENGTH,))
    with ThreadExecutor(source) as executor:
        coder = model._coder(representation)
        shards = OutOfCoreSamples.of(executor, representation, coder, ALPHA, False)
        begun = executor.begin(representation.analyze(model.components_), coder.tol)
        work = CodeChunk(shards.loader, WarmStart(), begun, executor.alive)
        return work, executor.total(work, executor.filled[:1], "code")


def head() -> str:
    """Say what the page is."""
    return (
        "# Computational cost\n\n"
        "Measured by `python -m benchmarks.computational_cost`, which wrote this page. CPU seconds "
        f"of one thread, windows of {LENGTH} samples, {COMPONENTS} components, simulated ECG, "
        f"alpha {ALPHA}, certified gap 1e-4.\n\nMachine: {facts()}."
    )


def of_windows(costs: list[Costs]) -> str:
    """Write the cost of windows."""
    cells = [
        (c.group.name, f"{1e6 * c.iteration:.0f} µs", f"{1e6 * c.coding:.0f} µs") for c in costs
    ]
    columns = "group", "a window, in an iteration of learning", "a window, coded once"
    return "## Windows\n\n" + grid(columns, cells)


def of_recordings() -> str:
    """Measure and write the cost of recordings."""
    heart = make_ecg_recording(duration=300, random_state=0)
    model = WaveformLearning(
        n_components=2, length=252, alpha=0.5, n_restarts=1, random_state=0, noise="white"
    )
    model.fit(heart.signal)
    coding = min(timed(lambda: model.encode(heart.signal))[0] for _ in range(3))
    learning, fitted = timed(lambda: model.fit(heart.signal))
    per = learning / len(fitted.history_) / 300
    cells = [("simulated ECG, 360 Hz, 2 waveforms of 252 samples", f"{1e3 * per:.2f} ms",
              f"{1e3 * coding / 300:.2f} ms", f"{300 / coding:.0f}")]  # fmt: skip
    columns = "recording", "a second, in an iteration", "a second, coded once", "times real time"
    return "## Recordings\n\n" + grid(columns, cells)


def over_the_wire(cost: Costs) -> str:
    """Write what is sent, and how large that is for other sizes."""
    q, F = COMPONENTS, LENGTH // 2 + 1
    return (
        "## Over the wire\n\n"
        f"In an iteration components go out, {cost.out / 1000:.0f} kB to every worker, and sums "
        f"come back, {cost.back / 1000:.0f} kB of all chunks together (`CodingReport`: a Summary "
        f"and Statistics, here ${F}$ blocks of ${q} \\times {q}$ and ${q} \\times 1$ complex "
        f"numbers). They are added up where they are, {TOGETHER} at a time, so that a "
        "chunk sends its sums to one other worker at most. Neither depends on the number of "
        "windows. Data and codes stay where they are."
    )


def as_predicted(checked: list[tuple[Plan, float]]) -> str:
    """Write the model beside what was seen."""
    cells = [
        (str(plan.pieces), f"{plan.seconds:g} s", f"{plan.predicted:.1f} s", f"{seen:.1f} s",
         f"{seen / plan.predicted:.2f}")
        for plan, seen in checked
    ]  # fmt: skip
    plan = checked[0][0]
    columns = "chunks", "each", "predicted", "measured", "measured / predicted"
    return (
        "## A model, and a check of it\n\n"
        "$P$ chunks of $t$ seconds on $W$ workers, each chunk costing the scheduler $o$, take\n\n"
        "$$T = \\max(\\lceil P / W \\rceil\\, t,\\; P\\, o) + W\\, o.$$\n\n"
        f"The same tasks, sums of the same size, but with work that sleeps, on {plan.workers} "
        "threads of a cluster within one process (so they share its interpreter with the "
        f"scheduler: $o$ = {1e3 * plan.task:.2f} ms, from the first line):\n\n"
        + grid(columns, cells)
        + "\n\nWhere scheduling takes as long as the work does, the two add up more than they "
        "overlap; in the case below it is a small part."
    )


def large(costs: list[Costs], task: float) -> str:
    """Write what the large case takes."""
    pieces = math.ceil(WINDOWS / PIECE)
    plans = [Plan(pieces, cost.iteration * PIECE, WORKERS, task) for cost in costs]
    cells = [
        (cost.group.name, f"{plan.seconds:.0f} s", f"{plan.predicted / 3600:.1f} h",
         f"{plan.scheduling:.0f} s", f"{cost.out * WORKERS / 1e6:.1f} MB",
         f"{cost.back * pieces / 1e6:.0f} MB")
        for cost, plan in zip(costs, plans, strict=True)
    ]  # fmt: skip
    columns = ("group", "a chunk", "an iteration", "of it the scheduler is busy",
               "components, to all workers", "sums, between workers at most")  # fmt: skip
    values = number(WINDOWS * LENGTH * 4 / 1e9 / WORKERS)
    return (
        f"## {WINDOWS:.0e} windows on {WORKERS} workers\n\n"
        f"In {pieces} chunks of {PIECE} windows ({values} GB of data per worker, in single "
        "precision):\n\n" + grid(columns, cells) + "\n\n"
        "The default there is mini-batches, which come within a percent in two or three passes "
        "and one more that certifies. The scheduler would be the limit above "
        f"{plans[0].seconds / task:.0f} workers, or with chunks of fewer than "
        f"{math.ceil(task * WORKERS / costs[0].iteration)} windows."
    )


if __name__ == "__main__":
    main()
