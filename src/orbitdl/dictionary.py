"""The dictionary step: all components together, from sums over the data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from orbitdl.codes import Atoms
from orbitdl.coding.certificate import CHUNK, stack, stack_components
from orbitdl.groups.base import Blocks, Floats, Representation, inner


@dataclass(frozen=True)
class Statistics:
    """All the dictionary step needs to know of data and codes; sums over samples.

    Attributes
    ----------
    normal : ndarray of shape (F, q d, q d)
        ``H_f = sum_i W_i^H W_i`` with ``W_i = [Z_i1 .. Z_iq]``.
    cross : ndarray of shape (F, q d, m)
        ``R_f = sum_i W_i^H Y_i``.
    usage : ndarray of shape (q,)
        ``sum_i sum |c|`` for each component.
    """

    normal: Blocks
    cross: Blocks
    usage: Floats

    def __add__(self, other: Statistics) -> Statistics:
        return Statistics(
            self.normal + other.normal, self.cross + other.cross, self.usage + other.usage
        )

    @classmethod
    def of(cls, representation: Representation, Y: Blocks, atoms: Atoms) -> Statistics:
        """Sum over samples Y (n, F, d, m) and their atoms, a chunk at a time."""
        starts = range(0, len(Y), CHUNK)
        parts = (
            cls._of_chunk(representation, Y[k : k + CHUNK], atoms.take(slice(k, k + CHUNK)))
            for k in starts
        )
        total = next(parts)
        for part in parts:
            total = total + part
        return total

    @classmethod
    def _of_chunk(cls, representation: Representation, Y: Blocks, atoms: Atoms) -> Statistics:
        W = stack(atoms.embed(representation))
        adjoint = W.conj().swapaxes(1, 2)
        n_blocks, d, m = representation.block_shape
        rows = Y.swapaxes(0, 1).reshape(n_blocks, len(Y) * d, m)
        return cls(adjoint @ W, adjoint @ rows, atoms.invariants().sum(axis=0))


class Dual(NamedTuple):
    """The dual function of the norm constraints: g, components, gradient and negative Hessian."""

    value: float
    A: Blocks
    slope: Floats
    bend: Floats


def least_squares(statistics: Statistics, A: Blocks) -> Blocks:
    """Return ``argmin_A sum_i ||Y_i - W_i A||^2``, like A (q, F, d, m): the paper's step 2."""
    return unstack(solve_blocks(statistics, np.zeros(len(A)), A.shape)[0], A.shape)


def constrained_least_squares(statistics: Statistics, A: Blocks) -> Blocks:
    """Return the same minimiser under ``||a_j|| <= 1``, exactly, found from A.

    With multipliers mu >= 0, ``(H_f + diag(mu) (x) I) A_f = R_f`` on every block, and mu maximises

        g(mu) = -1/2 sum_f tr R_f^H (H_f + diag(mu) (x) I)^-1 R_f - 1/2 sum_j mu_j.
    """
    right = unstack(statistics.cross, A.shape)

    def apply(V: Blocks) -> Blocks:
        return unstack(statistics.normal @ stack_components(V), A.shape)

    mu = multipliers(A, right - apply(A))
    new, is_exact = maximise_dual(lambda mu: _dual(statistics, mu, A.shape), mu, 1e-9)
    return new if is_exact else descend(apply, right, statistics, A, new)


def multipliers(A: Blocks, pull: Blocks) -> Floats:
    """Return mu >= 0 with which A is closest to stationary: ``R - H A``, the pull, is ``mu A``."""
    energy = inner(A, A)
    return np.maximum(inner(A, pull) / np.where(energy > 1e-6, energy, np.inf), 0.0)


def shorten(A: Blocks) -> Blocks:
    """Bring components that are longer than one back to the ball."""
    return A / np.maximum(np.sqrt(inner(A, A)), 1.0)[:, None, None, None]


def descend(
    apply: Callable[[Blocks], Blocks],
    right: Blocks,
    statistics: Statistics,
    A: Blocks,
    new: Blocks,
    max_iter: int = 300,
) -> Blocks:
    """Lower ``1/2 <A, H A> - <R, A>`` within the balls, from the better of A and `new`.

    For codes that hardly determine components: their multipliers are lost in rounding, and the
    dual with them. Projected gradients, accelerated; never above where they begin.
    """

    def value(V: Blocks) -> float:
        return float(inner(V, 0.5 * apply(V) - right, axes=4))

    steepest = float(np.linalg.norm(statistics.normal, axis=(1, 2)).max())  # no eigenvalue is more
    best = min(shorten(A), shorten(new), key=value)
    ahead, weight = best, 1.0
    for _ in range(max_iter):
        trial = shorten(ahead - (apply(ahead) - right) / steepest)
        last, weight = weight, 0.5 + np.sqrt(0.25 + weight**2)
        if value(trial) <= value(best):
            ahead, best = trial + (last - 1.0) / weight * (trial - best), trial
        elif ahead is best:
            break
        else:
            ahead, weight = best, 1.0
    return best


def maximise_dual(
    dual: Callable[[Floats], Dual], mu: Floats, accuracy: float
) -> tuple[Blocks, bool]:
    """Return the components at the maximum of the concave function g over mu >= 0, if reached.

    Its gradient is ``(||a_j||^2 - 1)/2``: Newton's method on the mu_j > 0 and those whose
    constraint is violated, from the given mu, kept non-negative and cut back until g rises.
    """
    value, A, slope, bend = dual(mu)
    for _ in range(100):
        free = (mu > 0) | (slope > 0)
        if np.abs(np.where(free, slope, 0.0)).max(initial=0.0) <= accuracy:
            return A, True
        step, length = np.zeros_like(mu), 1.0
        step[free] = _ascent(slope[free], bend[np.ix_(free, free)])
        while True:
            trial = np.maximum(mu + length * step, 0.0)
            result = dual(trial)
            enough = value + 1e-4 * slope @ (trial - mu) - 1e-13 * abs(value)
            if result.value >= enough:
                break
            length /= 2
            if length < 1e-4:
                return A, False
        mu, (value, A, slope, bend) = trial, result
    return A, False


def _ascent(slope: Floats, bend: Floats) -> Floats:
    """Return Newton's step towards ``1/||a_j|| = 1``, if it ascends, or else ``||a_j||^2 = 1``.

    The first equation is nearly linear in mu (as in trust region methods): its right-hand side is
    ``||a_j||^2 (||a_j|| - 1)`` in place of the slope ``(||a_j||^2 - 1)/2``.
    """
    matrix = bend + 1e-14 * bend.trace() * np.eye(len(slope)) + 1e-300
    norm = np.sqrt(np.maximum(2.0 * slope + 1.0, 0.0))
    aim = np.where(np.abs(slope) < 0.25, norm**2 * (norm - 1.0), slope)
    step: Floats = np.linalg.solve(matrix, aim)
    return step if slope @ step > 0.0 else np.asarray(np.linalg.solve(matrix, slope))


def normalise(A: Blocks, atoms: Atoms) -> tuple[Blocks, Atoms]:
    """Give every component unit norm and move the norm into its coefficients."""
    norms = np.sqrt(inner(A, A))
    safe = np.where(norms > 0, norms, 1.0)
    return A / safe[:, None, None, None], atoms.scale(norms)


def unit_norm(A: Blocks) -> Blocks:
    """Scale every component to unit norm."""
    norms: Floats = np.sqrt(inner(A, A))
    return A / np.where(norms > 0, norms, 1.0)[:, None, None, None]


def replace_unused(A: Blocks, R: Blocks, usage: Floats) -> tuple[Blocks, int]:
    """Put the largest residuals, scaled to unit norm, in the place of unused components.

    Returns the components and how many were unused. Where every residual is zero there is
    nothing left to explain and a component stays as it was.
    """
    unused = np.flatnonzero(usage == 0)
    energy = inner(R, R)
    worst = np.argsort(-energy, kind="stable")[: len(unused)]
    A = A.copy()
    for j, i in zip(unused, worst, strict=False):
        if energy[i] > 0:
            A[j] = R[i] / np.sqrt(energy[i])
    return A, len(unused)


def _dual(statistics: Statistics, mu: Floats, shape: tuple[int, ...]) -> Dual:
    stacked, inverse = solve_blocks(statistics, mu, shape)
    value = -0.5 * float(inner(statistics.cross, stacked)) - 0.5 * float(mu.sum())
    A = unstack(stacked, shape)
    return Dual(value, A, 0.5 * (inner(A, A) - 1.0), curvature(stacked, inverse, shape))


def curvature(stacked: Blocks, inverse: Blocks, shape: tuple[int, ...]) -> Floats:
    """Return the negative Hessian of g: ``Re sum_f tr(a_j^H S_jk a_k)``, S the inverse.

    For ``d a / d mu_k = -S[:, k] a_k``.
    """
    q, n_blocks, d, _ = shape
    products = inverse * (stacked @ stacked.conj().swapaxes(1, 2)).swapaxes(1, 2)
    result: Floats = products.real.reshape(n_blocks, q, d, q, d).sum(axis=(0, 2, 4))
    return result


def solve_blocks(
    statistics: Statistics, mu: Floats, shape: tuple[int, ...]
) -> tuple[Blocks, Blocks]:
    """Return ``(H_f + diag(mu) (x) I)^-1 R_f`` and the inverse; a tiny ridge keeps it finite.

    With ``L L^H`` the matrix, ``L^-H (L^-1 R)`` is as accurate as the root of its condition allows.
    """
    H, d = statistics.normal, shape[2]
    ridge = max(1e-13, 1e-15 * H.shape[1]) * float(np.abs(H).max()) or 1.0
    system = H + np.diag(np.repeat(mu, d) + ridge)
    root = triangular_inverse(np.linalg.cholesky(system))
    adjoint = root.conj().swapaxes(1, 2)
    return adjoint @ (root @ statistics.cross), adjoint @ root


def triangular_inverse(L: Blocks, small: int = 32) -> Blocks:
    """Invert lower triangular matrices (F, n, n) by halves: nearly all of it is multiplication.

    ``[[P, 0], [Q, S]]^-1 = [[P^-1, 0], [-S^-1 Q P^-1, S^-1]]``.
    """
    n = L.shape[1]
    if n <= small:
        return np.linalg.inv(L)
    half = n // 2
    inverse = np.zeros_like(L)
    inverse[:, :half, :half] = first = triangular_inverse(L[:, :half, :half], small)
    inverse[:, half:, half:] = second = triangular_inverse(L[:, half:, half:], small)
    inverse[:, half:, :half] = -second @ L[:, half:, :half] @ first
    return inverse


def unstack(stacked: Blocks, shape: tuple[int, ...]) -> Blocks:
    q, n_blocks, d, m = shape
    return stacked.reshape(n_blocks, q, d, m).transpose(1, 0, 2, 3)
