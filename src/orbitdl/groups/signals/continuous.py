"""Shifts by any amount: the off-grid limit of interpolated shifts."""

from __future__ import annotations

from dataclasses import dataclass

from orbitdl.groups.base import Group
from orbitdl.groups.circle import CircleRepresentation
from orbitdl.groups.signals.time_shift import TimeShift, spectra_of
from orbitdl.groups.vectors.continuous_times import AnyTime

WORDS = ("by any amount, fractions of a sample included", 2)
"""How far shifts go, and decimal places of a shift."""


@dataclass(frozen=True)
class ContinuousShift(Group):
    """Circular shifts by any real number of samples, by trigonometric interpolation.

    Acts on signals (length,) or (length, channels); all channels move together.

    Notes
    -----
    ``Z = sum_k c_k rho(tau_k)`` collects the Fourier coefficients of the measure
    ``sum_k c_k delta(tau_k)`` on the circle. Its gauge is the least total variation of a measure
    with these coefficients, which the paper writes as a semidefinite program (Section 4.3); its
    polar is the largest value of a trigonometric polynomial. Shifts are in samples, in [0, length).
    With an even length the Nyquist term cannot be moved and is left out.

    Examples
    --------
    >>> import numpy as np
    >>> shifts = ContinuousShift().on((5,))
    >>> wave = np.cos(2 * np.pi * np.arange(5) / 5)
    >>> moved = shifts.act(np.array([0.5]), wave)
    >>> bool(np.allclose(moved, np.cos(2 * np.pi * (np.arange(5) - 0.5) / 5)))
    True
    """

    def on(self, shape: tuple[int, ...]) -> ContinuousShiftRepresentation:
        return ContinuousShiftRepresentation(self, shape)

    def times(self, length: int) -> AnyTime:
        return AnyTime(length, *WORDS)


class ContinuousShiftRepresentation(TimeShift, CircleRepresentation):
    """One complex number per frequency below Nyquist; a cell of the circle is a sample."""

    def __init__(self, group: ContinuousShift, shape: tuple[int, ...]) -> None:
        spectra = spectra_of(group, shape, keep_nyquist=False)
        super().__init__(group, spectra, spectra.length, spectra.length, spectra.weights)

    @property
    def _words(self) -> tuple[str, float, int]:
        moves, decimals = WORDS
        return moves, 0.0, decimals
