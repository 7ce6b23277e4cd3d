"""Data with missing entries against the same data whole."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from benchmarks.data import LENGTH, Floats, some_windows, windows
from benchmarks.harness import Row, Section, interleave
from benchmarks.integer import describe
from orbitdl import Codes, encode
from orbitdl.coding import ActiveSet, Sliding
from orbitdl.groups import ContinuousShift, Group, IntegerShift

PAIRS = (
    (ContinuousShift(), Sliding(tol=1e-4)),
    (IntegerShift(), ActiveSet(tol=1e-4)),
)
TARGET = 3.0
"""How many times as long data with missing entries may take, at most."""
GAP = 40
"""Samples of a gap."""


@dataclass(frozen=True)
class Case:
    """A group with its coder, so many data windows as components, and alpha."""

    group: Group
    coder: Sliding | ActiveSet
    q: int
    alpha: float

    def code(self, X: Floats, mask: NDArray[np.bool_] | None) -> Codes:
        """Call `encode`."""
        A = some_windows(self.q)
        return encode(X, A, group=self.group, alpha=self.alpha, coder=self.coder, mask=mask)


def run(quick: bool) -> Section:
    """Time whole calls to gap 1e-4, with entries missing here and there, and in a row."""
    X, repeats = windows(200 if quick else 1000), 3 if quick else 7
    settings = [(1, 0.2), (4, 0.1)] if quick else [(1, 0.2), (1, 0.1), (3, 0.1), (4, 0.1), (4, 0.2)]
    cases = [Case(*pair, *setting) for pair in PAIRS for setting in settings]
    rows = [row for case in cases for row in compare(case, X, repeats)]
    note = "Both are ours, on the same windows; times are of whole calls, certificate included."
    return Section("Missing entries against whole data", rows, note=note)


def compare(case: Case, X: Floats, repeats: int) -> list[Row]:
    """Make a row for every kind of missing entries."""
    masks = {
        "10 % missing": scattered(len(X), 0.1),
        "30 % missing": scattered(len(X), 0.3),
        f"{GAP} samples in a row missing": in_a_row(len(X)),
    }
    jobs = {name: partial(case.code, X, mask) for name, mask in masks.items()}
    times = interleave({"whole": partial(case.code, X, None), **jobs}, repeats)
    whole = times["whole"]
    setting = f"{case.group.name}, q={case.q}, alpha={case.alpha:g}"
    return [
        Row(
            f"coding {len(X)} windows, {name}: {setting}", times[name].median,
            "the same windows whole", whole.median, TARGET, at_least=False,
            accuracy=f"{describe(times[name].result)} / {describe(whole.result)}",
        )
        for name in masks
    ]  # fmt: skip


def scattered(n: int, part: float) -> NDArray[np.bool_]:
    """Return which entries are observed, (n, LENGTH), all but this part of them."""
    return np.random.default_rng(0).random((n, LENGTH)) >= part


def in_a_row(n: int) -> NDArray[np.bool_]:
    """Return the same with one gap in every window."""
    start = np.random.default_rng(0).integers(LENGTH - GAP + 1, size=(n, 1))
    time = np.arange(LENGTH)
    return (time < start) | (time >= start + GAP)
