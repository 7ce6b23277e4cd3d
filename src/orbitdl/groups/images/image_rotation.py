"""Rotations of images about their centre by any angle."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from orbitdl.arrays.blocks import Floats
from orbitdl.arrays.validation import require_positive
from orbitdl.groups.base import Action, Group
from orbitdl.groups.circle import CircleRepresentation
from orbitdl.groups.presentation import ElementSlider, Presentation
from orbitdl.groups.semidirect_product import SemidirectAction
from orbitdl.groups.signals.reversal import Mirror
from orbitdl.groups.transforms.fourier_bessel import FourierBessel
from orbitdl.groups.views import view_of_image

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
