"""Rotations of images about their centre, by any angle."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from orbitdl.arrays.blocks import Floats
from orbitdl.arrays.validation import require_positive
from orbitdl.groups.base import Action, Group
from orbitdl.groups.circle import CircleRepresentation
from orbitdl.groups.presentation import ListSlider, Presentation
from orbitdl.groups.signals.reversal import Mirror
from orbitdl.groups.transforms.fourier_bessel import FourierBessel
from orbitdl.groups.views import view_of_image
from orbitdl.groups.with_finite import Extension

WHOLE_TURN = 360.0
"""Angles are in degrees."""


@dataclass(frozen=True)
class ImageRotation(Group):
    """Rotations of square images about their centre by any angle, counterclockwise in degrees.

    Acts on images (S, S) or (S, S, channels); all channels turn together.

    Parameters
    ----------
    reflections : bool
        Whether images may be mirrored, too: upside down first, then turned.
    bandwidth : float
        Details are kept up to this fraction of the finest that pixels show, at most 1. Finer ones
        turn less exactly, since pixels hardly tell them from others.

    Notes
    -----
    Only the disc within the square can turn. There an image is a sum of Fourier-Bessel functions
    ``J_k(z_kn r / R) exp(i k phi)``, which a rotation multiplies by ``exp(-i k angle)``: a circle,
    with one block per angular frequency k. What is outside the disc, finer than `bandwidth`, or
    does not fade towards the rim is left out; the data's share of it stays in the residual. Turns
    by 90 degrees are exact, others as exact as the pixels are fine: to about 1e-3 for 32 pixels.

    Examples
    --------
    >>> import numpy as np
    >>> turns = ImageRotation().on((9, 9))
    >>> image = turns.adopt(np.random.default_rng(0).standard_normal((9, 9)))
    >>> bool(np.allclose(turns.act(np.array([90.0]), image), np.rot90(image)))
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
                f"bandwidth must be at most 1, not {self.bandwidth}: pixels show nothing finer."
            )

    def on(self, shape: tuple[int, ...]) -> Action:
        if not self.reflections:
            return ImageRotationRepresentation(self, shape)
        turns = ImageRotationRepresentation(replace(self, reflections=False), shape)
        return Extension(self, turns, Mirror().on(shape))


class ImageRotationRepresentation(CircleRepresentation):
    """One block per angular frequency; a turn is 360 degrees."""

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
                f"with a bandwidth of {group.bandwidth:g}, {group.name} acts on larger images than "
                f"{tuple(shape)}; raise the bandwidth or use larger images."
            )
        super().__init__(group, waves, WHOLE_TURN, 2 * n_blocks - 1)

    @cached_property
    def presentation(self) -> Presentation:
        return Presentation(
            "may be turned about their centre by any angle",
            angle_in_words,
            view_of_image(self.shape),
            (ListSlider(),),
            noun="image",
        )


def angle_in_words(element: Floats) -> str:
    """Say how far an image is turned, to a tenth of a degree."""
    return f"turned by {element[0]:.1f}°"
