"""Translations of images by integer numbers of pixels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from orbitdl.arrays.blocks import Blocks, Combination, Floats, Integers
from orbitdl.groups.finite_representation import Entries, FiniteRepresentation, translated_entries
from orbitdl.groups.images.torus import TorusAction, TranslationGroup
from orbitdl.groups.maxima.plane_grid import plane_grid_peaks


@dataclass(frozen=True)
class IntegerTranslation(TranslationGroup):
    """Circular translations of images by integer pixels: convolutional dictionary learning.

    Acts on images (rows, columns) or (rows, columns, channels); all channels are shifted alike.

    Parameters
    ----------
    channels : int, optional
        Number of channels. Required above 4: an array with three axes might otherwise be a volume,
        which these groups do not shift along the third axis.

    Notes
    -----
    There are rows * columns elements, diagonal in block coordinates: one number per plane wave.
    The gauge is the l1 norm of the unique coefficients.

    Examples
    --------
    >>> import numpy as np
    >>> shifts = IntegerTranslation().on((2, 3))
    >>> shifts.act(np.array([0.0, 1.0]), np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])).round(12)
    array([[3., 1., 2.],
           [6., 4., 5.]])
    """

    def on(self, shape: tuple[int, ...]) -> IntegerTranslationRepresentation:
        return IntegerTranslationRepresentation(self, shape)


class IntegerTranslationRepresentation(TorusAction, FiniteRepresentation):
    """One complex number per plane wave; elements in C order of the shifts (down, right)."""

    is_integer = True

    def __init__(self, group: IntegerTranslation, shape: tuple[int, ...]) -> None:
        super().__init__(group, shape, keep_nyquist=True)
        self.cycles = self.transform.size
        self.size = self.cycles[0] * self.cycles[1]

    @property
    def elements(self) -> Floats:
        shifts = np.indices(self.cycles).reshape(2, self.size)
        return np.ascontiguousarray(shifts.T, dtype=np.float64)

    def index(self, element: Floats) -> Integers:
        down, right = np.moveaxis(np.rint(element).astype(np.intp), -1, 0)
        return np.asarray(np.ravel_multi_index((down, right), self.cycles, mode="wrap"))

    def correlations(self, C: Blocks) -> Floats:
        values = self.transform.on_torus(C[..., 0, 0], self.transform.size)
        return values.reshape(*C.shape[:-3], self.size)

    def entries(self) -> Entries:
        return translated_entries(self.shape, self.size)

    def peaks(self, correlation: Blocks, threshold: float) -> Combination:
        values = self.correlations(correlation)
        row, number = plane_grid_peaks(values.reshape(-1, *self.cycles), threshold)
        return Combination(row, values[row, number], self.elements[number])
