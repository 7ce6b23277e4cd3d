"""The exact lasso on the orbits of a finite group."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from orbitdl.coding.base import TabulatingCoder
from orbitdl.coding.codes import Atoms
from orbitdl.coding.first_use import Once
from orbitdl.coding.lasso_kernel import solve_all
from orbitdl.coding.missing_entries import Missing, missing_entries
from orbitdl.coding.orbits import Orbits, inner_products, inner_products_with_entries
from orbitdl.coding.parallel import in_chunks
from orbitdl.coding.problem import Problem
from orbitdl.coding.working_set import grow, settle_coefficients
from orbitdl.coding.workspace import Chosen, in_growing_room
from orbitdl.groups.base import Blocks, Floats, Representation
from orbitdl.groups.finite_representation import FiniteRepresentation

ROOM = 64
"""Atoms that there is room for at first; twice as many for a sample that needs more."""
NUMBERS = 2**22
"""Inner products of unit vectors that are tabulated at most: 32 MB."""
FEW = 1024
"""Missing entries of a data point up to which each is a row of a table to subtract; beyond,
transforms are quicker."""


class Lookups:
    """What is looked up of components A (q, F, d, m), each made when first needed.

    Attributes
    ----------
    whole, masked : Once
        Inner products of components, and with unit vectors too, for samples with missing entries.
    """

    def __init__(self, representation: FiniteRepresentation, A: Blocks) -> None:
        self.whole = Once(partial(inner_products, representation, A))
        self.masked = Once(partial(inner_products_with_entries, representation, A))


@dataclass(frozen=True)
class ActiveSet(TabulatingCoder[Lookups]):
    """Exact lasso over all moved components of a finite group.

    Parameters
    ----------
    tol : float
        Relative duality gap at which a sample is done.
    max_iter : int
        Rounds of growing the active set, per sample.

    Notes
    -----
    Correlations of all samples with all ``q * |G|`` moved components come from one batched
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

    def tabulate(self, representation: Representation, A: Blocks) -> Lookups:
        assert isinstance(representation, FiniteRepresentation)
        return Lookups(representation, A)

    def solve_with(
        self, tables: Lookups, problem: Problem, warm: Atoms | None, n_jobs: int | None
    ) -> Atoms:
        representation, Y, A = problem.representation, problem.Y, problem.A
        assert isinstance(representation, FiniteRepresentation)
        missing = missing_if_few(representation, problem)
        if problem.masked is not None and missing is None:
            tol, rounds = 0.9 * self.tol, self.max_iter
            return grow(problem, warm, settle_coefficients, tol=tol, max_iter=rounds, n_jobs=n_jobs)
        orbits = tables.whole() if missing is None else tables.masked()
        known = warm or Atoms.none(len(Y), len(A), len(representation.parameters))
        energy, most = problem.energy(), representation.size * len(A)

        def solve_chunk(chunk: slice) -> Atoms:
            products = representation.products(Y[chunk], A), energy[chunk]
            own = None if missing is None else missing.take(chunk)
            go_on = partial(self._go_on, representation, problem.alpha, orbits, products, own)
            return in_growing_room(go_on, known.take(chunk), ROOM, most)

        return in_chunks(solve_chunk, len(Y), n_jobs)

    def _go_on(
        self,
        representation: FiniteRepresentation,
        alpha: float,
        orbits: Orbits,
        products: tuple[Floats, Floats],
        missing: Missing | None,
        chosen: Chosen,
        warm: Atoms,
        room: int,
    ) -> tuple[Atoms, NDArray[np.bool_]]:
        """Code some samples from the atoms they have, in room for so many; say who is full."""
        n, q = len(warm), warm.n_components
        number = representation.index(warm.element) * q + warm.component
        counts = np.zeros(n, dtype=np.int64)
        atoms, c = np.empty((n, room), dtype=np.int64), np.empty((n, room))
        own = None if missing is None else missing.take(chosen)
        solve_all(
            *(values[chosen] for values in products), alpha, 0.9 * self.tol, self.max_iter, orbits,
            own, (warm.offsets, number, warm.coefficient), counts, atoms, c,
        )  # fmt: skip
        filled = np.arange(room) < counts[:, None]
        g, component = np.divmod(atoms[filled], q)
        offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.intp)
        found = Atoms(q, offsets, component, c[filled], representation.elements[g])
        return found, counts == room


def missing_if_few(representation: FiniteRepresentation, problem: Problem) -> Missing | None:
    """Return the missing entries, where there are some, and few enough to look them up."""
    if problem.masked is None:
        return None
    first, _, number = representation.entries()
    n_atoms = representation.size * len(problem.A)
    missing = missing_entries(problem.masked.observed, n_atoms + np.arange(len(number)), number)
    return missing if missing.most <= FEW and len(first) * n_atoms <= NUMBERS else None
