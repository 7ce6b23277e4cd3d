"""Translations of images by real numbers of pixels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy import fft

from orbitdl.arrays.blocks import Blocks, Combination, Floats
from orbitdl.groups.base import CLOSE
from orbitdl.groups.images.torus import TorusAction, TranslationGroup
from orbitdl.groups.maxima.plane_grid import plane_grid_peaks
from orbitdl.groups.maxima.plane_largest import find_plane_largest
from orbitdl.groups.maxima.plane_maxima import plane_peaks_near
from orbitdl.groups.maxima.plane_values import as_table

FINENESS = 4
"""Grid points per pixel in both directions, in the search of peaks: 8 per period of the highest
frequency. The point nearest to the maximum attains ``cos(pi / 4) = 71 %`` of it."""
CHUNK = 16
"""Images evaluated on a grid at a time."""


@dataclass(frozen=True)
class Translation(TranslationGroup):
    """Circular translations of images by any real number of pixels, by trigonometric interpolation.

    Acts on images (rows, columns) or (rows, columns, channels); all channels are shifted alike.

    Parameters
    ----------
    channels : int, optional
        Number of channels. Required above 4: an array with three axes might otherwise be a volume,
        which these groups do not shift along the third axis.

    Notes
    -----
    ``y(k, l) -> y(k - down, l - right)`` for real (down, right), a torus. The polar is the maximum
    of a trigonometric polynomial in two variables, found by Newton's method from a grid and
    bounded rigorously (`plane_largest`). The gauge has no finite program in two dimensions.
    For an even number of rows or columns the Nyquist frequency cannot be shifted by fractions: it
    is outside the range of the transform and stays in the residual. With one or two rows only the
    mean over rows remains, which vertical shifts leave unchanged.

    Examples
    --------
    >>> import numpy as np
    >>> shifts = Translation().on((5, 7))
    >>> wave = np.cos(2 * np.pi * (np.arange(5)[:, None] / 5 + 2 * np.arange(7) / 7))
    >>> shifted = shifts.act(np.array([0.5, 0.25]), wave)
    >>> phase = np.arange(5)[:, None] / 5 + 2 * np.arange(7) / 7 - (0.5 / 5 + 2 * 0.25 / 7)
    >>> bool(np.allclose(shifted, np.cos(2 * np.pi * phase)))
    True
    """

    def on(self, shape: tuple[int, ...]) -> TranslationRepresentation:
        return TranslationRepresentation(self, shape)


class TranslationRepresentation(TorusAction):
    """One complex number per plane wave below Nyquist in both directions."""

    dimension = 2

    def __init__(self, group: Translation, shape: tuple[int, ...]) -> None:
        super().__init__(group, shape, keep_nyquist=False)
        rows, columns = (
            int(fft.next_fast_len(FINENESS * (2 * int(last) + 1), real=True)) if last > 0 else 1
            for last in np.abs(self.transform.waves).max(axis=0)
        )
        self._grid = rows, columns

    def sample(self, rng: np.random.Generator, n: int) -> Floats:
        return rng.uniform(0.0, self.periods, size=(n, 2))

    def spanning_elements(self) -> Floats:
        sides = (np.arange(size, dtype=np.float64) for size in self.transform.size)
        return np.stack(np.meshgrid(*sides, indexing="ij"), axis=-1).reshape(-1, 2)

    def tangents(self, B: Blocks) -> Blocks:
        factor = -1j * self.angles(self.transform.waves.astype(np.float64)).T
        return factor[:, :, None, None] * B[..., None, :, :, :]

    def retract(self, element: Floats, by: Floats) -> Floats:
        return self.compose(element, by)

    def polar(self, correlation: Blocks) -> Floats:
        return np.abs(self.match(correlation)[0])

    def largest_polar(self, correlation: Blocks, eps: float = CLOSE) -> Floats:
        return self._largest(correlation[..., 0, 0], eps)[0]

    def match(self, correlation: Blocks) -> tuple[Floats, Floats]:
        shape, n_blocks = correlation.shape[:-3], correlation.shape[-3]
        _, found = self._largest(correlation.reshape(-1, 1, n_blocks), CLOSE)
        value, element = found[:, 0] * found[:, 1], self._element(found[:, 2:])
        return value.reshape(shape), element.reshape(*shape, 2)

    def peaks(self, correlation: Blocks, threshold: float) -> Combination:
        parts = []
        for start, C in _in_chunks(correlation[..., 0, 0]):
            grid = self.transform.on_torus(C, self._grid)
            row, position = plane_grid_peaks(grid, threshold * self._lowest_fraction)
            tables = as_table(C, self.transform.waves)
            row, value, where = plane_peaks_near(tables, grid, row, position)
            high = np.abs(value) > threshold
            parts.append((start + row[high], value[high], where[high]))
        row, value, where = (np.concatenate(column) for column in zip(*parts, strict=True))
        return Combination(row, value, self._element(where))

    @property
    def _lowest_fraction(self) -> float:
        """Fraction of the maximum that the grid attains at least."""
        last = np.abs(self.transform.waves).max(axis=0)
        return float(np.cos(np.pi * np.sum(last / np.array(self._grid))))

    def _largest(self, C: Blocks, eps: float) -> tuple[Floats, Floats]:
        """Return bounds (n,) of the maxima for C (n, q, F), and value, sign and position (n, 4)."""
        upper, found = np.empty(len(C)), np.empty((len(C), 4))
        for start, part in _in_chunks(C):
            tables = as_table(part, self.transform.waves)
            grids = self.transform.on_torus(part, self._grid)
            rows = slice(start, start + len(part))
            find_plane_largest(tables, grids, eps, upper[rows], found[rows])
        return upper, found

    def _element(self, angles: Floats) -> Floats:
        return np.mod(angles * (self.periods / (2 * np.pi)), self.periods)


def _in_chunks(C: Blocks) -> Iterator[tuple[int, Blocks]]:
    """Yield chunks of samples, at least one, with the index of their first sample."""
    for start in range(0, max(len(C), 1), CHUNK):
        yield start, C[start : start + CHUNK]
