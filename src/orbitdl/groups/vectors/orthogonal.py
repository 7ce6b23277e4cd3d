"""Rotations and reflections of d-dimensional space, applied to matrices from the left."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orbitdl.arrays.blocks import Blocks, Floats
from orbitdl.groups.base import Combination, Group
from orbitdl.groups.presentation import Slider, TurnSlider
from orbitdl.groups.vectors.clipping import clip_largest, clipped_matrices, spectral_norms
from orbitdl.groups.vectors.jacobi import nuclear_norms, polar_factors
from orbitdl.groups.vectors.matrix_group import Fibre, turns
from orbitdl.groups.vectors.matrix_representation import FibreRepresentation
from orbitdl.groups.vectors.rotations import turn_in_words, turns_in_columns

MOST_PLANES = 6
"""Coordinate planes in which a reader may try a turn: all of them in four dimensions."""


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

    def fibre(self, d: int) -> OrthogonalFibre:
        return OrthogonalFibre(d)


class OrthogonalFibre(Fibre):
    """All orthogonal matrices; an element is its matrix, row by row."""

    def __init__(self, d: int) -> None:
        super().__init__(d, names_of_entries(d), turns(d))
        self.moves = f"turned and mirrored in any way in space of dimension {d}"

    @property
    def sliders(self) -> tuple[Slider, ...]:
        return sliders_of_turns(self.d)

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
        return turns_in_columns(self.matrix(element)) or super().describe(element)

    def in_words(self, element: Floats) -> str:
        return turn_in_words(self.matrix(element))


class OrthogonalRepresentation(FibreRepresentation):
    """One real block of size d with r columns, whose gauge is the spectral norm.

    The group is O(d), or any other that is O(d) with the signs: SO(d) where d is odd.
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

        With ``U' H V = S + K``, S symmetric and K not, the derivative has in the same bases
        ``S_ik (f_i - f_k)/(s_i - s_k) + K_ik (f_i + f_k)/(s_i + s_k)``, where the quotient of
        differences is 0 for two clipped values and 1 for none; on the diagonal, clipped values
        share the mean of what they get.
        """
        u, s, vt = np.linalg.svd(Z[..., 0, :, :])
        f = clip_largest(s, step)
        clipped, alive = s > f, (f[..., :1] > 0)[..., None]
        apart, sums = s[..., :, None] - s[..., None, :], s[..., :, None] + s[..., None, :]
        even = np.where(clipped[..., :, None], 0.0, np.ones_like(apart))
        np.divide(f[..., :, None] - f[..., None, :], apart, out=even, where=apart != 0)
        odd = np.ones_like(sums)
        np.divide(f[..., :, None] + f[..., None, :], sums, out=odd, where=sums > 0)
        count, place = np.maximum(clipped.sum(axis=-1, keepdims=True), 1), np.arange(self.fibre.d)

        def derivative(H: Blocks) -> Blocks:
            turned = u.swapaxes(-1, -2) @ H[..., 0, :, :] @ vt.swapaxes(-1, -2)
            flipped, own = turned.swapaxes(-1, -2), turned[..., place, place]
            result = 0.5 * (even * (turned + flipped) + odd * (turned - flipped))
            mean = np.sum(own, axis=-1, keepdims=True, where=clipped) / count
            result[..., place, place] = np.where(clipped, mean, own)
            return np.asarray(u @ np.where(alive, result, 0.0) @ vt)[..., None, :, :]

        return derivative

    def decompose(self, Z: Blocks) -> Combination:
        """Write ``Z = U diag(s) V'`` with matrices ``U diag(+-1) V'``: at most d of them.

        With s descending, the sign patterns are + up to place k and - after it, with coefficients
        ``(s_k - s_{k+1})/2``, and ``(s_1 + s_d)/2`` for all +: they add up to s and sum to s_1.
        """
        u, s, vt = np.linalg.svd(Z[:, 0])
        c = np.concatenate([(s[:, :-1] - s[:, 1:]) / 2, (s[:, :1] + s[:, -1:]) / 2], axis=1)
        signs = np.where(np.tri(self.fibre.d, dtype=bool), 1.0, -1.0)
        patterns = (u[:, None] * signs[:, None, :]) @ vt[:, None]
        row, which = np.nonzero(c > 1e-14 * s[:, :1])  # equal singular values differ by rounding
        value, element = self.fibre.match(patterns[row, which])  # itself, or its negative
        return Combination(row, np.copysign(c[row, which], value), element)


def names_of_entries(d: int) -> tuple[str, ...]:
    """Name the entries of a d x d matrix, row by row."""
    return tuple(f"g{i}_{k}" for i in range(d) for k in range(d))


def sliders_of_turns(d: int) -> tuple[Slider, ...]:
    """Return a slider through turns of the first few coordinate planes, if there are any."""
    planes = tuple((i, k) for i in range(d) for k in range(i + 1, d))[:MOST_PLANES]
    return (TurnSlider(planes),) if planes else ()


def flatten(matrices: Floats) -> Floats:
    """Return matrices (..., d, d) as rows of parameters (..., d * d)."""
    return matrices.reshape(*matrices.shape[:-2], matrices.shape[-1] ** 2)
