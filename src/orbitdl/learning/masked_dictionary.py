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

In H, samples without missing entries add what they add to complete data, and so do the others
except for ``sum_i W_i^H (I - M_i) W_i``: where little is missing, little is left to do.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from orbitdl.arrays.blocks import Blocks, Floats, as_real_rows
from orbitdl.coding.atoms import Atoms
from orbitdl.coding.certificate import CHUNK, stack
from orbitdl.dictionaries.base import Dictionary
from orbitdl.dictionaries.least_squares import descend
from orbitdl.dictionaries.statistics import Statistics, stack_components, unstack
from orbitdl.encoding.samples import Samples
from orbitdl.groups.base import Representation
from orbitdl.learning.shards import Shards
from orbitdl.learning.statistics import statistics_of

MAX_NUMBERS = 2**20
"""Numbers that transformed entries may fill at a time: 8 MB."""


MAX_MULTIPLICATIONS = 1e9
"""Multiplications up to which H is formed."""
MIN_PROGRESS = 1e-9
"""Relative decrease that another pass over the data must promise."""
PASSES = 100
"""Passes over the data, at most."""
MOST_CODES = 2**24
"""Numbers up to which codes stay in memory from one pass to the next: 128 MB."""


class ObservedNormal:
    """``H V = sum_i W_i^H M_i W_i V`` for components V (q, F, d, m), a chunk of data at a time.

    M_i keeps the observed entries of sample i, and ``W_i = [Z_i1 .. Z_iq]``; with `in_memory` all
    of the latter stay in memory.
    """

    def __init__(self, samples: Samples, atoms: Atoms, in_memory: bool) -> None:
        observed = observed_mask(samples).reshape(len(samples), -1) > 0
        incomplete = np.asarray(~observed.all(axis=1))
        self.complete = complete_normal(samples.take(~incomplete), atoms.take(~incomplete))
        self.samples, self.atoms = samples.take(incomplete), atoms.take(incomplete)
        self.chunks = [slice(k, k + CHUNK) for k in range(0, len(self.atoms), CHUNK)]
        self.codes_in_memory = [self.codes(chunk) for chunk in self.chunks] if in_memory else None

    def codes(self, chunk: slice) -> Blocks:
        """Return W of a chunk of samples, (F, n d, q d)."""
        Z = self.atoms.take(chunk).embed(self.samples.representation.base)
        return np.ascontiguousarray(stack(Z))

    def apply(self, V: Blocks) -> Blocks:
        """Return H V: fit, observe, project back."""
        representation, observed = self.samples.representation.base, observed_mask(self.samples)
        _, n_blocks, d, m = V.shape
        stacked = stack_components(V)
        result = self.complete @ stacked
        for k, chunk in enumerate(self.chunks):
            W = self.codes(chunk) if self.codes_in_memory is None else self.codes_in_memory[k]
            fitted = (W @ stacked).reshape(n_blocks, -1, d, m).swapaxes(0, 1)
            misfit = representation.synthesize(fitted) * observed[chunk]
            back = representation.analyze(misfit).swapaxes(0, 1).reshape(n_blocks, -1, m)
            result += (back.conj().swapaxes(1, 2) @ W).conj().swapaxes(1, 2)
        return unstack(result, V.shape)


def entry_normal(samples: Samples, atoms: Atoms) -> Floats:
    """Return H for components as signals of k entries, one block for all: (q k, q k).

    The sum over entries that were observed, or where these are most, that of complete data less
    the sum over entries that are missing.
    """
    observed = observed_mask(samples) > 0
    if 2 * int(observed.sum()) <= observed.size:
        return sum_over(samples.representation.base, atoms, observed)
    complete = as_entries(samples.representation.base, complete_normal(samples, atoms))
    return complete - sum_over(samples.representation.base, atoms, ~observed)


def sum_over(representation: Representation, atoms: Atoms, entries: NDArray[np.bool_]) -> Floats:
    """Return ``sum_i sum_e w_ie w_ie^T`` over entries e of samples i that are marked (n, ...).

    ``w_ie = W_i^T e`` has for component j the signal that ``Z_ij^H`` makes of the entry.
    """
    size, q = int(np.prod(representation.shape)), atoms.n_components
    sample, entry = np.nonzero(entries.reshape(len(atoms), size))
    unit, normal = unit_signals(representation), np.zeros((q * size, q * size))
    batch = max(1, MAX_NUMBERS // (q * size))
    for k in range(0, len(sample), batch):
        here, own = sample[k : k + batch], entry[k : k + batch]
        first, last = here[0], here[-1] + 1
        adjoint = atoms.take(slice(first, last)).embed(representation).conj().swapaxes(-1, -2)
        transformed = representation.synthesize(adjoint[here - first] @ unit[own, None])
        rows = transformed.reshape(len(here), q * size)
        normal += rows.T @ rows
    return normal


def complete_normal(samples: Samples, atoms: Atoms) -> Blocks:
    """Return ``sum_i W_i^H W_i`` of samples as if all of them were observed, (F, q d, q d)."""
    representation, q = samples.representation.base, atoms.n_components
    if len(samples) == 0:
        n_blocks, d, _ = representation.block_shape
        return np.zeros((n_blocks, q * d, q * d), dtype=representation.dtype)
    return statistics_of(representation, samples.Y, atoms).normal


def as_entries(representation: Representation, normal: Blocks) -> Floats:
    """Return blocks (F, q d, q d) as one for components as signals of k entries, (q k, q k)."""
    size, unit = int(np.prod(representation.shape)), unit_signals(representation)
    n_blocks, d, _ = representation.block_shape
    q = normal.shape[1] // d
    pairs = normal.reshape(n_blocks, q, d, q, d).transpose(1, 3, 0, 2, 4)
    transformed = representation.synthesize(pairs[:, :, None] @ unit)  # (q, q, k, ...): rows last
    matrix = transformed.reshape(q, q, size, size).transpose(0, 3, 1, 2)
    return np.ascontiguousarray(matrix).reshape(q * size, q * size)


def unit_signals(representation: Representation) -> Blocks:
    """Return signals of which one entry is 1, in block coordinates, (k, F, d, m)."""
    size = int(np.prod(representation.shape))
    return representation.analyze(np.eye(size).reshape(size, *representation.shape))


def observed_mask(samples: Samples) -> Floats:
    """Return 1 where an entry was observed and 0 where not, in the shape of the data."""
    observed = samples.observed
    return np.ones(samples.signal.shape) if observed is None else observed.astype(np.float64)


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
    in_memory = len(shards) * int(np.prod(shape[:3])) * shape[2] <= MOST_CODES

    def apply(V: Blocks) -> Blocks:
        found: Blocks = shards.sum_of(lambda part: part.observed_normal(in_memory).apply(V))
        return found

    def step(best: Dictionary, V: Blocks, pull: Blocks) -> Dictionary:
        filled = statistics.normal @ stack_components(V) + stack_components(pull)
        return best.solve(Statistics(statistics.normal, filled, statistics.usage))

    def expand(one: Dictionary) -> Blocks:
        return one.expand()

    return descend(apply, right, step, dictionary, expand, accuracy=MIN_PROGRESS, max_iter=PASSES)
