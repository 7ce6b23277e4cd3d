"""Basis pursuit: codes of minimum l1 norm that agree with what was observed, a linear program.

    min sum_k |c_k|   s.t.   sum_k c_k M g_k a_k = M y

has the dual ``max_p <p, M y>  s.t.  |<p, g a_j>| <= 1`` for all g and j. It is solved over a few
atoms, to which those are added that violate its dual, until none does.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from orbitdl.arrays.blocks import Blocks, Combination, Floats, correlate
from orbitdl.coding.atoms import Atoms
from orbitdl.coding.choice import default_coder
from orbitdl.coding.problem import Masked, Problem
from orbitdl.coding.working_set import ColumnRound, generate_columns, transformed_signals
from orbitdl.groups.base import Representation

ROUNDS, STALLED = 60, 4
"""Linear programs per sample at most, and how many without progress are enough."""
CLOSEST = 1e-6
"""Gap of penalised codes, at least: atoms are where they belong then."""
PENALTIES = (1e-2, 1e-4)
"""Penalties, for data of unit norm, that prepare exact agreement."""


def minimum_l1_codes(
    representation: Representation, Y: Blocks, A: Blocks, masked: Masked, tol: float
) -> tuple[Atoms, Floats, Floats]:
    """Return atoms of minimum l1 norm for data of unit norm, the norms (n,) and lower bounds (n,).

    Value and bound are to be within a relative tol. Samples of which nothing but zeros was observed
    get no atom.
    """
    problem = Problem(representation, Y, A, 1.0, masked)
    penalised, bound = _penalised(problem, tol)
    nonzero = ~problem.is_zero()
    atoms, value = penalised.only(np.zeros(len(Y), dtype=np.bool_)), np.zeros(len(Y))
    if nonzero.any():
        program = _Program(representation, A, masked.take(nonzero), bound[nonzero], tol)
        start = _with_cover(representation, penalised.take(nonzero))
        program.require_agreement(start)
        found = generate_columns(program.make_round, start, ROUNDS)
        atoms = atoms.replace(nonzero, _without_rounding(found))
        value[nonzero], bound[nonzero] = program.values[:, -1], program.bound
    return atoms, value, np.minimum(bound, value)


def _penalised(problem: Problem, tol: float) -> tuple[Atoms, Floats]:
    """Return codes with a small penalty, and the bounds ``<y, r> / max_j polar(r a_j^H)``.

    The residuals r of the penalised program are feasible for the dual when scaled, and close to
    its solution; the atoms are close to those of the equality program.
    """
    representation, Y, A = problem.representation, problem.Y, problem.A
    coder = default_coder(representation, min(max(tol, CLOSEST), 1e-4))
    prepared = coder.prepare(representation, A)
    atoms, bound = None, np.zeros(len(Y))
    for alpha in PENALTIES:
        atoms = prepared.code(Y, alpha, atoms, masked=problem.masked, warn=False).atoms
        misfit = problem.misfit(atoms.superpose(representation, A))
        polar = representation.largest_product(misfit.residual, A)
        bound = np.maximum(bound, misfit.product / np.maximum(polar, 1e-300))
    assert atoms is not None
    return atoms, bound


def _with_cover(representation: Representation, atoms: Atoms) -> Atoms:
    """Add to every sample each component at the elements of the group's cover."""
    cover, pairs = representation.spanning_elements(), len(atoms) * atoms.n_components
    row = np.repeat(np.arange(pairs), len(cover))
    return atoms.add(Combination(row, np.zeros(len(row)), np.tile(cover, (pairs, 1))))


def _without_rounding(atoms: Atoms) -> Atoms:
    """Leave out atoms that are rounding compared with the largest of their sample."""
    size, largest = np.abs(atoms.coefficient), np.zeros(len(atoms))
    np.maximum.at(largest, atoms.sample, size)
    used = size > 1e-12 * largest[atoms.sample]
    return atoms.updated(np.where(used, atoms.coefficient, 0.0), atoms.element)


class _Program:
    """The linear programs of n samples, and bounds of their values.

    Attributes
    ----------
    values : ndarray of shape (n, STALLED)
        Weights reached in the last rounds, the last one last.
    bound : ndarray of shape (n,)
        Lower bounds of the values.
    """

    def __init__(
        self, representation: Representation, A: Blocks, masked: Masked, bound: Floats, tol: float
    ) -> None:
        self.representation, self.A, self.masked, self.tol = representation, A, masked, tol
        self.values = np.full((len(bound), STALLED), np.inf)
        self.bound = bound.copy()

    def make_round(self, chosen: NDArray[np.bool_], atoms: Atoms) -> ColumnRound:
        """Solve the programs of some samples over the atoms given; find those they lack."""
        masked, c = self.masked.take(chosen), np.zeros(len(atoms.coefficient))
        dual = np.zeros(masked.signal.shape)
        for i, (table, target) in enumerate(self._tables(masked, atoms)):
            own = slice(atoms.offsets[i], atoms.offsets[i + 1])
            c[own], dual[i][masked.observed[i]] = minimum_l1_combination(table, target)
        solved = replace(atoms, coefficient=c)
        C = correlate(self.representation.analyze(dual), self.A)
        unconverged = self._record(chosen, solved, dual * masked.signal, C)
        candidates = self.representation.peaks(C.reshape(-1, *C.shape[2:]), 1.0 + 0.1 * self.tol)
        return ColumnRound(solved, unconverged, candidates)

    def _record(
        self, chosen: NDArray[np.bool_], solved: Atoms, products: Floats, C: Blocks
    ) -> NDArray[np.bool_]:
        """Keep values and bounds of a round; return who is not done, (n,)."""
        value = solved.invariants().sum(axis=1)
        before, tol = self.values[chosen], self.tol
        self.values[chosen] = np.concatenate([before[:, 1:], value[:, None]], axis=1)
        feasible = np.maximum(self.representation.polar(C).max(axis=1), 1.0)
        bound = products.reshape(len(value), -1).sum(axis=1) / feasible
        self.bound[chosen] = np.maximum(self.bound[chosen], bound)
        met = value - self.bound[chosen] <= tol * value
        stalled = self.values[chosen, 0] - value <= 0.1 * tol * value
        return np.asarray(~(met | stalled))

    def _tables(self, masked: Masked, atoms: Atoms) -> list[tuple[Floats, Floats]]:
        """Return for every sample its atoms on the observed entries, as columns, and the data."""
        rows = transformed_signals(self.representation, self.A, atoms)
        parts = np.split(rows, atoms.offsets[1:-1])
        return [
            (np.ascontiguousarray(part[:, observed.ravel()].T), y[observed])
            for part, y, observed in zip(parts, masked.signal, masked.observed, strict=True)
        ]

    def require_agreement(self, atoms: Atoms) -> None:
        """Refuse data that no combination of the atoms given reaches."""
        for table, target in self._tables(self.masked, atoms):
            nearest = table @ np.linalg.lstsq(table, target, rcond=1e-12)[0]
            distance = float(np.linalg.norm(nearest - target) / np.linalg.norm(target))
            if distance > 1e-7:
                raise ValueError(
                    "the observed entries of a data point are no combination of transformed "
                    f"components (the nearest is {distance:.1g} of their norm away): use "
                    "exact=False, or an alpha."
                )


# The linear program over given vectors

TOLERANCES = (1e-10, 1e-9, 1e-7)
"""Feasibility tolerances: the strictest that the solver accepts, and what it sometimes needs where
vectors are nearly the same."""


def minimum_l1_combination(table: Floats, target: Floats) -> tuple[Floats, Floats]:
    """Solve ``min ||c||_1  s.t.  table @ c = target`` and return c and the multipliers.

    The multipliers p solve the dual ``max <p, target>  s.t.  |table.T @ p| <= 1``.
    """
    from scipy.optimize import linprog

    scale = float(np.abs(target).max())
    size = table.shape[1]
    if scale == 0.0:
        return np.zeros(size), np.zeros(len(target))
    signed = np.concatenate([table, -table], axis=1)
    for tol in TOLERANCES:
        strict = {"primal_feasibility_tolerance": tol, "dual_feasibility_tolerance": tol}
        result = linprog(np.ones(2 * size), A_eq=signed, b_eq=target / scale, options=strict)
        if result.x is not None:
            return scale * (result.x[:size] - result.x[size:]), result.eqlin.marginals
    raise ValueError("Z is not a combination of group elements; pass blocks in their span.")
