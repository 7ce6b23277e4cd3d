"""The circle group U(1)."""

from __future__ import annotations

import numpy as np
from scipy import fft

from orbitdl.arrays.blocks import Blocks, Combination, Floats
from orbitdl.groups.base import CLOSE, Group
from orbitdl.groups.maxima.grids import grid_peaks, grid_size, lowest_fraction
from orbitdl.groups.maxima.largest import find_largest_values, largest_product_of
from orbitdl.groups.maxima.peaks import peaks_near
from orbitdl.groups.phase_action import PhaseAction
from orbitdl.groups.transforms.base import Transform

CHUNK = 256
"""Polynomials put on a grid at a time to find all their peaks."""
FINENESS = 2.3
"""Grid points per cell, at least, in the search of the maximum. The nearest point attains
``cos(pi / 4.6) = 78 %`` of it, and bounds exclude most others. Finer grids take longer to compute,
coarser ones leave more candidates."""
EVERYWHERE = 4
"""Grid points per cell in the search of all peaks: 8 per period of the highest frequency, so that
neighbouring peaks have distinct grid maxima."""


class CircleRepresentation(PhaseAction):
    """Action of the circle: block f is multiplied by ``exp(-2 pi i f element / period)``.

    Derive from it for any action of U(1): it needs only a transform to complex blocks (F, 1, m),
    one per frequency f = 0 .. F-1.

    Parameters
    ----------
    group : Group
    transform : Transform
    period : float
        Period of the parameter.
    cells : int
        Resolution cells of one period, at least the ``2 F - 1`` degrees of freedom of a
        trigonometric polynomial of degree F - 1. The size of grids is a multiple of it.
    metric : ndarray of shape (F,), optional

    Notes
    -----
    ``Z = sum_k c_k rho(tau_k)`` collects the Fourier coefficients of the measure
    ``sum_k c_k delta(tau_k)``. The gauge is the least total variation of a measure with these
    coefficients, the polar ``max_tau |Re sum_f C_f exp(2 pi i f tau / period)|`` the largest value
    of a trigonometric polynomial, exactly.
    """

    dimension = 1
    parameters = ("turn",)

    def __init__(
        self,
        group: Group,
        transform: Transform,
        period: float,
        cells: int,
        metric: Floats | None = None,
    ) -> None:
        super().__init__(group, transform, period, metric)
        if cells < 2 * self.block_shape[0] - 1:
            raise ValueError(
                f"{self.block_shape[0]} frequencies need at least {2 * self.block_shape[0] - 1} "
                f"resolution cells, not {cells}; pass a larger number of cells."
            )
        self.cells = cells
        self._grid_size = grid_size(cells, FINENESS)

    def sample(self, rng: np.random.Generator, n: int) -> Floats:
        return rng.uniform(0, self.period, size=(n, 1))

    def spanning_elements(self) -> Floats:
        return self.examples(self.cells)

    def examples(self, most: int) -> Floats:
        return np.linspace(0.0, self.period, most, endpoint=False)[:, None]

    def tangents(self, B: Blocks) -> Blocks:
        frequency = (-2j * np.pi / self.period) * np.arange(self.block_shape[0])
        return (frequency[:, None, None] * B)[..., None, :, :, :]

    def retract(self, element: Floats, by: Floats) -> Floats:
        return self.compose(element, by)

    def polar(self, correlation: Blocks) -> Floats:
        return np.abs(self.match(correlation)[0])

    def largest_polar(self, correlation: Blocks, eps: float = CLOSE) -> Floats:
        C = np.ascontiguousarray(correlation[..., 0, 0])
        return np.abs(find_largest_values(C, self._grid_size)[0])

    def largest_product(self, Y: Blocks, A: Blocks, eps: float = CLOSE) -> Floats:
        return largest_product_of(Y, A, self._grid_size)

    def match(self, correlation: Blocks) -> tuple[Floats, Floats]:
        shape = correlation.shape[:-3]
        C = np.ascontiguousarray(correlation.reshape(-1, 1, correlation.shape[-3]))
        value, theta = find_largest_values(C, self._grid_size)
        return value.reshape(shape), self._element(theta).reshape(*shape, 1)

    def peaks(self, correlation: Blocks, threshold: float) -> Combination:
        parts = []
        size = fft.next_fast_len(EVERYWHERE * self.cells, real=True)
        for start in range(0, max(len(correlation), 1), CHUNK):
            C = correlation[start : start + CHUNK, :, 0, 0]
            grid = self.on_grid(correlation[start : start + CHUNK], size)
            row, k = grid_peaks(grid, threshold * lowest_fraction(C.shape[1], size))
            value, theta = peaks_near(C, grid, row, k)
            high = np.abs(value) > threshold
            parts.append((start + row[high], value[high], theta[high]))
        row, value, theta = (np.concatenate(column) for column in zip(*parts, strict=True))
        return Combination(row, value, self._element(theta)[:, None])

    def _element(self, angle: Floats) -> Floats:
        """Return the elements that multiply frequency f by ``exp(-i f angle)``."""
        return np.mod(angle * (self.period / (2 * np.pi)), self.period)
