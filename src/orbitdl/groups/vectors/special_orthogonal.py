"""The special orthogonal group SO(d), acting on matrices from the left."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orbitdl.arrays.blocks import Blocks, Combination, Floats
from orbitdl.groups.base import Group
from orbitdl.groups.presentation import Slider
from orbitdl.groups.vectors.matrix_group import MatrixGroup, rotation_generators
from orbitdl.groups.vectors.matrix_representation import MatrixGroupRepresentation
from orbitdl.groups.vectors.orthogonal import (
    OrthogonalMatrices,
    OrthogonalRepresentation,
    flatten,
    names_of_entries,
    rotation_sliders,
)
from orbitdl.groups.vectors.rotations import rotation_label

SAME = 1e-9
"""Relative tolerance of the two singular values of a multiple of a plane rotation."""


ROUNDING = 1e-13
"""Weights below this fraction of the total are rounding errors."""


@dataclass(frozen=True)
class SpecialOrthogonal(Group):
    """Orthogonal d x d matrices of determinant 1, acting on data points (d, r) from the left.

    Notes
    -----
    For odd d, signs of coefficients generate the reflections: codes are those of `Orthogonal`, with
    other elements. For even d, let ``Z = U diag(s) V'`` with rotations U, V and special singular
    values ``s_1 >= ... >= s_{d-1} >= |s_d|``, of which the last has the sign of the determinant.
    Then

        polar(Z) = s_1 + ... + s_d,
        gauge(Z) = max(s_1, (s_1 + ... + s_{d-1} - s_d) / (d - 2)),

    as s must be a combination of sign vectors with an even number of minus signs (Saunderson,
    Parrilo and Willsky). In the plane, Z must be c times a rotation, and its gauge is ``|c|``.

    Examples
    --------
    >>> import numpy as np
    >>> rotations = SpecialOrthogonal().on((4, 20))
    >>> rotations.gauge(np.diag([1.0, 1.0, 1.0, -1.0])[None, None])
    array([2.])
    >>> rotations.polar(np.diag([1.0, 1.0, 1.0, -1.0])[None, None])
    array([2.])
    """

    def on(self, shape: tuple[int, ...]) -> MatrixGroupRepresentation:
        is_even = len(shape) > 0 and shape[0] % 2 == 0
        kind = SpecialOrthogonalRepresentation if is_even else OrthogonalRepresentation
        return kind(self, shape)

    def matrix_group(self, d: int) -> SpecialOrthogonalMatrices:
        return SpecialOrthogonalMatrices(d)


class SpecialOrthogonalMatrices(MatrixGroup):
    """All rotations; an element is its matrix in C order."""

    def __init__(self, d: int) -> None:
        super().__init__(d, names_of_entries(d), rotation_generators(d))
        self.description = f"rotated in {d} dimension{'s' * (d != 1)}"
        self._mirrored = OrthogonalMatrices(d)

    @property
    def sliders(self) -> tuple[Slider, ...]:
        return rotation_sliders(self.d)

    def describe(self, element: Floats) -> dict[str, NDArray[Any]]:
        return self._mirrored.describe(element)

    def label(self, element: Floats) -> str:
        return rotation_label(self.matrix(element))

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


class SpecialOrthogonalRepresentation(MatrixGroupRepresentation):
    """One real block of even size d with r columns."""

    def gauge(self, Z: Blocks) -> Floats:
        return special_gauge(special_svd(Z[..., 0, :, :])[1])

    def decompose(self, Z: Blocks) -> Combination:
        """Decompose ``Z = U diag(s) V'`` into ``U diag(+-1) V'`` with evenly many minus signs."""
        u, s, vt = special_svd(Z[:, 0])
        total = special_gauge(s)
        parts = [even_signs(values, weight) for values, weight in zip(s, total, strict=True)]
        row = np.repeat(np.arange(len(Z)), [len(weight) for weight, _ in parts])
        weight = np.concatenate([np.zeros(0), *(weight for weight, _ in parts)])
        signs = np.concatenate([np.zeros((0, self.matrix_group.d)), *(signs for _, signs in parts)])
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
    """Return the minimum weight of even sign vectors that add up to s (..., d)."""
    d = s.shape[-1]
    if d > 2:
        others = s[..., :-1].sum(axis=-1) - s[..., -1]
        return np.asarray(np.maximum(s[..., 0], others / (d - 2)))
    if np.any(s[..., 0] - s[..., 1] > SAME * s[..., 0]):
        raise ValueError(
            "Z is not in the span of the rotations of the plane; pass blocks ((a, -b), (b, a))."
        )
    return s[..., 0].copy()


def even_signs(s: Floats, total: float) -> tuple[Floats, Floats]:
    """Return weights (K,) that sum to the total, and even sign vectors (K, d), for s (d,).

    s are special singular values, ``s_1 >= ... >= |s_d|``; the total t is at least their gauge.
    Entry i is ``s_i = t - 2 y_i``, where y_i is the weight of the vectors with a minus at i. Sets
    of minus signs of sizes 2k and 2k + 2 for one k suffice.
    """
    y = 0.5 * (total - s)
    smaller = 2.0 * np.floor(0.5 * y.sum() / max(total, np.finfo(float).tiny))
    large = np.clip(0.5 * (y.sum() - smaller * total), 0.0, total)  # the weight of the larger sets
    part = split_weights(y, large, total - large, (smaller + 2.0) * large)
    sets = [equal_sets(part, large), equal_sets(y - part, total - large)]
    weight = np.concatenate([weights for weights, _ in sets])
    inside = np.concatenate([members for _, members in sets])
    positive = weight > ROUNDING * total
    return weight[positive], np.where(inside[positive], -1.0, 1.0)


def split_weights(y: Floats, one: float, other: float, amount: float) -> Floats:
    """Split y (d,) into x of sum `amount`, at most `one` each, and y - x, at most `other` each."""
    least, most = np.maximum(y - other, 0.0), np.minimum(y, one)
    capacity = float((most - least).sum())
    share = (amount - float(least.sum())) / capacity if capacity > 0.0 else 0.0
    return np.asarray(least + np.clip(share, 0.0, 1.0) * (most - least))


def equal_sets(y: Floats, total: float) -> tuple[Floats, NDArray[np.bool_]]:
    """Return weights (K,) and sets (K, d) of equal size in which entry i has weight y_i.

    McNaughton's wrap-around rule: place the intervals y_i, none longer than the total, end to end
    on a circle of that length. Every point is covered equally often, and by no interval twice.
    """
    if total <= 0.0:
        return np.zeros(0), np.zeros((0, len(y)), dtype=np.bool_)
    ends = np.concatenate([[0.0], np.cumsum(y)]) / total
    edges = np.sort(np.concatenate([ends % 1.0, [0.0, 1.0]]))
    middle = 0.5 * (edges[1:] + edges[:-1])
    rounds = np.floor(ends - middle[:, None])
    return total * np.diff(edges), np.diff(rounds, axis=1) > 0
