"""How much memory coding takes: batches of samples, and capacities, within a number of bytes.

Beside the data, their codes and the tables of components, a thread works in `WORKSPACE` bytes. It
takes fewer samples at a time where each needs more, down to a single one. The square matrices of
the atoms of one sample come on top: they follow the atoms that are found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orbitdl.arrays.blocks import Integers
from orbitdl.coding.atoms import Atoms
from orbitdl.groups.base import Representation
from orbitdl.groups.finite_representation import FiniteRepresentation

WORKSPACE = 2**27
"""Bytes of a thread, 128 MB: batches of data of common sizes, up to some hundred numbers a sample,
are as large as `BATCH` then."""
BATCH = 512
"""Samples of a batch at most: the overhead of calls is small by then."""
COPIES = 5
"""Arrays of one size that are there at once at most, such as a spectrum, its inverse transform and
what is sorted out of it."""
FINENESS = 3
"""Points of a grid on which a correlation is evaluated, per number that makes it up and direction,
of which two are put on grids at most."""
ATOM = 64
"""Bytes of an atom where codes are assembled: numbers, coefficient, parameters, and copies."""

Chosen = slice | NDArray[np.bool_] | Integers
Solve = Callable[[Chosen, Atoms, int], tuple[Atoms, NDArray[Any]]]
"""Continues the codes of some samples up to a capacity of atoms; returns which are full (n,)."""


def block_bytes(representation: Representation) -> int:
    """Return the bytes of one signal in block coordinates."""
    return int(np.prod(representation.block_shape)) * np.dtype(representation.dtype).itemsize


def correlation_bytes(representation: Representation, q: int) -> int:
    """Return the bytes a sample needs while it is correlated with the orbits of q components."""
    n_blocks, d, _ = representation.block_shape
    matrices = n_blocks * d * d * np.dtype(representation.dtype).itemsize
    values = int(FINENESS ** min(representation.dimension, 2)) * matrices
    if isinstance(representation, FiniteRepresentation):
        values = 8 * representation.size
    return COPIES * (block_bytes(representation) + q * max(matrices, values))


def batch_size(each: int, largest: int) -> int:
    """Return how many samples are coded at a time if each needs so many bytes."""
    return min(max(WORKSPACE // each, 1), largest)


def batches(sizes: Integers) -> Iterator[slice]:
    """Split samples, given the bytes that each needs, into runs that fit into the workspace.

    Examples
    --------
    >>> list(batches(np.array([2, 2, 9, 1]) * (WORKSPACE // 4)))
    [slice(0, 2, None), slice(2, 3, None), slice(3, 4, None)]
    """
    first, total = 0, 0
    for k, size in enumerate(sizes.tolist()):
        if k > first and total + size > WORKSPACE:
            yield slice(first, k)
            first, total = k, 0
        total += size
    if len(sizes):
        yield slice(first, len(sizes))


def with_growing_capacity(solve: Solve, atoms: Atoms, capacity: int, most: int) -> Atoms:
    """Solve for every sample from the atoms given; those that are full go on with twice as many.

    No sample needs more than `most`, or than it has: the last capacity is larger than that.
    """
    waiting = np.ones(len(atoms), dtype=np.bool_)
    most = max(most, int(atoms.counts.max(initial=0)))
    capacity = min(capacity, most)
    while waiting.any() and capacity <= 2 * most:
        fitting = np.flatnonzero(waiting & (atoms.counts <= capacity))
        for part in batches(np.full(len(fitting), ATOM * capacity)):
            chosen = fitting[part]
            everyone = len(chosen) == len(atoms)
            found, full = solve(slice(None) if everyone else chosen, atoms.take(chosen), capacity)
            waiting[chosen] = full
            mask = np.zeros(len(atoms), dtype=np.bool_)
            mask[chosen] = True
            atoms = atoms.replace(mask, found)
        capacity *= 2
    return atoms
