"""Mini-batches beside steps of all data, and beside online learners without a group."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

import numpy as np
from sklearn.decomposition import MiniBatchDictionaryLearning

from benchmarks.data import Floats, windows
from benchmarks.harness import Row, Section, interleave
from benchmarks.race import SLACK, Finish, Race, median_finish
from benchmarks.referee import both
from benchmarks.regular import ALPHA, BATCH, spams_learns
from orbitdl import OrbitDictionaryLearning
from orbitdl.datasets import make_ecg_like
from orbitdl.groups import ContinuousShift, Trivial
from orbitdl.learning.state import Iteration


def run(quick: bool) -> Section:
    """Compare whole fits from one start, and races to the objective that a peer reaches."""
    n, atoms = (2000, 50) if quick else (100_000, 201)
    X = windows(300 if quick else 1000)
    start = X[np.random.default_rng(0).choice(len(X), atoms, replace=False)]
    race = Race(X, Trivial(), ALPHA, start)
    passes, repeats = (5, 1) if quick else (20, 3)
    batches = passes * len(X) // BATCH
    by_spams = partial(spams_learns, race, batches)
    by_sklearn = partial(sklearn_learns, race, passes)
    rows = [
        whole_fits(n),
        against(race, f"spams.trainDL, {batches} batches of {BATCH}", by_spams, 1.0, repeats),
        against(
            race, f"scikit-learn MiniBatchDictionaryLearning, {passes} passes", by_sklearn, 10.0, 1
        ),
    ]
    return Section("Mini-batches", rows)


def whole_fits(n: int) -> Row:
    """Fit 4 components to n windows, in batches and with all data in every step."""
    X = make_ecg_like(n_windows=n, random_state=0).X
    start = X[np.random.default_rng(0).choice(n, 4, replace=False)]
    make = partial(
        OrbitDictionaryLearning, 4, ContinuousShift(), alpha=ALPHA, init=start, random_state=0
    )
    make(batch_size=100).fit(X[:300])  # compiles
    size = 512 if n >= 20_000 else 128
    jobs = {
        "ours": lambda: make(batch_size=size).fit(X),
        "all": lambda: make(batch_size=None).fit(X),
    }
    times = interleave(jobs, 1, warm_up=[])
    one, all_ = (times[name].result.history_[-1] for name in ("ours", "all"))
    return Row(
        f"continuous shifts, {n} windows of an electrocardiogram, 4 components, batches of {size}",
        times["ours"].median, "the same with all data in every step", times["all"].median, 5.0,
        accuracy=both(one.objective, all_.objective),
        note=f"{one.number} passes and iterations beside {all_.number}",
    )  # fmt: skip


def against(
    race: Race, peer: str, learner: Callable[[], Floats], target: float, repeats: int
) -> Row:
    """Race against one peer, down to where it ends."""
    began = time.perf_counter()
    level = race.judge(learner())
    patience = 20 * (time.perf_counter() - began) + 2
    jobs = {"ours": partial(ours, race, level, patience), "theirs": learner}
    times = interleave(jobs, repeats, warm_up=["ours"])
    best = median_finish(times["ours"])
    return Row(
        f"regular dictionary learning, {len(race.start)} atoms, alpha={ALPHA}, "
        f"{len(race.X)} windows, batches of {BATCH}",
        best.seconds, peer, times["theirs"].median, target,
        accuracy=both(best.objective, level), note=best.note(),
    )  # fmt: skip


def ours(race: Race, level: float, patience: float) -> Finish:
    """Pass over batches until the components are down to `level`; the referee's time is free."""
    began, judged, trace = time.perf_counter(), 0.0, list[tuple[float, float]]()
    representation = race.group.on(race.X.shape[1:])

    def watch(iteration: Iteration) -> bool:
        nonlocal judged
        now = time.perf_counter()
        reached = race.judge(representation.synthesize(iteration.components))
        trace.append((now - began - judged, reached))
        judged += time.perf_counter() - now
        return reached <= (1 + SLACK) * level or trace[-1][0] > patience

    OrbitDictionaryLearning(
        len(race.start), race.group, alpha=race.alpha, max_iter=500, init=race.start,
        random_state=0, callback=watch, batch_size=BATCH,
    ).fit(race.X)  # fmt: skip
    return Finish(*trace[-1], len(trace), trace[-1][1] <= (1 + SLACK) * level)


def sklearn_learns(race: Race, passes: int) -> Floats:
    """Run scikit-learn and return its components, (q, d)."""
    learner = MiniBatchDictionaryLearning(
        len(race.start), alpha=race.alpha, fit_algorithm="cd", max_iter=passes, batch_size=BATCH,
        dict_init=race.start, tol=0.0, max_no_improvement=None, random_state=0,
    )  # fmt: skip
    components: Floats = learner.fit(race.X).components_
    return components
