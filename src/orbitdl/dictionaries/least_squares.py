"""Least squares over all components from sufficient statistics, with or without unit balls.

The constraint ``||a_j|| <= 1`` is met by multipliers and a dual Newton method, or by projected
gradient descent.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeVar

import numpy as np

from orbitdl.arrays.blocks import Blocks, Floats, inner
from orbitdl.dictionaries.statistics import Statistics, stack_components, unstack
from orbitdl.kernels import fast

TOGETHER = 32
"""Components whose gradients are computed in one product; updates within cost O(TOGETHER^2)."""


def least_squares(statistics: Statistics, A: Blocks) -> Blocks:
    """Return ``argmin_A sum_i ||Y_i - W_i A||^2`` of shape (q, F, d, m): the paper's step 2."""
    return unstack(solve_blocks(statistics, np.zeros(len(A)), A.shape)[0], A.shape)


def constrained_least_squares(statistics: Statistics, A: Blocks) -> Blocks:
    """Return the minimiser under ``||a_j|| <= 1``, starting from A.

    If codes do not determine components, the result lies within the balls and is no worse than A.

    With multipliers mu >= 0, ``(H_f + diag(mu) (x) I) A_f = R_f`` on every block, and mu maximises

        g(mu) = -1/2 sum_f tr R_f^H (H_f + diag(mu) (x) I)^-1 R_f - 1/2 sum_j mu_j.
    """
    statistics = statistics.in_own_unit()
    right = unstack(statistics.cross, A.shape)

    def apply(V: Blocks) -> Blocks:
        return unstack(statistics.normal @ stack_components(V), A.shape)

    def step(_: Blocks, V: Blocks, gradient: Blocks) -> Blocks:
        return project_to_ball(V + gradient / statistics.lipschitz)

    mu = multipliers(A, right - apply(A))
    new, is_exact = maximise_dual(lambda mu: _dual(statistics, mu, A.shape), mu, 1e-9)
    if is_exact:
        return new
    best = min(project_to_ball(A), project_to_ball(new), key=statistics.misfit)
    return descend(apply, right, step, best, np.asarray, accuracy=0.0, max_iter=300)


def _dual(statistics: Statistics, mu: Floats, shape: tuple[int, ...]) -> Dual:
    stacked, inverse = solve_blocks(statistics, mu, shape)
    value = -0.5 * float(inner(statistics.cross, stacked)) - 0.5 * float(mu.sum())
    A = unstack(stacked, shape)
    return Dual(value, A, 0.5 * (inner(A, A) - 1.0), curvature(stacked, inverse, shape))


def curvature(stacked: Blocks, inverse: Blocks, shape: tuple[int, ...]) -> Floats:
    """Return the negative Hessian of g: ``Re sum_f tr(a_j^H S_jk a_k)``, with S the inverse.

    It follows from ``d a / d mu_k = -S[:, k] a_k``.
    """
    q, n_blocks, d, _ = shape
    products = inverse * (stacked @ stacked.conj().swapaxes(1, 2)).swapaxes(1, 2)
    result: Floats = products.real.reshape(n_blocks, q, d, q, d).sum(axis=(0, 2, 4))
    return result


def solve_blocks(
    statistics: Statistics, mu: Floats, shape: tuple[int, ...]
) -> tuple[Blocks, Blocks]:
    """Return ``(H_f + diag(mu) (x) I)^-1 R_f`` and the inverse, with a tiny ridge.

    By the Cholesky factor L, ``L^-H (L^-1 R)``, whose error grows with the condition of L only.
    """
    H, d = statistics.normal, shape[2]
    ridge = max(1e-13, 1e-15 * H.shape[1]) * float(np.abs(H).max()) or 1.0
    system = H + np.diag(np.repeat(mu, d) + ridge)
    root = triangular_inverse(np.linalg.cholesky(system))
    adjoint = root.conj().swapaxes(1, 2)
    return adjoint @ (root @ statistics.cross), adjoint @ root


def triangular_inverse(L: Blocks, small: int = 32) -> Blocks:
    """Invert lower triangular matrices (F, n, n) recursively, mostly by matrix products.

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


def coordinate_step(statistics: Statistics, A: Blocks) -> Blocks:
    """Minimise ``1/2 <A, H A> - <R, A>`` over one component after the other, ``||a_j|| <= 1``.

    With L_j a bound of the eigenvalues of H_jj,

        a_j <- u / max(||u||, 1),      u = a_j + (R_j - H_j A) / L_j.

    For one real block this is the exact minimum over a_j: Algorithm 2 of Mairal, Bach, Ponce and
    Sapiro (2009).
    """
    q, n_blocks, d, _ = A.shape
    statistics = statistics.in_own_unit()
    H, R, new = statistics.normal, statistics.cross, np.array(stack_components(A))
    own = H.reshape(n_blocks, q, d, q, d)[:, np.arange(q), :, np.arange(q)]
    lipschitz = np.sqrt(np.sum(np.abs(own) ** 2, axis=(2, 3))).max(axis=1)
    for first in range(0, q, TOGETHER):
        rows = slice(first * d, (first + TOGETHER) * d)
        gradient = R[:, rows] - H[:, rows] @ new
        within, updated = np.array(H[:, rows, rows]), np.array(new[:, rows])
        update_components(gradient, within, lipschitz[first : first + TOGETHER], updated)
        new[:, rows] = updated
    return unstack(new, A.shape)


@fast
def update_components(gradient, H, lipschitz, A):  # type: ignore[no-untyped-def]
    """Update components A (F, k d, m) one by one, in place; those with constant zero stay.

    The negative gradient ``R - H A`` (F, k d, m) of the remaining ones is updated after each.
    """
    n_blocks, rows, m = A.shape
    d = rows // len(lipschitz)
    for j in range(len(lipschitz)):
        if lipschitz[j] == 0.0:
            continue
        energy = 0.0
        for f in range(n_blocks):
            for r in range(j * d, (j + 1) * d):
                for c in range(m):
                    gradient[f, r, c] = A[f, r, c] + gradient[f, r, c] / lipschitz[j]
                    energy += gradient[f, r, c].real ** 2 + gradient[f, r, c].imag ** 2
        length = max(np.sqrt(energy), 1.0)
        for f in range(n_blocks):
            for r in range(j * d, (j + 1) * d):
                for c in range(m):
                    change = gradient[f, r, c] / length - A[f, r, c]
                    A[f, r, c] += change
                    gradient[f, r, c] = change
                for s in range((j + 1) * d, rows):
                    for c in range(m):
                        gradient[f, s, c] -= H[f, s, r] * gradient[f, r, c]


Point = TypeVar("Point")
"""Components or their parameters."""


class Dual(NamedTuple):
    """The dual function g of the norm constraints, components, gradient and negative Hessian."""

    value: float
    A: Blocks
    gradient: Floats
    hessian: Floats


def multipliers(A: Blocks, gradient: Blocks) -> Floats:
    """Return the least-squares multipliers mu >= 0 of ``R - H A = mu A`` (stationarity)."""
    energy = inner(A, A)
    return np.maximum(inner(A, gradient) / np.where(energy > 1e-6, energy, np.inf), 0.0)


def project_to_ball(A: Blocks) -> Blocks:
    """Project components onto the unit ball."""
    return A / np.maximum(np.sqrt(inner(A, A)), 1.0)[:, None, None, None]


def normalise(A: Blocks) -> tuple[Blocks, Floats]:
    """Scale every component to unit norm; return the norms too, by which codes are multiplied."""
    norms: Floats = np.sqrt(inner(A, A))
    return A / np.where(norms > 0, norms, 1.0)[:, None, None, None], norms


def unit_norm(A: Blocks) -> Blocks:
    """Scale every component to unit norm."""
    return normalise(A)[0]


def descend(
    apply: Callable[[Blocks], Blocks],
    right: Blocks,
    step: Callable[[Point, Blocks, Blocks], Point],
    start: Point,
    expand: Callable[[Point], Blocks],
    *,
    accuracy: float,
    max_iter: int,
) -> Point:
    """Minimise ``f(A) = 1/2 <A, H A> - <R, A>`` by monotone accelerated proximal gradient steps.

    Iterates are arguments of `expand`. ``step(best, V, R - H V)`` minimises the majorant
    ``f(V) - <R - H V, A - V> + 1/2 <A - V, K (A - V)>`` for some K >= H. Iterations end when the
    predicted decrease is below `accuracy` times f. H is applied once per step.
    """

    def value(V: Blocks, image: Blocks) -> float:
        return float(inner(V, 0.5 * image - right, axes=4))

    best, A = start, expand(start)
    image = apply(A)
    lowest, V, V_image, weight = value(A, image), A, image, 1.0
    for _ in range(max_iter):
        point = step(best, V, right - V_image)
        trial = expand(point)
        trial_image = apply(trial)
        height = value(trial, trial_image)
        predicted = float(inner(right - image, trial - A, axes=4))
        if height <= lowest:
            last, weight = weight, 0.5 + np.sqrt(0.25 + weight**2)
            momentum = (last - 1.0) / weight
            V, V_image = (
                trial + momentum * (trial - A),
                trial_image + momentum * (trial_image - image),
            )
            best, A, image, lowest = point, trial, trial_image, height
            if predicted <= accuracy * abs(lowest):
                break
        elif V is A:
            break
        else:  # restart the momentum
            V, V_image, weight = A, image, 1.0
    return best


def maximise_dual(
    dual: Callable[[Floats], Dual], mu: Floats, accuracy: float
) -> tuple[Blocks, bool]:
    """Maximise the concave function g over mu >= 0; return components, and whether it converged.

    Its gradient is ``(||a_j||^2 - 1)/2``. Projected Newton method on the mu_j > 0 and those with a
    violated constraint, with backtracking until g increases.
    """
    value, A, gradient, hessian = dual(mu)
    for _ in range(100):
        free = (mu > 0) | (gradient > 0)
        if np.abs(np.where(free, gradient, 0.0)).max(initial=0.0) <= accuracy:
            return A, True
        step, length = np.zeros_like(mu), 1.0
        step[free] = _ascent(gradient[free], hessian[np.ix_(free, free)])
        while True:
            trial = np.maximum(mu + length * step, 0.0)
            result = dual(trial)
            enough = value + 1e-4 * gradient @ (trial - mu) - 1e-13 * abs(value)  # Armijo
            if result.value >= enough:
                break
            length /= 2
            if length < 1e-4:
                return A, False
        mu, (value, A, gradient, hessian) = trial, result
    return A, False


def _ascent(gradient: Floats, hessian: Floats) -> Floats:
    """Return the Newton step of ``1/||a_j|| = 1`` if it ascends, otherwise of ``||a_j||^2 = 1``.

    The first equation is nearly linear in mu (as in trust region methods): its right-hand side is
    ``||a_j||^2 (||a_j|| - 1)`` instead of the gradient ``(||a_j||^2 - 1)/2``.
    """
    matrix = hessian + 1e-14 * hessian.trace() * np.eye(len(gradient)) + 1e-300
    norm = np.sqrt(np.maximum(2.0 * gradient + 1.0, 0.0))
    target = np.where(np.abs(gradient) < 0.25, norm**2 * (norm - 1.0), gradient)
    step: Floats = np.linalg.solve(matrix, target)
    return step if gradient @ step > 0.0 else np.asarray(np.linalg.solve(matrix, gradient))
