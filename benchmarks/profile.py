"""Where the time goes, for the rows that miss their target."""

from __future__ import annotations

import cProfile
import pstats
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import orbitdl
from benchmarks.data import some_windows, windows
from benchmarks.harness import Section, Table
from orbitdl import OrbitDictionaryLearning, encode
from orbitdl.coding import ActiveSet, Sliding
from orbitdl.groups import ContinuousShift, IntegerShift, Trivial

STAGES = {
    "analyze": "transform of the data",
    "build_tables": "tables of inner products",
    "inner_products": "tables of inner products",
    "solve_all": "compiled loop over samples",
    "solve": "whole solver: transforms, tables, compiled loop",
    "certify": "certificate",
    "code": "coding: solver, certificate and comparison with the codes before",
    "step": "dictionary step",
}
"""Functions that tell the stages apart, with what they call."""


HOME = Path(orbitdl.__file__).parent


class Entry(NamedTuple):
    """One function of a profile: calls, own seconds, and seconds with what it calls."""

    ours: bool
    module: str
    name: str
    calls: int
    own: float
    whole: float


def run(quick: bool) -> Section:
    """Profile one coding with either coder, and a few iterations of regular learning."""
    X, start = windows(200 if quick else 1000), windows(50 if quick else 200)
    code = partial(encode, X, some_windows(3), alpha=0.1)
    regular = OrbitDictionaryLearning(
        len(start), Trivial(), alpha=0.1, max_iter=5, init=start,
        callback=lambda iteration: iteration.number == 5,
    )  # fmt: skip
    calls: dict[str, Callable[[], Any]] = {
        "Sliding, q=3, alpha=0.1": partial(code, group=ContinuousShift(), coder=Sliding()),
        "ActiveSet, q=3, alpha=0.1": partial(code, group=IntegerShift(), coder=ActiveSet()),
        f"five iterations of regular learning, {len(start)} atoms": partial(regular.fit, X),
    }
    return Section(
        "Where the time goes", tables=[t for call in calls.items() for t in tables(*call)]
    )


def tables(title: str, call: Callable[[], Any], most: int = 8) -> list[Table]:
    """Tabulate the stages of a call, and the functions that take most time themselves."""
    entries = profile(call)
    total = sum(entry.own for entry in entries)
    stages = [entry for name in STAGES for entry in entries if entry.ours and entry.name == name]
    largest = sorted(entries, key=lambda entry: -entry.own)[:most]
    by_stage = [(STAGES[entry.name], *figures(entry, entry.whole, total)) for entry in stages]
    by_function = [(entry.name, *figures(entry, entry.own, total)) for entry in largest]
    return [
        Table(f"Stages: {title}", ("stage", "in", "calls", "seconds", "share"), by_stage),
        Table(f"Own time: {title}", ("function", "in", "calls", "seconds", "share"), by_function),
    ]


def profile(call: Callable[[], Any]) -> list[Entry]:
    """Run a call twice and profile the second."""
    call()
    profiler = cProfile.Profile()
    profiler.runcall(call)
    found = pstats.Stats(profiler).stats  # type: ignore[attr-defined]
    return [
        Entry(
            HOME in Path(path).parents,
            Path(path).stem.strip("~"),
            name.strip("<>"),
            calls,
            own,
            whole,
        )
        for (path, _, name), (calls, _, own, whole, _) in found.items()
    ]


def figures(entry: Entry, seconds: float, total: float) -> tuple[str, ...]:
    """Write where, how often, how long and which share of the call."""
    return entry.module, str(entry.calls), f"{seconds:.4f}", f"{seconds / total:.0%}"
