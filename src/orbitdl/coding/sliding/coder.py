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
from orbitdl.coding.missing_entries import Missing
from orbitdl.coding.parallel import in_chunks
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
from orbitdl.coding.workspace import Chosen, in_growing_room
from orbitdl.groups.base import Blocks, Floats, Representation
from orbitdl.groups.circle import CircleRepresentation
from orbitdl.groups.signals.time_shift import TimeShift

VALUES = 2**25
"""Grid values kept at a time: 128 MB."""


FEW = 256
"""Missing entries of a sample up to which each is a row of a table to subtract; beyond, transforms
are quicker."""

WHOLE, CANCELLED = 0.1, 1e-5
"""Errors of look-ups, in parts of tol: of complete data, and where entries are missing. Of an atom
that is hardly observed, little is left of its inner products once what is missing is subtracted."""


class Lookups:
    """What is looked up of components A (q, F, 1, channels), each made when first needed.

    Attributes
    ----------
    whole, masked : dict
        From each of `DENSITIES` to the tables for samples without missing entries, and with some;
        no `masked` where components are no signals in time.
    """

    def __init__(self, representation: CircleRepresentation, A: Blocks) -> None:
        self.whole: dict[float, Once[Tables]] = {
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

    def solve_with(
        self, tables: Lookups, problem: Problem, warm: Atoms | None, n_jobs: int | None
    ) -> Atoms:
        if problem.masked is None:
            return self._solve_one_by_one(tables, problem, None, warm, n_jobs)
        if isinstance(problem.representation, TimeShift):
            missing = missing_in_time(problem.representation, problem)
            if missing.most <= FEW:
                return self._solve_one_by_one(tables, problem, missing, warm, n_jobs)
        return self._solve_together(tables, problem, warm, n_jobs)

    def _solve_together(
        self, lookups: Lookups, problem: Problem, warm: Atoms | None, n_jobs: int | None
    ) -> Atoms:
        """Code samples with missing entries, all of them a round at a time."""
        refine: Refine = MoveAtoms(0.3 * self.tol)
        if lookups.masked:
            look_up = partial(self._look_up, lookups.masked, problem, CANCELLED)
            refine = SlideAtoms(look_up, 0.1 * self.tol)
        tol, rounds = 0.8 * self.tol, self.max_iter
        return grow(problem, warm, refine, tol=tol, max_iter=rounds, n_jobs=n_jobs)

    def _solve_one_by_one(
        self,
        lookups: Lookups,
        problem: Problem,
        missing: Missing | None,
        warm: Atoms | None,
        n_jobs: int | None,
    ) -> Atoms:
        """Code samples without missing entries, or with these."""
        representation, Y, A = problem.representation, problem.Y, problem.A
        alpha = problem.alpha
        assert isinstance(representation, CircleRepresentation)
        energy = problem.energy()
        made, part = (lookups.whole, WHOLE) if missing is None else (lookups.masked, CANCELLED)
        tables, density, reach = self._look_up(made, problem, part, energy)
        known = in_cells(representation, warm or Atoms.none(len(Y), len(A), 1))
        most = 3 * representation.cells * A.shape[3] + 8

        def solve_chunk(chunk: slice) -> Atoms:
            own = energy[chunk], density[chunk], reach[chunk]
            samples = targets_of(Y[chunk], A, tables.half_size, *own)
            gaps = None if missing is None else missing.take(chunk)
            go_on = partial(self._go_on, alpha, tables, samples, gaps)
            return in_growing_room(go_on, known.take(chunk), self.max_atoms, most)

        together = max(VALUES // (2 * len(A) * tables.half_size), 1)
        return in_period(representation, in_chunks(solve_chunk, len(Y), n_jobs, min(together, 512)))

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
        samples: Targets,
        missing: Missing | None,
        chosen: Chosen,
        warm: Atoms,
        room: int,
    ) -> tuple[Atoms, NDArray[np.bool_]]:
        """Code some samples from the atoms they have, in room for so many; say who is full."""
        q, size = warm.n_components, tables.half_size
        n, width, own = len(warm), tables.derivative.shape[1], None
        behind = 0 if missing is None else missing.most
        if missing is not None:
            own = room_for(missing.take(chosen), room)
        counts, full = np.zeros(n, np.int64), np.zeros(n, np.bool_)
        component, (shift, c) = np.zeros((n, room), np.int64), np.empty((2, n, room))
        solve_all(
            make_state(room, width, behind), make_peaks(q, size), samples.take(chosen), own, tables,
            alpha, 0.95 * self.tol, self.max_iter,
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
