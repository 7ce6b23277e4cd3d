"""The orthogonal group O(d), acting on matrices from the left."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orbitdl.arrays.blocks import Blocks, Floats
from orbitdl.groups.base import Combination, Group
from orbitdl.groups.presentation import RotationSlider, Slider
from orbitdl.groups.vectors.clipping import clip_largest, clipped_matrices, spectral_norms
from orbitdl.groups.vectors.jacobi import nuclear_norms, polar_factors
from orbitdl.groups.vectors.matrix_group import MatrixGroup, rotation_generators
from orbitdl.groups.vectors.matrix_representation import MatrixGroupRepresentation
from orbitdl.groups.vectors.rotations import rotation_columns, rotation_label

MOST_PLANES = 6
"""Coordinate planes with a slider: all of them in four dimensions."""


@dataclass(frozen=True)
class Orthogonal(Group):
    """All orthogonal d x d matrices, acting on data points (d, r) from the left.

    Notes
    -----
    The gauge is the spectral norm and its polar the nuclear norm (Section 4.5 of the paper; the
    group is O(d), not SO(d)). The proximal map of ``step * ||.||_spectral`` clips the singular
    values at tau with ``sum (s_k - tau)_+ = step``; it is zero where ``sum s_k <= step``.

    Examples
    --------
    >>> import numpy as np
    >>> rotations = Orthogonal().on((3, 20))
    >>> rotations.prox(np.eye(3)[None, None], 0.3).diagonal(axis1=2, axis2=3).round(12)
    array([[[0.9, 0.9, 0.9]]])
    """

    def on(self, shape: tuple[int, ...]) -> OrthogonalRepresentation:
        return OrthogonalRepresentation(self, shape)

    def matrix_group(self, d: int) -> OrthogonalMatrices:
        return OrthogonalMatrices(d)


class OrthogonalMatrices(MatrixGroup):
    """All orthogonal matrices; an element is its matrix in C order."""

    def __init__(self, d: int) -> None:
        super().__init__(d, names_of_entries(d), rotation_generators(d))
        self.description = f"rotated and reflected in {d} dimension{'s' * (d != 1)}"

    @property
    def sliders(self) -> tuple[Slider, ...]:
        return rotation_sliders(self.d)

    def matrix(self, element: Floats) -> Floats:
        return element.reshape(*element.shape[:-1], self.d, self.d)

    def element(self, matrix: Floats) -> Floats:
        return flatten(matrix)

    def sample(self, rng: np.random.Generator, n: int) -> Floats:
        q, r = np.linalg.qr(rng.standard_normal((n, self.d, self.d)))
        signs = np.sign(np.diagonal(r, axis1=-2, axis2=-1))
        return flatten(q * signs[:, None, :])

    def polar(self, X: Floats) -> Floats:
        return nuclear_norms(X)

    def match(self, X: Floats) -> tuple[Floats, Floats]:
        value, factor = polar_factors(X)
        return value, flatten(factor)

    def describe(self, element: Floats) -> dict[str, NDArray[Any]]:
        return rotation_columns(self.matrix(element)) or super().describe(element)

    def label(self, element: Floats) -> str:
        return rotation_label(self.matrix(element))


class OrthogonalRepresentation(MatrixGroupRepresentation):
    """One real block of size d with r columns, whose gauge is the spectral norm.

    The group is O(d), or one that generates O(d) together with the sign: SO(d) for odd d.
    """

    def gauge(self, Z: Blocks) -> Floats:
        return spectral_norms(Z[..., 0, :, :])

    @property
    def has_prox(self) -> bool:
        return True

    def prox(self, Z: Blocks, step: float) -> Blocks:
        return clipped_matrices(Z[..., 0, :, :], step)[..., None, :, :]

    def prox_derivative(self, Z: Blocks, step: float) -> Callable[[Blocks], Blocks]:
        """Differentiate ``U diag(f(s)) V'`` with f the clipped singular values.

        With ``U' H V = S + K``, S symmetric and K antisymmetric, the derivative has in the same
        bases the entries ``S_ik (f_i - f_k)/(s_i - s_k) + K_ik (f_i + f_k)/(s_i + s_k)``. The
        divided difference is 0 for two clipped values and 1 for none; on the diagonal, clipped
        values receive their mean.
        """
        u, s, vt = np.linalg.svd(Z[..., 0, :, :])
        f = clip_largest(s, step)
        clipped, alive = s > f, (f[..., :1] > 0)[..., None]
        apart, sums = s[..., :, None] - s[..., None, :], s[..., :, None] + s[..., None, :]
        even = np.where(clipped[..., :, None], 0.0, np.ones_like(apart))
        np.divide(f[..., :, None] - f[..., None, :], apart, out=even, where=apart != 0)
        odd = np.ones_like(sums)
        np.divide(f[..., :, None] + f[..., None, :], sums, out=odd, where=sums > 0)
        count, k = (
            np.maximum(clipped.sum(axis=-1, keepdims=True), 1),
            np.arange(self.matrix_group.d),
        )

        def derivative(H: Blocks) -> Blocks:
            inner = u.swapaxes(-1, -2) @ H[..., 0, :, :] @ vt.swapaxes(-1, -2)
            transposed, own = inner.swapaxes(-1, -2), inner[..., k, k]
            result = 0.5 * (even * (inner + transposed) + odd * (inner - transposed))
            mean = np.sum(own, axis=-1, keepdims=True, where=clipped) / count
            result[..., k, k] = np.where(clipped, mean, own)
            return np.asarray(u @ np.where(alive, result, 0.0) @ vt)[..., None, :, :]

        return derivative

    def decompose(self, Z: Blocks) -> Combination:
        """Decompose ``Z = U diag(s) V'`` into at most d matrices ``U diag(+-1) V'``.

        With s descending, the sign patterns are + up to k and - after it, with coefficients
        ``(s_k - s_{k+1})/2``, and ``(s_1 + s_d)/2`` for all +: they add up to s and sum to s_1.
        """
        u, s, vt = np.linalg.svd(Z[:, 0])
        c = np.concatenate([(s[:, :-1] - s[:, 1:]) / 2, (s[:, :1] + s[:, -1:]) / 2], axis=1)
        signs = np.where(np.tri(self.matrix_group.d, dtype=bool), 1.0, -1.0)
        patterns = (u[:, None] * signs[:, None, :]) @ vt[:, None]
        row, which = np.nonzero(c > 1e-14 * s[:, :1])  # equal singular values differ by rounding
        value, element = self.matrix_group.match(patterns[row, which])  # itself, or its negative
        return Combination(row, np.copysign(c[row, which], value), element)


def names_of_entries(d: int) -> tuple[str, ...]:
    """Return names of the entries of a d x d matrix in C order."""
    return tuple(f"g{i}_{k}" for i in range(d) for k in range(d))


def rotation_sliders(d: int) -> tuple[Slider, ...]:
    """Return a slider of rotations in the first few coordinate planes, if there are any."""
    planes = tuple((i, k) for i in range(d) for k in range(i + 1, d))[:MOST_PLANES]
    return (RotationSlider(planes),) if planes else ()


def flatten(matrices: Floats) -> Floats:
    """Return matrices (..., d, d) as rows of parameters (..., d * d)."""
    return matrices.reshape(*matrices.shape[:-2], matrices.shape[-1] ** 2)
