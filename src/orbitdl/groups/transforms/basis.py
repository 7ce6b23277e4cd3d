"""Change to an orthonormal basis, with coordinates arranged in blocks."""

from __future__ import annotations

import numpy as np

from orbitdl.arrays.blocks import Blocks, Floats, Integers
from orbitdl.groups.transforms.base import Transform


class ChangeOfBasis(Transform):
    """Coordinates of columns of length d_0 in an orthonormal basis, padded with zeros to blocks.

    Parameters
    ----------
    shape : tuple of int
        Shape of data points with ``d_0 * m_0`` numbers: m_0 columns.
    block_shape : tuple of int
    basis : ndarray of shape (d_0, d_0)
        Its columns B are the new basis.
    positions : ndarray of shape (d_0 * m_0,)
        Flat index of each coordinate in the blocks.

    Notes
    -----
    ``Y[positions] = B^T y``, and zero otherwise.
    """

    def __init__(
        self,
        shape: tuple[int, ...],
        block_shape: tuple[int, int, int],
        basis: Floats,
        positions: Integers,
    ) -> None:
        self.shape, self.block_shape = tuple(shape), block_shape
        self.basis, self.positions, self.columns = basis, positions, len(positions) // len(basis)

    def analyze(self, x: Floats) -> Blocks:
        batch = x.shape[: x.ndim - len(self.shape)]
        coordinates = self.basis.T @ x.reshape(*batch, len(self.basis), self.columns)
        blocks = np.zeros((*batch, int(np.prod(self.block_shape))))
        blocks[..., self.positions] = coordinates.reshape(*batch, len(self.positions))
        return blocks.reshape(*batch, *self.block_shape)

    def synthesize(self, blocks: Blocks) -> Floats:
        batch = blocks.shape[:-3]
        coordinates = blocks.reshape(*batch, int(np.prod(self.block_shape)))[..., self.positions]
        x = self.basis @ coordinates.reshape(*batch, len(self.basis), self.columns)
        return np.asarray(x.reshape(*batch, *self.shape))
