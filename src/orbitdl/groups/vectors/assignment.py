"""Arrangements of d things: the best one for a table of gains, and matrices as sums of them.

An arrangement is a row of d whole numbers ``from_k``: what comes to place k was at place from_k.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

import numpy as np

from orbitdl.arrays.blocks import Floats, Integers

FEW = 5
"""Up to so many things, all of their arrangements (120) are tried at once: a product of matrices
costs less than one call of the assignment solver."""
CHUNK = 1024
"""Tables for which all arrangements are tried at a time."""
ROUNDING = 1e-13
"""Entries up to this fraction of a sum of rows are rounding."""
NEVER = 1e-300
"""In place of zero, so that logarithms are finite; no sum of others makes up for its logarithm."""


def best_arrangement(X: Floats) -> Integers:
    """Return ``argmax sum_k X[k, from_k]`` for every X (..., d, d), shape (..., d)."""
    d = X.shape[-1]
    flat = np.ascontiguousarray(X).reshape(-1, d, d)
    best = best_of_all(flat) if d <= FEW else [solve_assignment(x) for x in flat]
    return np.asarray(best, dtype=np.intp).reshape(X.shape[:-1])


def best_of_all(X: Floats) -> Integers:
    """Return the best arrangements (n, d) for X (n, d, d), by trying all of them."""
    n, d, _ = X.shape
    every = np.array(list(permutations(range(d))), dtype=np.intp)
    ones = np.eye(d)[every].reshape(len(every), d * d).T
    number = np.zeros(n, dtype=np.intp)
    for k in range(0, n, CHUNK):
        number[k : k + CHUNK] = (X[k : k + CHUNK].reshape(-1, d * d) @ ones).argmax(axis=1)
    return np.asarray(every[number])


def solve_assignment(x: Floats) -> Integers:
    """Return the best arrangement (d,) for one x (d, d)."""
    from scipy.optimize import linear_sum_assignment

    return np.asarray(linear_sum_assignment(x, maximize=True)[1])


def gains(X: Floats, arrangement: Integers) -> Floats:
    """Return ``X[k, from_k]`` for X (..., d, d) and arrangements (..., d), shape (..., d)."""
    return np.take_along_axis(X, arrangement[..., None], axis=-1)[..., 0]


def largest_sum(X: Floats) -> Floats:
    """Return the largest sum of absolute values of a row or a column of X (..., d, d)."""
    size = np.abs(X)
    return np.asarray(np.maximum(size.sum(axis=-1).max(axis=-1), size.sum(axis=-2).max(axis=-1)))


def fill(X: Floats, total: float) -> Floats:
    """Return E >= 0 such that all rows and columns of X + E (d, d) sum to the total.

    None of X may sum to more. From the first corner on, as much as row and column lack goes to a
    place, which completes one of them: few places are filled.
    """
    rows, columns = total - X.sum(axis=1), total - X.sum(axis=0)
    E, i, k = np.zeros_like(X), 0, 0
    while i < len(X) and k < len(X):
        amount = max(min(rows[i], columns[k]), 0.0)
        E[i, k] += amount
        rows[i] -= amount
        columns[k] -= amount
        i, k = (i + 1, k) if rows[i] <= columns[k] else (i, k + 1)
    return E


def peel(layers: Floats) -> Iterator[tuple[float, Integers, Integers]]:
    """Write X >= 0 (L, d, d), whose sum over layers has rows and columns of one sum, as parts.

    A part is a weight, an arrangement, and the layer (d,) of each of its places. Birkhoff: there is
    an arrangement whose entries are all positive. Here it is the one with the largest product; its
    least entry is its weight, and vanishes when it is taken off.
    """
    left, place = layers.copy(), np.arange(layers.shape[-1])
    enough = ROUNDING * float(largest_sum(layers.sum(axis=0)))
    while True:
        arrangement = solve_assignment(np.log(np.maximum(left.max(axis=0), NEVER)))
        layer = left[:, place, arrangement].argmax(axis=0)
        weight = float(left[layer, place, arrangement].min())
        if weight <= enough:
            return
        yield weight, arrangement, layer
        left[layer, place, arrangement] -= weight
