"""The off-the-grid lasso on circles (sliding Frank-Wolfe)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from orbitdl.arrays.blocks import Blocks, Floats, correlate
from orbitdl.arrays.validation import LARGEST_COUNT
from orbitdl.coding.atoms import Atoms
from orbitdl.coding.base import TabulatingCoder
from orbitdl.coding.growing.refinement import NewtonRefinement
from orbitdl.coding.memory import Chosen, with_growing_capacity
from orbitdl.coding.missing_entries import MissingEntries
from orbitdl.coding.parallel import Once
from orbitdl.coding.problem import Problem
from orbitdl.coding.sliding.missing import (
    missing_in_time,
    missing_workspace,
    oracle_for,
    tabulate_with_entries,
)
from orbitdl.coding.sliding.newton import slide
from orbitdl.coding.sliding.peaks import make_peaks
from orbitdl.coding.sliding.search import Targets, search_samples, targets_of
from orbitdl.coding.sliding.state import append_atom, make_state
from orbitdl.coding.sliding.tables import (
    DENSITIES,
    Tables,
    build_tables,
    highest_frequency,
    tables_for,
    trust,
)
from orbitdl.coding.working_set import Refine, solve_by_columns
from orbitdl.groups.base import Representation
from orbitdl.groups.circle import CircleRepresentation
from orbitdl.groups.maxima.polynomials import as_real_imag
from orbitdl.groups.signals.time_shift import TimeShift
from orbitdl.kernels import ZERO, fast


@dataclass(frozen=True)
class SlidingRefinement:
    """Refine the atoms of every sample: coefficients, then coefficients and shifts together.

    Attributes
    ----------
    look_up : callable
        Returns the tables that data of such energies need, and how each of them uses these.
    accuracy : float
        First-order error at which atoms are stationary, relative to alpha.
    """

    look_up: Callable[[Floats], tuple[Tables, Floats, Floats]]
    accuracy: float

    def __call__(self, problem: Problem, atoms: Atoms) -> Atoms:
        assert isinstance(problem.representation, TimeShift)
        missing, capacity = (
            missing_in_time(problem.representation, problem),
            max(atoms.counts.max(initial=0), 1),
        )
        C, energy = as_real_imag(correlate(problem.Y, problem.A)[..., 0, 0]), problem.energy()
        component, c = atoms.component.copy(), atoms.coefficient.copy()
        shift = atoms.element[:, 0].copy()
        slide_samples(
            make_state(capacity, C.shape[-1]), missing_workspace(missing, capacity), C, energy,
            *self.look_up(energy), (atoms.offsets, component, shift, c),
            problem.alpha, self.accuracy,
        )  # fmt: skip
        return replace(atoms, component=component).updated(c, shift[:, None])


@fast
def slide_samples(st, missing, C, energy, tables, density, radius, atoms, alpha, accuracy):  # type: ignore[no-untyped-def]
    """Slide the atoms of every sample to a stationary point, in place; those removed get c = 0."""
    offsets, component, shift, c = atoms
    for i in range(len(offsets) - 1):
        own = tables_for(tables, density[i], radius[i])
        oracle = oracle_for(C[i], own, energy[i], missing, i)  # type: ignore[no-untyped-call]
        count = ZERO
        for k in range(offsets[i], offsets[i + 1]):
            count = append_atom(st, count, component[k], shift[k], c[k], np.sign(c[k]))
            c[k] = 0.0
        count = slide(st, count, oracle, alpha, accuracy, 0.1 * accuracy)
        for k in range(count):
            c[offsets[i] + k], shift[offsets[i] + k] = st.c[k], st.shift[k]
            component[offsets[i] + k] = st.component[k]


FEW_MISSING = 256
"""Missing entries of a sample up to which each is a row of a table to subtract; beyond, transforms
are quicker."""

COMPLETE, CANCELLED = 0.1, 1e-5
"""Errors of look-ups, in parts of tol: of complete data, and where entries are missing. Of an atom
that is hardly observed, little is left of its inner products once what is missing is subtracted."""


class CircleTables:
    """What is looked up of components A (q, F, 1, channels), each made when first needed.

    Attributes
    ----------
    complete, masked : dict
        From each of `DENSITIES` to the tables for samples without missing entries, and with some;
        no `masked` where components are no signals in time.
    """

    def __init__(self, representation: CircleRepresentation, A: Blocks) -> None:
        self.complete: dict[float, Once[Tables]] = {
            float(density): Once(partial(build_tables, A, representation.cells, float(density)))
            for density in DENSITIES
        }
        self.masked: dict[float, Once[Tables]] = {}
        if isinstance(representation, TimeShift):
            for density in map(float, DENSITIES):
                make = partial(tabulate_with_entries, representation, A, density)
                self.masked[density] = Once(make)


@dataclass(frozen=True)
class Sliding(TabulatingCoder[CircleTables]):
    """Off-the-grid lasso (sliding Frank-Wolfe) on a circle, as that of continuous shifts.

    Parameters
    ----------
    tol : float
        Relative duality gap at which a sample is done.
    max_iter : int
        Rounds of adding atoms, per sample.
    max_atoms : int
        Capacity for atoms at first. It is doubled for a sample that needs more, so that memory
        follows the atoms found.

    Notes
    -----
    Shifts t are positions on the circle, in resolution cells: ``element * cells / period``, which
    for shifts of signals are samples. In the atomic view the coding problem is

        min over atoms (j_k, t_k, c_k)   1/2 ||y - sum_k c_k a_{j_k}(. - t_k)||^2 + alpha sum |c_k|,

    a lasso over infinitely many columns. New atoms enter where the certificate
    ``|<r, a_j(. - t)>|`` exceeds alpha; then coefficients alone, and coefficients and shifts
    together, are brought to a stationary point by Newton's method. Atoms whose coefficient
    reaches zero are removed, coinciding ones merge, until the certificate nowhere exceeds alpha on
    a grid refined by Newton's method. A maximum can hide between grid points next to a flat one:
    the exact certificate finds it, and the sample is coded again with an atom there and a smaller
    tolerance.

    Where entries are missing, the atoms of signals in time slide too; those of any other circle
    move as those of any group do (`Growing`).

    Examples
    --------
    >>> Sliding(tol=1e-8)
    Sliding(tol=1e-08, max_iter=100, max_atoms=60)
    """

    tol: float = 1e-4
    max_iter: int = 100
    max_atoms: int = 60
    codes_masked: ClassVar[bool] = True

    def serves(self, representation: Representation) -> bool:
        return isinstance(representation, CircleRepresentation)

    def stricter(self) -> Sliding:
        return replace(self, tol=0.3 * self.tol, max_iter=min(3 * self.max_iter, LARGEST_COUNT))

    def tabulate(self, representation: Representation, A: Blocks) -> CircleTables:
        assert isinstance(representation, CircleRepresentation)
        return CircleTables(representation, A)

    def solve_with(self, tables: CircleTables, problem: Problem, warm: Atoms | None) -> Atoms:
        if problem.masked is None:
            return self._solve_each(tables, problem, None, warm)
        if isinstance(problem.representation, TimeShift):
            missing = missing_in_time(problem.representation, problem)
            if missing.most <= FEW_MISSING:
                return self._solve_each(tables, problem, missing, warm)
        refine: Refine = NewtonRefinement(0.3 * self.tol)
        if tables.masked:
            look_up = partial(self._look_up, tables.masked, problem, CANCELLED)
            refine = SlidingRefinement(look_up, 0.1 * self.tol)
        return solve_by_columns(problem, warm, refine, 0.8 * self.tol, self.max_iter)

    def _solve_each(
        self,
        tables_of: CircleTables,
        problem: Problem,
        missing: MissingEntries | None,
        warm: Atoms | None,
    ) -> Atoms:
        """Code one sample after the other, of which no entry is missing, or few are."""
        circle, Y, A, energy = problem.representation, problem.Y, problem.A, problem.energy()
        assert isinstance(circle, CircleRepresentation)
        candidates, share = tables_of.complete, COMPLETE
        if missing is not None:
            candidates, share = tables_of.masked, CANCELLED
        tables, density, radius = self._look_up(candidates, problem, share, energy)
        targets = targets_of(Y, A, tables.half_size, energy, density, radius)
        start = in_cells(circle, warm or Atoms.none(len(Y), len(A), 1))

        def continue_codes(
            chosen: Chosen, atoms: Atoms, capacity: int
        ) -> tuple[Atoms, NDArray[np.bool_]]:
            workspace = None if missing is None else missing.take(chosen)
            return self._continue(
                problem.alpha, tables, targets.take(chosen), workspace, atoms, capacity
            )

        most = 3 * circle.cells * A.shape[3] + 8
        return in_period(circle, with_growing_capacity(continue_codes, start, self.max_atoms, most))

    def _look_up(
        self, candidates: dict[float, Once[Tables]], problem: Problem, share: float, energy: Floats
    ) -> tuple[Tables, Floats, Floats]:
        """Return the tables that data of such energies need, and how each of them uses these."""
        representation = problem.representation
        assert isinstance(representation, CircleRepresentation)
        accuracy = share * self.tol * problem.alpha / np.maximum(np.sqrt(energy), 1e-300)
        density, radius = trust(accuracy, highest_frequency(problem.A, representation.cells))
        return candidates[float(density.max())](), density, radius

    def _continue(
        self,
        alpha: float,
        tables: Tables,
        targets: Targets,
        missing: MissingEntries | None,
        warm: Atoms,
        capacity: int,
    ) -> tuple[Atoms, NDArray[np.bool_]]:
        """Code some samples from the atoms they have, up to a capacity; return who is full."""
        n, q, width = len(warm), warm.n_components, tables.derivative.shape[1]
        behind = 0 if missing is None else missing.most
        workspace = None if missing is None else missing_workspace(missing, capacity)
        counts, full = np.zeros(n, np.int64), np.zeros(n, np.bool_)
        component, (shift, c) = np.zeros((n, capacity), np.int64), np.empty((2, n, capacity))
        search_samples(
            make_state(capacity, width, behind), make_peaks(q, tables.half_size), targets,
            workspace, tables, alpha, 0.95 * self.tol, self.max_iter,
            (warm.offsets, warm.component, warm.element[:, 0], warm.coefficient),
            (counts, component, shift, c, full),
        )  # fmt: skip
        return Atoms.of_rows(q, counts, component, c, shift[:, :, None]), full


def in_cells(circle: CircleRepresentation, atoms: Atoms) -> Atoms:
    """Return the same atoms with positions on the circle in cells."""
    return replace(atoms, element=atoms.element * (circle.cells / circle.period))


def in_period(circle: CircleRepresentation, atoms: Atoms) -> Atoms:
    """Return the same atoms with positions on the circle in the unit of its parameter."""
    element = atoms.element * (circle.period / circle.cells)
    return replace(atoms, element=np.mod(element, circle.period))  # rounding may reach the period
