"""The identity transform."""

from __future__ import annotations

from orbitdl.arrays.blocks import Blocks, Floats
from orbitdl.groups.transforms.base import Transform


class Reshape(Transform):
    """The identity: data points reshaped to blocks.

    Examples
    --------
    >>> import numpy as np
    >>> Reshape((2, 3), (1, 1, 6)).analyze(np.eye(2, 3))
    array([[[1., 0., 0., 0., 1., 0.]]])
    """

    def __init__(self, shape: tuple[int, ...], block_shape: tuple[int, int, int]) -> None:
        self.shape, self.block_shape = tuple(shape), block_shape

    def analyze(self, x: Floats) -> Blocks:
        return x.reshape(*x.shape[: x.ndim - len(self.shape)], *self.block_shape)

    def synthesize(self, blocks: Blocks) -> Floats:
        return blocks.reshape(*blocks.shape[:-3], *self.shape)
