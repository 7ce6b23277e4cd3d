"""Norms of at most one: multipliers of that constraint, descent without them, and unit norm."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeVar

import numpy as np

from orbitdl.arrays.blocks import Blocks, Floats, inner

Point = TypeVar("Point")
"""Components, or what makes them."""


class Dual(NamedTuple):
    """The dual function of the norm constraints: g, components, gradient and negative Hessian."""

    value: float
    A: Blocks
    slope: Floats
    bend: Floats


def multipliers(A: Blocks, pull: Blocks) -> Floats:
    """Return mu >= 0 with which A is closest to stationary: ``R - H A``, the pull, is ``mu A``."""
    energy = inner(A, A)
    return np.maximum(inner(A, pull) / np.where(energy > 1e-6, energy, np.inf), 0.0)


def shorten(A: Blocks) -> Blocks:
    """Bring components that are longer than one back to the ball."""
    return A / np.maximum(np.sqrt(inner(A, A)), 1.0)[:, None, None, None]


def normalise(A: Blocks) -> tuple[Blocks, Floats]:
    """Give every component unit norm; return the norms too, which its coefficients take over."""
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
    """Lower ``f(A) = 1/2 <A, H A> - <R, A>`` by accelerated steps, from a start and never above it.

    Points are whatever `expand` makes components of. ``step(best, V, R - H V)`` minimises
    ``f(V) - <R - H V, A - V> + 1/2 <A - V, K (A - V)>`` for some K >= H, which is no less than
    f(A). It ends with a step for which the slope of f promised less than `accuracy` of f. H is
    applied once per step.
    """

    def value(V: Blocks, image: Blocks) -> float:
        return float(inner(V, 0.5 * image - right, axes=4))

    best, A = start, expand(start)
    image = apply(A)
    lowest, ahead, ahead_image, weight = value(A, image), A, image, 1.0
    for _ in range(max_iter):
        point = step(best, ahead, right - ahead_image)
        trial = expand(point)
        there = apply(trial)
        height, promise = value(trial, there), float(inner(right - image, trial - A, axes=4))
        if height <= lowest:
            last, weight = weight, 0.5 + np.sqrt(0.25 + weight**2)
            further = (last - 1.0) / weight
            ahead, ahead_image = trial + further * (trial - A), there + further * (there - image)
            best, A, image, lowest = point, trial, there, height
            if promise <= accuracy * abs(lowest):
                break
        elif ahead is A:
            break
        else:
            ahead, ahead_image, weight = A, image, 1.0
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
