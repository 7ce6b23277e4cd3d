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

from collections.abc import Sequence

import numpy as np

from orbitdl.codes import Atoms
from orbitdl.coding.certificate import stack_components
from orbitdl.coding.parallel import in_threads
from orbitdl.groups.base import Blocks
from orbitdl.learning.observed import ObservedNormal, entry_normal
from orbitdl.learning.shards import total
from orbitdl.learning.statistics import Solve, Statistics, unstack
from orbitdl.learning.unit_balls import descend
from orbitdl.samples import Samples

FEW = 1e9
"""Multiplications up to which H is formed."""
ACCURACY = 1e-9
"""What another pass over the data must promise to be taken, relative to what is explained."""
PASSES = 100
"""Passes over the data, at most."""
ROOM = 2**24
"""Numbers that codes may fill to be kept from one pass to the next."""

Coded = Sequence[tuple[Samples, Atoms]]
"""Data in parts, each with its atoms."""


def on_observed(
    solve: Solve, coded: Coded, statistics: Statistics, A: Blocks, n_jobs: int | None = None
) -> Blocks:
    """Return on observed entries, from A, the minimiser that `solve` finds on complete data."""
    representation, n = coded[0][0].representation, sum(len(samples) for samples, _ in coded)
    size, q = int(np.prod(representation.shape)), len(A)
    if float(n) * size * (q * size) ** 2 <= FEW:
        signals = representation.synthesize(A).reshape(q, 1, size, 1)
        new = solve(in_one_block(coded, statistics, n_jobs), signals)
        return representation.analyze(new.reshape(q, *representation.shape))
    return fill_in(solve, coded, statistics, A, n_jobs)


def in_one_block(coded: Coded, statistics: Statistics, n_jobs: int | None) -> Statistics:
    """Return H and R of signals: one block, on which the step is that of complete data."""
    representation = coded[0][0].representation
    normal = total(in_threads(lambda part: entry_normal(*part), coded, n_jobs))
    shape = (len(statistics.usage), *representation.block_shape)
    right = representation.synthesize(unstack(statistics.cross, shape))
    return Statistics(normal[None], right.reshape(1, -1, 1), statistics.usage)


def fill_in(
    solve: Solve, coded: Coded, statistics: Statistics, A: Blocks, n_jobs: int | None
) -> Blocks:
    """Repeat the step of complete data, with missing entries filled in, from A."""
    right, n = unstack(statistics.cross, A.shape), sum(len(samples) for samples, _ in coded)
    keep = n * int(np.prod(A.shape[:3])) * A.shape[2] <= ROOM
    passes = in_threads(lambda part: ObservedNormal(*part, keep), coded, n_jobs)

    def apply(V: Blocks) -> Blocks:
        return total(in_threads(lambda one: one.apply(V), passes, n_jobs))

    def step(V: Blocks, pull: Blocks) -> Blocks:
        filled = statistics.normal @ stack_components(V) + stack_components(pull)
        return solve(Statistics(statistics.normal, filled, statistics.usage), V)

    return descend(apply, right, step, A, accuracy=ACCURACY, max_iter=PASSES)
