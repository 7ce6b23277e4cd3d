"""Continuous shifts: the off-the-grid limit of interpolated shifts."""

from __future__ import annotations

from dataclasses import dataclass

from orbitdl.groups.base import Group
from orbitdl.groups.circle import CircleRepresentation
from orbitdl.groups.signals.time_shift import TimeShift, fourier_of
from orbitdl.groups.vectors.continuous_shifts import ContinuousShifts

DESCRIPTION = ("by any amount, fractions of a sample included", 2)
"""Description of the shifts, and decimal places of their labels."""


@dataclass(frozen=True)
class ContinuousShift(Group):
    """Circular shifts by any real number of samples, by trigonometric interpolation.

    Acts on signals (length,) or (length, channels); all channels are shifted alike.

    Notes
    -----
    ``Z = sum_k c_k rho(tau_k)`` collects the Fourier coefficients of the measure
    ``sum_k c_k delta(tau_k)`` on the circle. Its gauge is the least total variation of a measure
    with these coefficients, which the paper writes as a semidefinite program (Section 4.3); its
    polar is the maximum of a trigonometric polynomial. Shifts are in samples, in [0, length). For
    an even length the Nyquist frequency cannot be shifted and stays in the residual.

    Examples
    --------
    >>> import numpy as np
    >>> shifts = ContinuousShift().on((5,))
    >>> wave = np.cos(2 * np.pi * np.arange(5) / 5)
    >>> shifted = shifts.act(np.array([0.5]), wave)
    >>> bool(np.allclose(shifted, np.cos(2 * np.pi * (np.arange(5) - 0.5) / 5)))
    True
    """

    def on(self, shape: tuple[int, ...]) -> ContinuousShiftRepresentation:
        return ContinuousShiftRepresentation(self, shape)

    def shifts(self, length: int) -> ContinuousShifts:
        return ContinuousShifts(length, *DESCRIPTION)


class ContinuousShiftRepresentation(TimeShift, CircleRepresentation):
    """One complex number per frequency below Nyquist; a resolution cell is a sample."""

    def __init__(self, group: ContinuousShift, shape: tuple[int, ...]) -> None:
        spectra = fourier_of(group, shape, keep_nyquist=False)
        super().__init__(group, spectra, spectra.length, spectra.length, spectra.weights)

    @property
    def _shift_format(self) -> tuple[str, float, int]:
        description, decimals = DESCRIPTION
        return description, 0.0, decimals
