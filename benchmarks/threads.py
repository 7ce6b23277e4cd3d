"""Two threads beside one, for every coder, on the clock."""

from __future__ import annotations

import gc
import os
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from operator import eq
from typing import Any

import numpy as np

from benchmarks.data import Floats, some_windows, windows
from benchmarks.harness import Row, Section
from benchmarks.recordings import learned, recording
from benchmarks.symmetries import CASES, TURNS, Case, planted
from orbitdl import Codes, encode
from orbitdl.coding import Coder, Matching
from orbitdl.coding.parallel import in_threads
from orbitdl.groups import ContinuousShift, Group, IntegerShift, Reversal, SemidirectProduct

FASTER, MANY, LEAST = 1.8, 20_000, 2000
"""Times faster, and data points; in the quick version."""
ALPHA, LEVEL = 0.1, 0.2
"""alpha for windows, and relative to the largest for others."""
AZIMUTH = CASES[1]
BOTH_WAYS = SemidirectProduct(ContinuousShift(), Reversal())

Job = Callable[..., Any]
"""Codes with the `n_jobs` it is given."""


@dataclass(frozen=True)
class Work:
    """What is coded, by whom, and how many data points: fewer where one takes long."""

    label: str
    make: Callable[[int], Job]
    n: int = MANY


def run(quick: bool) -> Section:
    """Time every coder with one thread and with two, in turn."""
    if (os.cpu_count() or 1) < 2:
        return Section("Threads", note="Left out: there is one core here.", left_out=True)
    works = [
        Work("Sliding, continuous shifts, q=3", partial(on_windows, ContinuousShift(), None)),
        Work("ActiveSet, integer shifts, q=3", partial(on_windows, IntegerShift(), None)),
        Work(
            "Matching, continuous shifts, q=3", partial(on_windows, ContinuousShift(), Matching())
        ),
        Work("Sliding, shifts forwards and backwards, q=3", partial(on_windows, BOTH_WAYS, None)),
        Work("Sliding, a tenth of entries missing, q=3", with_gaps, 4000),
        Work(f"Proximal, {TURNS.name}", partial(on_planted, TURNS)),
        Work(f"Growing, {AZIMUTH.name}", partial(on_planted, AZIMUTH), 4000),
    ]
    rows = [compare(work, quick) for work in works]
    note = (
        "Seconds on the clock, medians of interleaved repeats; BLAS has one thread. No row comes "
        "further than the first, which shares nothing: where a machine has other work, none does. "
        "Codes of one thread and of two are the same to the last bit, unless a note says otherwise."
    )
    return Section("Threads", [hashing(), *rows, of_recording(quick)], note=note)


def hashing() -> Row:
    """Make the row of what this machine can give: two digests that share nothing."""
    data = bytes(2**27)

    def digest(n_jobs: int) -> list[bytes]:
        return in_threads(lambda part: sha256(part).digest(), [data] * 2, n_jobs)

    one, two, _ = clock(digest, 5, eq)
    return Row("two digests, each in a thread of its own", two, "one thread", one)


def compare(work: Work, quick: bool) -> Row:
    """Make the row of one coder; quick: fewer data points, still several chunks."""
    n = min(work.n, LEAST) if quick else work.n
    one, two, same = clock(work.make(n), 1 if quick else 5, same_codes)
    return Row(
        f"{work.label}, {n} data points, two threads", two, "one thread", one, FASTER,
        note="" if same else "codes DIFFER",
    )  # fmt: skip


def of_recording(quick: bool) -> Row:
    """Make the row of a long recording, every other chunk of which is coded at once."""
    minutes, times = (10, 4) if quick else (30, 8)
    x, model = np.tile(recording(minutes)[0], times), learned(minutes, 1.0)

    def code(n_jobs: int) -> Any:
        return model.set_params(n_jobs=n_jobs).encode(x)

    one, two, same = clock(code, 1 if quick else 5, same_objective)
    return Row(
        f"{minutes * times} minutes of a recording, 2 waveforms, two threads", two, "one thread",
        one, FASTER, note="" if same else "codes DIFFER",
    )  # fmt: skip


def clock(job: Job, repeats: int, agree: Callable[[Any, Any], bool]) -> tuple[float, float, bool]:
    """Return the seconds on the clock of one thread and of two, and whether codes agree."""
    same = agree(job(n_jobs=1), job(n_jobs=2))
    rounds = [[seconds(partial(job, n_jobs=threads)) for threads in (1, 2)] for _ in range(repeats)]
    one, two = (statistics.median(column) for column in zip(*rounds, strict=True))
    return one, two, same


def seconds(job: Callable[[], Any]) -> float:
    """Return how long one call takes on the clock."""
    gc.collect()
    began = time.perf_counter()
    job()
    return time.perf_counter() - began


def same_objective(one: Any, two: Any) -> bool:
    """Tell whether the codes of a recording agree in what they come to."""
    return bool(one.objective == two.objective and one.gap == two.gap)


def same_codes(one: Codes, two: Codes) -> bool:
    """Tell whether codes agree to the last bit."""
    pairs = zip(
        (one.objective, one.gap, one.atoms.coefficient, one.atoms.element),
        (two.objective, two.gap, two.atoms.coefficient, two.atoms.element),
        strict=True,
    )
    return all(np.array_equal(a, b) for a, b in pairs)


def many_windows(n: int) -> Floats:
    """Repeat 1000 windows until there are n."""
    return np.tile(windows(), (-(-n // 1000), 1))[:n]


def on_windows(group: Group, coder: Coder | None, n: int) -> Job:
    """Code windows with three of them."""
    X = many_windows(n)
    return partial(encode, X, some_windows(3), group=group, alpha=ALPHA, coder=coder)


def with_gaps(n: int) -> Job:
    """Code windows of which a tenth was not observed."""
    mask = np.random.default_rng(0).random((n, windows(1).shape[1])) > 0.1
    return partial(on_windows(ContinuousShift(), None, n), mask=mask)


def on_planted(case: Case, n: int) -> Job:
    """Code planted data of a group that has no windows."""
    rep, Y, A = planted(case, n, 0)
    alpha = LEVEL * float(rep.largest_product(Y[:200], A).max())
    X, components = rep.synthesize(Y), rep.synthesize(A)
    return partial(encode, X, components, group=case.group, alpha=alpha)
