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

import numpy as np

from orbitdl.coding.certificate import stack_components
from orbitdl.groups.base import Blocks, Representation
from orbitdl.learning.norm_constraint import descend
from orbitdl.learning.shards import Shards
from orbitdl.learning.statistics import Solve, Statistics, unstack

FEW = 1e9
"""Multiplications up to which H is formed."""
ACCURACY = 1e-9
"""What another pass over the data must promise to be taken, relative to what is explained."""
PASSES = 100
"""Passes over the data, at most."""
ROOM = 2**24
"""Numbers that codes may fill to be kept from one pass to the next."""


def on_observed(
    solve: Solve,
    shards: Shards,
    representation: Representation,
    statistics: Statistics,
    A: Blocks,
) -> Blocks:
    """Return on observed entries, from A, the minimiser that `solve` finds on complete data.

    Of the shards, whose parts are data points with atoms, sums are asked for only.
    """
    size, q = int(np.prod(representation.shape)), len(A)
    if is_soon_formed(len(shards), representation, q):
        signals = representation.synthesize(A).reshape(q, 1, size, 1)
        new = solve(in_one_block(shards, representation, statistics), signals)
        return representation.analyze(new.reshape(q, *representation.shape))
    return fill_in(solve, shards, statistics, A)


def is_soon_formed(n: int, representation: Representation, q: int) -> bool:
    """Tell whether H is formed of n data points and q components, in one pass over the data."""
    size = float(np.prod(representation.shape))
    return n * size * (q * size) ** 2 <= FEW


def in_one_block(
    shards: Shards, representation: Representation, statistics: Statistics
) -> Statistics:
    """Return H and R of signals: one block, on which the step is that of complete data."""
    normal = shards.sum_of(lambda part: part.entry_normal())
    shape = (len(statistics.usage), *representation.block_shape)
    right = representation.synthesize(unstack(statistics.cross, shape))
    return Statistics(normal[None], right.reshape(1, -1, 1), statistics.usage)


def fill_in(solve: Solve, shards: Shards, statistics: Statistics, A: Blocks) -> Blocks:
    """Repeat the step of complete data, with missing entries filled in, from A."""
    right = unstack(statistics.cross, A.shape)
    keep = len(shards) * int(np.prod(A.shape[:3])) * A.shape[2] <= ROOM

    def apply(V: Blocks) -> Blocks:
        found: Blocks = shards.sum_of(lambda part: part.observed_normal(keep).apply(V))
        return found

    def step(V: Blocks, pull: Blocks) -> Blocks:
        filled = statistics.normal @ stack_components(V) + stack_components(pull)
        return solve(Statistics(statistics.normal, filled, statistics.usage), V)

    return descend(apply, right, step, A, accuracy=ACCURACY, max_iter=PASSES)
