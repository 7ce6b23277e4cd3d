"""Bring the atoms of many samples to a stationary point together, in any group."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from orbitdl.arrays.blocks import Blocks, Floats, Integers, as_real_rows
from orbitdl.coding.atoms import Atoms
from orbitdl.coding.growing.newton import LONGEST, Step, TangentData, newton_steps
from orbitdl.coding.problem import Problem
from orbitdl.coding.working_set import refit_coefficients, transformed_atoms
from orbitdl.kernels import fast
from orbitdl.kernels.linear_algebra import dot

STEPS = 10
"""Newton steps of a round at most: a handful will do, but where atoms leave one by one. Then it is
quicker to evaluate the certificate and to continue from there."""
STEP_REDUCTION, MIN_STEP = 0.3, 1e-4
"""How a step is shortened that does not descend, and when it is given up."""
ROUNDING = 1e-14
"""Objectives that differ less, relatively, are the same."""
SQUARED = 0.1
"""A step from an error e, relative to alpha, is expected to leave e^2 over this."""
COINCIDING = 1e-3
"""Atoms at an angle whose cosine is so close to 1 may become one."""
MERGE_COST = 0.1
"""What it may cost, relative to the objective and to the accuracy."""

Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Iterate:
    """Atoms of n samples, and what follows from where they are.

    Attributes
    ----------
    problem : Problem
        Of the same samples.
    atoms : Atoms
    transformed : ndarray of shape (K, F, d, m)
        The atoms in block coordinates.
    residual : ndarray of shape (n, entries)
        Their residual, as observed.
    objective : ndarray of shape (n,)
    """

    problem: Problem
    atoms: Atoms
    transformed: Blocks
    residual: Floats
    objective: Floats

    @classmethod
    def of(cls, problem: Problem, atoms: Atoms) -> Iterate:
        """Evaluate the atoms."""
        transformed, residual = transformed_atoms(problem, atoms), problem.targets.copy()
        subtract_atoms(
            atoms.offsets, problem.rows(atoms.sample, transformed), atoms.coefficient, residual
        )
        penalty = problem.alpha * atoms.invariants().sum(axis=1)
        return cls(
            problem, atoms, transformed, residual, 0.5 * np.vecdot(residual, residual) + penalty
        )

    def take(self, samples: Mask) -> Iterate:
        """Return some samples."""
        if samples.all():
            return self
        transformed = self.transformed[samples[self.atoms.sample]]
        numbers = self.residual[samples], self.objective[samples]
        return Iterate(self.problem.take(samples), self.atoms.take(samples), transformed, *numbers)

    def replace(self, samples: Mask, other: Iterate) -> Iterate:
        """Return the same with others' atoms, of the same samples, for the chosen ones."""
        if samples.all():
            return other
        unchanged, new = ~samples[self.atoms.sample], samples[other.atoms.sample]
        owner = np.concatenate([self.atoms.sample[unchanged], other.atoms.sample[new]])
        transformed = np.concatenate([self.transformed[unchanged], other.transformed[new]])
        return Iterate(
            self.problem,
            self.atoms.replace(samples, other.atoms.take(samples)),
            transformed[np.argsort(owner, kind="stable")],
            np.where(samples[:, None], other.residual, self.residual),
            np.where(samples, other.objective, self.objective),
        )


class NewtonRefinement:
    """Refine the atoms of every sample: coefficients, then coefficients and elements together.

    Parameters
    ----------
    accuracy : float
        Error of the first-order conditions, relative to alpha, that is none.
    """

    def __init__(self, accuracy: float) -> None:
        self.accuracy = accuracy

    def __call__(self, problem: Problem, atoms: Atoms) -> Atoms:
        atoms = refit_coefficients(problem, atoms)
        used = atoms.counts > 0
        if problem.representation.dimension == 0 or not used.any():
            return atoms
        return atoms.replace(
            used, self._take_steps(Iterate.of(problem.take(used), atoms.take(used)))
        )

    def _take_steps(self, point: Iterate) -> Atoms:
        """Take Newton steps, each sample until its error is a tenth, or small enough."""
        problem, alpha, index = point.problem, point.problem.alpha, np.arange(len(point.atoms))
        length, target = np.ones(len(index)), np.full(len(index), self.accuracy * alpha)
        finished: list[tuple[Integers, Atoms]] = []
        for number in range(STEPS):
            step = refinement_step(point)
            if number == 0:
                target = np.maximum(target, 0.1 * step.error)
            trial = Iterate.of(point.problem, step_along(point, step, length))
            falls = trial.objective <= (1 + ROUNDING) * point.objective
            full = falls & step.newton & (step.length * length == 1.0)
            length = np.where(falls, 1.0, STEP_REDUCTION * length)
            point = point.replace(falls, trial)
            done = (step.error <= target) | (length < MIN_STEP) | (point.atoms.counts == 0)
            done |= full & (step.error**2 <= SQUARED * alpha * target)
            done |= number == STEPS - 1
            finished.append((index[done], point.atoms.take(done)))
            if done.all():
                break
            left = ~done
            point, index, target, length = point.take(left), index[left], target[left], length[left]
        order = np.argsort(np.concatenate([index for index, _ in finished]))
        return self._merge(problem, Atoms.concatenate([atoms for _, atoms in finished]).take(order))

    def _merge(self, problem: Problem, atoms: Atoms) -> Atoms:
        """Return the atoms, joined where that is free."""
        point = Iterate.of(problem, atoms)
        merged = merge_coinciding(point)
        cheap = merged.objective <= (1 + MERGE_COST * self.accuracy) * point.objective
        return point.replace(cheap, merged).atoms


def merge_coinciding(point: Iterate) -> Iterate:
    """Let atoms of one component and sign that nearly coincide be one, where the largest was."""
    atoms, rows, c = point.atoms, as_real_rows(point.transformed, 3), point.atoms.coefficient.copy()
    merge_all(atoms.offsets, atoms.component, rows, np.linalg.norm(rows, axis=1), c)
    return Iterate.of(point.problem, atoms.updated(c, atoms.element)) if (c == 0).any() else point


def refinement_step(point: Iterate) -> Step:
    """Return Newton's step of every sample."""
    problem, atoms = point.problem, point.atoms
    representation, D = problem.representation, problem.representation.dimension
    tangents = representation.tangents(point.transformed)
    both = np.concatenate([point.transformed[:, None], tangents], axis=1)
    residual = problem.residual_of(point.residual)
    Xr = as_real_rows(representation.tangents(residual), 3)
    rows = problem.rows(atoms.sample, both)
    data = TangentData(
        atoms.offsets, rows, point.residual, Xr, as_real_rows(both, 3), atoms.coefficient
    )
    n, K = len(atoms), len(rows)
    length, error = np.empty((2, n))
    leaving, newton = np.empty(n, np.intp), np.empty(n, np.bool_)
    step = Step(np.empty(K), np.empty((K, D)), length, leaving, error, newton, np.empty(K))
    newton_steps(data, problem.alpha, int(atoms.counts.max()), step)
    return step


def step_along(point: Iterate, step: Step, length: Floats) -> Atoms:
    """Return the atoms a part of the way along the step, as far as it goes.

    Unknowns are c and ``u = c xi``: an atom that ends at c is moved by ``xi = u / c``. To divide by
    the coefficient that it had would lose ``(1 - c / c_before) u X B``, of first order, and where
    two atoms are becoming one of them, all that the other was to make up for.
    """
    atoms, owner = point.atoms, point.atoms.sample
    t = (step.length * length)[owner]
    c = atoms.coefficient + t * step.c
    leaving = step.leaving[(step.leaving >= 0) & (length == 1.0)]
    c[leaving] = 0.0
    part = np.divide(t * atoms.coefficient, c, out=np.zeros_like(c), where=c != 0)
    part = np.minimum(part, LONGEST / np.maximum(step.far, 1e-300))
    by = (part / atoms.coefficient)[:, None] * step.u
    return atoms.updated(c, point.problem.representation.retract(atoms.element, by))


@fast
def subtract_atoms(offsets, rows, c, residual):  # type: ignore[no-untyped-def]
    """Subtract ``sum_k c_k rows_k`` of every sample from its residual."""
    for i in range(len(offsets) - 1):
        for k in range(offsets[i], offsets[i + 1]):
            for t in range(residual.shape[1]):
                residual[i, t] -= c[k] * rows[k, t]


@fast
def merge_all(offsets, component, rows, norm, c):  # type: ignore[no-untyped-def]
    """Give the coefficient of every atom to a larger one that it nearly coincides with."""
    for i in range(len(offsets) - 1):
        for k in range(offsets[i], offsets[i + 1]):
            for r in range(offsets[i], offsets[i + 1]):
                if k == r or component[k] != component[r] or c[k] * c[r] <= 0.0:
                    continue
                if abs(c[k]) > abs(c[r]):
                    continue
                if dot(rows[k], rows[r]) > (1.0 - COINCIDING) * norm[k] * norm[r]:
                    c[r] += c[k]
                    c[k] = 0.0
                    break
