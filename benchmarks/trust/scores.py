"""Scores of event lists: matching in time, F1, jitter, assignment of components."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import linear_sum_assignment

from benchmarks.data import Floats

JITTER_SCALE = 0.010
"""Seconds of jitter that halve JF."""


@dataclass(frozen=True)
class Counts:
    """Matched, found and true events, of one record or pooled over several."""

    matched: int = 0
    found: int = 0
    true: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(
            self.matched + other.matched, self.found + other.found, self.true + other.true
        )

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall; 1 if nothing is there and nothing is found."""
        total = self.found + self.true
        return 2.0 * self.matched / total if total else 1.0

    @property
    def false(self) -> int:
        """Found events that match no true one."""
        return self.found - self.matched


def pooled(counts: Iterable[Counts]) -> Counts:
    """Add counts up: the F1 of the sum is the gross F1."""
    return sum(counts, Counts())


def pairs(
    found: ArrayLike, true: ArrayLike, tolerance: float, rank: ArrayLike | None = None
) -> np.ndarray:
    """Match two lists of times one to one, the closest first; return indices (n, 2).

    With `rank`, found events choose in its order, smallest first, and the distance decides ties.
    """
    a, b = np.asarray(found, dtype=float), np.asarray(true, dtype=float)
    order = np.argsort(b, kind="stable")
    first = np.searchsorted(b[order], a - tolerance, side="left")
    last = np.searchsorted(b[order], a + tolerance, side="right")
    i = np.repeat(np.arange(len(a)), last - first)
    k = np.concatenate([order[m:n] for m, n in zip(first, last, strict=True)] or [order[:0]])
    chosen, taken = list[tuple[int, int]](), (set[int](), set[int]())
    rank = np.zeros(len(a)) if rank is None else np.asarray(rank)
    for p in np.lexsort((np.abs(a[i] - b[k]), rank[i])):
        if i[p] not in taken[0] and k[p] not in taken[1]:
            chosen.append((i[p], k[p]))
            taken[0].add(i[p])
            taken[1].add(k[p])
    return np.array(sorted(chosen), dtype=int).reshape(-1, 2)


def count(found: ArrayLike, true: ArrayLike, tolerance: float) -> Counts:
    """Count the events of two lists that match within a tolerance."""
    return Counts(len(pairs(found, true, tolerance)), np.size(found), np.size(true))


def differences(found: ArrayLike, true: ArrayLike, tolerance: float) -> Floats:
    """Return found minus true times of matched events."""
    chosen = pairs(found, true, tolerance)
    return np.asarray(found, dtype=float)[chosen[:, 0]] - np.asarray(true, float)[chosen[:, 1]]


def jitter(found: ArrayLike, true: ArrayLike, tolerance: float) -> float:
    """Return the mean absolute deviation of matched time differences from their median."""
    late = differences(found, true, tolerance)
    return float(np.mean(np.abs(late - np.median(late)))) if len(late) else float("nan")


def jf(found: ArrayLike, true: ArrayLike, tolerance: float) -> float:
    """Return JF = F1 / (1 + jitter / 10 ms), 0 if nothing matches; times in seconds."""
    score, spread = count(found, true, tolerance).f1, jitter(found, true, tolerance)
    return 0.0 if np.isnan(spread) else score / (1 + spread / JITTER_SCALE)


def offset(found: ArrayLike, true: ArrayLike, reach: float, bins: int = 50) -> float:
    """Return the most frequent lag of found behind the nearest true times, within +- reach."""
    a, b = np.asarray(found, dtype=float), np.sort(np.asarray(true, dtype=float))
    if not len(a) or not len(b):
        return 0.0
    after = np.clip(np.searchsorted(b, a), 1, max(len(b) - 1, 1))
    sides = np.stack([a - b[after - 1], a - b[np.minimum(after, len(b) - 1)]])
    late = sides[np.argmin(np.abs(sides), axis=0), np.arange(len(a))]
    counts, edges = np.histogram(late, bins, (-reach, reach))
    peak = (edges[np.argmax(counts)] + edges[np.argmax(counts) + 1]) / 2
    near = np.abs(late - peak) <= 2 * reach / bins
    return float(np.median(late[near])) if near.any() else 0.0


def by_component(times: Floats, component: np.ndarray, true: Floats, reach: float) -> Floats:
    """Return event times with the constant lag of every component removed."""
    aligned = np.array(times, dtype=float)
    for j in np.unique(component):
        own = component == j
        aligned[own] -= offset(aligned[own], true, reach)
    return aligned


def assigned(scores: Floats) -> list[tuple[int, int]]:
    """Assign rows to columns one to one with the largest total score."""
    return [(int(i), int(k)) for i, k in zip(*linear_sum_assignment(-scores), strict=True)]


def unit_scores(found: list[Floats], true: list[Floats], tolerance: float) -> Floats:
    """Return the F1 of every true unit with the component assigned to it, 0 without one."""
    best = np.zeros(len(true))
    if found:
        table = np.array([[unit_f1(a, b, tolerance) for b in true] for a in found])
        for j, unit in assigned(table):
            best[unit] = table[j, unit]
    return best


def unit_f1(found: Floats, true: Floats, tolerance: float) -> float:
    """Return the F1 of one component and one unit, their constant lag removed."""
    return count(found - offset(found, true, 4 * tolerance), true, tolerance).f1


def own_kind(component: np.ndarray, kind: np.ndarray) -> np.ndarray:
    """Return for every event whether its kind has the majority in its component."""
    own = np.zeros(len(kind), dtype=bool)
    for j in np.unique(component):
        members = component == j
        names, counts = np.unique(kind[members], return_counts=True)
        own[members] = kind[members] == names[np.argmax(counts)]
    return own
