"""Windows, their codes and the explained energy, in the unit of the recording."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from orbitdl.coding.codes import Codes
from orbitdl.groups.base import Floats
from orbitdl.report.usage import Usage, usage_of
from orbitdl.windows.deduplication import WindowEvents, deduplicated
from orbitdl.windows.overlaps import taper, window_starts
from orbitdl.windows.positions import positions


@dataclass(frozen=True, eq=False)
class Scaling:
    """Normalisation of windows before coding: ``X = (recording - mean) / scale``.

    Attributes
    ----------
    mean : ndarray that broadcasts against X
    scale : ndarray of shape (n, 1, ...)
    """

    mean: Floats
    scale: Floats

    @classmethod
    def none(cls, X: Floats) -> Scaling:
        """Return the scaling of windows that were not normalised."""
        one = (len(X), *[1] * (X.ndim - 1))
        return cls(np.zeros(one), np.ones(one))

    @classmethod
    def of(cls, X: ArrayLike, mean: ArrayLike | None, scale: ArrayLike | None) -> Scaling:
        """Check the mean and scale given by the user, and broadcast them to windows."""
        shape = np.shape(X)
        one = (shape[0], *[1] * (len(shape) - 1))
        means = np.asarray(np.zeros(one) if mean is None else mean, dtype=np.float64)
        means = means.reshape(one) if means.shape == shape[:1] else means
        scales = np.asarray(np.ones(one) if scale is None else scale, dtype=np.float64)
        if scales.size != shape[0] or not np.all(np.isfinite(scales) & (scales > 0)):
            raise ValueError(
                f"scale must be {shape[0]} positive numbers, the divisor of each window, not an "
                f"array of shape {scales.shape} or with other values."
            )
        fits = len(means.shape) == len(shape) and len(means) == shape[0]
        fits = fits and all(m in (1, d) for m, d in zip(means.shape, shape, strict=True))
        if not fits or not np.all(np.isfinite(means)):
            raise ValueError(
                f"mean must be {shape[0]} finite numbers, or of shape ({shape[0]}, 1, channels); "
                f"shape {means.shape} does not fit X of shape {shape}, or a value is not finite."
            )
        return cls(means, scales.reshape(one))


@dataclass(frozen=True, eq=False)
class CodedWindows:
    """Windows with their codes and approximations.

    Attributes
    ----------
    X : ndarray of shape (n, ...)
        Input of the model; NaN where missing.
    codes : Codes
    approximation : ndarray of shape (n, ...)
        In the scaling of X.
    components : ndarray of shape (q, ...)
    scaling : Scaling
        How X was normalised.
    step, samples : int or None
        Samples from the start of one window to the next, and of the recording in all.
    in_time : bool
        Whether the group shifts along the first axis, so that windows have borders.
    """

    X: Floats
    codes: Codes
    approximation: Floats
    components: Floats
    scaling: Scaling
    step: int | None = None
    samples: int | None = None
    in_time: bool = False

    def in_unit(self, values: Floats, i: int) -> Floats:
        """Return values of window i in the unit of the recording."""
        return np.asarray(values * self.scaling.scale[i] + self.scaling.mean[i])

    @cached_property
    def coefficient(self) -> Floats:
        """Coefficients of all atoms in the unit of the recording, (K,)."""
        atoms = self.codes.atoms
        return np.asarray(atoms.coefficient * self.scaling.scale.ravel()[atoms.sample])

    @cached_property
    def position(self) -> Floats:
        """Position of each atom in its window, in samples, (K,)."""
        return positions(self.codes, self.components)

    @cached_property
    def start(self) -> NDArray[np.intp]:
        """First sample of each window in the recording, (n,)."""
        n, length = self.X.shape[:2]
        return window_starts(n, length, self.step or length, self.samples)

    @cached_property
    def is_event(self) -> NDArray[np.bool_]:
        """Whether each atom (K,) is an event; overlapping windows count an event once."""
        window = self.codes.atoms.sample
        if self.step is None and self.samples is None:
            return np.ones(len(window), dtype=bool)
        atoms, position = self.codes.atoms, self.position + self.start[window]
        return deduplicated(
            WindowEvents(window, atoms.component, position, self.coefficient),
            self.components,
            start=self.start,
            length=self.X.shape[1],
            samples=self.samples,
            in_time=self.in_time,
        )

    @cached_property
    def energy(self) -> Floats:
        """Sums of squares of the observed values after subtraction of the mean, (n,)."""
        return np.asarray(_total(self.X**2) * self.scaling.scale.ravel() ** 2)

    @cached_property
    def residual_energy(self) -> Floats:
        """Energy of the residual of each window, (n,)."""
        return np.asarray(_total(self._residual**2) * self.scaling.scale.ravel() ** 2)

    @property
    def _residual(self) -> Floats:
        return np.asarray(self.X - self.approximation)

    @cached_property
    def unexplained(self) -> Floats:
        """Weighted root mean square of the residual of each window, (n,).

        In the unit of the recording. Weights decrease from the middle to the borders: an event that
        a border truncates is badly explained by its window, yet may be an ordinary one.
        """
        length, others = self.X.shape[1], [1] * (self.X.ndim - 2)
        weight = taper(length) if self.in_time else np.ones(length)
        weight = weight.reshape(-1, *others) / (weight.sum() * self.X[0].size / length)
        return np.asarray(np.sqrt(_total(weight * self._residual**2)) * self.scaling.scale.ravel())

    @cached_property
    def autocorrelation(self) -> float:
        """Largest autocorrelation of the residual over all windows: about 0 for white noise.

        The maximum is over circular lags other than 0, in absolute value; missing values are zeros.
        """
        power = np.abs(np.fft.rfft(np.nan_to_num(self._residual), axis=1)) ** 2
        alike = np.fft.irfft(power.sum(axis=(0, *range(2, power.ndim))), n=self.X.shape[1])
        others = np.abs(alike[1:]).max(initial=0.0)
        return float(others / alike[0]) if alike[0] > 0 else 0.0

    @cached_property
    def explained(self) -> Floats:
        """Explained fraction of the energy of each window, (n,); NaN without energy."""
        share = np.full(len(self.energy), np.nan)
        np.divide(self.residual_energy, self.energy, out=share, where=self.energy > 0)
        return 1.0 - share

    @property
    def total_explained(self) -> float:
        """Explained fraction of the energy of all windows."""
        total = float(self.energy.sum())
        return 1.0 - float(self.residual_energy.sum()) / total if total > 0 else 0.0

    @cached_property
    def is_beyond_end(self) -> NDArray[np.bool_]:
        """Whether samples of the windows (n, length) lie beyond the end of the recording."""
        place = self.start[:, None] + np.arange(self.X.shape[1])
        return np.asarray(place >= (np.inf if self.samples is None else self.samples))

    @cached_property
    def gaps(self) -> NDArray[np.bool_]:
        """Whether values (n, ...) are missing; those beyond the end of the recording are not."""
        return np.isnan(self.X) & ~self.is_beyond_end.reshape(
            *self.X.shape[:2], *[1] * (self.X.ndim - 2)
        )

    @property
    def missing(self) -> float:
        """Missing fraction of the values of the recording."""
        inside = int(np.sum(~self.is_beyond_end)) * (self.X.size // self.is_beyond_end.size)
        return int(self.gaps.sum()) / inside

    @cached_property
    def atoms_per_window(self) -> NDArray[np.intp]:
        """Number of atoms of each window, (n,)."""
        return np.diff(self.codes.atoms.offsets)

    @cached_property
    def usage(self) -> Usage:
        """How often and how strongly each component is used."""
        return usage_of(self.codes.atoms, np.abs(self.coefficient), self.is_event)


def _total(values: Floats) -> Floats:
    """Return the sum of what was observed of each data point, (n,)."""
    return np.asarray(np.nansum(values, axis=tuple(range(1, values.ndim))))
