"""First use: how long an import takes, and what a first fit compiles."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass

from benchmarks.harness import LIMIT, Row, Section, Table

IMPORT = """
import time
began = time.process_time(), time.perf_counter()
{statement}
print("SECONDS", time.process_time() - began[0], time.perf_counter() - began[1])
"""
STATEMENTS = (
    "import orbitdl",
    "from orbitdl import OrbitDictionaryLearning",
    "import sklearn.base",
    "import numba",
    "import pandas",
    "import numpy",
)
LIMITS = {"ContinuousShift": 10.0, "IntegerShift": 4.0, "Trivial": 4.0}
"""CPU seconds that a first fit may take, by group."""
FIT = """
import time
from orbitdl import OrbitDictionaryLearning
from orbitdl.groups import {group}
from orbitdl.datasets import make_shift_data
X = make_shift_data(n_samples=20, length=30, n_atoms=2, random_state=0).X
began = time.process_time(), time.perf_counter()
OrbitDictionaryLearning(
    2, {group}(), alpha=0.1, max_iter=2, n_restarts=1, callback=lambda it: it.number == 2
).fit(X)
print("SECONDS", time.process_time() - began[0], time.perf_counter() - began[1])
"""


@dataclass(frozen=True)
class Outcome:
    """CPU seconds, seconds on the clock, and what else was printed."""

    cpu: float
    clock: float
    said: str


def run(quick: bool) -> Section:
    """Run fresh processes with an empty and with a filled compilation cache."""
    imports = {
        statement: median_of(IMPORT.format(statement=statement), 1 if quick else 5)
        for statement in STATEMENTS[: 2 if quick else None]
    }
    rows = [import_row(statement, imports[statement]) for statement in STATEMENTS[:2]]
    cells = []
    for group in list(LIMITS)[: 1 if quick else None]:
        first, later = fresh_fits(FIT.format(group=group))
        rows.append(compile_row(group, first, later))
        cells.append((f"first fit, {group}", *figures(first)))
        cells.append((f"the same in a later process, {group}", *figures(later)))
    cells += [(statement, *figures(outcome)) for statement, outcome in imports.items()]
    columns = "step", "CPU seconds", "seconds on the clock"
    return Section("First use", rows, [Table("Fresh processes", columns, cells)])


def import_row(statement: str, outcome: Outcome) -> Row:
    """Compare an import with its limit."""
    note = f"{outcome.clock:.2f} s on the clock"
    return Row(statement, outcome.cpu, LIMIT, 1.0, 1.0, at_least=False, note=note)


def compile_row(group: str, first: Outcome, later: Outcome) -> Row:
    """Compare a first fit, whose own work is a few hundredths of a second, with its limit."""
    said = "announced" if "ompil" in first.said else "NOT announced"
    kept = "kept" if later.cpu < 0.1 * first.cpu else "NOT kept"
    return Row(
        f"first fit, compilation included, {group}", first.cpu, LIMIT, LIMITS[group], 1.0,
        at_least=False,
        note=f"{said} while it happens, {kept} for later processes: {later.cpu:.2f} s",
    )  # fmt: skip


def figures(outcome: Outcome) -> tuple[str, str]:
    """Write the two times."""
    return f"{outcome.cpu:.2f}", f"{outcome.clock:.2f}"


def fresh_fits(program: str) -> tuple[Outcome, Outcome]:
    """Run a program twice: with an empty compilation cache, then with what it left there."""
    with tempfile.TemporaryDirectory() as cache:
        return execute(program, cache), execute(program, cache)


def median_of(program: str, repeats: int) -> Outcome:
    """Run a program several times; the first time fills the caches of the machine."""
    execute(program)
    outcomes = [execute(program) for _ in range(repeats)]
    return sorted(outcomes, key=lambda outcome: outcome.cpu)[repeats // 2]


def execute(program: str, cache: str | None = None, more: dict[str, str] | None = None) -> Outcome:
    """Run a program in a fresh process, with `more` set in its environment."""
    environment = os.environ | ({"NUMBA_CACHE_DIR": cache} if cache else {}) | (more or {})
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # packages that are installed have theirs
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True
    )
    if done.returncode:
        raise RuntimeError(f"a fresh process failed: {done.stderr.strip().splitlines()[-1]}")
    _, cpu, clock = done.stdout.split()[-3:]
    said = done.stdout.rsplit("SECONDS", 1)[0] + done.stderr
    return Outcome(float(cpu), float(clock), said)
