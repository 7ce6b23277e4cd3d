"""Time reversal of signals, and reflection of images."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from orbitdl.arrays.blocks import Blocks, Floats, Integers
from orbitdl.groups.base import Group
from orbitdl.groups.finite_representation import FiniteRepresentation
from orbitdl.groups.presentation import ElementSlider, Presentation, view_of_image, view_of_signals
from orbitdl.groups.transforms.base import Transform


@dataclass(frozen=True)
class Reversal(Group):
    """Time reversal of signals (length,) or (length, channels): ``x`` and ``x[::-1]``.

    Notes
    -----
    The even part of a signal is invariant, the odd part changes sign: two blocks of size one. With
    shifts, ``SemidirectProduct(ContinuousShift(), Reversal())``, waveforms may occur at any time,
    forwards or backwards.

    Examples
    --------
    >>> Reversal().on((3,)).act(np.array([1.0]), np.array([1.0, 2.0, 3.0])).round(12)
    array([3., 2., 1.])
    """

    def on(self, shape: tuple[int, ...]) -> ReversalRepresentation:
        return ReversalRepresentation(self, shape)


@dataclass(frozen=True)
class Mirror(Group):
    """Reflection of images (rows, columns) or (rows, columns, channels), upside down.

    Notes
    -----
    The same as `Reversal` for rows. With rotations, `ImageRotation(reflections=True)`, it generates
    all reflections.

    Examples
    --------
    >>> Mirror().on((2, 2)).act(np.array([1.0]), np.array([[1.0, 2.0], [3.0, 4.0]])).round(12)
    array([[3., 4.],
           [1., 2.]])
    """

    def on(self, shape: tuple[int, ...]) -> MirrorRepresentation:
        return MirrorRepresentation(self, shape)


class Parity(Transform):
    """``(x + x[::-1]) / sqrt(2)`` and ``(x - x[::-1]) / sqrt(2)``, on one half of the samples.

    The middle sample of an odd length N belongs to the even part.

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


class FlipRepresentation(FiniteRepresentation):
    """Even and odd part along the first axis; element 1 changes the sign of the odd part."""

    is_integer = True
    cycles = (2,)
    size = 2

    def __init__(self, group: Group, shape: tuple[int, ...]) -> None:
        super().__init__(group, Parity(shape))

    @property
    def elements(self) -> Floats:
        return np.array([[0.0], [1.0]])

    def index(self, element: Floats) -> Integers:
        return np.rint(element[..., 0]).astype(np.intp)

    def represent(self, element: Floats) -> Blocks:
        odd = 1.0 - 2.0 * np.rint(element)
        return np.concatenate([np.ones_like(odd), odd], axis=-1)[..., None, None]

    def compose(self, left: Floats, right: Floats) -> Floats:
        return np.mod(left + right, 2.0)

    def inverse(self, element: Floats) -> Floats:
        return element

    def correlations(self, C: Blocks) -> Floats:
        even, odd = C[..., 0, 0, 0], C[..., 1, 0, 0]
        return np.stack([even + odd, even - odd], axis=-1)


class ReversalRepresentation(FlipRepresentation):
    """Time reversal."""

    parameters = ("reversed",)

    def __init__(self, group: Reversal, shape: tuple[int, ...]) -> None:
        if len(shape) not in (1, 2) or 0 in shape:
            raise ValueError(
                f"{group.name} acts on data points of shape (length,) or (length, channels), "
                f"not {tuple(shape)}; flatten or reshape X."
            )
        super().__init__(group, shape)

    @cached_property
    def presentation(self) -> Presentation:
        return Presentation(
            "may be reversed in time",
            reversal_label,
            view_of_signals(self.shape),
            (ElementSlider(),),
            noun="window",
        )


class MirrorRepresentation(FlipRepresentation):
    """Reversal of the rows of images."""

    parameters = ("mirrored",)

    def __init__(self, group: Mirror, shape: tuple[int, ...]) -> None:
        if len(shape) not in (2, 3) or 0 in shape:
            raise ValueError(
                f"{group.name} acts on images of shape (rows, columns) or (rows, columns, "
                f"channels), not {tuple(shape)}; reshape X."
            )
        super().__init__(group, shape)

    @cached_property
    def presentation(self) -> Presentation:
        view = view_of_image(self.shape)
        return Presentation("may be mirrored", mirror_label, view, (ElementSlider(),), noun="image")


def reversal_label(element: Floats) -> str:
    """Return the direction of time."""
    return "forwards" if element[0] == 0 else "backwards"


def mirror_label(element: Floats) -> str:
    """Return "mirrored" for the reflection."""
    return "" if element[0] == 0 else "mirrored"
