"""Events and what they should be: pairs in the order of time."""

from __future__ import annotations

from benchmarks.data import Floats


def matched(found: Floats, true: Floats, near: float) -> list[tuple[int, int]]:
    """Return pairs of places in two sorted lists that are at most `near` apart, each used once."""
    pairs, i, k = list[tuple[int, int]](), 0, 0
    while i < len(found) and k < len(true):
        if abs(found[i] - true[k]) <= near:
            pairs.append((i, k))
            i, k = i + 1, k + 1
        elif found[i] < true[k]:
            i += 1
        else:
            k += 1
    return pairs


def score(pairs: int, found: int, true: int) -> float:
    """Return the F1 of so many pairs: the harmonic mean of precision and recall."""
    return 2.0 * pairs / max(found + true, 1)
