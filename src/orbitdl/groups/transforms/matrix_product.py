"""A transform of small data points as one matrix product: a change to an orthonormal basis."""

from __future__ import annotations

import math

import numpy as np

from orbitdl.arrays.blocks import Blocks, Floats, Integers
from orbitdl.groups.transforms.base import Transform

SMALL = 256
"""Size of data points up to which one matrix product is faster than several steps."""


def as_matrix_if_small(transform: Transform) -> Transform:
    """Return the transform, as a matrix product if that is faster."""
    return MatrixTransform(transform) if math.prod(transform.shape) <= SMALL else transform


class MatrixTransform(Transform):
    """Real coordinates ``Y = T x``, with the matrix T of another transform.

    Examples
    --------
    >>> from orbitdl.groups.transforms.reshape import Reshape
    >>> MatrixTransform(Reshape((2, 2), (1, 1, 4))).analyze(np.array([[1.0, 2.0], [3.0, 4.0]]))
    array([[[1., 2., 3., 4.]]])
    """

    def __init__(self, transform: Transform) -> None:
        self.shape, self.block_shape = transform.shape, transform.block_shape
        self.is_invertible, size = transform.is_invertible, math.prod(transform.shape)
        unit = np.eye(size).reshape(size, *self.shape)
        self.matrix = transform.analyze(unit).reshape(size, math.prod(self.block_shape))

    def analyze(self, x: Floats) -> Blocks:
        batch = x.shape[: x.ndim - len(self.shape)]
        rows = x.reshape(math.prod(batch), len(self.matrix))
        return np.asarray(rows @ self.matrix).reshape(*batch, *self.block_shape)

    def synthesize(self, blocks: Blocks) -> Floats:
        batch = blocks.shape[:-3]
        rows = blocks.reshape(math.prod(batch), self.matrix.shape[1])
        return np.asarray(rows @ self.matrix.T).reshape(*batch, *self.shape)


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
