"""The orthogonal group O(d), acting on matrices from the left.

The proximal map of the spectral norm clips singular values. Those of matrices up to 3 x 3 come from
Jacobi rotations (`orbitdl.groups.vectors.jacobi`): with ``X V = W`` of orthogonal columns, whose
lengths are the singular values s,

    U diag(f(s)) V' = W diag(f(s) / s) V',

in any order of them. A general decomposition takes ten times as long for such matrices.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orbitdl.arrays.blocks import Blocks, Combination, Floats
from orbitdl.groups.base import Group
from orbitdl.groups.presentation import RotationSlider, Slider
from orbitdl.groups.vectors.jacobi import (
    LANES,
    LARGEST,
    length,
    load_columns,
    make_all_orthogonal,
    multiply_back,
    nuclear_norms,
    polar_factors,
)
from orbitdl.groups.vectors.matrix_group import MatrixGroup, rotation_generators
from orbitdl.groups.vectors.matrix_representation import MatrixGroupRepresentation
from orbitdl.groups.vectors.rotations import rotation_columns, rotation_label
from orbitdl.kernels import allocating, part

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


def spectral_norms(X: Floats) -> Floats:
    """Return the largest singular values of matrices (..., d, d)."""
    if X.shape[-1] > LARGEST:
        return np.asarray(np.linalg.svd(X, compute_uv=False).max(axis=-1))
    return clip_small(X, 0.0)[1]


def clipped_matrices(X: Floats, amount: float) -> Floats:
    """Return ``argmin_Z 1/2 ||Z - X||^2 + amount ||Z||`` of the spectral norm, (..., d, d)."""
    if X.shape[-1] <= LARGEST:
        return clip_small(X, amount)[0]
    u, s, vt = np.linalg.svd(X, full_matrices=False)
    return np.asarray((u * clip_largest(s, amount)[..., None, :]) @ vt)


def clip_largest(s: Floats, amount: float) -> Floats:
    """Clip rows of s (descending, >= 0) at tau with ``sum (s_k - tau)_+ = amount``, else 0."""
    excess = np.cumsum(s, axis=-1) - amount
    tau = excess / np.arange(1, s.shape[-1] + 1)
    clipped: Floats = np.minimum(s, np.maximum(tau.max(axis=-1, keepdims=True), 0.0))
    return clipped


def clip_small(X: Floats, amount: float) -> tuple[Floats, Floats]:
    """Return matrices (..., d, d) of which singular values are clipped, and the largest before."""
    flat = np.ascontiguousarray(X).reshape(-1, *X.shape[-2:])
    out, largest = np.empty(flat.shape), np.empty(len(flat))
    fill_clipped(flat, amount, out, largest)
    return out.reshape(X.shape), largest.reshape(X.shape[:-2])


@allocating
def fill_clipped(X, amount, out, largest):  # type: ignore[no-untyped-def]
    """Fill out (n, d, d) with the clipped X, and largest (n,) with their spectral norms."""
    W, V = np.empty((9, LANES)), np.empty((9, LANES))
    off, scale = np.empty(LANES), np.empty(LANES)
    for start in range(0, X.shape[0], LANES):
        load_columns(X, start, W, scale)
        make_all_orthogonal(W, V, off)
        for k in range(min(LANES, X.shape[0] - start)):
            largest[start + k] = clip_columns(W, scale[k], k, X.shape[1], amount)
            multiply_back(W, V, k, out[start + k])


@part
def clip_columns(W, scale, k, d, amount):  # type: ignore[no-untyped-def]
    """Shorten the columns of matrix k, which has d, to at most tau; return how long one was.

    tau is the largest ``(sum of the longest p - amount) / p``.
    """
    a, b, c = length(W, k, 0), length(W, k, 3), length(W, k, 6)
    b, c = (b, c) if d > 1 else (0.0, 0.0)  # ones were put there
    c = c if d > 2 else 0.0
    top, low = max(a, max(b, c)), min(a, min(b, c))
    both = a + b + c - low
    tau = max(scale * top - amount, 0.5 * (scale * both - amount))
    tau = max(max(tau, (scale * (both + low) - amount) / 3.0), 0.0)
    for p in range(3):
        size = scale * length(W, k, 3 * p)
        factor = scale * (tau / size if size > tau else 1.0)
        for i in range(3):
            W[3 * p + i, k] *= factor
    return scale * top
