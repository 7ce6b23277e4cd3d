"""Groups and a coder as someone else's package defines them: orbitdl does not know their names."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from orbitdl.coding import ActiveSet, Coder
from orbitdl.groups import (
    CircleRepresentation,
    FiniteRepresentation,
    Group,
    Representation,
    Transform,
)


@dataclass(frozen=True, eq=False)
class Mirror(Group):
    """Data points as they are and mirrored, ``x_k -> s_k s_{d-1-k} x_{d-1-k}`` with signs s."""

    signs: ArrayLike
    label: str = "mirror"

    def on(self, shape):
        return MirrorRepresentation(self, shape)


class AsColumn(Transform):
    """Vectors as one block of their own size."""

    def __init__(self, shape):
        self.shape, self.block_shape = shape, (1, shape[0], 1)

    def analyze(self, x):
        return x[..., None, :, None]

    def synthesize(self, blocks):
        return blocks[..., 0, :, 0]


class MirrorRepresentation(FiniteRepresentation):
    """Two elements: 0 leaves a data point as it is, 1 mirrors it."""

    parameters, counted, size = ("mirrored",), True, 2

    def __init__(self, group, shape):
        super().__init__(group, AsColumn(shape))
        signs = np.diag(np.asarray(group.signs, dtype=float))
        self.matrices = np.stack([np.eye(len(signs)), signs @ np.eye(len(signs))[::-1] @ signs])

    @property
    def elements(self):
        return np.array([[0.0], [1.0]])

    def represent(self, element):
        return self.matrices[self.index(element)][..., None, :, :]

    def compose(self, left, right):
        return np.mod(left + right, 2.0)

    def inverse(self, element):
        return element

    def index(self, element):
        return np.rint(element[..., 0]).astype(np.intp)

    def correlations(self, C):
        return np.einsum("...kl,gkl->...g", C[..., 0, :, :], self.matrices)


@dataclass(frozen=True)
class Harmonics(Group):
    """F complex numbers, as 2F real ones, of which the f-th turns by f times an angle."""

    def on(self, shape):
        return HarmonicsRepresentation(self, shape)


class InPairs(Transform):
    """Real numbers in pairs, as complex ones."""

    dtype = np.complex128

    def __init__(self, shape):
        self.shape, self.block_shape = shape, (shape[0] // 2, 1, 1)

    def analyze(self, x):
        return np.ascontiguousarray(x).view(np.complex128)[..., None, None]

    def synthesize(self, blocks):
        return np.ascontiguousarray(blocks[..., 0, 0]).view(np.float64)


class HarmonicsRepresentation(CircleRepresentation):
    """An element is its angle in degrees."""

    parameters = ("degrees",)

    def __init__(self, group, shape):
        super().__init__(group, InPairs(shape), period=360.0, cells=shape[0])


@dataclass(frozen=True)
class TwoPhases(Group):
    """Five complex numbers, as ten real ones: the first two turn together, and so do the others."""

    def on(self, shape):
        return TwoPhasesRepresentation(self, InTwoBlocks(shape))


class InTwoBlocks(InPairs):
    """The first two complex numbers as one block, the other three as another."""

    def __init__(self, shape):
        self.shape, self.block_shape = shape, (2, 1, 3)

    def analyze(self, x):
        Y = super().analyze(x)[..., 0, 0]
        blocks = np.zeros((*Y.shape[:-1], 2, 1, 3), dtype=complex)
        blocks[..., 0, 0, :2], blocks[..., 1, 0, :] = Y[..., :2], Y[..., 2:]
        return blocks

    def synthesize(self, blocks):
        Y = np.concatenate([blocks[..., 0, 0, :2], blocks[..., 1, 0, :]], axis=-1)
        return super().synthesize(Y[..., None, None])


class TwoPhasesRepresentation(Representation):
    """An element is two angles; the best ones are those of the two correlations."""

    parameters, dimension, has_tangents = ("first", "second"), 2, True

    def represent(self, element):
        return np.exp(1j * element)[..., None, None]

    def compose(self, left, right):
        return np.mod(left + right, 2 * np.pi)

    def inverse(self, element):
        return np.mod(-element, 2 * np.pi)

    def sample(self, rng, n):
        return rng.uniform(0, 2 * np.pi, (n, 2))

    def polar(self, correlation):
        return np.abs(correlation[..., 0, 0]).sum(axis=-1)

    def match(self, correlation):
        return self.polar(correlation), np.mod(np.angle(correlation[..., 0, 0]), 2 * np.pi)

    def tangents(self, B):
        return 1j * np.eye(2)[:, :, None, None] * B[..., None, :, :, :]

    def retract(self, element, by):
        return self.compose(element, by)


@dataclass(frozen=True)
class Lazy(Coder):
    """Lets another coder do the work."""

    tol: float = 1e-4
    rounds: int = 500

    def serves(self, representation):
        return ActiveSet().serves(representation)

    def solve(self, problem, warm):
        return ActiveSet(self.tol, self.rounds).solve(problem, warm)
