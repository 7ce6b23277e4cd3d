"""Coordinates in another orthonormal basis, put where they belong in blocks."""

from __future__ import annotations

import numpy as np

from orbitdl.arrays.blocks import Blocks, Floats, Integers
from orbitdl.groups.transforms.base import Transform


class ChangeOfBasis(Transform):
    """Columns of length d_0 in an orthonormal basis; blocks have room for zeros besides.

    Parameters
    ----------
    shape : tuple of int
        Of data points with ``d_0 * m_0`` numbers: m_0 columns.
    block_shape : tuple of int
    basis : ndarray of shape (d_0, d_0)
        Its columns B are the new basis.
    place : ndarray of shape (d_0 * m_0,)
        Where each coordinate goes in the blocks.

    Notes
    -----
    ``Y[place] = B^T y``, and zero elsewhere.
    """

    def __init__(
        self,
        shape: tuple[int, ...],
        block_shape: tuple[int, int, int],
        basis: Floats,
        place: Integers,
    ) -> None:
        self.shape, self.block_shape = tuple(shape), block_shape
        self.basis, self.place, self.columns = basis, place, len(place) // len(basis)

    def analyze(self, x: Floats) -> Blocks:
        batch = x.shape[: x.ndim - len(self.shape)]
        coordinates = self.basis.T @ x.reshape(*batch, len(self.basis), self.columns)
        blocks = np.zeros((*batch, int(np.prod(self.block_shape))))
        blocks[..., self.place] = coordinates.reshape(*batch, len(self.place))
        return blocks.reshape(*batch, *self.block_shape)

    def synthesize(self, blocks: Blocks) -> Floats:
        batch = blocks.shape[:-3]
        coordinates = blocks.reshape(*batch, int(np.prod(self.block_shape)))[..., self.place]
        x = self.basis @ coordinates.reshape(*batch, len(self.basis), self.columns)
        return np.asarray(x.reshape(*batch, *self.shape))
