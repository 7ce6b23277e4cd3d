"""Regular dictionary learning, without a group: spams and scikit-learn."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
import spams
from sklearn.decomposition import DictionaryLearning

from benchmarks.data import Floats, windows
from benchmarks.harness import Row, Section, Table, interleave
from benchmarks.race import Race, levels_table, median_finish, warm_up
from benchmarks.referee import both
from orbitdl.groups import Trivial

ALPHA = 0.1
BATCH = 256
"""Data points per step of programs that learn from batches."""


def run(quick: bool) -> Section:
    """Let each peer run, take the objective it reaches, and time ours down to the same."""
    X, atoms = windows(300 if quick else 1000), 50 if quick else 201
    start = X[np.random.default_rng(0).choice(len(X), atoms, replace=False)]
    race = Race(X, Trivial(), ALPHA, start)
    warm_up(race)
    repeats, passes = (1, 5) if quick else (5, 20)
    batches = passes * len(X) // BATCH
    by_spams = partial(spams_learns, race, batches)
    by_sklearn = partial(sklearn_learns, race, passes)
    online, sweeps = f"spams.trainDL, {batches} batches of {BATCH}", f"{passes} sweeps"
    rows = [
        replace(against(race, online, by_spams, 1.5, repeats), at_least=False),
        against(race, f"scikit-learn DictionaryLearning(cd), {sweeps}", by_sklearn, 10.0, repeats),
    ]
    return Section("Regular dictionary learning", rows, [stages(race, batches)], NOTE)


NOTE = (
    "Every iteration of ours codes all windows, its codes certified; spams takes a step after "
    "each batch. The mode of ours that does so too is below (*Mini-batches*). The objective to "
    "reach is that of the peer's components, coded exactly; ours is that of the codes it has, "
    "which is no less than what its components could reach."
)


def against(
    race: Race, peer: str, learner: Callable[[], Floats], target: float, repeats: int
) -> Row:
    """Race against one peer, down to where it ends; the ratio says how many times faster."""
    began = time.perf_counter()
    level = race.judge(learner())
    patience = 20 * (time.perf_counter() - began) + 2
    jobs = {"ours": partial(race.ours, level, patience), "theirs": learner}
    times = interleave(jobs, repeats, warm_up=[])
    ours = median_finish(times["ours"])
    return Row(
        f"regular dictionary learning, {len(race.start)} atoms, alpha={ALPHA}, "
        f"{len(race.X)} windows",
        ours.seconds, peer, times["theirs"].median, target,
        accuracy=both(ours.objective, level), note=ours.note(),
    )  # fmt: skip


def spams_learns(race: Race, batches: int) -> Floats:
    """Run spams and return its components, (q, d)."""
    signals, D = np.asfortranarray(race.X.T), np.array(race.start.T, order="F")
    learned = spams.trainDL(
        signals, D=D, lambda1=race.alpha, mode=2, iter=batches, batchsize=BATCH,
        numThreads=1, verbose=False,
    )  # fmt: skip
    return np.ascontiguousarray(learned.T)


def sklearn_learns(race: Race, sweeps: int) -> Floats:
    """Run scikit-learn and return its components, (q, d)."""
    learner = DictionaryLearning(
        len(race.start), alpha=race.alpha, fit_algorithm="cd", max_iter=sweeps, tol=0.0,
        dict_init=race.start, code_init=np.zeros((len(race.X), len(race.start))),
    )  # fmt: skip
    components: Floats = learner.fit(race.X).components_
    return components


def stages(race: Race, batches: int) -> Table:
    """Tabulate the way of spams to its last objective and beyond."""
    found = {}
    for count in (batches // 16, batches // 4, batches, 2 * batches):
        began = time.perf_counter()
        components = spams_learns(race, count)
        found[f"{count} batches"] = time.perf_counter() - began, components
    return levels_table(race, "spams", found)
