"""Matrices of a group with finitely many other moves, on gathered blocks."""

from __future__ import annotations

import numpy as np

from orbitdl.arrays.blocks import Blocks, Floats, Integers
from orbitdl.groups.base import Representation
from orbitdl.groups.folded.exchanged import SAME, Exchange
from orbitdl.groups.transforms.gathered import Gathered


class FoldedMatrices:
    """``rho(g) sigma(f)`` on real blocks of size 2 s, which gather s complex ones.

    Parameters
    ----------
    base : Representation
        Of g, on complex blocks of size one: ``rho(g)`` multiplies each by a phase.
    exchange : Exchange
        What the moves f do to them.
    gathered : Gathered

    Notes
    -----
    The rows of real and imaginary part of a member are kept as one complex row, so that a phase
    multiplies it. Rows that are left over, the members that are none, stay where they are: there
    data are zero, and the matrices are the identity.
    """

    def __init__(self, base: Representation, exchange: Exchange, gathered: Gathered) -> None:
        self.member, self.place = gathered.member, gathered.place
        self.rows = exchange.rows(gathered.member)
        some = base.represent(base.sample(np.random.default_rng(2), 8))
        self.still = np.flatnonzero(np.abs(some - 1.0).max(axis=(0, 2, 3)) < SAME)[:1]

    def represent(self, rho: Blocks, f: Integers) -> Floats:
        """Return the matrices (..., F, 2 s, 2 s) for phases (..., F_0, 1, 1) and moves (...)."""
        phase = rho[..., 0, 0]
        one = np.ones((*phase.shape[:-1], 1))
        turned = np.concatenate([phase, one], axis=-1)[..., self.member, None] * self.rows[f]
        both = np.stack([turned.real, turned.imag], axis=-2)
        n_blocks, s, d = self.rows.shape[1:]
        return both.reshape(*both.shape[:-4], n_blocks, 2 * s, d)

    def correlations(self, C: Blocks) -> Blocks:
        """Return B with ``<C, rho(g) sigma(f)> = <B_f, rho(g)>``, for C (..., F, 2 s, 2 s).

        Shape (..., |F|, F_0, 1, 1). What C has in rows that are left over counts as part of a block
        that no g moves, if there is one; correlations of data have nothing there.
        """
        rows = C[..., 0::2, :] + 1j * C[..., 1::2, :]
        product = np.einsum("...osd,fosd->...fos", rows, self.rows.conj())
        product = product.reshape(*product.shape[:-2], self.member.size)
        result = product[..., self.place]
        left_over = product[..., self.member.ravel() < 0].real.sum(axis=-1, keepdims=True)
        result[..., self.still] += left_over
        return np.asarray(result[..., None, None])
