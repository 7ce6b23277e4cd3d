"""The environment of a user, with BLAS threads as they come, beside one BLAS thread."""

from __future__ import annotations

import os
from statistics import median

from benchmarks.first_use import execute
from benchmarks.harness import Row, Section

LIBRARIES = "OMP", "OPENBLAS", "MKL", "BLIS"
PINNED = {f"{name}_NUM_THREADS": "1" for name in LIBRARIES}
"""One thread for every BLAS."""
TIMED = """
import time, warnings
warnings.simplefilter("ignore")
{setup}
{work}
began = time.process_time(), time.perf_counter()
{work}
print("SECONDS", time.process_time() - began[0], time.perf_counter() - began[1])
"""
WORKS = {
    "the README's fit and events": (
        """
from orbitdl import WaveformLearning
from orbitdl.datasets import make_ecg_recording
heart = make_ecg_recording(duration=120, random_state=0)
""",
        "WaveformLearning(2, 252, random_state=0).fit(heart.signal).events(heart.signal)",
    ),
    "learning from 1000 windows, integer shifts": (
        """
from orbitdl import OrbitDictionaryLearning
from orbitdl.groups import IntegerShift
from benchmarks.data import windows
X = windows()
""",
        "OrbitDictionaryLearning(3, IntegerShift(), alpha=0.1, random_state=0).fit(X)",
    ),
    "choosing components by `select`, 200 windows": (
        """
from orbitdl import OrbitDictionaryLearning, select
from orbitdl.groups import IntegerShift
from benchmarks.data import windows
X, base = windows()[:200], OrbitDictionaryLearning(1, IntegerShift(), random_state=0)
""",
        "select(base, X, n_components=(1, 2), alphas=(0.2, 0.1))",
    ),
}
"""What is prepared, and what is timed the second time that it runs."""
MOST = 1.2
"""Seconds on the clock over those with one BLAS thread, at most."""


def run(quick: bool) -> Section:
    """Run fresh processes in either environment, in turns."""
    names = list(WORKS)[: 1 if quick else None]
    return Section("A user's environment", [row(name, 1 if quick else 3) for name in names])


def row(name: str, repeats: int) -> Row:
    """Time one piece of work in both environments."""
    setup, work = WORKS[name]
    program = TIMED.format(setup=setup, work=work)
    rounds = [(execute(program), execute(program, more=PINNED)) for _ in range(repeats)]
    (free, own), (pinned, _) = (
        (median(one.clock for one in column), median(one.cpu for one in column))
        for column in zip(*rounds, strict=True)
    )
    note = f"seconds on the clock; {own:.2f} CPU s of {os.cpu_count()} cores"
    beside = "the same with one BLAS thread"
    return Row(name, free, beside, pinned, MOST, at_least=False, note=note)
