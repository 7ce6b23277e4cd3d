"""Complex blocks of size one, some of them gathered in each larger real block."""

from __future__ import annotations

import numpy as np

from orbitdl.arrays.blocks import Blocks, Floats, Integers
from orbitdl.groups.transforms.base import Transform


class Gathered(Transform):
    """Real and imaginary parts of the complex blocks (F_0, 1, m) of another transform.

    Parameters
    ----------
    single : Transform
        The other one.
    member : ndarray of shape (F, s)
        Which of its blocks lie below each other in each block (F, 2 s, m); -1: none, zeros.

    Notes
    -----
    Rows ``2 i`` and ``2 i + 1`` of block o are real and imaginary parts of ``member[o, i]``.
    """

    def __init__(self, single: Transform, member: Integers) -> None:
        n_blocks, s = member.shape
        self.single, self.member = single, member
        self.shape, self.keeps_all = single.shape, single.keeps_all
        self.block_shape = (n_blocks, 2 * s, single.block_shape[2])
        self.place = np.argsort(member.ravel(), kind="stable")[np.sum(member < 0) :]

    def analyze(self, x: Floats) -> Blocks:
        return self.gather(self.single.analyze(x))

    def synthesize(self, blocks: Blocks) -> Floats:
        return self.single.synthesize(self.part(blocks))

    def gather(self, single: Blocks) -> Floats:
        """Return blocks (..., F_0, 1, m) as real ones (..., F, 2 s, m)."""
        nothing = np.zeros_like(single[..., :1, :, :])
        rows = np.concatenate([single, nothing], axis=-3)[..., self.member, 0, :]
        both = np.stack([rows.real, rows.imag], axis=-2)
        return both.reshape(*both.shape[:-4], *self.block_shape[:2], both.shape[-1])

    def part(self, blocks: Floats) -> Blocks:
        """Return real blocks (..., F, 2 s, m) as the complex ones (..., F_0, 1, m) in them."""
        rows = blocks.reshape(*blocks.shape[:-3], self.member.size, 2, blocks.shape[-1])
        kept = rows[..., self.place, :, :]
        return np.asarray(kept[..., :1, :] + 1j * kept[..., 1:, :])
