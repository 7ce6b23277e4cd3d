"""Rotations about the vertical axis: three-component data with a known vertical."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from orbitdl.arrays.blocks import Blocks, Floats
from orbitdl.groups.base import Group
from orbitdl.groups.circle import CircleRepresentation
from orbitdl.groups.presentation import Presentation, RotationSlider, Slider, view_of_points
from orbitdl.groups.transforms.base import Transform
from orbitdl.groups.vectors.matrix_group import MatrixGroup, rotation_generators


@dataclass(frozen=True)
class Azimuth(Group):
    """Rotations about the third axis, acting on data points (3,) or (3, r) from the left.

    An element is its angle in degrees, from the first axis to the second.

    Notes
    -----
    The vertical is invariant. The horizontals are one complex number ``x - i y``, which a rotation
    by phi multiplies by ``exp(-i phi)``: the circle group with frequencies 0 and 1. With the
    correlations ``c_v`` of the verticals and ``c_h`` of the horizontals the polar is
    ``|c_v| + |c_h|``. In a `Product` with a group of shifts it models recordings of ground motion
    with sources in any direction.

    Examples
    --------
    >>> import numpy as np
    >>> Azimuth().on((3,)).act(np.array([90.0]), np.array([1.0, 0.0, 5.0])).round(12)
    array([0., 1., 5.])
    """

    def on(self, shape: tuple[int, ...]) -> AzimuthRepresentation:
        return AzimuthRepresentation(self, shape)

    def matrix_group(self, d: int) -> AzimuthMatrices:
        if d != 3:
            raise ValueError(
                f"Azimuth acts on vectors (x, y, z) with vertical z, not on vectors of length {d}; "
                "reshape X, or use Orthogonal() for rotations in other dimensions."
            )
        return AzimuthMatrices()


class AzimuthRepresentation(CircleRepresentation):
    """Two complex numbers per column: the vertical, and both horizontals."""

    parameters = ("azimuth",)

    def __init__(self, group: Azimuth, shape: tuple[int, ...]) -> None:
        if len(shape) not in (1, 2) or 0 in shape or shape[0] != 3:
            raise ValueError(
                f"Azimuth acts on data points of shape (3,) or (3, r), not {tuple(shape)}; reshape "
                "X so that the first axis of a data point is space, with the vertical last."
            )
        super().__init__(group, VerticalAndHorizontal(shape), 360.0, 3)

    @cached_property
    def presentation(self) -> Presentation:
        view = view_of_points(3, self.block_shape[2])
        sliders = AzimuthMatrices().sliders
        return Presentation(f"may be {AzimuthMatrices.description}", azimuth_label, view, sliders)


class VerticalAndHorizontal(Transform):
    """Vectors (x, y, z) as ``z`` and ``x - i y``."""

    dtype = np.complex128

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.shape = tuple(shape)
        self.block_shape = (2, 1, shape[1] if len(shape) == 2 else 1)

    def analyze(self, x: Floats) -> Blocks:
        columns = x.reshape(*x.shape[: x.ndim - len(self.shape)], 3, self.block_shape[2])
        horizontal = columns[..., 0, :] - 1j * columns[..., 1, :]
        return np.stack([columns[..., 2, :] + 0j, horizontal], axis=-2)[..., None, :]

    def synthesize(self, blocks: Blocks) -> Floats:
        vertical, horizontal = blocks[..., 0, 0, :], blocks[..., 1, 0, :]
        columns = np.stack([horizontal.real, -horizontal.imag, vertical.real], axis=-2)
        return columns.reshape(*columns.shape[:-2], *self.shape)


class AzimuthMatrices(MatrixGroup):
    """Rotation matrices about the third axis."""

    description = "rotated about the third axis"

    def __init__(self) -> None:
        super().__init__(3, ("azimuth",), rotation_generators(3)[:1])

    def matrix(self, element: Floats) -> Floats:
        angle = np.radians(element[..., 0])
        result = np.zeros((*angle.shape, 3, 3))
        result[..., 0, 0] = result[..., 1, 1] = np.cos(angle)
        result[..., 1, 0] = np.sin(angle)
        result[..., 0, 1] = -result[..., 1, 0]
        result[..., 2, 2] = 1.0
        return result

    def element(self, matrix: Floats) -> Floats:
        return _degrees(matrix[..., 1, 0], matrix[..., 0, 0])

    def sample(self, rng: np.random.Generator, n: int) -> Floats:
        return rng.uniform(0, 360, size=(n, 1))

    def match(self, X: Floats) -> tuple[Floats, Floats]:
        cosine, sine = X[..., 0, 0] + X[..., 1, 1], X[..., 1, 0] - X[..., 0, 1]
        sign = np.where(X[..., 2, 2] < 0, -1.0, 1.0)
        return sign * self.polar(X), _degrees(sign * sine, sign * cosine)

    def polar(self, X: Floats) -> Floats:
        horizontal = np.hypot(X[..., 0, 0] + X[..., 1, 1], X[..., 1, 0] - X[..., 0, 1])
        return np.asarray(np.abs(X[..., 2, 2]) + horizontal)

    def bound(self, X: Floats) -> Floats:
        return self.polar(X)

    @property
    def sliders(self) -> tuple[Slider, ...]:
        return (RotationSlider(((0, 1),)),)

    def label(self, element: Floats) -> str:
        return azimuth_label(element)


def azimuth_label(element: Floats) -> str:
    """Return a label of a rotation: its azimuth."""
    return f"azimuth {element[0]:.1f}°"


def _degrees(sine: Floats, cosine: Floats) -> Floats:
    return np.mod(np.degrees(np.arctan2(sine, cosine)), 360.0)[..., None]
