"""Elements of a finite group as permutations of the blocks of another one, found numerically.

A group G on complex blocks of size one multiplies each block by a phase. An element f of a finite
group that normalises it, ``f G = G f``, permutes the blocks, multiplies each by a fixed phase, and
may conjugate it:

    (f X)_l = phase_l X_{origin_l}     or     phase_l conj(X_{origin_l}).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from orbitdl.arrays.blocks import Blocks, Floats, Integers
from orbitdl.groups.base import Maps, Representation
from orbitdl.groups.finite_representation import FiniteRepresentation

PROBES = 4
"""Random data points, from which two unknowns per block are determined."""
SAME = 1e-8
"""Relative tolerance of blocks, phases and parameters."""


class BlockPermutations(NamedTuple):
    """Source, phase and conjugation of every block l under every element f, arrays (|F|, F)."""

    origin: Integers
    phase: Blocks
    conjugated: NDArray[np.bool_]

    def copies(self, A: Blocks) -> Blocks:
        """Apply every f to components A (q, F, 1, m), result (q |F|, F, 1, m)."""
        images = [self.phase[f][:, None, None] * self.phases(f, A) for f in range(len(self.origin))]
        return np.stack(images, axis=1).reshape(-1, *A.shape[1:])

    def phases(self, f: int, rho: Blocks) -> Blocks:
        """Return ``f rho f^-1`` for phases rho (..., F, 1, 1) that multiply blocks."""
        permuted = rho[..., self.origin[f], :, :]
        return np.asarray(np.where(self.conjugated[f][:, None, None], permuted.conj(), permuted))

    def orbits(self) -> Integers:
        """Return the orbits of blocks under the permutations, (orbits, s), padded with -1."""
        n = self.origin.shape[1]
        edges = (np.tile(np.arange(n), len(self.origin)), self.origin.ravel())
        graph = sparse.coo_array((np.ones(self.origin.size), edges), shape=(n, n))
        count, label = connected_components(graph, directed=False)
        members = np.full((count, int(np.bincount(label).max())), -1, dtype=np.intp)
        for orbit in range(count):
            own = np.flatnonzero(label == orbit)
            members[orbit, : len(own)] = own
        return members

    def maps(self) -> Maps:
        """Return the elements as maps of real blocks: real and imaginary parts of an orbit.

        Row ``2 i`` of a block is the real part of member i, row ``2 i + 1`` the imaginary one.
        """
        member = self.orbits()
        n_blocks, s = member.shape
        column = np.zeros(self.origin.shape[1], dtype=np.intp)
        block, own = np.nonzero(member >= 0)
        column[member[block, own]] = 2 * own
        matrices = np.zeros((len(self.origin), n_blocks, s, 1, 2 * s), dtype=np.complex128)
        target = member[block, own]
        for f, (origin, phase, conjugated) in enumerate(zip(*self, strict=True)):
            source = column[origin[target]]
            matrices[f, block, own, 0, source] = phase[target]
            imaginary = np.where(conjugated, -1j, 1j)[target] * phase[target]
            matrices[f, block, own, 0, source + 1] = imaginary
        return Maps(member, matrices)


def find_block_permutations(
    base: Representation, finite: FiniteRepresentation
) -> BlockPermutations | None:
    """Return the block permutations of a finite group on `base`; None if there are none."""
    x = np.random.default_rng(0).standard_normal((PROBES, *base.shape))
    X, every = base.analyze(x), finite.elements
    repeated = (np.broadcast_to(element, (PROBES, len(element))) for element in every)
    images = [base.analyze(finite.act(element, x)) for element in repeated]
    columns = zip(*(_compare(X, image) for image in images), strict=True)
    found = BlockPermutations(*(np.stack(column) for column in columns))
    copies = found.copies(X).reshape(PROBES, -1, *X.shape[1:]).swapaxes(0, 1)
    return found if np.abs(np.stack(images) - copies).max() <= SAME * np.abs(X).max() else None


def _compare(X: Blocks, image: Blocks) -> tuple[Integers, Blocks, NDArray[np.bool_]]:
    """Return origin, phase and conjugation (F,) of the blocks (PROBES, F, 1, m) of an image."""
    before, after = (B[:, :, 0].swapaxes(0, 1).reshape(B.shape[1], -1) for B in (X, image))
    # isometries preserve norms, and those of random blocks are all different
    origin = np.empty(len(before), dtype=np.intp)
    origin[_by_size(after)] = _by_size(before)
    source = before[origin]
    energy = np.maximum(np.sum(np.abs(source) ** 2, axis=1), 1e-300)
    plain = np.sum(source.conj() * after, axis=1) / energy
    conjugate = np.sum(source * after, axis=1) / energy
    conjugated = np.abs(conjugate) > (1.0 + SAME) * np.abs(plain)  # False for real blocks
    phase = np.where(conjugated, conjugate, plain)
    return origin, np.where(phase == 0.0, 1.0, phase), conjugated


def _by_size(blocks: Blocks) -> Integers:
    return np.argsort(np.sum(np.abs(blocks) ** 2, axis=1), kind="stable")


def find_conjugations(base: Representation, exchange: BlockPermutations) -> Floats | None:
    """Return matrices M (|F|, p, p) with ``f g f^-1 = M_f g`` for parameters g of `base`.

    None if some ``f g f^-1`` does not belong to the group.
    """
    p, rng = len(base.parameters), np.random.default_rng(1)
    some = base.sample(rng, PROBES)
    rho, units = base.represent(some), base.represent(np.eye(p))
    matrices = np.zeros((len(exchange.origin), p, p))
    for f in range(len(matrices)):
        _, found = base.match(exchange.phases(f, units))
        matrices[f] = _snapped(base.principal(found)).T
        expected = base.represent(some @ matrices[f].T)
        if np.abs(exchange.phases(f, rho) - expected).max() > SAME:
            return None
    return matrices


def _snapped(values: Floats) -> Floats:
    """Round values that are integers up to rounding errors."""
    near = np.round(values)
    return np.where(np.abs(values - near) < SAME, near, values)
