"""The dictionary step where entries are missing: the blocks are coupled by the masks.

With M_i keeping the observed entries of sample i and ``W_i = [Z_i1 .. Z_iq]``, the normal equations
of ``min_A 1/2 sum_i ||M_i (y_i - W_i A)||^2`` are

    H A = R,     H A = sum_i W_i^H M_i W_i A,     R = sum_i W_i^H y_i.

For few data H is formed, one block for all entries of a signal, and where the components are a
linear image ``A = E theta`` of balls, the step is that of balls with the sums ``E^T H E`` and
``E^T R``. Otherwise H is applied, a pass over the data, and replaces missing entries:
without them the matrix is ``K = sum_i W_i^H W_i >= H``, small blocks, and the step of complete data

    min_A 1/2 <A, K A> - <R + (K - H) V, A>

fills them in by the current V, a majorising surrogate: the objective never increases. Momentum
makes it quick.
"""

from __future__ import annotations

import numpy as np

from orbitdl.arrays.blocks import as_real_rows
from orbitdl.dictionaries.base import Dictionary
from orbitdl.dictionaries.norm_constraint import descend
from orbitdl.dictionaries.statistics import Statistics, stack_components, unstack
from orbitdl.groups.base import Blocks, Floats, Representation
from orbitdl.learning.shards import Shards

MAX_MULTIPLICATIONS = 1e9
"""Multiplications up to which H is formed."""
MIN_PROGRESS = 1e-9
"""Relative decrease that another pass over the data must promise."""
PASSES = 100
"""Passes over the data, at most."""
MAX_NUMBERS = 2**24
"""Numbers up to which codes stay in memory from one pass to the next: 128 MB."""


def on_observed(
    dictionary: Dictionary,
    shards: Shards,
    representation: Representation,
    statistics: Statistics,
) -> Dictionary:
    """Return the dictionary that fits observed entries best, found from this one.

    Only sums over the shards, whose parts are data points with atoms, are used.
    """
    count, ball = len(statistics.usage), dictionary.ball
    if ball is not None and is_formed_quickly(len(shards), representation, count):
        return solve_formed(dictionary, ball, shards, representation, statistics)
    return fill_in(dictionary, shards, statistics)


def is_formed_quickly(n: int, representation: Representation, q: int) -> bool:
    """Return whether H is formed of n data points and q components, in one pass over the data."""
    size = float(np.prod(representation.shape))
    return n * size * (q * size) ** 2 <= MAX_MULTIPLICATIONS


def solve_formed(
    dictionary: Dictionary,
    ball: Dictionary,
    shards: Shards,
    representation: Representation,
    statistics: Statistics,
) -> Dictionary:
    """Return the best dictionary, in one block of all its parameters as real numbers."""
    normal = shards.sum_of(lambda part: part.entry_normal())
    shape = (len(statistics.usage), *representation.block_shape)
    right = representation.synthesize(unstack(statistics.cross, shape))
    E = parameters_as_signals(dictionary, representation)
    q, k, size = E.shape
    rows = (E @ normal.reshape(q, size, -1)).reshape(q * k, q, size)
    pulled = np.matmul(rows.swapaxes(0, 1), E.swapaxes(1, 2)).swapaxes(0, 1).reshape(q * k, q * k)
    cross = E @ right.reshape(q, size, 1)
    theta = dictionary.parameters
    balls = ball.at(as_real_rows(theta, theta.ndim - 1).reshape(q, 1, k, 1))
    sums = Statistics(pulled[None], cross.reshape(1, q * k, 1), dictionary.usage(statistics))
    return dictionary.at(in_shape_of(theta, balls.solve(sums).parameters))


def parameters_as_signals(dictionary: Dictionary, representation: Representation) -> Floats:
    """Return the signals of a component's copies for every unit parameter: (q, k, entries)."""
    parameters = dictionary.parameters
    rows = as_real_rows(parameters, parameters.ndim - 1)
    q, k = rows.shape
    units = (in_shape_of(parameters, np.tile(unit, (q, 1))) for unit in np.eye(k))
    expanded = np.stack([dictionary.at(unit).expand() for unit in units])
    signals = representation.synthesize(expanded).reshape(k, q, -1)
    return np.ascontiguousarray(signals.swapaxes(0, 1))


def in_shape_of(parameters: Blocks, rows: Floats) -> Blocks:
    """Return real rows, one per component, in the shape and type of parameters."""
    numbers = np.ascontiguousarray(rows).reshape(len(parameters), -1)
    return numbers.view(parameters.dtype).reshape(parameters.shape)


def fill_in(dictionary: Dictionary, shards: Shards, statistics: Statistics) -> Dictionary:
    """Repeat the step of complete data, with missing entries filled in, from a dictionary."""
    shape = dictionary.expand().shape
    right = unstack(statistics.cross, shape)
    in_memory = len(shards) * int(np.prod(shape[:3])) * shape[2] <= MAX_NUMBERS

    def apply(V: Blocks) -> Blocks:
        found: Blocks = shards.sum_of(lambda part: part.observed_normal(in_memory).apply(V))
        return found

    def step(best: Dictionary, V: Blocks, pull: Blocks) -> Dictionary:
        filled = statistics.normal @ stack_components(V) + stack_components(pull)
        return best.solve(Statistics(statistics.normal, filled, statistics.usage))

    def expand(one: Dictionary) -> Blocks:
        return one.expand()

    return descend(apply, right, step, dictionary, expand, accuracy=MIN_PROGRESS, max_iter=PASSES)
