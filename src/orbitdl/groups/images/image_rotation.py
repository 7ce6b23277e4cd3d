"""Rotations of images about their centre by any angle.

The transform is the Fourier-Bessel transform of images on a disc, orthonormal on pixels.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.special import jn_zeros, jv

from orbitdl.arrays.blocks import Blocks, Floats, Integers
from orbitdl.arrays.validation import require_positive
from orbitdl.groups.base import Action, Group
from orbitdl.groups.circle import CircleRepresentation
from orbitdl.groups.presentation import ElementSlider, Presentation, view_of_image
from orbitdl.groups.semidirect_product import SemidirectAction
from orbitdl.groups.signals.reversal import Mirror
from orbitdl.groups.transforms.base import Transform

DEGREES = 360.0
"""Degrees; the period of the angle."""


@dataclass(frozen=True)
class ImageRotation(Group):
    """Rotations of square images about their centre by any angle, counterclockwise in degrees.

    Acts on images (S, S) or (S, S, channels); all channels are rotated alike.

    Parameters
    ----------
    reflections : bool
        Whether to add reflections: images are flipped upside down first, then rotated.
    bandwidth : float
        Largest spatial frequency of the representation, as a fraction of the Nyquist frequency of
        the pixels, at most 1. Rotations of higher frequencies suffer from aliasing.

    Notes
    -----
    On the inscribed disc an image is a sum of Fourier-Bessel functions
    ``J_k(z_kn r / R) exp(i k phi)``, which a rotation multiplies by ``exp(-i k angle)``: the circle
    group, with one block per angular frequency k. What lies outside the disc, above `bandwidth`, or
    does not vanish at the rim is outside the range of the transform and stays in the residual.
    Rotations by 90 degrees are exact, others up to discretisation: about 1e-3 for 32 pixels.

    Examples
    --------
    >>> import numpy as np
    >>> rotations = ImageRotation().on((9, 9))
    >>> image = rotations.project(np.random.default_rng(0).standard_normal((9, 9)))
    >>> bool(np.allclose(rotations.act(np.array([90.0]), image), np.rot90(image)))
    True
    """

    reflections: bool = False
    bandwidth: float = 0.8

    def __post_init__(self) -> None:
        if not isinstance(self.reflections, bool | np.bool_):
            raise ValueError(f"reflections must be True or False, not {self.reflections!r}.")
        require_positive(self.bandwidth, "bandwidth")
        if self.bandwidth > 1:
            raise ValueError(
                f"bandwidth must be at most 1 (Nyquist), not {self.bandwidth}; pass less."
            )

    def on(self, shape: tuple[int, ...]) -> Action:
        if not self.reflections:
            return ImageRotationRepresentation(self, shape)
        rotations = ImageRotationRepresentation(replace(self, reflections=False), shape)
        return SemidirectAction(self, rotations, Mirror().on(shape))


class ImageRotationRepresentation(CircleRepresentation):
    """One block per angular frequency; angles in degrees."""

    parameters = ("angle",)

    def __init__(self, group: ImageRotation, shape: tuple[int, ...]) -> None:
        if len(shape) not in (2, 3) or 0 in shape or shape[0] != shape[1] or shape[0] == 1:
            raise ValueError(
                f"{group.name} acts on square images of shape (S, S) or (S, S, channels) with S of "
                f"2 pixels or more, not {tuple(shape)}; reshape or crop X."
            )
        waves = FourierBessel(shape, group.bandwidth)
        n_blocks = waves.block_shape[0]
        if n_blocks == 0:
            raise ValueError(
                f"images of shape {tuple(shape)} have no frequency below a bandwidth of "
                f"{group.bandwidth:g}; raise the bandwidth or use larger images."
            )
        super().__init__(group, waves, DEGREES, 2 * n_blocks - 1)

    @cached_property
    def presentation(self) -> Presentation:
        return Presentation(
            "may be rotated about their centre by any angle",
            angle_label,
            view_of_image(self.shape),
            (ElementSlider(),),
            noun="image",
        )


def angle_label(element: Floats) -> str:
    """Return a label of a rotation, to a tenth of a degree."""
    return f"rotated by {element[0]:.1f}°"


class Waves(NamedTuple):
    """Fourier-Bessel functions: angular frequency, radial index and zero of each.

    All arrays have shape (K,); `frequency` ascends from 0.
    """

    frequency: Integers
    number: Integers
    zero: Floats


class FourierBessel(Transform):
    """Images (S, S) or (S, S, channels) in polar coordinates about their centre.

    Parameters
    ----------
    shape : tuple of int
    bandwidth : float
        Largest frequency, as a fraction of the Nyquist frequency of the pixels.

    Notes
    -----
    On the disc of radius ``R = S / 2`` about the centre,

        psi_kn(r, phi) = J_k(z_kn r / R) exp(i k phi),      z_kn the n-th zero of J_k,

    for ``z_kn <= bandwidth * pi * R``. Their real and imaginary parts at the pixels, scaled to
    equal norms on the disc, are the columns of B, and ``B (B^T B)^(-1/2)`` the orthonormal columns
    nearest to them (Löwdin). With c and s for those of the real and of the imaginary part,
    ``Y_kn = <c_kn, y> - i <s_kn, y>``. Block k holds as many numbers per channel as there are n,
    and zeros up to the largest such number.
    Angles run counterclockwise in the image as it is drawn, with the first row on top.

    Examples
    --------
    >>> FourierBessel((8, 8), 0.8).block_shape
    (7, 1, 3)
    """

    dtype = np.complex128
    is_invertible = False

    def __init__(self, shape: tuple[int, ...], bandwidth: float) -> None:
        self.shape = tuple(shape)
        self._channels = shape[2] if len(shape) == 3 else 1
        x, y = _coordinates(shape[0])
        self._disc: Integers = np.flatnonzero(np.hypot(x, y) <= 0.5 * shape[0])
        waves = waves_below(0.5 * np.pi * bandwidth * shape[0])
        n_blocks = int(waves.frequency.max(initial=-1)) + 1
        self._width = int(waves.number.max(initial=-1)) + 1
        self.block_shape = (n_blocks, 1, self._width * self._channels)
        radius, angle = np.hypot(x, y)[self._disc], np.arctan2(y, x)[self._disc]
        self._real, self._imaginary = _orthonormal(waves, radius / (0.5 * shape[0]), angle)
        self._index = waves.frequency * self._width + waves.number

    def analyze(self, x: Floats) -> Blocks:
        batch = x.shape[: x.ndim - len(self.shape)]
        pixels = x.reshape(*batch, self.shape[0] ** 2, self._channels)[..., self._disc, :]
        values = np.empty((*batch, len(self._index), self._channels), dtype=np.complex128)
        values.real, values.imag = self._real.T @ pixels, -(self._imaginary.T @ pixels)
        n_blocks, _, m = self.block_shape
        blocks = np.zeros((*batch, n_blocks * self._width, self._channels), dtype=np.complex128)
        blocks[..., self._index, :] = values
        return blocks.reshape(*batch, n_blocks, 1, m)

    def synthesize(self, blocks: Blocks) -> Floats:
        batch = blocks.shape[:-3]
        flat = blocks.reshape(*batch, self.block_shape[0] * self._width, self._channels)
        values = flat[..., self._index, :]
        x = np.zeros((*batch, self.shape[0] ** 2, self._channels))
        x[..., self._disc, :] = self._real @ values.real - self._imaginary @ values.imag
        return x.reshape(*batch, *self.shape)


def waves_below(limit: float) -> Waves:
    """Return the functions whose zeros ``z_kn`` are at most the limit."""
    found: list[Floats] = []
    # zeros of a Bessel function are about pi apart, and the first one of J_k lies above k
    while len(found) <= limit:
        zeros = jn_zeros(len(found), int(limit / np.pi) + 2)
        if zeros[0] > limit:
            break
        found.append(zeros[zeros <= limit])
    counts = [len(zeros) for zeros in found]
    frequency = np.repeat(np.arange(len(counts)), counts)
    number = np.concatenate([np.arange(0), *(np.arange(count) for count in counts)])
    return Waves(frequency, number, np.concatenate([np.zeros(0), *found]))


def _coordinates(side: int) -> tuple[Floats, Floats]:
    """Return x (to the right) and y (up) of all pixels, row by row, from the centre."""
    row, column = np.divmod(np.arange(side * side), side)
    middle = 0.5 * (side - 1)
    return column - middle, middle - row


def _orthonormal(waves: Waves, radius: Floats, angle: Floats) -> tuple[Floats, Floats]:
    """Return orthonormal real and imaginary parts of the functions at pixels, (pixels, K) each.

    By the symmetry D4 of the pixel grid, real and imaginary parts are orthogonal, and so are
    frequencies that are 0, 2 and odd modulo 4: each class is orthonormalised by itself.
    """
    radial, phase = _radial_parts(waves, radius), angle[:, None] * waves.frequency
    parts = radial * np.cos(phase), radial * np.sin(phase)
    kind = np.where(waves.frequency % 2 == 1, 1, waves.frequency % 4)
    for part, nonzero in zip(parts, (waves.frequency >= 0, waves.frequency > 0), strict=True):
        for which in range(3):
            chosen = nonzero & (kind == which)
            part[:, chosen] = _lowdin(part[:, chosen])
    return parts


def _radial_parts(waves: Waves, radius: Floats) -> Floats:
    """Return ``J_k(z_kn r)``, (pixels, K), scaled such that real parts have equal norms."""
    once, back = np.unique(radius.round(9), return_inverse=True)  # many pixels share a radius
    values = np.empty((len(once), len(waves.zero)))
    for column, (k, _, zero) in enumerate(zip(*waves, strict=True)):
        norm = abs(jv(k + 1, zero)) * (1.0 if k > 0 else np.sqrt(2.0))
        values[:, column] = jv(k, zero * once) / norm
    result: Floats = values[back]
    return result


def _lowdin(B: Floats) -> Floats:
    """Return ``B (B^T B)^(-1/2)``, the orthonormal columns nearest to those of B."""
    size, vectors = np.linalg.eigh(B.T @ B)
    return np.asarray(B @ ((vectors / np.sqrt(size)) @ vectors.T))
