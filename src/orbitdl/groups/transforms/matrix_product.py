"""A transform of small data points as one matrix product."""

from __future__ import annotations

import math

import numpy as np

from orbitdl.arrays.blocks import Blocks, Floats
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
