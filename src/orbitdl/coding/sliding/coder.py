"""Circles off the grid: atoms that slide to where they belong."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from orbitdl.arrays.validation import LARGEST_COUNT
from orbitdl.coding.base import TabulatingCoder
from orbitdl.coding.codes import Atoms
from orbitdl.coding.first_use import Once
from orbitdl.coding.growing.moving import MoveAtoms
from orbitdl.coding.memory import Chosen, with_growing_capacity
from orbitdl.coding.missing_entries import Missing
from orbitdl.coding.problem import Problem
from orbitdl.coding.sliding.masked import SlideAtoms
from orbitdl.coding.sliding.missing import missing_in_time, room_for, tabulate_with_entries
from orbitdl.coding.sliding.peaks import make_peaks
from orbitdl.coding.sliding.search import solve_all
from orbitdl.coding.sliding.state import make_state
from orbitdl.coding.sliding.tables import (
    DENSITIES,
    Tables,
    build_tables,
    highest_frequency,
    trust,
)
from orbitdl.coding.sliding.targets import Targets, targets_of
from orbitdl.coding.working_set import Refine, grow
from orbitdl.groups.base import Blocks, Floats, Representation
from orbitdl.groups.circle import CircleRepresentation
from orbitdl.groups.signals.time_shift import TimeShift

FEW = 256
"""Missing entries of a sample up to which each is a row of a table to subtract; beyond, transforms
are quicker."""

COMPLETE, CANCELLED = 0.1, 1e-5
"""Errors of look-ups, in parts of tol: of complete data, and where entries are missing. Of an atom
that is hardly observed, little is left of its inner products once what is missing is subtracted."""


class Lookups:
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
class Sliding(TabulatingCoder[Lookups]):
    """Sparse measures on a circle, as that of continuous shifts, solved off the grid.

    Parameters
    ----------
    tol : float
        Relative duality gap at which a sample is done.
    max_iter : int
        Rounds of adding atoms, per sample.
    max_atoms : int
        Atoms that there is room for at first. The room is doubled for a sample that needs more, so
        that memory follows the atoms found.

    Notes
    -----
    Shifts t are places on the circle, in resolution cells: ``element * cells / period``, which for
    shifts of signals are samples. In the atomic view the coding problem is

        min over atoms (j_k, t_k, c_k)   1/2 ||y - sum_k c_k a_{j_k}(. - t_k)||^2 + alpha sum |c_k|,

    a lasso over infinitely many columns. New atoms enter where the certificate
    ``|<r, a_j(. - t)>|`` exceeds alpha; then coefficients alone, and coefficients and shifts
    together, are brought to a stationary point by Newton's method. Atoms whose coefficient
    reaches zero leave, coinciding ones merge, until the certificate nowhere exceeds alpha on a
    grid refined by Newton's method. A maximum can hide between grid points beside a flat one: the
    exact certificate finds it, and the sample goes back with an atom there, and a tighter aim.

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

    def serves(self, representation: Representation) -> bool:
        return isinstance(representation, CircleRepresentation)

    def stricter(self) -> Sliding:
        return replace(self, tol=0.3 * self.tol, max_iter=min(3 * self.max_iter, LARGEST_COUNT))

    @property
    def codes_masked(self) -> bool:
        return True

    def tabulate(self, representation: Representation, A: Blocks) -> Lookups:
        assert isinstance(representation, CircleRepresentation)
        return Lookups(representation, A)

    def solve_with(self, tables: Lookups, problem: Problem, warm: Atoms | None) -> Atoms:
        if problem.masked is None:
            return self._solve_each(tables, problem, None, warm)
        if isinstance(problem.representation, TimeShift):
            missing = missing_in_time(problem.representation, problem)
            if missing.most <= FEW:
                return self._solve_each(tables, problem, missing, warm)
        refine: Refine = MoveAtoms(0.3 * self.tol)
        if tables.masked:
            look_up = partial(self._look_up, tables.masked, problem, CANCELLED)
            refine = SlideAtoms(look_up, 0.1 * self.tol)
        return grow(problem, warm, refine, 0.8 * self.tol, self.max_iter)

    def _solve_each(
        self, lookups: Lookups, problem: Problem, missing: Missing | None, warm: Atoms | None
    ) -> Atoms:
        """Code one sample after the other, of which nothing is missing, or few entries."""
        circle, Y, A, energy = problem.representation, problem.Y, problem.A, problem.energy()
        assert isinstance(circle, CircleRepresentation)
        made, part = lookups.complete, COMPLETE
        if missing is not None:
            made, part = lookups.masked, CANCELLED
        tables, density, reach = self._look_up(made, problem, part, energy)
        targets = targets_of(Y, A, tables.half_size, energy, density, reach)
        known = in_cells(circle, warm or Atoms.none(len(Y), len(A), 1))

        def go_on(chosen: Chosen, atoms: Atoms, capacity: int) -> tuple[Atoms, NDArray[np.bool_]]:
            own = None if missing is None else missing.take(chosen)
            return self._go_on(problem.alpha, tables, targets.take(chosen), own, atoms, capacity)

        most = 3 * circle.cells * A.shape[3] + 8
        return in_period(circle, with_growing_capacity(go_on, known, self.max_atoms, most))

    def _look_up(
        self, made: dict[float, Once[Tables]], problem: Problem, part: float, energy: Floats
    ) -> tuple[Tables, Floats, Floats]:
        """Return the tables that data of such energies need, and how each of them uses these."""
        representation = problem.representation
        assert isinstance(representation, CircleRepresentation)
        accuracy = part * self.tol * problem.alpha / np.maximum(np.sqrt(energy), 1e-300)
        density, reach = trust(accuracy, highest_frequency(problem.A, representation.cells))
        return made[float(density.max())](), density, reach

    def _go_on(
        self,
        alpha: float,
        tables: Tables,
        targets: Targets,
        missing: Missing | None,
        warm: Atoms,
        capacity: int,
    ) -> tuple[Atoms, NDArray[np.bool_]]:
        """Code some samples from the atoms they have, up to a capacity; return who is full."""
        n, q, width = len(warm), warm.n_components, tables.derivative.shape[1]
        behind = 0 if missing is None else missing.most
        own = None if missing is None else room_for(missing, capacity)
        counts, full = np.zeros(n, np.int64), np.zeros(n, np.bool_)
        component, (shift, c) = np.zeros((n, capacity), np.int64), np.empty((2, n, capacity))
        solve_all(
            make_state(capacity, width, behind), make_peaks(q, tables.half_size), targets, own,
            tables, alpha, 0.95 * self.tol, self.max_iter,
            (warm.offsets, warm.component, warm.element[:, 0], warm.coefficient),
            (counts, component, shift, c, full),
        )  # fmt: skip
        return Atoms.of_rows(q, counts, component, c, shift[:, :, None]), full


def in_cells(circle: CircleRepresentation, atoms: Atoms) -> Atoms:
    """Return the same atoms with places on the circle measured in cells."""
    return replace(atoms, element=atoms.element * (circle.cells / circle.period))


def in_period(circle: CircleRepresentation, atoms: Atoms) -> Atoms:
    """Return the same atoms with places on the circle in the unit of its parameter again."""
    element = atoms.element * (circle.period / circle.cells)
    return replace(atoms, element=np.mod(element, circle.period))  # rounding may end the turn
