"""Data points with their codes, and how well these explain them, in the unit of the data."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orbitdl.coding.codes import Codes
from orbitdl.groups.base import Floats
from orbitdl.windows import Windows
from orbitdl.windows.overlaps import taper
from orbitdl.windows.positions import positions


@dataclass(frozen=True, eq=False)
class CodedWindows:
    """Windows of a recording, or other data points, with codes and approximations.

    Attributes
    ----------
    windows : Windows
        Their values are coded; NaN where missing.
    codes : Codes
    approximation : ndarray of shape (n, ...)
        In the scaling of the values.
    components : ndarray of shape (q, ...)
    in_time : bool
        Whether the group shifts along the first axis, so that windows have borders.
    """

    windows: Windows
    codes: Codes
    approximation: Floats
    components: Floats
    in_time: bool = False

    @property
    def X(self) -> Floats:
        """The coded values, (n, ...)."""
        return self.windows.values

    @property
    def scale(self) -> Floats:
        """Divisor of each window, (n,)."""
        return self.windows.scale.reshape(len(self.X))

    def mean(self, i: int) -> Floats:
        """Return the mean that was subtracted from window i, in its shape."""
        return np.asarray(np.broadcast_to(self.windows.mean[i], self.X.shape[1:]))

    def in_unit(self, values: Floats, i: int) -> Floats:
        """Return values of window i in the unit of the recording."""
        return np.asarray(values * self.scale[i] + self.mean(i))

    @cached_property
    def coefficient(self) -> Floats:
        """Coefficients of all atoms in the unit of the recording, (K,)."""
        atoms = self.codes.atoms
        return np.asarray(atoms.coefficient * self.scale[atoms.sample])

    @cached_property
    def position(self) -> Floats:
        """Position of each atom in its window, in samples, (K,)."""
        return positions(self.codes, self.components)

    @cached_property
    def residual(self) -> Floats:
        """Values minus approximation, (n, ...)."""
        return np.asarray(self.X - self.approximation)

    @cached_property
    def energy(self) -> Floats:
        """Sums of squares of the observed values after subtraction of the mean, (n,)."""
        return np.asarray(_total(self.X**2) * self.scale**2)

    @cached_property
    def explained(self) -> Floats:
        """Explained fraction of the energy of each window, (n,); NaN without energy."""
        left, share = _total(self.residual**2) * self.scale**2, np.full(len(self.X), np.nan)
        np.divide(left, self.energy, out=share, where=self.energy > 0)
        return 1.0 - share

    @property
    def total_explained(self) -> float:
        """Explained fraction of the energy of all windows."""
        known = self.energy > 0
        if not known.any():
            return 0.0
        return max(0.0, float(np.average(self.explained[known], weights=self.energy[known])))

    @cached_property
    def unexplained(self) -> Floats:
        """Weighted root mean square of the residual of each window, (n,).

        In the unit of the recording. Weights decrease from the middle to the borders: an event that
        a border truncates is badly explained by its window, yet may be an ordinary one.
        """
        length, others = self.X.shape[1], [1] * (self.X.ndim - 2)
        weight = taper(length) if self.in_time else np.ones(length)
        weight = weight.reshape(-1, *others) / (weight.sum() * self.X[0].size / length)
        return np.asarray(np.sqrt(_total(weight * self.residual**2)) * self.scale)

    @cached_property
    def autocorrelation(self) -> float:
        """Largest autocorrelation of the residual over all windows: about 0 for white noise.

        The maximum is over circular lags other than 0, in absolute value; missing values are zeros.
        """
        power = np.abs(np.fft.rfft(np.nan_to_num(self.residual), axis=1)) ** 2
        lags = np.fft.irfft(power.sum(axis=(0, *range(2, power.ndim))), n=self.X.shape[1])
        return float(np.abs(lags[1:]).max(initial=0.0) / lags[0]) if lags[0] > 0 else 0.0

    @cached_property
    def beyond_end(self) -> NDArray[np.bool_]:
        """Whether samples of the windows (n, length) lie beyond the end of the recording."""
        if self.windows.start is None:
            return np.zeros(self.X.shape[:2], dtype=bool)
        sample = self.windows.start[:, None] + np.arange(self.X.shape[1])
        return np.asarray(sample >= len(self.windows.source))

    @cached_property
    def gaps(self) -> NDArray[np.bool_]:
        """Whether values (n, ...) are missing; those beyond the end of the recording are not."""
        others = [1] * (self.X.ndim - 2)
        return np.isnan(self.X) & ~self.beyond_end.reshape(*self.X.shape[:2], *others)

    @property
    def missing(self) -> float:
        """Missing fraction of the values of the recording."""
        inside = int(np.sum(~self.beyond_end)) * (self.X.size // self.beyond_end.size)
        return int(self.gaps.sum()) / inside

    @cached_property
    def atoms_per_window(self) -> NDArray[np.intp]:
        """Number of atoms of each window, (n,)."""
        return np.diff(self.codes.atoms.offsets)

    def worst(self, most: int) -> NDArray[np.intp]:
        """Return the windows with the largest residuals, largest first.

        Of windows that share more than half of their samples only the worst is returned: the others
        show the same signal.
        """
        length = self.X.shape[1]
        same = (length - 1) // 2 // (self.windows.step or length)  # windows on either side that do
        taken: list[int] = []
        shown = np.zeros(len(self.X) + 2 * same, dtype=bool)
        for i in np.argsort(-self.unexplained, kind="stable"):
            if len(taken) < most and not shown[i + same]:
                taken.append(int(i))
                shown[i : i + 2 * same + 1] = True
        return np.array(taken, dtype=np.intp)

    def choose(self, most: int) -> NDArray[np.intp]:
        """Return the sorted numbers of windows with large residuals and of evenly spaced others."""
        n = len(self.X)
        if n <= most:
            return np.arange(n)
        worst = self.worst(max(1, most // 4))
        rest = np.setdiff1d(np.arange(n), worst)
        spread = np.linspace(0, len(rest) - 1, most - len(worst)).round().astype(np.intp)
        return np.union1d(worst, rest[spread]).astype(np.intp)


def _total(values: Floats) -> Any:
    """Return the sum of the observed values of each data point, (n,)."""
    return np.nansum(values, axis=tuple(range(1, values.ndim)))
