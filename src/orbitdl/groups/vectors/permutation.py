"""Permutations, and signed permutations, of the first axis of a data point.

The best one is a linear assignment; a code is decomposed after Birkhoff. A permutation is a row of
d integers ``from_k``: entry k of the result is entry from_k.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations

import numpy as np

from orbitdl.arrays.blocks import Blocks, Combination, Floats, Integers
from orbitdl.groups.base import Group
from orbitdl.groups.vectors.matrix_group import MatrixGroup
from orbitdl.groups.vectors.matrix_representation import MatrixGroupRepresentation

SAME = 1e-9
"""Relative tolerance of sums of rows."""


FEW = 5
"""Largest d for which all permutations (120) are evaluated by one matrix product, which is faster
than one call of the assignment solver."""
CHUNK = 1024
"""Matrices evaluated at a time."""
ROUNDING = 1e-13
"""Weights below this fraction of the sum of a row are rounding errors."""
NEVER = 1e-300
"""Replaces zero so that logarithms are finite; other terms cannot compensate its logarithm."""


@dataclass(frozen=True)
class Permutation(Group):
    """All permutations of the d rows of data points (d,) or (d, r).

    An element is d integers ``from_k``: row k of the transformed data point is row from_k of the
    component.

    Notes
    -----
    The best element solves one of two assignment problems, for ``<C, P>`` and for ``-<C, P>``. The
    matrices ``sum_k c_k P_k`` are those whose rows and columns all have one sum s. The gauge of
    such a Z is the largest l1 norm of a row or a column: with ``Z = (Z_+ + E) - (Z_- + E)``,
    E >= 0, both terms are multiples of doubly stochastic matrices (Birkhoff) if and only if all
    rows and columns of ``Z_+ + E`` have one sum, which is at least the largest sum of ``Z_+``.
    Suitable up to about eight rows; codes of more rows need too many atoms.

    Examples
    --------
    >>> import numpy as np
    >>> rows = Permutation().on((3,))
    >>> rows.act(np.array([2.0, 0.0, 1.0]), np.array([5.0, 6.0, 7.0]))
    array([7., 5., 6.])
    >>> float(rows.gauge(np.array([[[0.0, 2.0, -1.0], [2.0, -1.0, 0.0], [-1.0, 0.0, 2.0]]])))
    3.0
    """

    def on(self, shape: tuple[int, ...]) -> PermutationRepresentation:
        return PermutationRepresentation(self, shape)

    def matrix_group(self, d: int) -> PermutationMatrices:
        return PermutationMatrices(d)


@dataclass(frozen=True)
class SignedPermutation(Group):
    """All permutations of the d rows of data points (d,) or (d, r), each row with either sign.

    An element is 2 d integers: ``from_k``, then ``sign_k``, 1 or -1. Row k of the transformed data
    point is sign_k times row from_k of the component.

    Notes
    -----
    The best element solves the assignment problem of ``|C|``. The gauge is the largest l1 norm of a
    row or a column, for every matrix.

    Examples
    --------
    >>> import numpy as np
    >>> rows = SignedPermutation().on((3,))
    >>> rows.act(np.array([2.0, 0.0, 1.0, 1.0, -1.0, 1.0]), np.array([5.0, 6.0, 7.0]))
    array([ 7., -5.,  6.])
    >>> float(rows.polar(np.diag([3.0, -2.0, 1.0])[None]))
    6.0
    """

    def on(self, shape: tuple[int, ...]) -> SignedPermutationRepresentation:
        return SignedPermutationRepresentation(self, shape)

    def matrix_group(self, d: int) -> SignedPermutationMatrices:
        return SignedPermutationMatrices(d)


class PermutationMatrices(MatrixGroup):
    """Matrices with ``P[k, from_k] = 1`` and zeros otherwise."""

    description = "permuted row by row"

    def __init__(self, d: int) -> None:
        names = tuple(f"from{k}" for k in range(d))
        super().__init__(d, names, np.zeros((0, d, d)), is_integer=True)

    def matrix(self, element: Floats) -> Floats:
        return np.eye(self.d)[as_integers(element)]

    def element(self, matrix: Floats) -> Floats:
        return np.asarray(matrix.argmax(axis=-1), dtype=np.float64)

    def sample(self, rng: np.random.Generator, n: int) -> Floats:
        return draw_permutations(rng, n, self.d).astype(np.float64)

    def contains(self, element: Floats) -> bool:
        return bool(np.all(np.sort(element, axis=-1) == np.arange(self.d)))

    def match(self, X: Floats) -> tuple[Floats, Floats]:
        high, low = best_permutation(X), best_permutation(-X)
        most, least = assigned_entries(X, high).sum(axis=-1), assigned_entries(X, low).sum(axis=-1)
        positive = most >= -least
        chosen = np.where(positive[..., None], high, low)
        return np.where(positive, most, least), chosen.astype(np.float64)

    def label(self, element: Floats) -> str:
        return "rows " + ", ".join(str(k) for k in as_integers(element))


class SignedPermutationMatrices(MatrixGroup):
    """Matrices with ``P[k, from_k] = sign_k`` and zeros otherwise."""

    description = "permuted row by row, each with either sign"

    def __init__(self, d: int) -> None:
        names = tuple(f"{what}{k}" for what in ("from", "sign") for k in range(d))
        super().__init__(d, names, np.zeros((0, d, d)), is_integer=True)

    def matrix(self, element: Floats) -> Floats:
        permutation, sign = as_integers(element[..., : self.d]), element[..., self.d :]
        return sign[..., None] * np.eye(self.d)[permutation]

    def element(self, matrix: Floats) -> Floats:
        permutation = np.abs(matrix).argmax(axis=-1)
        return with_signs(permutation, assigned_entries(matrix, permutation))

    def sample(self, rng: np.random.Generator, n: int) -> Floats:
        return with_signs(draw_permutations(rng, n, self.d), rng.choice([-1.0, 1.0], (n, self.d)))

    def contains(self, element: Floats) -> bool:
        orders = np.all(np.sort(element[..., : self.d], axis=-1) == np.arange(self.d))
        return bool(orders and np.all(np.abs(element[..., self.d :]) == 1.0))

    def match(self, X: Floats) -> tuple[Floats, Floats]:
        permutation = best_permutation(np.abs(X))
        gain = assigned_entries(X, permutation)
        return np.abs(gain).sum(axis=-1), with_signs(permutation, gain)

    def label(self, element: Floats) -> str:
        rows, signs = as_integers(element[: self.d]), element[self.d :]
        marks = zip(rows, signs, strict=True)
        return "rows " + ", ".join(f"{'−' if sign < 0 else ''}{k}" for k, sign in marks)


class BirkhoffRepresentation(MatrixGroupRepresentation):
    """Base of both: matrices are decomposed into permutations one by one (Birkhoff)."""

    def decompose(self, Z: Blocks) -> Combination:
        parts = [(row, *part) for row, z in enumerate(Z[:, 0]) for part in self._parts(z)]
        elements = np.array([element for *_, element in parts], dtype=np.float64)
        return Combination(
            np.array([row for row, *_ in parts], dtype=np.intp),
            np.array([weight for _, weight, _ in parts], dtype=np.float64),
            elements.reshape(len(parts), len(self.parameters)),
        )

    @abstractmethod
    def _parts(self, Z: Floats) -> Iterator[tuple[float, Floats]]:
        """Yield coefficients and elements whose sum is Z (d, d)."""


class PermutationRepresentation(BirkhoffRepresentation):
    """One real block of size d with r columns."""

    def gauge(self, Z: Blocks) -> Floats:
        require_one_sum(Z[..., 0, :, :])
        return largest_sum(Z[..., 0, :, :])

    def _parts(self, Z: Floats) -> Iterator[tuple[float, Floats]]:
        require_one_sum(Z)
        positive, negative = np.maximum(Z, 0.0), np.maximum(-Z, 0.0)
        filling = complete_sums(positive, float(largest_sum(positive)))
        for sign, part in ((1.0, positive + filling), (-1.0, negative + filling)):
            for weight, permutation, _ in birkhoff_decomposition(part[None]):
                yield sign * weight, permutation.astype(np.float64)


class SignedPermutationRepresentation(BirkhoffRepresentation):
    """One real block of size d with r columns."""

    def gauge(self, Z: Blocks) -> Floats:
        return largest_sum(Z[..., 0, :, :])

    def _parts(self, Z: Floats) -> Iterator[tuple[float, Floats]]:
        size = np.abs(Z)
        total = size + complete_sums(size, float(largest_sum(size)))
        for weight, permutation, layer in birkhoff_decomposition(
            0.5 * np.stack([total + Z, total - Z])
        ):
            yield weight, with_signs(permutation, np.where(layer == 0, 1.0, -1.0))


def require_one_sum(Z: Floats) -> None:
    """Raise ValueError unless all rows and columns of Z (..., d, d) have the same sum."""
    sums = np.concatenate([Z.sum(axis=-1), Z.sum(axis=-2)], axis=-1)
    if np.any(np.ptp(sums, axis=-1) > SAME * largest_sum(Z)):
        raise ValueError(
            "Z is not in the span of the permutation matrices: its rows and columns have different "
            "sums; pass blocks in their span."
        )


def as_integers(element: Floats) -> Integers:
    """Return parameters as integers."""
    return np.rint(element).astype(np.intp)


def with_signs(permutation: Integers, gain: Floats) -> Floats:
    """Return permutations (..., d) with the signs of gains (..., d), as elements (..., 2 d)."""
    return np.concatenate([permutation, np.where(gain < 0.0, -1.0, 1.0)], axis=-1)


def draw_permutations(rng: np.random.Generator, n: int, d: int) -> Integers:
    """Draw n permutations of 0..d-1, shape (n, d)."""
    return rng.permuted(np.tile(np.arange(d), (n, 1)), axis=1)


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
