"""Rows in any order, and with any signs: permutations of the first axis of a data point."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from orbitdl.arrays.blocks import Blocks, Floats, Integers
from orbitdl.groups.base import Combination, Group
from orbitdl.groups.vectors.assignment import best_arrangement, fill, gains, largest_sum, peel
from orbitdl.groups.vectors.matrix_group import Fibre
from orbitdl.groups.vectors.matrix_representation import FibreRepresentation

SAME = 1e-9
"""Sums of rows that differ by no more than this fraction of the largest are the same."""


@dataclass(frozen=True)
class Permutation(Group):
    """All orders of the d rows of data points (d,) or (d, r).

    An element is d whole numbers, ``from_k``: row k of the moved data point is row from_k of what
    was learned.

    Notes
    -----
    Best are the solutions of two assignment problems, for ``<C, P>`` and for ``-<C, P>``. Sums of
    signed permutation matrices ``sum_k c_k P_k`` are the matrices whose rows and columns all have
    one sum s. The gauge of such a Z is the largest l1 norm of a row or a column: with
    ``Z = (Z_+ + E) - (Z_- + E)``, E >= 0, both parts are multiples of doubly stochastic matrices
    (Birkhoff) exactly if E fills the rows and columns of ``Z_+`` up to one sum, which is at least
    their largest one. Readable up to about eight rows; beyond, codes need too many atoms.

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

    def fibre(self, d: int) -> PermutationFibre:
        return PermutationFibre(d)


@dataclass(frozen=True)
class SignedPermutation(Group):
    """All orders of the d rows of data points (d,) or (d, r), each row with either sign.

    An element is 2 d whole numbers: ``from_k``, and then ``sign_k``, 1 or -1. Row k of the moved
    data point is row from_k of what was learned, times sign_k.

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

    def fibre(self, d: int) -> SignedPermutationFibre:
        return SignedPermutationFibre(d)


class PermutationFibre(Fibre):
    """Matrices with ``P[k, from_k] = 1`` and zeros else."""

    moves = "put in any order, row by row"

    def __init__(self, d: int) -> None:
        names = tuple(f"from{k}" for k in range(d))
        super().__init__(d, names, np.zeros((0, d, d)), counted=True)

    def matrix(self, element: Floats) -> Floats:
        return np.eye(self.d)[as_arrangement(element)]

    def element(self, matrix: Floats) -> Floats:
        return np.asarray(matrix.argmax(axis=-1), dtype=np.float64)

    def sample(self, rng: np.random.Generator, n: int) -> Floats:
        return draw_arrangements(rng, n, self.d).astype(np.float64)

    def contains(self, element: Floats) -> bool:
        return bool(np.all(np.sort(element, axis=-1) == np.arange(self.d)))

    def match(self, X: Floats) -> tuple[Floats, Floats]:
        high, low = best_arrangement(X), best_arrangement(-X)
        most, least = gains(X, high).sum(axis=-1), gains(X, low).sum(axis=-1)
        positive = most >= -least
        chosen = np.where(positive[..., None], high, low)
        return np.where(positive, most, least), chosen.astype(np.float64)

    def in_words(self, element: Floats) -> str:
        return "rows " + ", ".join(str(k) for k in as_arrangement(element))


class SignedPermutationFibre(Fibre):
    """Matrices with ``P[k, from_k] = sign_k`` and zeros else."""

    moves = "put in any order, row by row, and each with either sign"

    def __init__(self, d: int) -> None:
        names = tuple(f"{what}{k}" for what in ("from", "sign") for k in range(d))
        super().__init__(d, names, np.zeros((0, d, d)), counted=True)

    def matrix(self, element: Floats) -> Floats:
        arrangement, sign = as_arrangement(element[..., : self.d]), element[..., self.d :]
        return sign[..., None] * np.eye(self.d)[arrangement]

    def element(self, matrix: Floats) -> Floats:
        arrangement = np.abs(matrix).argmax(axis=-1)
        return with_signs(arrangement, gains(matrix, arrangement))

    def sample(self, rng: np.random.Generator, n: int) -> Floats:
        return with_signs(draw_arrangements(rng, n, self.d), rng.choice([-1.0, 1.0], (n, self.d)))

    def contains(self, element: Floats) -> bool:
        orders = np.all(np.sort(element[..., : self.d], axis=-1) == np.arange(self.d))
        return bool(orders and np.all(np.abs(element[..., self.d :]) == 1.0))

    def match(self, X: Floats) -> tuple[Floats, Floats]:
        arrangement = best_arrangement(np.abs(X))
        gain = gains(X, arrangement)
        return np.abs(gain).sum(axis=-1), with_signs(arrangement, gain)

    def in_words(self, element: Floats) -> str:
        rows, signs = as_arrangement(element[: self.d]), element[self.d :]
        marks = zip(rows, signs, strict=True)
        return "rows " + ", ".join(f"{'−' if sign < 0 else ''}{k}" for k, sign in marks)


class ArrangedRepresentation(FibreRepresentation):
    """What both groups share: a matrix is taken apart one arrangement after the other."""

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
        """Yield coefficients and elements that add up to Z (d, d)."""


class PermutationRepresentation(ArrangedRepresentation):
    """One real block of size d with r columns."""

    def gauge(self, Z: Blocks) -> Floats:
        require_one_sum(Z[..., 0, :, :])
        return largest_sum(Z[..., 0, :, :])

    def _parts(self, Z: Floats) -> Iterator[tuple[float, Floats]]:
        require_one_sum(Z)
        positive, negative = np.maximum(Z, 0.0), np.maximum(-Z, 0.0)
        filling = fill(positive, float(largest_sum(positive)))
        for sign, part in ((1.0, positive + filling), (-1.0, negative + filling)):
            for weight, arrangement, _ in peel(part[None]):
                yield sign * weight, arrangement.astype(np.float64)


class SignedPermutationRepresentation(ArrangedRepresentation):
    """One real block of size d with r columns."""

    def gauge(self, Z: Blocks) -> Floats:
        return largest_sum(Z[..., 0, :, :])

    def _parts(self, Z: Floats) -> Iterator[tuple[float, Floats]]:
        size = np.abs(Z)
        whole = size + fill(size, float(largest_sum(size)))
        for weight, arrangement, layer in peel(0.5 * np.stack([whole + Z, whole - Z])):
            yield weight, with_signs(arrangement, np.where(layer == 0, 1.0, -1.0))


def require_one_sum(Z: Floats) -> None:
    """Refuse matrices (..., d, d) whose rows and columns do not all have the same sum."""
    sums = np.concatenate([Z.sum(axis=-1), Z.sum(axis=-2)], axis=-1)
    if np.any(np.ptp(sums, axis=-1) > SAME * largest_sum(Z)):
        raise ValueError(
            "Z is not a combination of permutations, for its rows and columns have different sums; "
            "pass blocks in their span."
        )


def as_arrangement(element: Floats) -> Integers:
    """Return whole numbers as such."""
    return np.rint(element).astype(np.intp)


def with_signs(arrangement: Integers, gain: Floats) -> Floats:
    """Return arrangements (..., d) with the signs of gains (..., d), as elements (..., 2 d)."""
    return np.concatenate([arrangement, np.where(gain < 0.0, -1.0, 1.0)], axis=-1)


def draw_arrangements(rng: np.random.Generator, n: int, d: int) -> Integers:
    """Draw n arrangements of d things, shape (n, d)."""
    return rng.permuted(np.tile(np.arange(d), (n, 1)), axis=1)
