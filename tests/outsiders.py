"""Groups and a coder as someone else's package defines them: orbitdl does not know their names."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from orbitdl.coding import ActiveSet, Coder
from orbitdl.groups import CircleRepresentation, Group, ListedRepresentation, Transform


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


class MirrorRepresentation(ListedRepresentation):
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
class Lazy(Coder):
    """Lets another coder do the work."""

    tol: float = 1e-4
    rounds: int = 500

    def serves(self, representation):
        return ActiveSet().serves(representation)

    def solve(self, problem, warm, n_jobs):
        return ActiveSet(self.tol, self.rounds).solve(problem, warm, n_jobs)
