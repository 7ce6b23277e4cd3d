"""Shifts of signals of vectors by any amount: times between those of a grid too."""

from __future__ import annotations

import numpy as np
from scipy import fft

from orbitdl.arrays.blocks import Blocks, Floats, Integers
from orbitdl.groups.maxima.bounded import Evaluate, bound_largest
from orbitdl.groups.maxima.climbing import Slope, climb, climb_from_grid
from orbitdl.groups.maxima.grids import grid_peaks, on_grid
from orbitdl.groups.maxima.largest import find_largest_values, grid_size, lowest_fraction
from orbitdl.groups.maxima.matrices import MatrixPolynomials
from orbitdl.groups.vectors.matrix_group import Fibre
from orbitdl.groups.vectors.shift_grid import Places, Times, high_values, joined, values_above

FINENESS = 2.3
"""Points per sample, at least, of the grid on which the largest value is looked for."""
EVERYWHERE = 3
"""The same where all peaks are: six per wave of the last frequency."""
MISSED = 1e-4
"""How much, relatively, the largest value may be above all peaks; `best` finds what is missed."""
SURE = 1e-9
"""How closely, relatively, a largest value is bounded before it is climbed to."""


class AnyTime(Times):
    """Shifts by any real number in [0, N).

    Notes
    -----
    The polar is the largest of functions ``<X(tau), h>``, all of them trigonometric polynomials of
    degree K: around its largest value V it falls no faster than ``V cos(2 pi K tau / N)``. Its
    slope is ``<X'(tau), h>`` for the best h at tau.
    """

    keep_nyquist, dimension, step = False, 1, 0.0

    def __init__(self, length: int, moves: str, decimals: int) -> None:
        self.length, self.moves, self.decimals = length, moves, decimals
        self.degree = (length - 1) // 2
        self.coarse = grid_size(length, FINENESS)
        self.size = int(fft.next_fast_len(EVERYWHERE * length, real=True))
        self.share = lowest_fraction(self.degree + 1, self.coarse)

    def spread(self, most: int) -> Floats:
        return np.linspace(0.0, self.length, most, endpoint=False)

    def sample(self, rng: np.random.Generator, n: int) -> Floats:
        return rng.uniform(0, self.length, size=n)

    def best(self, fibre: Fibre, C: Blocks) -> Places:
        heights = high_values(fibre, on_grid(C, self.coarse, axis=-3), self.share)
        matrices, row = MatrixPolynomials(C), np.arange(len(C))
        evaluate = polar_of(fibre, matrices)
        _, value, place = bound_largest(evaluate, heights, self.degree, SURE, bend_of(fibre, C))
        # a value within SURE of the largest is within sqrt(2 SURE) / degree of its place, or bent
        # less: there are places as high elsewhere
        reach = 4 * np.sqrt(SURE) / max(self.degree, 1)
        top = climb(slope_of(fibre, matrices), row, place, value * self.degree**2, reach)
        return self._places(matrices, row, np.where(evaluate(row, top) > value, top, place))

    def bound(self, fibre: Fibre, C: Blocks, eps: float) -> Floats:
        heights = high_values(fibre, on_grid(C, self.coarse, axis=-3), self.share)
        tops = heights.max(axis=2)
        sample, j = np.nonzero(tops >= self.share * tops.max(axis=1, keepdims=True))
        C_high, high = C[sample, j], heights[sample, j]
        evaluate, bend = polar_of(fibre, MatrixPolynomials(C_high)), bend_of(fibre, C_high)
        upper, _, _ = bound_largest(evaluate, high, self.degree, eps, bend)
        largest = np.zeros(len(C))
        np.maximum.at(largest, sample, upper)
        return largest

    def peaks(self, fibre: Fibre, C: Blocks, level: float) -> Places:
        level = level * lowest_fraction(self.degree + 1, self.size)
        heights = values_above(fibre, on_grid(C, self.size, axis=-3), level)
        row, k = grid_peaks(heights, level)
        matrices = MatrixPolynomials(C)
        top = climb_from_grid(slope_of(fibre, matrices), heights, row, k)
        found = self._places(matrices, row, top)
        bend = bend_of(fibre, C)
        return joined(found, self._overlooked(fibre, matrices, heights, bend, found))

    def _overlooked(
        self,
        fibre: Fibre,
        matrices: MatrixPolynomials,
        heights: Floats,
        bend: Floats,
        found: Places,
    ) -> Places:
        """Return places of the largest values that are higher than all peaks found in their rows.

        Two peaks may lie between neighbours of the grid, where only one is climbed: they have
        different h.
        """
        best = np.zeros(len(heights))
        np.maximum.at(best, found.row, fibre.polar(found.X))
        rows = np.unique(found.row)
        evaluate = polar_of(fibre, matrices)
        _, value, place = bound_largest(
            lambda row, theta: evaluate(rows[row], theta),
            heights[rows],
            self.degree,
            MISSED,
            bend[rows],
        )
        higher = value > (1.0 + MISSED) * best[rows]
        return self._places(matrices, rows[higher], place[higher])

    def highest(self, C: Blocks) -> Floats:
        # the square is a polynomial of twice the degree, known by its values on a grid
        size = int(fft.next_fast_len(4 * self.length, real=True))
        square = np.sum(on_grid(C, size) ** 2, axis=1)
        spectrum = fft.rfft(square, norm="forward")[:, None, : 2 * self.degree + 1]
        spectrum[..., 1:] *= 2
        _, angle = find_largest_values(spectrum, grid_size(2 * self.length, FINENESS))
        return self._shift(angle)

    def _places(self, matrices: MatrixPolynomials, row: Integers, angle: Floats) -> Places:
        return Places(row, self._shift(angle), matrices.at(row, angle))

    def _shift(self, angle: Floats) -> Floats:
        return np.mod(angle * (self.length / (2 * np.pi)), self.length)


def polar_of(fibre: Fibre, matrices: MatrixPolynomials) -> Evaluate:
    """Return the function that evaluates the polar at X(theta)."""

    def evaluate(row: Integers, theta: Floats) -> Floats:
        return fibre.polar(matrices.at(row, theta))

    return evaluate


def bend_of(fibre: Fibre, C: Blocks) -> Floats:
    """Bound ``|<X''(theta), h>|`` for all angles and h by ``sqrt(d) sum_f f^2 ||C_f||``, (n,)."""
    size = np.sqrt(fibre.d * np.sum(np.abs(C) ** 2, axis=(-1, -2)))
    return np.asarray(size @ np.arange(C.shape[-3]) ** 2.0)


def slope_of(fibre: Fibre, matrices: MatrixPolynomials) -> Slope:
    """Return the function that evaluates its slope."""

    def slope(row: Integers, theta: Floats) -> Floats:
        X, change = matrices.with_slopes(row, theta)
        value, h = fibre.match(X)
        along = change * fibre.matrix(h)
        return np.asarray(np.sign(value) * along.sum(axis=(-1, -2)))

    return slope
