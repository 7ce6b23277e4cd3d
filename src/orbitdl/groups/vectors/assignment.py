"""Linear assignment and the Birkhoff decomposition into permutation matrices.

A permutation is a row of d integers ``from_k``: entry k of the result is entry from_k.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

import numpy as np

from orbitdl.arrays.blocks import Floats, Integers

FEW = 5
"""Largest d for which all permutations (120) are evaluated by one matrix product, which is faster
than one call of the assignment solver."""
CHUNK = 1024
"""Matrices evaluated at a time."""
ROUNDING = 1e-13
"""Weights below this fraction of the sum of a row are rounding errors."""
NEVER = 1e-300
"""Replaces zero so that logarithms are finite; other terms cannot compensate its logarithm."""


def best_permutation(X: Floats) -> Integers:
    """Return ``argmax sum_k X[k, from_k]`` for every X (..., d, d), shape (..., d)."""
    d = X.shape[-1]
    flat = np.ascontiguousarray(X).reshape(-1, d, d)
    best = best_of_all(flat) if d <= FEW else [solve_assignment(x) for x in flat]
    return np.asarray(best, dtype=np.intp).reshape(X.shape[:-1])


def best_of_all(X: Floats) -> Integers:
    """Return the best permutations (n, d) for X (n, d, d) by exhaustive search."""
    n, d, _ = X.shape
    every = np.array(list(permutations(range(d))), dtype=np.intp)
    ones = np.eye(d)[every].reshape(len(every), d * d).T
    number = np.zeros(n, dtype=np.intp)
    for k in range(0, n, CHUNK):
        number[k : k + CHUNK] = (X[k : k + CHUNK].reshape(-1, d * d) @ ones).argmax(axis=1)
    return np.asarray(every[number])


def solve_assignment(x: Floats) -> Integers:
    """Return the best permutation (d,) for one x (d, d), by linear assignment."""
    from scipy.optimize import linear_sum_assignment

    return np.asarray(linear_sum_assignment(x, maximize=True)[1])


def assigned_entries(X: Floats, permutation: Integers) -> Floats:
    """Return ``X[k, from_k]`` for X (..., d, d) and permutations (..., d), shape (..., d)."""
    return np.take_along_axis(X, permutation[..., None], axis=-1)[..., 0]


def largest_sum(X: Floats) -> Floats:
    """Return the largest l1 norm of a row or a column of X (..., d, d)."""
    size = np.abs(X)
    return np.asarray(np.maximum(size.sum(axis=-1).max(axis=-1), size.sum(axis=-2).max(axis=-1)))


def complete_sums(X: Floats, total: float) -> Floats:
    """Return a sparse E >= 0 such that all rows and columns of X + E (d, d) sum to the total.

    No row or column of X may sum to more. Northwest corner rule: each entry gets the smaller
    deficit of its row and column, which completes one of them.
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


def birkhoff_decomposition(layers: Floats) -> Iterator[tuple[float, Integers, Integers]]:
    """Decompose X >= 0 (L, d, d), whose sum over layers has equal row and column sums (Birkhoff).

    Yield weights, permutations (d,), and the layer (d,) of each entry. By Birkhoff's theorem a
    permutation with positive entries exists. Here it is the one with the largest product of
    entries; the smallest entry is its weight and vanishes by subtraction.
    """
    left, row = layers.copy(), np.arange(layers.shape[-1])
    enough = ROUNDING * float(largest_sum(layers.sum(axis=0)))
    while True:
        permutation = solve_assignment(np.log(np.maximum(left.max(axis=0), NEVER)))
        layer = left[:, row, permutation].argmax(axis=0)
        weight = float(left[layer, row, permutation].min())
        if weight <= enough:
            return
        yield weight, permutation, layer
        left[layer, row, permutation] -= weight
