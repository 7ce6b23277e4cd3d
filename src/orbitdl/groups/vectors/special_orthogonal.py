"""Rotations of d-dimensional space without reflections, applied to matrices from the left."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orbitdl.arrays.blocks import Blocks, Floats
from orbitdl.groups.base import Combination, Group
from orbitdl.groups.presentation import Slider
from orbitdl.groups.vectors.even_signs import even_signs
from orbitdl.groups.vectors.matrix_group import Fibre, turns
from orbitdl.groups.vectors.matrix_representation import FibreRepresentation
from orbitdl.groups.vectors.orthogonal import (
    OrthogonalFibre,
    OrthogonalRepresentation,
    flatten,
    names_of_entries,
    sliders_of_turns,
)
from orbitdl.groups.vectors.rotations import turn_in_words

SAME = 1e-9
"""In the plane, singular values that differ by no more than this fraction are the same."""


@dataclass(frozen=True)
class SpecialOrthogonal(Group):
    """Orthogonal d x d matrices of determinant 1, acting on data points (d, r) from the left.

    Notes
    -----
    Where d is odd, the signs of coefficients make up for reflections: codes are those of
    `Orthogonal`, with other words. Where d is even, write ``Z = U diag(s) V'`` with rotations U, V
    and special singular values ``s_1 >= ... >= s_{d-1} >= |s_d|``, of which the last has the sign
    of the determinant. Then

        polar(Z) = s_1 + ... + s_d,
        gauge(Z) = max(s_1, (s_1 + ... + s_{d-1} - s_d) / (d - 2)),

    for s must be a combination of rows of signs of which an even number is negative (Saunderson,
    Parrilo and Willsky). In the plane, Z must be a multiple of a rotation, which is its gauge.

    Examples
    --------
    >>> import numpy as np
    >>> rotations = SpecialOrthogonal().on((4, 20))
    >>> rotations.gauge(np.diag([1.0, 1.0, 1.0, -1.0])[None, None])
    array([2.])
    >>> rotations.polar(np.diag([1.0, 1.0, 1.0, -1.0])[None, None])
    array([2.])
    """

    def on(self, shape: tuple[int, ...]) -> FibreRepresentation:
        is_even = len(shape) > 0 and shape[0] % 2 == 0
        kind = SpecialOrthogonalRepresentation if is_even else OrthogonalRepresentation
        return kind(self, shape)

    def fibre(self, d: int) -> SpecialOrthogonalFibre:
        return SpecialOrthogonalFibre(d)


class SpecialOrthogonalFibre(Fibre):
    """All rotations; an element is its matrix, row by row."""

    def __init__(self, d: int) -> None:
        super().__init__(d, names_of_entries(d), turns(d))
        self.moves = f"turned in any way in space of dimension {d}"
        self._mirrored = OrthogonalFibre(d)

    @property
    def sliders(self) -> tuple[Slider, ...]:
        return sliders_of_turns(self.d)

    def describe(self, element: Floats) -> dict[str, NDArray[Any]]:
        return self._mirrored.describe(element)

    def in_words(self, element: Floats) -> str:
        return turn_in_words(self.matrix(element))

    def matrix(self, element: Floats) -> Floats:
        return self._mirrored.matrix(element)

    def element(self, matrix: Floats) -> Floats:
        return flatten(matrix)

    def sample(self, rng: np.random.Generator, n: int) -> Floats:
        matrix = self.matrix(self._mirrored.sample(rng, n))
        matrix[:, 0] *= np.linalg.det(matrix)[:, None]
        return flatten(matrix)

    def contains(self, element: Floats) -> bool:
        return super().contains(element) and bool(np.all(np.linalg.det(self.matrix(element)) > 0.0))

    def match(self, X: Floats) -> tuple[Floats, Floats]:
        if self.d % 2 == 1:
            value, element = self._mirrored.match(X)
            sign = np.where(np.linalg.det(self.matrix(element)) < 0.0, -1.0, 1.0)
            return sign * value, sign[..., None] * element
        u, s, vt = special_svd(X)
        return s.sum(axis=-1), flatten(u @ vt)

    def polar(self, X: Floats) -> Floats:
        if self.d % 2 == 1:
            return self._mirrored.polar(X)
        total: Floats = special_svd(X)[1].sum(axis=-1)
        return total


class SpecialOrthogonalRepresentation(FibreRepresentation):
    """One real block of even size d with r columns."""

    def gauge(self, Z: Blocks) -> Floats:
        return special_gauge(special_svd(Z[..., 0, :, :])[1])

    def decompose(self, Z: Blocks) -> Combination:
        """Write ``Z = U diag(s) V'`` with matrices ``U diag(+-1) V'``, an even number of them -."""
        u, s, vt = special_svd(Z[:, 0])
        total = special_gauge(s)
        parts = [even_signs(values, weight) for values, weight in zip(s, total, strict=True)]
        row = np.repeat(np.arange(len(Z)), [len(weight) for weight, _ in parts])
        weight = np.concatenate([np.zeros(0), *(weight for weight, _ in parts)])
        signs = np.concatenate([np.zeros((0, self.fibre.d)), *(signs for _, signs in parts)])
        return Combination(row, weight, flatten((u[row] * signs[:, None, :]) @ vt[row]))


def special_svd(X: Floats) -> tuple[Floats, Floats, Floats]:
    """Return rotations U, V' and special singular values with ``X = U diag(s) V'``."""
    u, s, vt = np.linalg.svd(X)
    left, right = (np.where(np.linalg.det(basis) < 0.0, -1.0, 1.0) for basis in (u, vt))
    u[..., -1] *= left[..., None]
    s[..., -1] *= left * right
    vt[..., -1, :] *= right[..., None]
    return u, s, vt


def special_gauge(s: Floats) -> Floats:
    """Return the least weight of even rows of signs that add up to s (..., d)."""
    d = s.shape[-1]
    if d > 2:
        others = s[..., :-1].sum(axis=-1) - s[..., -1]
        return np.asarray(np.maximum(s[..., 0], others / (d - 2)))
    if np.any(s[..., 0] - s[..., 1] > SAME * s[..., 0]):
        raise ValueError(
            "Z is not a combination of rotations of the plane; pass blocks ((a, -b), (b, a))."
        )
    return s[..., 0].copy()
