"""The lightest measure on the circle with given Fourier coefficients, between two bounds.

Coefficients ``z_f = sum_k c_k exp(i f angle_k)``, f = 0 .. F-1, are those of the measure with
weights c, and equally those of weights v on ``n = 2F - 1`` equal steps of the circle, in one way.
The Toeplitz matrix of z is ``sum_m v_m a_m a_m^H``; real vectors b_m, turned unitarily from
``a_m = (exp(i f angle_m))_f``, do as well. With weights x in place of the absolute measure, the
least total variation is a semidefinite program, and so is its dual,

    min_x sum x          s.t.   Y_1 = B diag(x + v) B^T >= 0,  Y_2 = B diag(x - v) B^T >= 0,

    max_X <P_2 - P_1, v>  s.t.   P_1 + P_2 = 1,  X_k >= 0,  with P_k,m = b_m^T X_k b_m.

The values ``P = P_2 - P_1`` are those of a trigonometric polynomial of absolute value at most 1. A
primal-dual interior point method solves both together (the direction of Helmberg, Rendl, Vanderbei
and Wolkowicz, Mehrotra's predictor). Both Toeplitz matrices are written as measures at the end
(Caratheodory): atoms attain the value. And ``<P, v> / max |P|`` is a lower bound whatever rounding
did, for the largest value is exact.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import fft
from scipy.linalg import cho_factor, cho_solve

from orbitdl.arrays.blocks import Blocks, Floats
from orbitdl.groups.maxima.grids import grid_size
from orbitdl.groups.maxima.largest import find_largest_values
from reproduction.gauges.toeplitz import toeplitz, vandermonde

MAX_ITER = 60
"""Steps at most; about 10 are usual, at any length."""
SIGNS = np.array([1.0, -1.0])[:, None]
"""Of z in the two matrices."""
SHORTER = 0.95
"""Of the way to the boundary, this much is gone: near enough to be quick, not so near that the next
step must be short."""
FINENESS = 2.3
"""Points of the grid per cell, for the largest value of a polynomial: see `circle`."""
CENTRED = 1e-4
"""The least that is kept of the gap for a step to aim at: a step to the boundary itself would lose
the centre."""
REACHED, NO_HEAVIER = 1e-13, 1e-12
"""Relative errors, of coefficients and of the total weight, that count as rounding."""

FEW = (1e-6, 1e-8, 0.0)
"""Eigenvalues and weights that are left out, relatively, to find few atoms; then none are."""


class Measure(NamedTuple):
    """Weights and angles (K,) of atoms, and a lower bound of the total weight of any such ones."""

    weight: Floats
    angle: Floats
    lower: float

    @property
    def total(self) -> float:
        """The total variation of this measure."""
        return float(np.abs(self.weight).sum())


def lightest_measure(z: Blocks, tol: float) -> Measure:
    """Return the lightest measure with coefficients z (F,), to a relative tolerance."""
    unit = float(np.abs(np.linalg.eigvalsh(toeplitz(z))).max())
    if unit == 0.0:
        return Measure(np.zeros(0), np.zeros(0), 0.0)
    x, lower = interior_point(on_steps(z / unit), tol)
    weight, angle = write_out(np.conj(fft.rfft(x)), z / unit)
    return Measure(unit * weight, angle, unit * lower)


def on_steps(z: Blocks) -> Floats:
    """Return the weights (n,) on n = 2F - 1 equal steps of the circle with coefficients z (F,)."""
    weights: Floats = fft.irfft(z.conj(), n=2 * len(z) - 1)
    return weights


def real_waves(n: int) -> Floats:
    """Return B (F, n): cosines and sines with ``B^T B`` the real form of ``A^H A``, up to signs."""
    frequency = np.arange((n + 1) // 2) - (n - 1) / 4
    angle = np.outer(np.abs(frequency), 2 * np.pi / n * np.arange(n))
    waves = np.where(frequency[:, None] < 0, np.sin(angle), np.cos(angle))
    waves[frequency != 0] *= np.sqrt(2)
    return waves


class Point(NamedTuple):
    """Where the method stands: weights x (n,), matrices Y and X (2, F, F) with Cholesky factors."""

    x: Floats
    Y: Blocks
    X: Blocks
    root: Blocks
    dual_root: Blocks

    @classmethod
    def of(cls, x: Floats, X: Blocks, v: Floats, B: Floats) -> Point:
        """Raise LinAlgError unless all matrices are positive definite."""
        Y = (B * (x + SIGNS * v)[:, None]) @ B.T
        return cls(x, Y, X, np.linalg.cholesky(Y), np.linalg.cholesky(X))


def interior_point(v: Floats, tol: float) -> tuple[Floats, float]:
    """Return x and a lower bound of its least sum, for v whose matrix has norm 1."""
    B = real_waves(len(v))
    start = np.eye(len(B)) / (2 * len(B))
    # x + v and x - v are positive definite, since the matrix of v has norm 1 and that of x 1.5
    point = Point.of(np.full(len(v), 1.5 / len(v)), np.stack([start, start]), v, B)
    lower = 0.0
    for _ in range(MAX_ITER):
        lower = max(lower, lower_bound(point.X, v, B))
        if point.x.sum() - lower <= tol * lower:
            break
        try:
            point = advance(point, v, B)
        except np.linalg.LinAlgError:  # as far as rounding allows
            break
    return point.x, lower


def lower_bound(X: Blocks, v: Floats, B: Floats) -> float:
    """Return ``<P, v> / max |P|`` with ``P = P_2 - P_1``."""
    values = quadratic(X[1] - X[0], B)
    spectrum = fft.rfft(values) * (2.0 / len(values))
    spectrum[0] /= 2
    top = abs(find_largest_values(spectrum[None, None], grid_size(len(values), FINENESS))[0][0])
    return float(abs(v @ values) / top) if top > 0.0 else 0.0


def quadratic(X: Blocks, B: Floats) -> Floats:
    """Return ``b_m^T X b_m`` for every column of B, shape (n,)."""
    result: Floats = np.sum(B * (X @ B), axis=-2)
    return result


def advance(point: Point, v: Floats, B: Floats) -> Point:
    """Take a predictor step, see how far it leads, and correct it."""
    x, Y, X, root, dual_root = point
    inverse_root = np.linalg.inv(root)
    inverse = transpose(inverse_root) @ inverse_root
    half, dual_half = inverse_root @ B, transpose(dual_root) @ B
    products = (transpose(dual_half) @ dual_half) * (transpose(half) @ half)
    system = products.sum(axis=0)
    system[np.diag_indices(len(x))] *= 1.0 + 1e-15  # positive definite after rounding, too
    factor = cho_factor(system)

    def direction(mu: float, bend: Blocks) -> tuple[Floats, Blocks, Blocks]:
        """Solve ``X dY + dX Y = mu I - X Y - bend Y`` with both constraints, made symmetric."""
        dx: Floats = cho_solve(factor, quadratic((mu * inverse - bend).sum(axis=0), B) - 1.0)
        dY = (B * dx) @ B.T
        return dx, dY, mu * inverse - X - symmetric(X @ dY @ inverse) - bend

    gap = float(np.sum(X * Y))
    _, dY, dX = direction(0.0, np.zeros_like(X))
    far, dual_far = longest_step(root, dY), longest_step(dual_root, dX)
    left = float(np.sum((X + dual_far * dX) * (Y + far * dY))) / gap
    mu = float(np.clip(left**2, CENTRED, 1.0)) * gap / (2 * len(B))
    dx, dY, dX = direction(mu, symmetric(dX @ dY @ inverse))
    far, dual_far = longest_step(root, dY), longest_step(dual_root, dX)
    return Point.of(x + far * dx, symmetric(X + dual_far * dX), v, B)


def longest_step(root: Blocks, change: Blocks) -> float:
    """Return how far, at most 1, to go from ``L L^T`` such that it stays positive definite."""
    inverse_root = np.linalg.inv(root)
    lowest = np.linalg.eigvalsh(symmetric(inverse_root @ change @ transpose(inverse_root))).min()
    return min(1.0, SHORTER / max(-float(lowest), 1e-300))


def transpose(M: Blocks) -> Blocks:
    return M.swapaxes(-1, -2)


def symmetric(M: Blocks) -> Blocks:
    return 0.5 * (M + transpose(M))


def write_out(w: Blocks, z: Blocks) -> tuple[Floats, Floats]:
    """Return weights and angles of a measure with coefficients z and about the weight w_0.

    Few atoms, if some can be moved such that they add up to z and are no heavier.
    """
    for few in FEW:
        plus, minus = (vandermonde(toeplitz(0.5 * (w + s * z)), few) for s in (1.0, -1.0))
        weight = np.concatenate([plus[0], -minus[0]])
        angle = np.concatenate([plus[1], minus[1]])
        heavy = np.abs(weight) > few * np.abs(weight).max()
        weight, angle = fit(weight[heavy], angle[heavy], z)
        error = np.abs(superpose(weight, angle, len(z)) - z).max()
        if error < REACHED and np.abs(weight).sum() <= (1 + NO_HEAVIER) * w[0].real:
            break
    return weight, angle


def superpose(weight: Floats, angle: Floats, size: int) -> Blocks:
    """Return ``sum_k c_k exp(i f angle_k)``, shape (F,)."""
    result: Blocks = np.exp(1j * np.outer(np.arange(size), angle)) @ weight
    return result


def fit(weight: Floats, angle: Floats, z: Blocks) -> tuple[Floats, Floats]:
    """Move atoms until their coefficients are z: Gauss and Newton's method, least changes."""
    f = np.arange(len(z))[:, None]
    for _ in range(10):  # it converges quadratically, or not at all
        waves = np.exp(1j * f * angle)
        rest = z - waves @ weight
        if np.abs(rest).max() < 0.1 * REACHED:
            break
        columns = np.concatenate([waves, 1j * f / len(z) * waves], axis=1)
        both = np.concatenate([columns.real, columns.imag])
        step = np.linalg.lstsq(both, np.concatenate([rest.real, rest.imag]), rcond=REACHED)[0]
        weight, turn = weight + step[: len(weight)], step[len(weight) :] / len(z)
        angle = angle + np.divide(turn, weight, where=weight != 0, out=np.zeros_like(angle))
    return weight, angle
