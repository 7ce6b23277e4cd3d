"""Convolutional dictionary learning: sporco."""

from __future__ import annotations

import time
from functools import partial
from typing import Any

import numpy as np
import sporco.fft
from sporco.dictlrn import cbpdndl

from benchmarks.data import Floats, some_windows, windows
from benchmarks.harness import Row, Section, Table, Timing, interleave
from benchmarks.race import Race, levels_table, median_finish, warm_up
from benchmarks.referee import both
from orbitdl.groups import IntegerShift

ALPHA, RHO, STEP = 0.1, 1.0, 400.0
"""sporco's settings, found by trial; STEP is its L: 200 diverges here, and so does the default."""

SINGLE, DOUBLE = np.float32, np.float64
"""Single precision reaches the same objective, sooner."""

sporco.fft.pyfftw_threads = 1


def run(quick: bool) -> Section:
    """Let sporco run, take the objective it reaches, and time ours down to the same."""
    start, iterations = some_windows(3), 60 if quick else 150
    race = Race(windows(100 if quick else 1000), IntegerShift(), ALPHA, start)
    warm_up(race)
    level = race.judge(sporco_learns(race, iterations, SINGLE))
    jobs = {
        "ours": partial(race.ours, level, patience=60.0),
        "single": partial(sporco_learns, race, iterations, SINGLE),
        "double": partial(sporco_learns, race, iterations, DOUBLE),
    }
    times = interleave(jobs, 1 if quick else 3, warm_up=[])
    rows = [against(race, times, precision, iterations) for precision in ("double", "single")]
    return Section("Convolutional dictionary learning", rows, [stages(race, iterations)])


def against(race: Race, times: dict[str, Timing], precision: str, iterations: int) -> Row:
    """Make the row of sporco at one precision."""
    ours, theirs = median_finish(times["ours"]), times[precision]
    return Row(
        f"convolutional dictionary learning, q=3, alpha={ALPHA}, {len(race.X)} windows",
        ours.seconds,
        f"sporco ConvBPDNDictLearn, {iterations} iterations, {precision} precision",
        theirs.median, 10.0,
        accuracy=both(ours.objective, race.judge(theirs.result)),
        note=f"{ours.note()}, in double precision",
    )  # fmt: skip


def stages(race: Race, iterations: int) -> Table:
    """Tabulate the way of sporco, in single precision, to its last objective."""
    trace: list[tuple[float, Floats]] = []
    began = time.perf_counter()

    def watch(solver: Any) -> None:
        trace.append((time.perf_counter() - began, dictionary(solver)))

    sporco_learns(race, iterations, SINGLE, watch)
    chosen = np.unique(np.geomspace(5, iterations, 6).astype(int))
    return levels_table(race, "sporco", {f"{k} iterations": trace[k - 1] for k in chosen})


def sporco_learns(race: Race, iterations: int, precision: type, watch: Any = None) -> Floats:
    """Run sporco and return its components, (q, d)."""
    options = cbpdndl.ConvBPDNDictLearn.Options(
        {
            "MaxMainIter": iterations,
            "Callback": watch,
            "CBPDN": {
                "rho": RHO,
                "AutoRho": {"Enabled": False},
                "RelaxParam": 1.8,
                "HighMemSolve": True,
                "FastSolve": True,
                "DataType": precision,
            },
            "CCMOD": {"L": STEP, "DataType": precision},
        },
        xmethod="admm",
        dmethod="pgm",
    )
    solver = cbpdndl.ConvBPDNDictLearn(
        race.start.T.copy(), race.X.T.copy(), race.alpha, options,
        xmethod="admm", dmethod="pgm", dimK=1, dimN=1,
    )  # fmt: skip
    solver.solve()
    return dictionary(solver)


def dictionary(solver: Any) -> Floats:
    """Return a copy of sporco's components, (d, 1, 1, q) there, as (q, d)."""
    components: Floats = solver.getdict()[:, 0, 0, :].T.astype(float)
    return components
