"""Sums over observed entries only, ``sum_i W_i^H M_i W_i``: the masks couple the blocks."""

from __future__ import annotations

import numpy as np

from orbitdl.codes import Atoms
from orbitdl.coding.certificate import CHUNK, stack, stack_components
from orbitdl.groups.base import Blocks, Floats
from orbitdl.learning.statistics import unstack
from orbitdl.samples import Samples


class ObservedNormal:
    """``H V = sum_i W_i^H M_i W_i V`` for components V (q, F, d, m), a chunk of data at a time.

    M_i keeps the observed entries of sample i, and ``W_i = [Z_i1 .. Z_iq]``; with `keep` all of
    the latter stay in memory.
    """

    def __init__(self, samples: Samples, atoms: Atoms, keep: bool) -> None:
        self.samples, self.atoms = samples, atoms
        self.chunks = [slice(k, k + CHUNK) for k in range(0, len(atoms), CHUNK)]
        self.known = [self.codes(chunk) for chunk in self.chunks] if keep else None

    def codes(self, chunk: slice) -> Blocks:
        """Return W of a chunk of samples, (F, n d, q d)."""
        Z = self.atoms.take(chunk).embed(self.samples.representation)
        return np.ascontiguousarray(stack(Z))

    def apply(self, V: Blocks) -> Blocks:
        """Return H V: fit, look at the observed entries, project back."""
        representation, observed = self.samples.representation, seen(self.samples)
        _, n_blocks, d, m = V.shape
        result, stacked = np.zeros_like(stack_components(V)), stack_components(V)
        for k, chunk in enumerate(self.chunks):
            W = self.codes(chunk) if self.known is None else self.known[k]
            fitted = (W @ stacked).reshape(n_blocks, -1, d, m).swapaxes(0, 1)
            misfit = representation.synthesize(fitted) * observed[chunk]
            back = representation.analyze(misfit).swapaxes(0, 1).reshape(n_blocks, -1, m)
            result += (back.conj().swapaxes(1, 2) @ W).conj().swapaxes(1, 2)
        return unstack(result, V.shape)


def entry_normal(samples: Samples, atoms: Atoms) -> Floats:
    """Return H for components as signals of k entries, one block for all: (q k, q k)."""
    representation, observed = samples.representation, seen(samples)
    size, q = int(np.prod(representation.shape)), atoms.n_components
    unit = representation.analyze(np.eye(size).reshape(size, *representation.shape))
    normal = np.zeros((q * size, q * size))
    few = max(1, CHUNK // size)
    for k in range(0, len(atoms), few):
        Z = atoms.take(slice(k, k + few)).embed(representation)
        moved = representation.synthesize(Z[:, :, None] @ unit)
        visible = moved * observed[k : k + few, None, None]
        rows = visible.reshape(len(Z), q * size, size).swapaxes(0, 1).reshape(q * size, -1)
        normal += rows @ rows.T
    return normal


def seen(samples: Samples) -> Floats:
    """Return 1 where an entry was observed and 0 elsewhere, in the shape of the data."""
    observed = samples.observed
    return np.ones(samples.signal.shape) if observed is None else observed.astype(np.float64)
