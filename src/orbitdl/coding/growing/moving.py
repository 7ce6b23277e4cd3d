"""Bring the atoms of many samples to a stationary point together, in any group."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from orbitdl.arrays.blocks import as_real_rows
from orbitdl.coding.codes import Atoms
from orbitdl.coding.growing.newton import LONGEST, Moving, Step, newton_steps
from orbitdl.coding.problem import Problem
from orbitdl.coding.working_set import moved_atoms, settle_coefficients
from orbitdl.groups.base import Blocks, Floats, Integers
from orbitdl.kernels import fast
from orbitdl.kernels.linear_algebra import dot

STEPS = 10
"""Newton steps of a round at most: a handful will do, but where atoms leave one by one. Then it is
quicker to look at the certificate, and to go on from there."""
SHORTER, SHORTEST = 0.3, 1e-4
"""How a step is shortened that does not descend, and when it is given up."""
ROUNDING = 1e-14
"""Objectives that differ less, relatively, are the same."""
SQUARED = 0.1
"""A step from an error e, relative to alpha, is expected to leave e^2 over this."""
TOGETHER = 1e-3
"""Atoms at an angle whose cosine is so close to 1 may become one."""
JOINING = 0.1
"""What it may cost, relative to the objective and to the accuracy."""

Some = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Seen:
    """Atoms of n samples, and what follows from where they are.

    Attributes
    ----------
    problem : Problem
        Of the same samples.
    atoms : Atoms
    moved : ndarray of shape (K, F, d, m)
        The atoms in block coordinates.
    residual : ndarray of shape (n, entries)
        What they miss of the data, as seen.
    objective : ndarray of shape (n,)
    """

    problem: Problem
    atoms: Atoms
    moved: Blocks
    residual: Floats
    objective: Floats

    @classmethod
    def of(cls, problem: Problem, atoms: Atoms) -> Seen:
        """Look at the atoms."""
        moved, residual = moved_atoms(problem, atoms), problem.targets.copy()
        subtract_all(atoms.offsets, problem.rows(atoms.sample, moved), atoms.coefficient, residual)
        penalty = problem.alpha * atoms.invariants().sum(axis=1)
        return cls(problem, atoms, moved, residual, 0.5 * np.vecdot(residual, residual) + penalty)

    def take(self, samples: Some) -> Seen:
        """Return some samples."""
        if samples.all():
            return self
        moved = self.moved[samples[self.atoms.sample]]
        numbers = self.residual[samples], self.objective[samples]
        return Seen(self.problem.take(samples), self.atoms.take(samples), moved, *numbers)

    def replace(self, samples: Some, other: Seen) -> Seen:
        """Return the same with others' atoms, of the same samples, for the chosen ones."""
        if samples.all():
            return other
        kept, new = ~samples[self.atoms.sample], samples[other.atoms.sample]
        owner = np.concatenate([self.atoms.sample[kept], other.atoms.sample[new]])
        moved = np.concatenate([self.moved[kept], other.moved[new]])
        return Seen(
            self.problem,
            self.atoms.replace(samples, other.atoms.take(samples)),
            moved[np.argsort(owner, kind="stable")],
            np.where(samples[:, None], other.residual, self.residual),
            np.where(samples, other.objective, self.objective),
        )


class MoveAtoms:
    """Refine the atoms of every sample: coefficients, then coefficients and elements together.

    Parameters
    ----------
    accuracy : float
        Error of the first-order conditions, relative to alpha, that is none.
    """

    def __init__(self, accuracy: float) -> None:
        self.accuracy = accuracy

    def __call__(self, problem: Problem, atoms: Atoms) -> Atoms:
        atoms = settle_coefficients(problem, atoms)
        used = atoms.counts > 0
        if problem.representation.dimension == 0 or not used.any():
            return atoms
        return atoms.replace(used, self._move(Seen.of(problem.take(used), atoms.take(used))))

    def _move(self, seen: Seen) -> Atoms:
        """Take Newton steps, each sample until its error is a tenth, or small enough."""
        problem, alpha, place = seen.problem, seen.problem.alpha, np.arange(len(seen.atoms))
        length, wanted = np.ones(len(place)), np.full(len(place), self.accuracy * alpha)
        ended: list[tuple[Integers, Atoms]] = []
        for number in range(STEPS):
            step = direction(seen)
            if number == 0:
                wanted = np.maximum(wanted, 0.1 * step.error)
            trial = Seen.of(seen.problem, along(seen, step, length))
            falls = trial.objective <= (1 + ROUNDING) * seen.objective
            whole = falls & step.newton & (step.length * length == 1.0)
            length = np.where(falls, 1.0, SHORTER * length)
            seen = seen.replace(falls, trial)
            done = (step.error <= wanted) | (length < SHORTEST) | (seen.atoms.counts == 0)
            done |= whole & (step.error**2 <= SQUARED * alpha * wanted)
            done |= number == STEPS - 1
            ended.append((place[done], seen.atoms.take(done)))
            if done.all():
                break
            left = ~done
            seen, place, wanted, length = seen.take(left), place[left], wanted[left], length[left]
        order = np.argsort(np.concatenate([place for place, _ in ended]))
        return self._join(problem, Atoms.concatenate([atoms for _, atoms in ended]).take(order))

    def _join(self, problem: Problem, atoms: Atoms) -> Atoms:
        """Return the atoms, joined where that is free."""
        seen = Seen.of(problem, atoms)
        one = joined(seen)
        free = one.objective <= (1 + JOINING * self.accuracy) * seen.objective
        return seen.replace(free, one).atoms


def joined(seen: Seen) -> Seen:
    """Let atoms of one component and sign that nearly coincide be one, where the heaviest was."""
    atoms, rows, c = seen.atoms, as_real_rows(seen.moved, 3), seen.atoms.coefficient.copy()
    join_all(atoms.offsets, atoms.component, rows, np.linalg.norm(rows, axis=1), c)
    return Seen.of(seen.problem, atoms.moved(c, atoms.element)) if (c == 0).any() else seen


def direction(seen: Seen) -> Step:
    """Return Newton's step of every sample."""
    problem, atoms = seen.problem, seen.atoms
    representation, D = problem.representation, problem.representation.dimension
    tangents = representation.tangents(seen.moved)
    both = np.concatenate([seen.moved[:, None], tangents], axis=1)
    residual = problem.residual_of(seen.residual)
    bent = as_real_rows(representation.tangents(residual), 3)
    rows = problem.rows(atoms.sample, both)
    known = Moving(
        atoms.offsets, rows, seen.residual, bent, as_real_rows(both, 3), atoms.coefficient
    )
    n, K = len(atoms), len(rows)
    length, error = np.empty((2, n))
    leaving, newton = np.empty(n, np.intp), np.empty(n, np.bool_)
    step = Step(np.empty(K), np.empty((K, D)), length, leaving, error, newton, np.empty(K))
    newton_steps(known, problem.alpha, int(atoms.counts.max()), step)
    return step


def along(seen: Seen, step: Step, length: Floats) -> Atoms:
    """Return the atoms a part of the way along the step, as far as it can be gone.

    Unknowns are c and ``u = c xi``: an atom that ends at c is moved by ``xi = u / c``. To divide by
    the coefficient that it had would lose ``(1 - c / c_before) u X B``, of first order, and where
    two atoms are becoming one of them, all that the other was to make up for.
    """
    atoms, owner = seen.atoms, seen.atoms.sample
    t = (step.length * length)[owner]
    c = atoms.coefficient + t * step.c
    gone = step.leaving[(step.leaving >= 0) & (length == 1.0)]
    c[gone] = 0.0
    part = np.divide(t * atoms.coefficient, c, out=np.zeros_like(c), where=c != 0)
    part = np.minimum(part, LONGEST / np.maximum(step.far, 1e-300))
    by = (part / atoms.coefficient)[:, None] * step.u
    return atoms.moved(c, seen.problem.representation.retract(atoms.element, by))


@fast
def subtract_all(offsets, rows, c, residual):  # type: ignore[no-untyped-def]
    """Take ``sum_k c_k rows_k`` of every sample off its residual."""
    for i in range(len(offsets) - 1):
        for k in range(offsets[i], offsets[i + 1]):
            for t in range(residual.shape[1]):
                residual[i, t] -= c[k] * rows[k, t]


@fast
def join_all(offsets, component, rows, norm, c):  # type: ignore[no-untyped-def]
    """Give the coefficient of every atom to a heavier one that it nearly coincides with."""
    for i in range(len(offsets) - 1):
        for k in range(offsets[i], offsets[i + 1]):
            for r in range(offsets[i], offsets[i + 1]):
                if k == r or component[k] != component[r] or c[k] * c[r] <= 0.0:
                    continue
                if abs(c[k]) > abs(c[r]):
                    continue
                if dot(rows[k], rows[r]) > (1.0 - TOGETHER) * norm[k] * norm[r]:
                    c[r] += c[k]
                    c[k] = 0.0
                    break
