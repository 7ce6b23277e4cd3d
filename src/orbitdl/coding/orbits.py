"""Inner products of all transformed components, laid out so that each is one look-up.

Atom number ``h * q + l`` is component l transformed by the element numbered h. The Gram matrix is
``<g a_j, h a_l> = table[j, g^-1 h, l]``, a table of ``q * q * |G|`` numbers.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from orbitdl.coding.missing_entries import unit_vectors
from orbitdl.groups.base import Blocks, Floats, Integers
from orbitdl.groups.finite_representation import FiniteRepresentation

MOST_PRODUCTS = 2**16
"""Inner products up to which all of them are written out where quotients need a table."""


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
