"""The time axis: what the elements of atoms are in recordings."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from orbitdl.arrays.blocks import Combination, EventRows, Floats


@dataclass(frozen=True)
class TimeAxis:
    """Waveforms in blocks, and times in samples as elements.

    Attributes
    ----------
    block_shape : tuple of int
        ``(1, W, channels)``: spline coefficients of a waveform.
    """

    block_shape: tuple[int, int, int]
    dtype: type = np.float64
    parameters: tuple[str, ...] = ("time",)
    data_point: str = "recording"

    def contains(self, element: Floats) -> bool:
        """Return whether these are times."""
        return bool(np.all(np.isfinite(element)))

    def describe(self, element: Floats) -> dict[str, Floats]:
        """Return elements (k, 1) as columns of a table."""
        return {"time": element[:, 0]}

    def events(self, atoms: Combination, within: float) -> EventRows:
        """Return one row per atom; `WaveformLearning.events` refits and merges them."""
        columns = {"coefficient": atoms.coefficient, **self.describe(atoms.element)}
        return EventRows(atoms.row, columns)
