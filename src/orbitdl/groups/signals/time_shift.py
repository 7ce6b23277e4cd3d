"""Base of all groups of circular shifts of signals."""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property

import numpy as np

from orbitdl.arrays.blocks import Floats, Integers
from orbitdl.groups.base import Group
from orbitdl.groups.phase_action import PhaseAction
from orbitdl.groups.presentation import Presentation, ShiftSlider, view_of_signals
from orbitdl.groups.transforms.fourier import Fourier


class TimeShift(PhaseAction):
    """Shifts of signals (length,) or (length, channels); an element is its shift in samples.

    Notes
    -----
    A shift by tau samples to the right, ``y(t) -> y(t - tau)``, multiplies the spectrum at
    frequency f by ``exp(-2 pi i f tau / length)``: the period is the length.
    """

    transform: Fourier
    parameters = ("shift",)

    @property
    def length(self) -> int:
        """Samples of a signal."""
        return self.shape[0]

    @cached_property
    def presentation(self) -> Presentation:
        description, step, _ = self._shift_format
        return Presentation(
            f"may be shifted {description}",
            self._shift_label,
            view_of_signals(self.shape),
            (ShiftSlider(step),),
            noun="window",
            in_time=True,
        )

    def _shift_label(self, element: Floats) -> str:
        return f"{element[0]:.{self._shift_format[2]}f}"

    @property
    @abstractmethod
    def _shift_format(self) -> tuple[str, float, int]:
        """Description of the shifts, step of their grid (0: none), decimal places of labels."""

    def locate(self, element: Floats, source: Integers, x: Floats) -> Floats:
        # x(t) is the inner product of rho(t) with the coefficients of the interpolant
        height, shift = self.match(self.transform.interpolants(x)[..., None, None])
        largest = np.abs(height).argmax(axis=1)
        peak = shift[np.arange(len(x)), largest, 0]
        position: Floats = np.mod(peak[source] + element[:, 0], self.length)
        return position


def fourier_of(group: Group, shape: tuple[int, ...], *, keep_nyquist: bool) -> Fourier:
    """Return the Fourier transform of signals of this shape; raise ValueError for other shapes.

    For an even length and fractional shifts, the Nyquist frequency (the alternating signal) cannot
    be shifted. Components have none, and that of the data stays in the residual.
    """
    if len(shape) not in (1, 2) or 0 in shape:
        raise ValueError(
            f"{group.name} acts on data points of shape (length,) or (length, channels), "
            f"not {tuple(shape)}; flatten or reshape X."
        )
    return Fourier(shape, keep_nyquist=keep_nyquist)
