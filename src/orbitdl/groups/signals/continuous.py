"""Continuous shifts: the off-the-grid limit of interpolated shifts.

`ContinuousShifts` are those of signals of vectors, which a matrix group acts on.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import fft

from orbitdl.arrays.blocks import Blocks, Floats, Integers
from orbitdl.groups.base import Group
from orbitdl.groups.circle import CircleRepresentation
from orbitdl.groups.maxima.branch_and_bound import (
    Evaluate,
    Slope,
    bound_largest,
    maxima_from_grid,
    secant_maxima,
)
from orbitdl.groups.maxima.grids import grid_peaks, grid_size, lowest_fraction, on_grid
from orbitdl.groups.maxima.largest import find_largest_values
from orbitdl.groups.maxima.polynomials import MatrixPolynomials
from orbitdl.groups.signals.time_shift import TimeShift, fourier_of
from orbitdl.groups.vectors.matrix_group import MatrixGroup
from orbitdl.groups.vectors.shifts import (
    ShiftPeaks,
    Shifts,
    concatenate_peaks,
    high_values,
    values_above,
)

DESCRIPTION = ("by any amount, fractions of a sample included", 2)
"""Description of the shifts, and decimal places of their labels."""


FINENESS = 2.3
"""Grid points per sample, at least, in the search of the maximum."""
EVERYWHERE = 3
"""Grid points per sample in the search of all peaks: six per period of the highest frequency."""
MISSED = 1e-4
"""Relative tolerance up to which `peaks` includes the global maximum; `best` finds it exactly."""
SURE = 1e-9
"""Relative tolerance of the branch and bound before the last refinement."""


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


class ContinuousShifts(Shifts):
    """Shifts by any real number in [0, N).

    Notes
    -----
    The polar at tau is the maximum over h of ``<X(tau), h>``, trigonometric polynomials of degree
    K: around its maximum V it decreases no faster than ``V cos(2 pi K tau / N)``. Its derivative is
    ``<X'(tau), h>`` for the best h at tau.
    """

    keep_nyquist, dimension, step = False, 1, 0.0

    def __init__(self, length: int, description: str, decimals: int) -> None:
        self.length, self.description, self.decimals = length, description, decimals
        self.degree = (length - 1) // 2
        self.coarse = grid_size(length, FINENESS)
        self.size = int(fft.next_fast_len(EVERYWHERE * length, real=True))
        self.share = lowest_fraction(self.degree + 1, self.coarse)

    def spread(self, most: int) -> Floats:
        return np.linspace(0.0, self.length, most, endpoint=False)

    def sample(self, rng: np.random.Generator, n: int) -> Floats:
        return rng.uniform(0, self.length, size=n)

    def best(self, matrix_group: MatrixGroup, C: Blocks) -> ShiftPeaks:
        heights = high_values(matrix_group, on_grid(C, self.coarse, axis=-3), self.share)
        matrices, row = MatrixPolynomials(C), np.arange(len(C))
        evaluate = polar_of(matrix_group, matrices)
        _, value, position = bound_largest(
            evaluate, heights, self.degree, SURE, curvature_bound(matrix_group, C)
        )
        # a value within SURE of a maximum V with curvature V degree^2 lies within
        # sqrt(2 SURE) / degree of its position; a flatter maximum loses nothing
        radius = 4 * np.sqrt(SURE) / max(self.degree, 1)
        top = secant_maxima(
            slope_of(matrix_group, matrices), row, position, value * self.degree**2, radius
        )
        return self._peaks_at(matrices, row, np.where(evaluate(row, top) > value, top, position))

    def bound(self, matrix_group: MatrixGroup, C: Blocks, eps: float) -> Floats:
        heights = high_values(matrix_group, on_grid(C, self.coarse, axis=-3), self.share)
        tops = heights.max(axis=2)
        sample, j = np.nonzero(tops >= self.share * tops.max(axis=1, keepdims=True))
        C_high, high = C[sample, j], heights[sample, j]
        evaluate, curvature = (
            polar_of(matrix_group, MatrixPolynomials(C_high)),
            curvature_bound(matrix_group, C_high),
        )
        upper, _, _ = bound_largest(evaluate, high, self.degree, eps, curvature)
        largest = np.zeros(len(C))
        np.maximum.at(largest, sample, upper)
        return largest

    def peaks(self, matrix_group: MatrixGroup, C: Blocks, threshold: float) -> ShiftPeaks:
        threshold = threshold * lowest_fraction(self.degree + 1, self.size)
        heights = values_above(matrix_group, on_grid(C, self.size, axis=-3), threshold)
        row, k = grid_peaks(heights, threshold)
        matrices = MatrixPolynomials(C)
        top = maxima_from_grid(slope_of(matrix_group, matrices), heights, row, k)
        found = self._peaks_at(matrices, row, top)
        curvature = curvature_bound(matrix_group, C)
        return concatenate_peaks(
            found, self._overlooked(matrix_group, matrices, heights, curvature, found)
        )

    def _overlooked(
        self,
        matrix_group: MatrixGroup,
        matrices: MatrixPolynomials,
        heights: Floats,
        curvature: Floats,
        found: ShiftPeaks,
    ) -> ShiftPeaks:
        """Return the global maxima that exceed all peaks found in their rows.

        Two maxima with different h may lie in one grid cell, where only one is refined.
        """
        best = np.zeros(len(heights))
        np.maximum.at(best, found.row, matrix_group.polar(found.X))
        rows = np.unique(found.row)
        evaluate = polar_of(matrix_group, matrices)
        _, value, position = bound_largest(
            lambda row, theta: evaluate(rows[row], theta),
            heights[rows],
            self.degree,
            MISSED,
            curvature[rows],
        )
        higher = value > (1.0 + MISSED) * best[rows]
        return self._peaks_at(matrices, rows[higher], position[higher])

    def highest(self, C: Blocks) -> Floats:
        # the square is a polynomial of twice the degree, determined by its values on a grid
        size = int(fft.next_fast_len(4 * self.length, real=True))
        square = np.sum(on_grid(C, size) ** 2, axis=1)
        spectrum = fft.rfft(square, norm="forward")[:, None, : 2 * self.degree + 1]
        spectrum[..., 1:] *= 2
        _, angle = find_largest_values(spectrum, grid_size(2 * self.length, FINENESS))
        return self._shift(angle)

    def _peaks_at(self, matrices: MatrixPolynomials, row: Integers, angle: Floats) -> ShiftPeaks:
        return ShiftPeaks(row, self._shift(angle), matrices.at(row, angle))

    def _shift(self, angle: Floats) -> Floats:
        return np.mod(angle * (self.length / (2 * np.pi)), self.length)


def polar_of(matrix_group: MatrixGroup, matrices: MatrixPolynomials) -> Evaluate:
    """Return the function that evaluates the polar at X(theta)."""

    def evaluate(row: Integers, theta: Floats) -> Floats:
        return matrix_group.polar(matrices.at(row, theta))

    return evaluate


def curvature_bound(matrix_group: MatrixGroup, C: Blocks) -> Floats:
    """Bound ``|<X''(theta), h>|`` for all angles and h by ``sqrt(d) sum_f f^2 ||C_f||``, (n,)."""
    size = np.sqrt(matrix_group.d * np.sum(np.abs(C) ** 2, axis=(-1, -2)))
    return np.asarray(size @ np.arange(C.shape[-3]) ** 2.0)


def slope_of(matrix_group: MatrixGroup, matrices: MatrixPolynomials) -> Slope:
    """Return the function that evaluates the derivative of the polar at X(theta)."""

    def slope(row: Integers, theta: Floats) -> Floats:
        X, change = matrices.with_slopes(row, theta)
        value, h = matrix_group.match(X)
        along = change * matrix_group.matrix(h)
        return np.asarray(np.sign(value) * along.sum(axis=(-1, -2)))

    return slope
