"""Transform of square images to the irreducible representations of the dihedral group D4."""

from __future__ import annotations

import numpy as np

from orbitdl.arrays.blocks import Blocks, Floats, Integers
from orbitdl.groups.transforms.base import Transform

HALF = np.sqrt(0.5)


class SquareParts(Transform):
    """Even and odd parts of images (S, S) or (S, S, channels), arranged in blocks.

    Parameters
    ----------
    shape : tuple of int
    block_shape : tuple of int
    positions : ndarray of shape (S * S * channels,)
        Flat index of each coordinate in the blocks.

    Notes
    -----
    An image is the sum of a part that is even in both directions, ee, one that is odd in both, oo,
    and two mixed ones, eo and oe: an orthonormal change of basis by sums and differences of
    opposite pixels over ``sqrt(2)``. Transposition maps ee and oo to their transposes and
    exchanges eo with the transpose of oe. Coordinates are, in this order: the symmetric part of
    ee, its antisymmetric part, the same of oo, eo, and transposed oe.
    """

    def __init__(
        self, shape: tuple[int, ...], block_shape: tuple[int, int, int], positions: Integers
    ) -> None:
        self.shape, self.block_shape, self.positions = tuple(shape), block_shape, positions
        self._channels = shape[2] if len(shape) == 3 else 1

    def analyze(self, x: Floats) -> Blocks:
        batch = x.shape[: x.ndim - len(self.shape)]
        image = x.reshape(*batch, *self.shape[:2], self._channels)
        folded = _fold(np.moveaxis(_fold(image), -2, -3))  # columns first
        even = -(-self.shape[0] // 2)
        ee, oe = folded[..., :even, :even, :], folded[..., :even, even:, :]
        eo, oo = folded[..., even:, :even, :], folded[..., even:, even:, :]
        parts = [*_halves(ee), *_halves(oo), _flat(np.moveaxis(eo, -3, -2)), _flat(oe)]
        blocks = np.zeros((*batch, int(np.prod(self.block_shape))))
        coordinates = np.concatenate(parts, axis=-2)
        blocks[..., self.positions] = coordinates.reshape(*batch, len(self.positions))
        return blocks.reshape(*batch, *self.block_shape)

    def synthesize(self, blocks: Blocks) -> Floats:
        batch = blocks.shape[:-3]
        coordinates = blocks.reshape(*batch, int(np.prod(self.block_shape)))[..., self.positions]
        even, odd = -(-self.shape[0] // 2), self.shape[0] // 2
        sizes = [*multiplicities(self.shape[0]), even * odd]
        rows = coordinates.reshape(*batch, self.shape[0] ** 2, self._channels)
        symmetric, anti, odd_symmetric, odd_anti, eo, oe = np.split(rows, np.cumsum(sizes)[:5], -2)
        folded = np.empty((*batch, *self.shape[:2], self._channels))
        folded[..., :even, :even, :] = _square(symmetric, anti, even)
        folded[..., even:, even:, :] = _square(odd_symmetric, odd_anti, odd)
        eo = eo.reshape(*batch, even, odd, self._channels)
        folded[..., even:, :even, :] = np.moveaxis(eo, -3, -2)
        folded[..., :even, even:, :] = oe.reshape(*batch, even, odd, self._channels)
        image = _unfold(np.moveaxis(_unfold(folded), -2, -3))
        return image.reshape(*batch, *self.shape)


def multiplicities(side: int) -> list[int]:
    """Return the multiplicities of the five irreducibles, in the order of coordinates."""
    even, odd = -(-side // 2), side // 2
    return [
        even * (even + 1) // 2,
        even * (even - 1) // 2,
        odd * (odd + 1) // 2,
        odd * (odd - 1) // 2,
        even * odd,
    ]


def _fold(x: Floats) -> Floats:
    """Return even parts, then odd parts, of the third axis from the end."""
    half = x.shape[-3] // 2
    first, middle = x[..., :half, :, :], x[..., half : x.shape[-3] - half, :, :]
    last = x[..., ::-1, :, :][..., :half, :, :]
    return np.concatenate([HALF * (first + last), middle, HALF * (first - last)], axis=-3)


def _unfold(y: Floats) -> Floats:
    """Undo `_fold`, whose transpose it is."""
    half = y.shape[-3] // 2
    even, odd = y[..., :half, :, :], y[..., y.shape[-3] - half :, :, :]
    middle = y[..., half : y.shape[-3] - half, :, :]
    last = (HALF * (even - odd))[..., ::-1, :, :]
    return np.concatenate([HALF * (even + odd), middle, last], axis=-3)


def _flat(x: Floats) -> Floats:
    """Return an array with rows and columns flattened to one axis."""
    return x.reshape(*x.shape[:-3], x.shape[-3] * x.shape[-2], x.shape[-1])


def _halves(x: Floats) -> tuple[Floats, Floats]:
    """Return the symmetric and the antisymmetric part of square arrays (..., k, k, channels)."""
    k = np.arange(x.shape[-2])
    row, column = np.triu_indices(len(k), 1)
    upper, lower = x[..., row, column, :], x[..., column, row, :]
    symmetric = np.concatenate([x[..., k, k, :], HALF * (upper + lower)], axis=-2)
    return symmetric, HALF * (upper - lower)


def _square(symmetric: Floats, anti: Floats, size: int) -> Floats:
    """Undo `_halves`, whose transpose it is."""
    k, (row, column) = np.arange(size), np.triu_indices(size, 1)
    x = np.empty((*symmetric.shape[:-2], size, size, symmetric.shape[-1]))
    x[..., k, k, :] = symmetric[..., :size, :]
    x[..., row, column, :] = HALF * (symmetric[..., size:, :] + anti)
    x[..., column, row, :] = HALF * (symmetric[..., size:, :] - anti)
    return x
