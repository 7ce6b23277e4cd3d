"""Shifts on a grid: by integers, or by multiples of a fraction 1/K of a sample."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from orbitdl.arrays.blocks import Blocks, Combination, Floats, Integers
from orbitdl.arrays.validation import require_count
from orbitdl.groups.base import Group
from orbitdl.groups.finite_representation import Entries, FiniteRepresentation, translated_entries
from orbitdl.groups.maxima.grids import grid_peaks
from orbitdl.groups.signals.time_shift import TimeShift, fourier_of
from orbitdl.groups.vectors.shifts import GridShifts


@dataclass(frozen=True)
class IntegerShift(Group):
    """Circular shifts by integer numbers of samples: convolutional dictionary learning.

    Acts on signals (length,) or (length, channels); all channels are shifted alike.

    Notes
    -----
    ``Z`` is a circulant matrix and its gauge the l1 norm of its first column (Section 4.2 of the
    paper). In block coordinates it is diagonal: one number per frequency.

    Examples
    --------
    >>> import numpy as np
    >>> shifts = IntegerShift().on((4,))
    >>> shifts.act(np.array([1.0]), np.array([1.0, 2.0, 3.0, 4.0])).round(12)
    array([4., 1., 2., 3.])
    """

    def on(self, shape: tuple[int, ...]) -> GridShiftRepresentation:
        return GridShiftRepresentation(self, shape, 1)

    def shifts(self, length: int) -> GridShifts:
        return GridShifts(length, 1, *shift_description(1))


@dataclass(frozen=True)
class InterpolatedShift(Group):
    """Circular shifts by multiples of 1/subdivisions of a sample, by trigonometric interpolation.

    Notes
    -----
    ``K`` subdivisions give ``K * length`` shifts (Section 4.4 of the paper): K = 1 is
    `IntegerShift`, and K to infinity is `ContinuousShift`. For K > 1 the shifts are linearly
    dependent and the gauge is the minimum l1 norm over all decompositions of Z. For an even length
    and K > 1 the Nyquist frequency cannot be shifted and stays in the residual.

    Examples
    --------
    >>> InterpolatedShift(4).on((10,)).size
    40
    """

    subdivisions: int = 2

    def __post_init__(self) -> None:
        require_count(self.subdivisions, "subdivisions")

    def on(self, shape: tuple[int, ...]) -> GridShiftRepresentation:
        return GridShiftRepresentation(self, shape, self.subdivisions)

    def shifts(self, length: int) -> GridShifts:
        return GridShifts(length, self.subdivisions, *shift_description(self.subdivisions))


class GridShiftRepresentation(TimeShift, FiniteRepresentation):
    """Shifts by k/K samples, k = 0 .. K*length - 1: a cyclic group."""

    def __init__(self, group: Group, shape: tuple[int, ...], subdivisions: int) -> None:
        spectra = fourier_of(group, shape, keep_nyquist=subdivisions == 1)
        super().__init__(group, spectra, spectra.length, spectra.weights)
        self.subdivisions = subdivisions
        self.size = subdivisions * self.length
        self.cycles = (self.size,)

    @property
    def _shift_format(self) -> tuple[str, float, int]:
        description, decimals = shift_description(self.subdivisions)
        return description, 1 / self.subdivisions, decimals

    @property
    def elements(self) -> Floats:
        return np.arange(self.size)[:, None] / self.subdivisions

    def index(self, element: Floats) -> Integers:
        return np.rint(element[..., 0] * self.subdivisions).astype(np.intp) % self.size

    def correlations(self, C: Blocks) -> Floats:
        return self.on_grid(C, self.size)

    def entries(self) -> Entries:
        return translated_entries(self.shape, self.length, self.subdivisions)

    def peaks(self, correlation: Blocks, threshold: float) -> Combination:
        values = self.correlations(correlation)
        row, number = grid_peaks(values, threshold)
        return Combination(row, values[row, number], self.elements[number])


def shift_description(subdivisions: int) -> tuple[str, int]:
    """Return a description of the shifts, and decimal places of their labels."""
    if subdivisions == 1:
        return "by integer samples", 0
    return f"in steps of 1/{subdivisions} of a sample", 2
