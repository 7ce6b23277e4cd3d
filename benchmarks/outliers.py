"""Small problems of every symmetry: none may take long, whatever data and components are like."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from benchmarks.data import Floats
from benchmarks.harness import LIMIT, Row, Section, Table, timed
from orbitdl import Codes, encode
from orbitdl.groups import Group
from orbitdl.learning.alpha import alpha_max
from tests.registry import ACTIONS

SECONDS = 0.5
"""seconds that a small problem may take."""
SAMPLES, COMPONENTS = 40, 5
LENGTH, CHANNELS = 7, 2
"""The registry's own."""
DATA = "noise", "smooth", "planted"
PARTS = "noise", "data", "twice the same", "nearly the same"
FRACTIONS = 0.5, 0.1, 0.03, 0.01
"""Alphas, in parts of the one from which codes are empty."""
MISSING = 0.0, 0.3
SLOWEST = 10


@dataclass(frozen=True)
class Small:
    """One problem: a symmetry of the registry, data, components, what is missing, and alpha."""

    name: str
    data: str
    parts: str
    missing: float
    fraction: float

    @property
    def label(self) -> str:
        """What it is in words."""
        return (
            f"{self.name}, {self.data} data, components {self.parts}, "
            f"{self.missing:.0%} missing, alpha {self.fraction:g} of the largest"
        )

    def make(self) -> tuple[Floats, Floats, Group, NDArray[np.bool_]]:
        """Return data, components, the group, and what is observed."""
        rng = np.random.default_rng(0)
        group, shape = ACTIONS[self.name](LENGTH, CHANNELS)
        A = make_components(rng, self.parts, shape)
        X = make_data(rng, self.data, group, A)
        if self.parts == "data":
            A = normalised(X[:COMPONENTS])
        return X, A, group, rng.random(X.shape) >= self.missing

    def seconds(self) -> tuple[float, Codes]:
        """Return seconds; of a second run where the first was slow: it may have compiled."""
        X, A, group, observed = self.make()
        mask = observed if self.missing else None
        alpha = self.fraction * float(alpha_max(X, A, group=group, mask=mask).max())

        def job() -> Codes:
            return encode(X, A, group=group, alpha=alpha, mask=mask)

        began = time.perf_counter()
        codes = job()
        seconds = time.perf_counter() - began
        return (seconds, codes) if seconds < 0.2 * SECONDS else timed(job)


def run(quick: bool) -> Section:
    """Code all small problems, and list the slowest."""
    outcomes = [(*problem.seconds(), problem) for problem in problems(quick)]
    outcomes.sort(key=lambda outcome: -outcome[0])
    seconds, _, worst = outcomes[0]
    row = Row(
        f"slowest of {len(outcomes)} small problems", seconds, LIMIT, SECONDS, 1.0, at_least=False,
        note=f"{worst.label}; all within the gap: {all_within(outcomes)}",
    )  # fmt: skip
    cells = [
        (problem.label, f"{taken:.3f}", f"{codes.gap.max():.0e}")
        for taken, codes, problem in outcomes[:SLOWEST]
    ]
    title = f"The slowest of all, {SAMPLES} data points and {COMPONENTS} components each"
    table = Table(title, ("problem", "seconds", "largest gap"), cells)
    return Section("Small problems of every symmetry", [row], [table])


def all_within(outcomes: list[tuple[float, Codes, Small]]) -> str:
    """Say whether every gap is within the tolerance, or how many problems have one that is not."""
    late = sum(bool(codes.gap.max() > 1e-4) for _, codes, _ in outcomes)
    return "yes" if late == 0 else f"NO, not in {late}"


def problems(quick: bool) -> Iterator[Small]:
    """Yield all problems, or every seventh, so that all of everything is met."""
    every = product(ACTIONS, DATA, PARTS, MISSING, FRACTIONS)
    for number, setting in enumerate(every):
        if number % (7 if quick else 1) == 0:
            yield Small(*setting)


def make_components(rng: np.random.Generator, kind: str, shape: tuple[int, ...]) -> Floats:
    """Return components of unit norm, (COMPONENTS, ...)."""
    A = rng.standard_normal((COMPONENTS, *shape))
    if kind == "twice the same":
        A[3:] = A[:2]
    if kind == "nearly the same":
        A[1:] = A[0] + 1e-3 * A[1:]
    return normalised(A)


def make_data(rng: np.random.Generator, kind: str, group: Group, A: Floats) -> Floats:
    """Return data (SAMPLES, ...): noise, sums of few waves, or of two transformed components."""
    shape = A.shape[1:]
    X = rng.standard_normal((SAMPLES, *shape))
    if kind == "smooth":
        return np.cumsum(X, axis=1)
    if kind == "planted":
        action = group.on(shape)
        j, g = rng.integers(len(A), size=2 * SAMPLES), action.sample(rng, 2 * SAMPLES)
        moved = np.stack([action.act(h, A[i]) for i, h in zip(j, g, strict=True)])
        weights = rng.uniform(0.5, 2.0, 2 * SAMPLES).reshape(-1, *(1,) * len(shape))
        return (weights * moved).reshape(SAMPLES, 2, *shape).sum(axis=1) + 0.01 * X
    return X


def normalised(A: Floats) -> Floats:
    """Return the same with unit norms."""
    return A / np.linalg.norm(A.reshape(len(A), -1), axis=1).reshape(-1, *(1,) * (A.ndim - 1))
