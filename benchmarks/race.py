"""Learning races: who is first below an objective that one referee computes for all."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from statistics import median

from benchmarks.data import Floats
from benchmarks.harness import Table, Timing
from benchmarks.referee import learned_objective
from orbitdl import OrbitDictionaryLearning
from orbitdl.groups import Group
from orbitdl.learning.state import Iteration

SLACK = 1e-6
"""Relative difference up to which two objectives are the same."""


@dataclass(frozen=True)
class Race:
    """The same data, group, alpha and first components for all."""

    X: Floats
    group: Group
    alpha: float
    start: Floats

    def judge(self, components: Floats) -> float:
        """Return the objective of components, coded exactly."""
        return learned_objective(self.X, components, self.group, self.alpha)

    def ours(self, level: float, patience: float) -> Finish:
        """Learn until the objective is down to `level`, or for that many seconds."""
        began, trace = time.perf_counter(), []

        def watch(iteration: Iteration) -> bool:
            trace.append((time.perf_counter() - began, iteration.objective))
            return trace[-1][1] <= (1 + SLACK) * level or trace[-1][0] > patience

        OrbitDictionaryLearning(
            len(self.start), self.group, alpha=self.alpha, max_iter=500, tol=1e-7,
            init=self.start, callback=watch,
        ).fit(self.X)  # fmt: skip
        return Finish(*trace[-1], len(trace) - 1, trace[-1][1] <= (1 + SLACK) * level)


@dataclass(frozen=True)
class Finish:
    """seconds, the objective then, iterations, and whether the level was reached."""

    seconds: float
    objective: float
    iterations: int
    reached: bool

    def note(self) -> str:
        """Say how it ended."""
        if self.reached:
            return f"ours took {self.iterations} iterations"
        return (
            f"NOT reached: ours stood at {self.objective:.6g} after {self.iterations} iterations; "
            "the ratio is a bound"
        )


def median_finish(timing: Timing) -> Finish:
    """Return how the runs of one timing ended, with the median of their own clocks."""
    last: Finish = timing.result
    return replace(last, seconds=median(finish.seconds for finish in timing.results))


def levels_table(race: Race, peer: str, stages: dict[str, tuple[float, Floats]]) -> Table:
    """Tabulate the times of both to every level that a peer passed."""
    cells = []
    for stage, (seconds, components) in stages.items():
        level = race.judge(components)
        finish = race.ours(level, patience=20 * seconds + 2)
        ours = f"{finish.seconds:.3f}" if finish.reached else f"not in {finish.seconds:.1f}"
        ratio = f"{seconds / finish.seconds:.2f}"
        cells.append((stage, f"{level:.4f}", f"{seconds:.3f}", ours, ratio))
    columns = f"{peer} after", "objective", "its seconds", "our seconds", "times faster"
    return Table(f"Time to the objectives that {peer} passes (one run)", columns, cells)


def warm_up(race: Race) -> None:
    """Compile what learning needs, on a few samples."""
    few = Race(race.X[: len(race.start) + 5], race.group, race.alpha, race.start)
    few.ours(0.0, patience=0.0)
    few.judge(race.start)
