"""Codes from the dual problem, by Newton's method: quick where gradients alone are slow.

The residual r of an optimal code solves the dual problem, with the codes as its multipliers,

    min over r = M r    1/2 ||r||^2 - <y, r>    such that    polar(r a_j^H) <= alpha.

The method of multipliers minimises, for codes Z and a stiffness sigma, the augmented Lagrangian

    L(r) = 1/2 ||r||^2 - <y, r> + 1/(2 sigma) ||P(r)||^2,
    P(r) = prox_{sigma alpha}(Z + sigma r A^H) = sigma prox_alpha(Z / sigma + r A^H),

and takes P(r) for the next Z. L has the gradient ``r - M (y - P(r) A)``: at its minimum r is the
residual of these codes. It is strictly convex with as many derivatives as the proximal map, whose
own one, at almost every point, gives Newton's method the Hessian ``1 + sigma M P' A^H A M``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from orbitdl.arrays.blocks import Blocks, Floats, Integers, correlate, inner
from orbitdl.coding.certificate import duality_gap, multiply
from orbitdl.coding.problem import Problem

STIFFNESS_FACTOR = 4.0
"""Factor of sigma from one update of the codes to the next."""
MAX_STIFFNESS = 1e6
"""Largest factor of sigma in all."""
ROUNDS = 20
"""Updates of the codes, at most."""
STEPS = 30
"""Newton steps between two updates, at most."""

FEW, MANY = 30, 200
"""Conjugate gradients at most, where a system can be solved directly, and where it cannot."""
LARGEST_SYSTEM = 300
"""Entries of a data point up to which a system is solved directly."""
NUMBERS = 2**20
"""Entries of all systems that are solved at once: 8 MB."""


class Point(NamedTuple):
    """A residual r, with the codes P(r), the value L(r) of every sample, and the gradient."""

    r: Blocks
    codes: Blocks
    value: Floats
    gradient: Blocks

    def take(self, samples: Integers | NDArray[np.bool_]) -> Point:
        """Return some samples."""
        return Point(*(part[samples] for part in self))

    def put(self, samples: Integers, other: Point) -> None:
        """Overwrite some samples."""
        for mine, theirs in zip(self, other, strict=True):
            mine[samples] = theirs


class Lagrangian(NamedTuple):
    """L of some samples, around their codes Z (n, q, F, d, d), with a stiffness each, (n,)."""

    problem: Problem
    Z: Blocks
    sigma: Floats

    def take(self, samples: Integers | NDArray[np.bool_]) -> Lagrangian:
        """Return some samples."""
        return Lagrangian(self.problem.take(samples), self.Z[samples], self.sigma[samples])

    def products(self, r: Blocks) -> Blocks:
        """Return ``r A^H``, in the metric of the proximal map."""
        weight = 1.0 / self.problem.representation.metric[:, None, None]
        return weight * correlate(self.problem.in_blocks(r), self.problem.A)

    def at(self, r: Blocks) -> Point:
        """Evaluate L and its gradient."""
        representation, A, alpha = self.problem.representation, self.problem.A, self.problem.alpha
        sigma = per_sample(self.sigma, self.Z)
        codes = sigma * representation.prox(self.Z / sigma + self.products(r), alpha)
        weighted = representation.metric[:, None, None] * codes
        value = dots(r, 0.5 * r - self.problem.data) + dots(weighted, codes) / (2.0 * self.sigma)
        return Point(r, codes, value, r - self.problem.data_residual(multiply(codes, A)))

    def slope(self, r: Blocks) -> Callable[[Blocks], Blocks]:
        """Return the derivative of the proximal map at r."""
        at = self.Z / per_sample(self.sigma, self.Z) + self.products(r)
        return self.problem.representation.prox_derivative(at, self.problem.alpha)

    def hessian(self, r: Blocks) -> Callable[[Blocks], Blocks]:
        """Return the Hessian at r, as a function."""
        sigma, slope, A = per_sample(self.sigma, self.Z), self.slope(r), self.problem.A
        return lambda v: v + self.problem.observe(multiply(sigma * slope(self.products(v)), A))

    def hessian_matrices(self, r: Blocks) -> Floats:
        """Return the same as matrices (n, entries, entries), where blocks are single and real.

        With ``P'_j`` as a matrix T_j (d^2, d^2), they have the entries
        ``sum_j sum_be A_j[b, m] T_j[ab, ce] A_j[e, l]`` at the entries (a, m) and (c, l).
        """
        (n, q, _, d, _), A = self.Z.shape, self.problem.A[:, 0]
        units = np.eye(d * d).reshape(d * d, 1, 1, 1, d, d)
        T = self.slope(r)(np.broadcast_to(units, (d * d, *self.Z.shape)))  # of (c, e)
        T = T.reshape(d, d, n, q, d, d) * self.sigma[:, None, None, None]
        right = np.einsum("cenjab,jel->njbacl", T, A, optimize=True)
        left = A.transpose(2, 0, 1).reshape(A.shape[2], q * d)
        inner = (left @ right.reshape(n, q * d, -1)).reshape(n, -1, d, d, A.shape[2])
        size = d * A.shape[2]
        H = inner.transpose(0, 2, 1, 3, 4).reshape(n, size, size)
        return self.problem.observe_matrices(H / self.problem.representation.metric) + np.eye(size)


def improve(problem: Problem, Z: Blocks, tol: float) -> tuple[Blocks, Floats]:
    """Return codes with a relative gap within tol, from codes Z (n, q, F, d, d), and their gaps.

    Where rounding does not allow that, the best ones found.
    """
    Z, best, unconverged = Z.copy(), gaps(problem, Z), np.arange(len(Z))
    codes, r = Z, problem.data_residual(multiply(Z, problem.A))
    largest = problem.representation.gauge(Z).max(axis=1)
    least_stiffness = np.where(largest > 0.0, largest / problem.alpha, 1.0)
    for k in range(ROUNDS):
        sigma = least_stiffness[unconverged] * min(STIFFNESS_FACTOR**k, MAX_STIFFNESS)
        point = minimise(Lagrangian(problem.take(unconverged), codes, sigma), r)
        gap = gaps(problem.take(unconverged), point.codes)
        better = gap < best[unconverged]
        Z[unconverged[better]], best[unconverged[better]] = point.codes[better], gap[better]
        going = gap > tol
        unconverged, codes, r = unconverged[going], point.codes[going], point.r[going]
        if len(unconverged) == 0:
            break
    return Z, best


def minimise(lagrangian: Lagrangian, r: Blocks) -> Point:
    """Minimise L from r by Newton's method, as closely as the next update of the codes needs."""
    point, least = lagrangian.at(r), 1e-12 * row_norms(lagrangian.problem.data)
    stalled = np.zeros(len(r), dtype=bool)
    for _ in range(STEPS):
        target = 0.1 * row_norms(point.codes - lagrangian.Z) / np.sqrt(lagrangian.sigma)
        far = row_norms(point.gradient) > np.maximum(target, least)
        unconverged = np.flatnonzero(far & ~stalled)
        if len(unconverged) == 0:
            break
        current, part = point.take(unconverged), lagrangian.take(unconverged)
        direction = dual_newton_direction(part, current)
        reached, accepted = line_search(part, current, direction)
        point.put(unconverged[accepted], reached.take(accepted))
        stalled[unconverged] = ~accepted
    return point


def line_search(
    lagrangian: Lagrangian, point: Point, direction: Blocks
) -> tuple[Point, NDArray[np.bool_]]:
    """Go along a direction, half as far until L falls; return which samples it fell for."""
    length, slope = np.ones(len(direction)), dots(point.gradient, direction)
    trial = lagrangian.at(point.r + direction)
    for _ in range(20):
        enough = point.value + 1e-4 * length * slope + 1e-14 * np.abs(point.value)
        high = np.flatnonzero(~(trial.value <= enough))
        if len(high) == 0:
            break
        length[high] *= 0.5
        shorter = per_sample(length[high], direction) * direction[high]
        trial.put(high, lagrangian.take(high).at(point.r[high] + shorter))
    accepted = np.ones(len(length), dtype=bool)
    accepted[high] = False
    return trial, accepted


def dual_newton_direction(lagrangian: Lagrangian, point: Point) -> Blocks:
    """Solve ``L''(r) x = -L'(r)``: by conjugate gradients, or directly where these are slow."""
    right = -point.gradient
    entries, blocks = right[0].size, lagrangian.Z.shape[2]
    small = blocks == 1 and entries <= LARGEST_SYSTEM and not np.iscomplexobj(right)
    x, going = conjugate_gradients(lagrangian.hessian(point.r), right, FEW if small else MANY)
    slow = np.flatnonzero(going & small)
    together = max(NUMBERS // entries**2, 1)
    for k in range(0, len(slow), together):
        some = slow[k : k + together]
        H = lagrangian.take(some).hessian_matrices(point.r[some])
        x[some] = np.linalg.solve(H, right[some].reshape(-1, entries, 1)).reshape(right[some].shape)
    return x


def conjugate_gradients(
    apply: Callable[[Blocks], Blocks], right: Blocks, max_iter: int, accuracy: float = 1e-2
) -> tuple[Blocks, NDArray[np.bool_]]:
    """Solve ``apply(x) = right`` for every sample at once, each system positive and symmetric.

    Also return which samples are not converged.
    """
    x, r, direction = np.zeros_like(right), right, right
    power = dots(r, r)
    enough = accuracy**2 * power
    for _ in range(max_iter):
        going = power > enough
        if not going.any():
            break
        image = apply(direction)
        step = np.where(going, power / np.where(going, dots(direction, image), 1.0), 0.0)
        x, r = x + per_sample(step, r) * direction, r - per_sample(step, r) * image
        last, power = power, dots(r, r)
        ratio = np.where(going, power / np.where(going, last, 1.0), 0.0)
        direction = r + per_sample(ratio, r) * direction
    return x, power > enough


def gaps(problem: Problem, Z: Blocks) -> Floats:
    """Return the certified relative gaps of codes Z, (n,)."""
    penalty = problem.alpha * problem.representation.gauge(Z).sum(axis=1)
    return duality_gap(problem, multiply(Z, problem.A), penalty)[1]


def dots(a: Blocks, b: Blocks) -> Floats:
    """Return the inner product of every sample, (n,)."""
    return inner(a, b, axes=a.ndim - 1)


def row_norms(a: Blocks) -> Floats:
    """Return the norm of every sample, (n,)."""
    return np.sqrt(dots(a, a))


def per_sample(x: Floats, blocks: Blocks) -> Floats:
    """Return numbers (n,), one per sample, such that they multiply blocks (n, ...)."""
    return x.reshape(-1, *[1] * (blocks.ndim - 1))
