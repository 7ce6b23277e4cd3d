"""The dictionary step where entries are missing: the blocks are coupled by the masks.

With M_i keeping the observed entries of sample i and ``W_i = [Z_i1 .. Z_iq]``, the normal equations
of ``min_A 1/2 sum_i ||M_i (y_i - W_i A)||^2`` are

    H A = R,     H A = sum_i W_i^H M_i W_i A,     R = sum_i W_i^H y_i.

For few data H is formed, one block for all entries of a signal, and the step is that of complete
data. For many, H is applied, a pass over the data, and takes the place of missing entries:
without them the matrix is ``K = sum_i W_i^H W_i >= H``, small blocks, and the step of complete data

    min_A 1/2 <A, K A> - <R + (K - H) V, A>

fills them in with what V says. It never leads uphill from V; momentum makes it quick.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from orbitdl.codes import Atoms
from orbitdl.coding.certificate import CHUNK, stack, stack_components
from orbitdl.coding.problem import Masked
from orbitdl.groups.base import Blocks, Representation
from orbitdl.learning.dictionary import (
    Statistics,
    constrained_least_squares,
    least_squares,
    unstack,
)
from orbitdl.learning.unit_balls import descend

Solve = Callable[[Statistics, Blocks], Blocks]
"""A dictionary step on complete data."""

FEW = 1e9
"""Multiplications up to which H is formed."""
ACCURACY = 1e-9
"""What another pass over the data must promise to be taken, relative to what is explained."""
PASSES = 100
"""Passes over the data, at most."""
ROOM = 2**24
"""Numbers that codes may fill to be kept from one pass to the next."""


def masked_least_squares(
    representation: Representation, masked: Masked, atoms: Atoms, statistics: Statistics, A: Blocks
) -> Blocks:
    """Return the minimiser, found from A (q, F, d, m): the paper's step 2 on observed entries."""
    return _solve(least_squares, representation, masked, atoms, statistics, A)


def masked_constrained_least_squares(
    representation: Representation, masked: Masked, atoms: Atoms, statistics: Statistics, A: Blocks
) -> Blocks:
    """Return the minimiser under ``||a_j|| <= 1``, found from A (q, F, d, m)."""
    return _solve(constrained_least_squares, representation, masked, atoms, statistics, A)


def _solve(
    solve: Solve,
    representation: Representation,
    masked: Masked,
    atoms: Atoms,
    statistics: Statistics,
    A: Blocks,
) -> Blocks:
    size, q = int(np.prod(representation.shape)), len(A)
    if float(len(atoms)) * size * (q * size) ** 2 <= FEW:
        signals = representation.synthesize(A).reshape(q, 1, size, 1)
        new = solve(in_one_block(representation, masked, atoms, statistics), signals)
        return representation.analyze(new.reshape(q, *representation.shape))
    return fill_in(solve, Passes(representation, masked, atoms, A.shape), statistics, A)


def in_one_block(
    representation: Representation, masked: Masked, atoms: Atoms, statistics: Statistics
) -> Statistics:
    """Return H and R of signals: one block, on which the step is that of complete data."""
    size, q = int(np.prod(representation.shape)), len(statistics.usage)
    unit = representation.analyze(np.eye(size).reshape(size, *representation.shape))
    normal = np.zeros((q * size, q * size))
    few = max(1, CHUNK // size)
    for k in range(0, len(atoms), few):
        Z = atoms.take(slice(k, k + few)).embed(representation)
        moved = representation.synthesize(Z[:, :, None] @ unit)
        seen = moved * masked.observed[k : k + few, None, None]
        rows = seen.reshape(len(Z), q * size, size).swapaxes(0, 1).reshape(q * size, -1)
        normal += rows @ rows.T
    shape = (q, *representation.block_shape)
    right = representation.synthesize(unstack(statistics.cross, shape))
    return Statistics(normal[None], right.reshape(1, q * size, 1), statistics.usage)


def fill_in(solve: Solve, passes: Passes, statistics: Statistics, A: Blocks) -> Blocks:
    """Repeat the step of complete data, with missing entries filled in, from A."""
    right = unstack(statistics.cross, A.shape)

    def step(V: Blocks, pull: Blocks) -> Blocks:
        filled = statistics.normal @ stack_components(V) + stack_components(pull)
        return solve(Statistics(statistics.normal, filled, statistics.usage), V)

    return descend(passes.apply, right, step, A, accuracy=ACCURACY, max_iter=PASSES)


class Passes:
    """``H V = sum_i W_i^H M_i W_i V`` for components V (q, F, d, m), a chunk of data at a time."""

    def __init__(
        self, representation: Representation, masked: Masked, atoms: Atoms, shape: tuple[int, ...]
    ) -> None:
        self.representation, self.masked, self.atoms = representation, masked, atoms
        self.shape = shape
        self.chunks = [slice(k, k + CHUNK) for k in range(0, len(atoms), CHUNK)]
        numbers = len(atoms) * int(np.prod(shape[:3])) * shape[2]
        self.known = [self.codes(k) for k in self.chunks] if numbers <= ROOM else None

    def codes(self, chunk: slice) -> Blocks:
        """Return W of a chunk of samples, (F, n d, q d)."""
        Z = self.atoms.take(chunk).embed(self.representation)
        return np.ascontiguousarray(stack(Z))

    def apply(self, V: Blocks) -> Blocks:
        """Return H V: fit, look at the observed entries, project back."""
        _, n_blocks, d, m = self.shape
        total, stacked = np.zeros_like(stack_components(V)), stack_components(V)
        for k, chunk in enumerate(self.chunks):
            W = self.codes(chunk) if self.known is None else self.known[k]
            fitted = (W @ stacked).reshape(n_blocks, -1, d, m).swapaxes(0, 1)
            seen = self.representation.synthesize(fitted) * self.masked.observed[chunk]
            back = self.representation.analyze(seen).swapaxes(0, 1).reshape(n_blocks, -1, m)
            total += (back.conj().swapaxes(1, 2) @ W).conj().swapaxes(1, 2)
        return unstack(total, self.shape)
