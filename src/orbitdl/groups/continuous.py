"""Shifts by any amount: the off-grid limit of interpolated shifts."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from scipy import fft
from sklearn.exceptions import ConvergenceWarning

from orbitdl.groups.base import Blocks, Combination, Floats, Group
from orbitdl.groups.circle import CircleRepresentation
from orbitdl.groups.lightest_measure import Measure, lightest_measure
from orbitdl.groups.time_shift import TimeShift
from orbitdl.groups.transforms.fourier import FourierBlocks, crests
from orbitdl.groups.trigonometric.largest import grid_size, lowest_fraction, maximise
from orbitdl.groups.trigonometric.local_maxima import climb_from

CHUNK = 256
"""Polynomials put on a grid at a time to find all their peaks."""
FINENESS = 2.3
"""Points a sample, at least, of the grid on which maxima are looked for."""
PROMISED = 1e-8
"""Relative width of the bracket in which gauges are known."""


@dataclass(frozen=True)
class ContinuousShift(Group):
    """Circular shifts by any real number of samples, by trigonometric interpolation.

    Acts on signals (length,) or (length, channels); all channels move together.

    Notes
    -----
    ``Z = sum_k c_k rho(tau_k)`` collects the Fourier coefficients of the measure
    ``sum_k c_k delta(tau_k)`` on the circle. Its gauge is the least total variation of a measure
    with these coefficients, which the paper writes as a semidefinite program (Section 4.3); its
    polar is the maximum of a trigonometric polynomial. The gauge is computed between two bounds
    (`gauge_bracket`), a relative 1e-8 apart at most, or a ConvergenceWarning is given. Shifts are
    in samples, in [0, length).
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


class ContinuousShiftRepresentation(FourierBlocks, TimeShift, CircleRepresentation):
    """One complex number per frequency below Nyquist; an element is its shift in samples."""

    dimension = 1

    def __init__(self, group: ContinuousShift, shape: tuple[int, ...]) -> None:
        self.set_up(group, shape, keep_nyquist=False)
        self.period, self.cells = float(self.length), self.length
        self.grid_size = grid_size(self.length, FINENESS)

    def sample(self, rng: np.random.Generator, n: int) -> Floats:
        return rng.uniform(0, self.length, size=(n, 1))

    def cover(self) -> Floats:
        return np.arange(float(self.length))[:, None]

    def polar(self, correlation: Blocks) -> Floats:
        return np.abs(self.match(correlation)[0])

    def largest_polar(self, correlation: Blocks) -> Floats:
        C = np.ascontiguousarray(correlation[..., 0, 0])
        return np.abs(maximise(C, self.grid_size)[0])

    def match(self, correlation: Blocks) -> tuple[Floats, Floats]:
        shape = correlation.shape[:-3]
        C = np.ascontiguousarray(correlation.reshape(-1, 1, correlation.shape[-3]))
        value, theta = maximise(C, self.grid_size)
        return value.reshape(shape), self._shift(theta).reshape(*shape, 1)

    def peaks(self, correlation: Blocks, level: float) -> Combination:
        parts = []
        size = fft.next_fast_len(4 * self.length, real=True)
        for start in range(0, len(correlation), CHUNK):
            C = correlation[start : start + CHUNK, :, 0, 0]
            grid = self.on_grid(correlation[start : start + CHUNK], size)
            row, k = crests(grid, level * lowest_fraction(C.shape[1], size))
            value, theta = climb_from(C, grid, row, k)
            high = np.abs(value) > level
            parts.append((start + row[high], value[high], theta[high]))
        row, value, theta = (np.concatenate(column) for column in zip(*parts, strict=True))
        return Combination(row, value, self._shift(theta)[:, None])

    def decompose(self, Z: Blocks) -> Combination:
        measures = self._lightest_measures(Z)
        row = np.repeat(np.arange(len(Z)), [len(measure.weight) for measure in measures])
        weight = np.concatenate([np.zeros(0), *(measure.weight for measure in measures)])
        angle = np.concatenate([np.zeros(0), *(measure.angle for measure in measures)])
        return Combination(row, weight, self._shift(angle)[:, None])

    def gauge_bracket(self, Z: Blocks) -> tuple[Floats, Floats]:
        measures = self._lightest_measures(Z.reshape(-1, *Z.shape[-3:]))
        lower = np.array([measure.lower for measure in measures])
        upper = np.array([measure.total for measure in measures])
        return lower.reshape(Z.shape[:-3]), upper.reshape(Z.shape[:-3])

    def _lightest_measures(self, Z: Blocks) -> list[Measure]:
        """Return the measure of every Z (n, F, 1, 1), and warn where it may not be the lightest."""
        measures = [lightest_measure(z[:, 0, 0].conj(), 0.1 * PROMISED) for z in Z]
        late = [m.total / m.lower - 1.0 for m in measures if m.total > (1.0 + PROMISED) * m.lower]
        if late:
            warnings.warn(
                f"the gauge of {len(late)} of {len(measures)} matrices is known to a relative "
                f"{max(late):.1e} only, not to {PROMISED:.0e}; gauge_bracket returns both bounds.",
                ConvergenceWarning,
                stacklevel=3,
            )
        return measures

    def _shift(self, angle: Floats) -> Floats:
        """Return the shifts in samples that multiply frequency f by ``exp(-i f angle)``."""
        return np.mod(angle * (self.length / (2 * np.pi)), self.length)
