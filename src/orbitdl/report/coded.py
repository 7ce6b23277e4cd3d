"""Data as the model codes them: what is explained, in the unit of the recording."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from orbitdl.coding.codes import Codes
from orbitdl.groups.base import Floats
from orbitdl.recordings.deduplication import WindowEvents, deduplicated
from orbitdl.recordings.overlaps import taper, window_starts
from orbitdl.recordings.positions import positions
from orbitdl.report.usage import Usage, usage_of


@dataclass(frozen=True, eq=False)
class Scaling:
    """What was done to windows before they were coded: ``X = (recording - mean) / scale``.

    Attributes
    ----------
    mean : ndarray that broadcasts against X
    scale : ndarray of shape (n, 1, ...)
    """

    mean: Floats
    scale: Floats

    @classmethod
    def none(cls, X: Floats) -> Scaling:
        """Return the scaling of windows that are as they were recorded."""
        one = (len(X), *[1] * (X.ndim - 1))
        return cls(np.zeros(one), np.ones(one))

    @classmethod
    def of(cls, X: ArrayLike, mean: ArrayLike | None, scale: ArrayLike | None) -> Scaling:
        """Check and shape what the user says was done to X."""
        shape = np.shape(X)
        one = (shape[0], *[1] * (len(shape) - 1))
        means = np.asarray(np.zeros(one) if mean is None else mean, dtype=np.float64)
        means = means.reshape(one) if means.shape == shape[:1] else means
        scales = np.asarray(np.ones(one) if scale is None else scale, dtype=np.float64)
        if scales.size != shape[0] or not np.all(np.isfinite(scales) & (scales > 0)):
            raise ValueError(
                f"scale must be {shape[0]} positive numbers, what each window was divided by, not "
                f"an array of shape {scales.shape} or with other values."
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
class Coded:
    """Data and what the model makes of them.

    Attributes
    ----------
    X : ndarray of shape (n, ...)
        As the model sees them; NaN where missing.
    codes : Codes
    approximation : ndarray of shape (n, ...)
        As the model sees it.
    components : ndarray of shape (q, ...)
    scaling : Scaling
        How X was made of the recording.
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
        """Return values of window i, as the model sees them, as they were recorded."""
        return np.asarray(values * self.scaling.scale[i] + self.scaling.mean[i])

    @cached_property
    def coefficient(self) -> Floats:
        """Coefficients of all atoms in the unit of the recording, (K,)."""
        atoms = self.codes.atoms
        return np.asarray(atoms.coefficient * self.scaling.scale.ravel()[atoms.sample])

    @cached_property
    def place(self) -> Floats:
        """Where in its window every atom lies, in samples, (K,)."""
        return positions(self.codes, self.components)

    @cached_property
    def start(self) -> NDArray[np.intp]:
        """The sample of the recording that each window begins with, (n,)."""
        n, length = self.X.shape[:2]
        return window_starts(n, length, self.step or length, self.samples)

    @cached_property
    def listed(self) -> NDArray[np.bool_]:
        """Which atoms (K,) are events: of windows that overlap one tells of an event."""
        window = self.codes.atoms.sample
        if self.step is None and self.samples is None:
            return np.ones(len(window), dtype=bool)
        atoms, position = self.codes.atoms, self.place + self.start[window]
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
        """Sums of squares of the observed values about the mean that was taken off, (n,)."""
        return np.asarray(_total(self.X**2) * self.scaling.scale.ravel() ** 2)

    @cached_property
    def left(self) -> Floats:
        """What the codes leave of the energy, (n,)."""
        return np.asarray(_total(self._residual**2) * self.scaling.scale.ravel() ** 2)

    @property
    def _residual(self) -> Floats:
        return np.asarray(self.X - self.approximation)

    @cached_property
    def unexplained(self) -> Floats:
        """Root mean square of what is left in the middle of each window, (n,).

        In the unit of the recording. The middle counts most and the borders least: an event that a
        border cuts is explained badly by its window and is none the less an ordinary one.
        """
        length, others = self.X.shape[1], [1] * (self.X.ndim - 2)
        weight = taper(length) if self.in_time else np.ones(length)
        weight = weight.reshape(-1, *others) / (weight.sum() * self.X[0].size / length)
        return np.asarray(np.sqrt(_total(weight * self._residual**2)) * self.scaling.scale.ravel())

    @cached_property
    def memory(self) -> float:
        """How much one sample of what is left tells of another, over all windows: 0 for noise.

        The largest absolute correlation of what is left with itself at any shift but none, where
        signals go round, and missing values are zeros.
        """
        power = np.abs(np.fft.rfft(np.nan_to_num(self._residual), axis=1)) ** 2
        alike = np.fft.irfft(power.sum(axis=(0, *range(2, power.ndim))), n=self.X.shape[1])
        others = np.abs(alike[1:]).max(initial=0.0)
        return float(others / alike[0]) if alike[0] > 0 else 0.0

    @cached_property
    def explained(self) -> Floats:
        """Share of each window's energy that its code explains, (n,); NaN where there is none."""
        share = np.full(len(self.energy), np.nan)
        np.divide(self.left, self.energy, out=share, where=self.energy > 0)
        return 1.0 - share

    @property
    def explained_in_all(self) -> float:
        """Share of all energy that the codes explain."""
        total = float(self.energy.sum())
        return 1.0 - float(self.left.sum()) / total if total > 0 else 0.0

    @cached_property
    def beyond(self) -> NDArray[np.bool_]:
        """Which samples of the windows (n, length) lie beyond the end of the recording."""
        place = self.start[:, None] + np.arange(self.X.shape[1])
        return np.asarray(place >= (np.inf if self.samples is None else self.samples))

    @cached_property
    def gaps(self) -> NDArray[np.bool_]:
        """Which values (n, ...) are missing; what lies beyond the end of the recording is not."""
        return np.isnan(self.X) & ~self.beyond.reshape(*self.X.shape[:2], *[1] * (self.X.ndim - 2))

    @property
    def missing(self) -> float:
        """Share of values of the recording that are missing."""
        inside = int(np.sum(~self.beyond)) * (self.X.size // self.beyond.size)
        return int(self.gaps.sum()) / inside

    @cached_property
    def atoms_per_window(self) -> NDArray[np.intp]:
        """Number of atoms of each window, (n,)."""
        return np.diff(self.codes.atoms.offsets)

    @cached_property
    def usage(self) -> Usage:
        """How often and how strongly each component is used."""
        return usage_of(self.codes.atoms, np.abs(self.coefficient), self.listed)


def _total(values: Floats) -> Floats:
    """Return the sum of what was observed of each data point, (n,)."""
    return np.asarray(np.nansum(values, axis=tuple(range(1, values.ndim))))
