"""Proximal steps for groups whose gauge has a closed-form proximal map."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from orbitdl.arrays.blocks import Blocks, Floats, Integers, as_real_rows, correlate
from orbitdl.coding.atoms import Atoms
from orbitdl.coding.base import TabulatingCoder
from orbitdl.coding.certificate import multiply
from orbitdl.coding.dual_newton import gaps, improve
from orbitdl.coding.memory import correlation_bytes
from orbitdl.coding.problem import Problem
from orbitdl.dictionaries.statistics import stack_components
from orbitdl.groups.base import Representation
from orbitdl.kernels import fast

PATIENCE = 60
"""Steps of FISTA before Newton's method is tried."""
MATRICES = 28
"""Arrays of the size of all codes that are there at once at most: in Newton's method."""


class Steps(NamedTuple):
    """Lengths of proximal steps: ``1 / (L w_f)``, (F, 1, 1), to multiply gradients, and ``1/L``."""

    weight: Floats
    length: float


@dataclass(frozen=True)
class Proximal(TabulatingCoder[Steps]):
    """FISTA with adaptive restart, stopped on the duality gap; where it is slow, Newton's method.

    Parameters
    ----------
    tol : float
        Relative duality gap at which a sample is done.
    max_iter : int
        Steps of FISTA, at most.
    check_every : int
        Iterations between two looks at the gap.

    Notes
    -----
    With the metric ``w`` of the representation and ``L = max_f ||A_f||^2 / w_f``,

        Z <- prox_{alpha/L}( V + M (Y - V A) A^H / (L w) ),

    where M keeps the observed entries and V extrapolates Z; the momentum of a sample restarts
    when it points uphill. Samples that are not done after 60 steps go to Newton's method on the
    dual problem (`orbitdl.coding.dual_newton`): a small alpha makes steps short and gradients slow.
    Codes become atoms by ``representation.decompose`` at the end.

    Examples
    --------
    >>> Proximal(tol=1e-6)
    Proximal(tol=1e-06, max_iter=5000, check_every=10)
    """

    tol: float = 1e-4
    max_iter: int = 5000
    check_every: int = 10
    largest_batch: ClassVar[int] = 2048
    codes_masked: ClassVar[bool] = True

    def serves(self, representation: Representation) -> bool:
        return representation.has_prox and representation.has_gauge

    def tabulate(self, representation: Representation, A: Blocks) -> Steps:
        return step_sizes(representation, A)

    def workspace(self, representation: Representation, q: int) -> int:
        """Return how many bytes a sample needs: for its codes as matrices, and steps of them."""
        n_blocks, d, _ = representation.block_shape
        matrices = q * n_blocks * d * d * np.dtype(representation.dtype).itemsize
        return correlation_bytes(representation, q) + MATRICES * matrices

    def solve_with(self, tables: Steps, problem: Problem, warm: Atoms | None) -> Atoms:
        start = warm.embed(problem.representation) if warm else None
        Z = self._iterate(tables, problem, start)
        pairs = problem.representation.decompose(Z.reshape(-1, *Z.shape[2:]))
        return Atoms.of_pairs(pairs, len(Z), len(problem.A))

    def _iterate(self, steps: Steps, problem: Problem, start: Blocks | None) -> Blocks:
        n_blocks, d, _ = problem.representation.block_shape
        shape = (len(problem.Y), len(problem.A), n_blocks, d, d)
        Z = np.zeros(shape, dtype=problem.representation.dtype) if start is None else start
        unconverged = self._accelerate(
            steps, problem, Z, np.arange(len(Z)), min(self.max_iter, PATIENCE)
        )
        if len(unconverged) and self.max_iter > PATIENCE:
            Z[unconverged], gap = improve(problem.take(unconverged), Z[unconverged], 0.9 * self.tol)
            unconverged = unconverged[gap > 0.9 * self.tol]
            self._accelerate(steps, problem, Z, unconverged, self.max_iter - PATIENCE)
        return Z

    def _accelerate(
        self, steps: Steps, problem: Problem, Z: Blocks, active: Integers, most: int
    ) -> Integers:
        """Take FISTA's steps on the active samples of Z, in place; return the unconverged ones."""
        representation, A = problem.representation, problem.A
        remaining, current, V, momentum = (
            problem.take(active),
            Z[active],
            Z[active],
            np.ones(len(active)),
        )
        for iteration in range(most if len(active) else 0):
            gradient_step = V + steps.weight * correlate(remaining.residual(multiply(V, A)), A)
            new = representation.prox(gradient_step, steps.length * problem.alpha)
            V, momentum = extrapolate_rows(current, V, new, momentum)
            current = new
            if iteration % self.check_every == self.check_every - 1:
                unconverged = gaps(remaining, current) > 0.9 * self.tol
                Z[active[~unconverged]] = current[~unconverged]
                active, remaining = active[unconverged], remaining.take(unconverged)
                current, V, momentum = current[unconverged], V[unconverged], momentum[unconverged]
                if len(active) == 0:
                    break
        Z[active] = current
        return active


def step_sizes(representation: Representation, A: Blocks) -> Steps:
    """Return the lengths of steps with ``L = max_f ||A_f||^2 / w_f``."""
    norms = np.linalg.norm(stack_components(A), ord=2, axis=(1, 2)) ** 2
    lipschitz = max(float((norms / representation.metric).max()), 1e-300)
    return Steps(1.0 / (lipschitz * representation.metric)[:, None, None], 1.0 / lipschitz)


def extrapolate_rows(
    old: Blocks, V: Blocks, new: Blocks, momentum: Floats
) -> tuple[Blocks, Floats]:
    """Return the next extrapolated point; restart where the momentum opposes the step."""
    extrapolated, next_momentum = np.empty(new.shape, new.dtype), np.empty_like(momentum)
    rows = (as_real_rows(blocks, 4) for blocks in (old, V, new, extrapolated))
    fill_extrapolated(*rows, momentum, next_momentum)
    return extrapolated, next_momentum


@fast
def fill_extrapolated(old, V, new, extrapolated, momentum, next_momentum):  # type: ignore[no-untyped-def]
    """Fill `extrapolated` (n, values) and `next_momentum` (n,) for every sample."""
    for i in range(len(new)):
        uphill = 0.0
        for k in range(new.shape[1]):
            uphill += (V[i, k] - new[i, k]) * (new[i, k] - old[i, k])
        start = 1.0 if uphill > 0.0 else momentum[i]
        next_momentum[i] = 0.5 + np.sqrt(0.25 + start * start)
        weight = (start - 1.0) / next_momentum[i]
        for k in range(new.shape[1]):
            extrapolated[i, k] = new[i, k] + weight * (new[i, k] - old[i, k])
