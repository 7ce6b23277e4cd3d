"""The exact lasso on the orbits of a finite group."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from orbitdl.codes import Atoms
from orbitdl.coding.base import TabulatingCoder
from orbitdl.coding.lasso_kernel import Orbits, make_active, solve_all
from orbitdl.coding.once import Once
from orbitdl.coding.parallel import in_chunks
from orbitdl.coding.problem import Problem
from orbitdl.coding.room import Chosen, in_growing_room
from orbitdl.coding.unrolled import unroll
from orbitdl.coding.working_set import grow, settle_coefficients
from orbitdl.groups.base import Blocks, Floats, Representation, inner
from orbitdl.groups.listed import ListedRepresentation

ROOM = 64
"""Atoms that there is room for at first; twice as many for a sample that needs more."""


@dataclass(frozen=True)
class ActiveSet(TabulatingCoder[Once[Orbits]]):
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
        return isinstance(representation, ListedRepresentation)

    @property
    def codes_masked(self) -> bool:
        return True

    def tabulate(self, representation: Representation, A: Blocks) -> Once[Orbits]:
        assert isinstance(representation, ListedRepresentation)
        return Once(partial(inner_products, representation, A))

    def solve_with(
        self, tables: Once[Orbits], problem: Problem, warm: Atoms | None, n_jobs: int | None
    ) -> Atoms:
        if problem.masked is not None:
            tol, rounds = 0.9 * self.tol, self.max_iter
            return grow(problem, warm, settle_coefficients, tol=tol, max_iter=rounds, n_jobs=n_jobs)
        representation, Y, A = problem.representation, problem.Y, problem.A
        assert isinstance(representation, ListedRepresentation)
        orbits = tables()
        known = warm or Atoms.none(len(Y), len(A), len(representation.parameters))
        most = representation.size * len(A)

        def solve_chunk(chunk: slice) -> Atoms:
            products = representation.products(Y[chunk], A), inner(Y[chunk], Y[chunk])
            go_on = partial(self._go_on, representation, problem.alpha, orbits, products)
            return in_growing_room(go_on, known.take(chunk), ROOM, most)

        return in_chunks(solve_chunk, len(Y), n_jobs)

    def _go_on(
        self,
        representation: ListedRepresentation,
        alpha: float,
        orbits: Orbits,
        products: tuple[Floats, Floats],
        chosen: Chosen,
        warm: Atoms,
        room: int,
    ) -> tuple[Atoms, NDArray[np.bool_]]:
        """Code some samples from the atoms they have, in room for so many; say who is full."""
        n, q = len(warm), len(orbits.table)
        number = representation.index(warm.element) * q + warm.component
        counts = np.zeros(n, dtype=np.int64)
        atoms, c = np.zeros((n, room), dtype=np.int64), np.empty((n, room))
        solve_all(
            make_active(room, products[0].shape[1]), *(values[chosen] for values in products),
            alpha, 0.9 * self.tol, self.max_iter, orbits,
            (warm.offsets, number, warm.coefficient), counts, atoms, c,
        )  # fmt: skip
        g, component = np.divmod(atoms, q)
        return Atoms.of_rows(q, counts, component, c, representation.elements[g]), counts == room


def inner_products(representation: ListedRepresentation, A: Blocks) -> Orbits:
    """Return the inner products of all moved components, which depend on ``g^-1 h`` only."""
    q, size = len(A), representation.size
    table = representation.products(A, A).reshape(q, size, q)
    if not representation.cycles:
        return Orbits(table, representation.quotient, np.zeros(0, np.intp), 0, 1)
    spread = unroll(representation.cycles)
    none = np.zeros((0, 0), np.intp)
    unrolled = np.ascontiguousarray(table[:, spread.number])
    return Orbits(unrolled, none, spread.place, spread.origin, representation.cycles[-1])
