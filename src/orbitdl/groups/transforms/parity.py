"""Signals, or rows of images, as their even and their odd part about the middle."""

from __future__ import annotations

import math

import numpy as np

from orbitdl.arrays.blocks import Blocks, Floats
from orbitdl.groups.transforms.base import Transform


class Parity(Transform):
    """``(x + x[::-1]) / sqrt(2)`` and ``(x - x[::-1]) / sqrt(2)``, of one half of a signal each.

    The sample in the middle of an odd length N belongs to the even part, as it is.

    Examples
    --------
    >>> Parity((3,)).analyze(np.array([1.0, 5.0, 1.0])).round(3)[:, 0].tolist()
    [[1.414, 5.0], [0.0, 0.0]]
    """

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.shape, self.half = tuple(shape), (shape[0] + 1) // 2
        self.channels = math.prod(shape[1:])
        self.block_shape = (2, 1, self.half * self.channels)
        self._scale = np.full((self.half, 1), np.sqrt(0.5))
        if shape[0] % 2:
            self._scale[-1] = 0.5

    def analyze(self, x: Floats) -> Blocks:
        front = x.shape[: x.ndim - len(self.shape)]
        signal = x.reshape(*front, self.shape[0], self.channels)
        first, last = signal[..., : self.half, :], signal[..., ::-1, :][..., : self.half, :]
        parts = np.stack([first + last, first - last], axis=-3) * self._scale
        return np.asarray(parts.reshape(*front, *self.block_shape))

    def synthesize(self, blocks: Blocks) -> Floats:
        front = blocks.shape[:-3]
        parts = blocks.reshape(*front, 2, self.half, self.channels) * self._scale
        even, odd = parts[..., 0, :, :], parts[..., 1, :, :]
        signal = np.zeros((*front, self.shape[0], self.channels))
        signal[..., : self.half, :] += even + odd
        signal[..., ::-1, :][..., : self.half, :] += even - odd
        return signal.reshape(*front, *self.shape)
