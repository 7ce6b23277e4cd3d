"""The constraint ``||a_j|| <= 1``: multipliers, dual Newton method, projected gradient descent."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeVar

import numpy as np

from orbitdl.arrays.blocks import Blocks, Floats, inner

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
