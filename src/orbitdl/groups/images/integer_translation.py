"""Translations of images by whole pixels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from orbitdl.arrays.blocks import Blocks, Floats, Integers
from orbitdl.groups.base import Combination
from orbitdl.groups.enumerated import Entries, ListedRepresentation, translated_entries
from orbitdl.groups.images.torus import TorusAction, TranslationGroup
from orbitdl.groups.maxima.plane_grid import plane_grid_peaks


@dataclass(frozen=True)
class IntegerTranslation(TranslationGroup):
    """Circular translations of images by whole pixels: convolutional dictionary learning of images.

    Acts on images (rows, columns) or (rows, columns, channels); all channels move together.

    Parameters
    ----------
    channels : int, optional
        Channels of the images. More than 4 must be said here: three axes are otherwise taken for a
        volume, which cannot be shifted in three directions.

    Notes
    -----
    There are rows * columns elements. In block coordinates each is diagonal: one number per wave
    of the plane. The gauge is the l1 norm of the coefficients, which are unique.

    Examples
    --------
    >>> import numpy as np
    >>> moves = IntegerTranslation().on((2, 3))
    >>> moves.act(np.array([0.0, 1.0]), np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])).round(12)
    array([[3., 1., 2.],
           [6., 4., 5.]])
    """

    def on(self, shape: tuple[int, ...]) -> IntegerTranslationRepresentation:
        return IntegerTranslationRepresentation(self, shape)


class IntegerTranslationRepresentation(TorusAction, ListedRepresentation):
    """One complex number per wave; elements are numbered row by row of the image."""

    counted = True

    def __init__(self, group: IntegerTranslation, shape: tuple[int, ...]) -> None:
        super().__init__(group, shape, keep_nyquist=True)
        self.cycles = self.transform.size
        self.size = self.cycles[0] * self.cycles[1]

    @property
    def elements(self) -> Floats:
        places = np.indices(self.cycles).reshape(2, self.size)
        return np.ascontiguousarray(places.T, dtype=np.float64)

    def index(self, element: Floats) -> Integers:
        down, right = np.moveaxis(np.rint(element).astype(np.intp), -1, 0)
        return np.asarray(np.ravel_multi_index((down, right), self.cycles, mode="wrap"))

    def correlations(self, C: Blocks) -> Floats:
        values = self.transform.on_torus(C[..., 0, 0], self.transform.size)
        return values.reshape(*C.shape[:-3], self.size)

    def entries(self) -> Entries:
        return translated_entries(self.shape, self.size)

    def peaks(self, correlation: Blocks, level: float) -> Combination:
        values = self.correlations(correlation)
        row, number = plane_grid_peaks(values.reshape(-1, *self.cycles), level)
        return Combination(row, values[row, number], self.elements[number])
