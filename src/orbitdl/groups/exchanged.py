"""How moves of a finite group exchange the blocks of another group, found by trying them out.

A group that acts on complex blocks of size one multiplies each by a phase of its own. A move f that
maps moved copies to moved copies, ``f G = G f``, can but exchange blocks, turn each by a phase, and
conjugate it:

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
from orbitdl.groups.enumerated import ListedRepresentation

PROBES = 4
"""Random data points that are moved: two numbers are found from them for every block."""
SAME = 1e-8
"""Relative difference up to which blocks, phases and parameters are the same."""


class Exchange(NamedTuple):
    """What every move f does to blocks l: arrays (|F|, F)."""

    origin: Integers
    phase: Blocks
    conjugated: NDArray[np.bool_]

    def copies(self, A: Blocks) -> Blocks:
        """Return components A (q, F, 1, m) moved by every f, (q |F|, F, 1, m)."""
        moved = [self.phase[f][:, None, None] * self.phases(f, A) for f in range(len(self.origin))]
        return np.stack(moved, axis=1).reshape(-1, *A.shape[1:])

    def phases(self, f: int, rho: Blocks) -> Blocks:
        """Return ``f rho f^-1`` for phases rho (..., F, 1, 1) that multiply blocks."""
        moved = rho[..., self.origin[f], :, :]
        return np.asarray(np.where(self.conjugated[f][:, None, None], moved.conj(), moved))

    def orbits(self) -> Integers:
        """Return the blocks that are exchanged with each other, (orbits, s), filled up with -1."""
        n = self.origin.shape[1]
        place = (np.tile(np.arange(n), len(self.origin)), self.origin.ravel())
        graph = sparse.coo_array((np.ones(self.origin.size), place), shape=(n, n))
        count, label = connected_components(graph, directed=False)
        members = np.full((count, int(np.bincount(label).max())), -1, dtype=np.intp)
        for orbit in range(count):
            own = np.flatnonzero(label == orbit)
            members[orbit, : len(own)] = own
        return members

    def maps(self) -> Maps:
        """Return the moves as maps of real blocks: real and imaginary parts of an orbit's members.

        Row ``2 i`` of a block is the real part of member i, row ``2 i + 1`` the imaginary one.
        """
        member = self.orbits()
        n_blocks, s = member.shape
        column = np.zeros(self.origin.shape[1], dtype=np.intp)
        block, own = np.nonzero(member >= 0)
        column[member[block, own]] = 2 * own
        matrices = np.zeros((len(self.origin), n_blocks, s, 1, 2 * s), dtype=np.complex128)
        kept = member[block, own]
        for f, (origin, phase, conjugated) in enumerate(zip(*self, strict=True)):
            source = column[origin[kept]]
            matrices[f, block, own, 0, source] = phase[kept]
            turned = np.where(conjugated, -1j, 1j)[kept] * phase[kept]
            matrices[f, block, own, 0, source + 1] = turned
        return Maps(member, matrices)


def find_exchange(base: Representation, moves: ListedRepresentation) -> Exchange | None:
    """Return what the moves do to the blocks of `base`; None where it is something else."""
    x = np.random.default_rng(0).standard_normal((PROBES, *base.shape))
    X, every = base.analyze(x), moves.elements
    repeated = (np.broadcast_to(element, (PROBES, len(element))) for element in every)
    moved = [base.analyze(moves.act(element, x)) for element in repeated]
    columns = zip(*(_compare(X, each) for each in moved), strict=True)
    exchange = Exchange(*(np.stack(column) for column in columns))
    copies = exchange.copies(X).reshape(PROBES, -1, *X.shape[1:]).swapaxes(0, 1)
    return exchange if np.abs(np.stack(moved) - copies).max() <= SAME * np.abs(X).max() else None


def _compare(X: Blocks, moved: Blocks) -> tuple[Integers, Blocks, NDArray[np.bool_]]:
    """Return origin, phase and conjugation (F,) of blocks (PROBES, F, 1, m) that were moved."""
    before, after = (B[:, :, 0].swapaxes(0, 1).reshape(B.shape[1], -1) for B in (X, moved))
    # moves keep norms, and those of random blocks are all different
    origin = np.empty(len(before), dtype=np.intp)
    origin[_by_size(after)] = _by_size(before)
    source = before[origin]
    energy = np.maximum(np.sum(np.abs(source) ** 2, axis=1), 1e-300)
    plain = np.sum(source.conj() * after, axis=1) / energy
    turned = np.sum(source * after, axis=1) / energy
    conjugated = np.abs(turned) > (1.0 + SAME) * np.abs(plain)  # real blocks are as they are
    phase = np.where(conjugated, turned, plain)
    return origin, np.where(phase == 0.0, 1.0, phase), conjugated


def _by_size(blocks: Blocks) -> Integers:
    return np.argsort(np.sum(np.abs(blocks) ** 2, axis=1), kind="stable")


def find_conjugations(base: Representation, exchange: Exchange) -> Floats | None:
    """Return matrices M (|F|, p, p) with ``f g f^-1 = M_f g`` for parameters g of `base`.

    None where ``f g f^-1`` does not belong to the group.
    """
    p, rng = len(base.parameters), np.random.default_rng(1)
    some = base.sample(rng, PROBES)
    rho, units = base.represent(some), base.represent(np.eye(p))
    matrices = np.zeros((len(exchange.origin), p, p))
    for f in range(len(matrices)):
        _, found = base.match(exchange.phases(f, units))
        matrices[f] = _whole(base.shortest(found)).T
        expected = base.represent(some @ matrices[f].T)
        if np.abs(exchange.phases(f, rho) - expected).max() > SAME:
            return None
    return matrices


def _whole(values: Floats) -> Floats:
    """Return values without the rounding of whole numbers."""
    near = np.round(values)
    return np.where(np.abs(values - near) < SAME, near, values)
