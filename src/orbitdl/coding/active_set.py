"""The exact lasso on the orbits of a finite group.

Inner products of transformed components are laid out so that each is one look-up. Atom number
``h * q + l`` is component l transformed by the element numbered h. The Gram matrix is
``<g a_j, h a_l> = table[j, g^-1 h, l]``, a table of ``q * q * |G|`` numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from orbitdl.arrays.blocks import Blocks, Floats, Integers
from orbitdl.coding.atoms import Atoms
from orbitdl.coding.base import TabulatingCoder
from orbitdl.coding.memory import Chosen, with_growing_capacity
from orbitdl.coding.missing_entries import MissingEntries, missing_entries, unit_vectors
from orbitdl.coding.orbit_lasso import solve_orbit_lassos
from orbitdl.coding.parallel import Once
from orbitdl.coding.problem import Problem
from orbitdl.coding.working_set import refit_coefficients, solve_by_columns
from orbitdl.groups.base import Representation
from orbitdl.groups.finite_representation import FiniteRepresentation

CAPACITY = 64
"""Atoms of a sample at first; twice as many for one that needs more."""
MAX_UNIT_PRODUCTS = 2**22
"""Inner products of unit vectors that are tabulated at most: 32 MB."""
FEW_MISSING = 1024
"""Missing entries of a data point up to which each is a row of a table to subtract; beyond,
transforms are quicker."""


MOST_PRODUCTS = 2**16
"""Inner products up to which all of them are written out where quotients need a table."""


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
    codes_masked: ClassVar[bool] = True

    def serves(self, representation: Representation) -> bool:
        return isinstance(representation, FiniteRepresentation)

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


class Orbits(NamedTuple):
    """Inner products of all N = q * |G| atoms.

    That of a and b is ``products[row[a] + shift[divisor[a], element[b]] + component[b]]``.

    Attributes
    ----------
    products : ndarray of shape (K,)
    row, divisor : ndarray of shape (N,)
        With those of entries, (N + entries,): entry e, as a unit vector, has the number N + e.
    element, component : ndarray of shape (N,)
    shift : ndarray of shape (T, E)
    run : int
        So many atoms, from each multiple of it on, have consecutive positions.
    """

    products: Floats
    row: Integers
    divisor: Integers
    shift: Integers
    element: Integers
    component: Integers
    run: int


def inner_products(representation: FiniteRepresentation, A: Blocks) -> Orbits:
    """Return the inner products of all transformed components, which depend on ``g^-1 h`` only."""
    q, size = len(A), representation.size
    table = representation.products(A, A).reshape(q, size, q)
    if size > 1 and representation.cycles:
        return over_two_periods(table, representation.cycles)
    if size == 1 or (q * size) ** 2 <= MOST_PRODUCTS:
        return written_out(table[:, representation.quotient].swapaxes(0, 1))
    g, j = np.divmod(np.arange(q * size), q)
    return Orbits(table.ravel(), j * size * q, g, representation.quotient * q, g, j, q)


def inner_products_with_entries(representation: FiniteRepresentation, A: Blocks) -> Orbits:
    """Return the same, with the inner products of all entries, as unit vectors, with all atoms."""
    orbits, q, size = inner_products(representation, A), len(A), representation.size
    first, source, number = representation.entries()
    units = representation.analyze(unit_vectors(first, representation.shape))
    table = representation.products(units, A).reshape(len(first), size, q)
    row, divisor = source * size * q, np.zeros_like(number)
    if size > 1 and representation.cycles:
        spread = unroll(representation.cycles)
        table = table[:, spread.number]
        row = (source * len(spread.number) + spread.origin - spread.position[number]) * q
    elif orbits.shift.size > 1:
        divisor = number
    else:
        table = table[source[:, None], representation.quotient[number]]
        row = np.arange(len(number)) * size * q
    return orbits._replace(
        products=np.concatenate([orbits.products, table.ravel()]),
        row=np.concatenate([orbits.row, len(orbits.products) + row]),
        divisor=np.concatenate([orbits.divisor, divisor]),
    )


def written_out(gram: Floats) -> Orbits:
    """Return all products, (|G|, q, |G|, q): every atom is like a component of its own."""
    every = np.arange(gram.shape[0] * gram.shape[1])
    n, none = len(every), np.zeros_like(every)
    return Orbits(gram.ravel(), every * n, none, np.zeros((1, 1), np.intp), none, every, n)


def over_two_periods(table: Floats, cycles: tuple[int, ...]) -> Orbits:
    """Return the products of a product of cyclic groups, where quotients are differences.

    A row of the Gram matrix is then made of contiguous slices: of one, if the group is cyclic.
    """
    (q, size, _), spread = table.shape, unroll(cycles)
    g, j = np.divmod(np.arange(q * size), q)
    products = table[:, spread.number].ravel()
    row = (j * len(spread.number) + spread.origin - spread.position[g]) * q
    return Orbits(products, row, np.zeros_like(g), spread.position[None] * q, g, j, cycles[-1] * q)


# Products of cyclic groups laid out over two periods, so that quotients are differences


class Unrolled(NamedTuple):
    """Where elements lie in a list that repeats them.

    Attributes
    ----------
    number : ndarray of shape (K,)
        The element at every position of the list.
    position : ndarray of shape (size,)
        Of every element, such that ``g^-1 h`` is at ``position[h] - position[g] + origin``.
    origin : int
    """

    number: Integers
    position: Integers
    origin: int


def unroll(cycles: tuple[int, ...]) -> Unrolled:
    """Lay out a product of cyclic groups, elements in order, the last cycle fastest.

    Notes
    -----
    A difference of two coordinates in a cycle of size N is one of ``-(N - 1) .. N - 1``: the list
    has them all, ``2 N - 1`` in a row. The last cycle has one more, so that a single cycle is
    just there twice. As far as the last cycle runs, consecutive elements have consecutive
    positions.

    Examples
    --------
    >>> unroll((3,))
    Unrolled(number=array([0, 1, 2, 0, 1, 2]), position=array([0, 1, 2]), origin=3)
    """
    lowest = [size - 1 for size in cycles[:-1]] + [cycles[-1]]
    widths = [2 * size - 1 for size in cycles[:-1]] + [2 * cycles[-1]]
    steps = np.indices(widths).reshape(len(cycles), -1) - np.array(lowest)[:, None]
    number = np.asarray(np.ravel_multi_index(tuple(steps), cycles, mode="wrap"))
    own = tuple(np.indices(cycles).reshape(len(cycles), -1))
    position = np.asarray(np.ravel_multi_index(own, tuple(widths)))
    return Unrolled(number, position, int(np.ravel_multi_index(tuple(lowest), tuple(widths))))
