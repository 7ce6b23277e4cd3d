"""The exact lasso on the orbits of a finite group."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from orbitdl.coding.atoms import Atoms
from orbitdl.coding.base import TabulatingCoder
from orbitdl.coding.first_use import Once
from orbitdl.coding.memory import Chosen, with_growing_capacity
from orbitdl.coding.missing_entries import MissingEntries, missing_entries
from orbitdl.coding.orbit_lasso import solve_orbit_lassos
from orbitdl.coding.orbits import Orbits, inner_products, inner_products_with_entries
from orbitdl.coding.problem import Problem
from orbitdl.coding.working_set import refit_coefficients, solve_by_columns
from orbitdl.groups.base import Blocks, Floats, Representation
from orbitdl.groups.finite_representation import FiniteRepresentation

CAPACITY = 64
"""Atoms of a sample at first; twice as many for one that needs more."""
MAX_UNIT_PRODUCTS = 2**22
"""Inner products of unit vectors that are tabulated at most: 32 MB."""
FEW_MISSING = 1024
"""Missing entries of a data point up to which each is a row of a table to subtract; beyond,
transforms are quicker."""


class GramTables:
    """What is looked up of components A (q, F, d, m), each made when first needed.

    Attributes
    ----------
    complete, masked : Once
        Inner products of components, and with unit vectors too, for samples with missing entries.
    """

    def __init__(self, representation: FiniteRepresentation, A: Blocks) -> None:
        self.complete = Once(partial(inner_products, representation, A))
        self.masked = Once(partial(inner_products_with_entries, representation, A))


@dataclass(frozen=True)
class ActiveSet(TabulatingCoder[GramTables]):
    """Exact lasso over all transformed components of a finite group.

    Parameters
    ----------
    tol : float
        Relative duality gap at which a sample is done.
    max_iter : int
        Rounds of growing the active set, per sample.

    Notes
    -----
    Correlations of all samples with all ``q * |G|`` transformed components come from one batched
    transform, or one matrix product with the listed orbits, and the Gram matrix from
    ``<g a_j, h a_l> = <a_j, g^-1 h a_l>``, a table of ``q * q * |G|`` numbers.

    Examples
    --------
    >>> ActiveSet(tol=1e-6)
    ActiveSet(tol=1e-06, max_iter=1000)
    """

    tol: float = 1e-4
    max_iter: int = 1000

    def serves(self, representation: Representation) -> bool:
        return isinstance(representation, FiniteRepresentation)

    @property
    def codes_masked(self) -> bool:
        return True

    def tabulate(self, representation: Representation, A: Blocks) -> GramTables:
        assert isinstance(representation, FiniteRepresentation)
        return GramTables(representation, A)

    def solve_with(self, tables: GramTables, problem: Problem, warm: Atoms | None) -> Atoms:
        representation, Y, A = problem.representation, problem.Y, problem.A
        assert isinstance(representation, FiniteRepresentation)
        missing = missing_if_few(representation, problem)
        if problem.masked is not None and missing is None:
            return solve_by_columns(
                problem, warm, refit_coefficients, 0.9 * self.tol, self.max_iter
            )
        orbits = tables.complete() if missing is None else tables.masked()
        start = warm or Atoms.none(len(Y), len(A), len(representation.parameters))
        products, energy = representation.products(Y, A), problem.energy()

        def continue_codes(
            chosen: Chosen, atoms: Atoms, capacity: int
        ) -> tuple[Atoms, NDArray[np.bool_]]:
            own_missing = None if missing is None else missing.take(chosen)
            data = products[chosen], energy[chosen], problem.alpha
            return self._continue(representation, data, orbits, own_missing, atoms, capacity)

        return with_growing_capacity(continue_codes, start, CAPACITY, representation.size * len(A))

    def _continue(
        self,
        representation: FiniteRepresentation,
        data: tuple[Floats, Floats, float],
        orbits: Orbits,
        missing: MissingEntries | None,
        warm: Atoms,
        capacity: int,
    ) -> tuple[Atoms, NDArray[np.bool_]]:
        """Code some samples from the atoms they have, up to a capacity; return who is full."""
        n, q = len(warm), warm.n_components
        number = representation.index(warm.element) * q + warm.component
        counts = np.zeros(n, dtype=np.int64)
        atoms, c = np.empty((n, capacity), dtype=np.int64), np.empty((n, capacity))
        solve_orbit_lassos(
            *data, 0.9 * self.tol, self.max_iter, orbits, missing,
            (warm.offsets, number, warm.coefficient), (counts, atoms, c),
        )  # fmt: skip
        filled = np.arange(capacity) < counts[:, None]
        g, component = np.divmod(atoms[filled], q)
        offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.intp)
        found = Atoms(q, offsets, component, c[filled], representation.elements[g])
        return found, counts == capacity


def missing_if_few(representation: FiniteRepresentation, problem: Problem) -> MissingEntries | None:
    """Return the missing entries, where there are some, and few enough to look them up."""
    if problem.masked is None:
        return None
    first, _, number = representation.entries()
    n_atoms = representation.size * len(problem.A)
    missing = missing_entries(problem.masked.observed, n_atoms + np.arange(len(number)), number)
    return (
        missing
        if missing.most <= FEW_MISSING and len(first) * n_atoms <= MAX_UNIT_PRODUCTS
        else None
    )
