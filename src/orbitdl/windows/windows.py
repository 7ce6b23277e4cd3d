"""Windows of a recording, and their reassembly."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orbitdl.domains.time.acquisition import acquisition_of
from orbitdl.domains.time.signal import long_gaps
from orbitdl.groups.base import Floats, Integers
from orbitdl.windows.overlaps import taper


@dataclass(frozen=True, eq=False)
class Windows:
    """Windows with their positions in a recording, returned by `split_recording`.

    Attributes
    ----------
    values : ndarray of shape (n, d) or (n, d, channels)
        ``(data - mean) / scale``; NaN where a value is missing.
    mean : ndarray of shape (n, 1) or (n, 1, channels)
    scale : ndarray of shape (n, 1) or (n, 1, 1)
    source : ndarray of shape (samples,) or (samples, channels), or that of the windows
        The recording, or the windows, before normalisation.
    start : ndarray of shape (n,) or None
        First sample of each window in the recording; None if the input was windows.
    sfreq : float or None
        Sampling rate in Hz.
    ch_names : tuple of str
        Channel names, or empty.
    first_sample : int
        For excerpts: samples before `source` in the recording. `start` counts from the start of the
        excerpt, times of events from that of the recording.
    units : tuple of str
        Physical units of the channels, or empty.
    """

    values: Floats
    mean: Floats
    scale: Floats
    source: Floats
    start: Integers | None = None
    sfreq: float | None = None
    ch_names: tuple[str, ...] = ()
    first_sample: int = 0
    units: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.values)

    def acquisition(self) -> dict[str, Any]:
        """Return metadata of the acquisition; the scale only if windows are not normalised."""
        values = self.source if self.start is not None else self.source.reshape(-1)
        known = acquisition_of(values, self.sfreq, self.ch_names, self.units)
        is_normalised = bool(self.mean.any() or (self.scale != 1).any())
        return {k: value for k, value in known.items() if k != "scale" or not is_normalised}

    def part(self, first: int, last: int) -> Windows:
        """Return windows `first` to last - 1."""
        own = slice(first, last)
        start = None if self.start is None else self.start[own]
        return replace(
            self, values=self.values[own], mean=self.mean[own], scale=self.scale[own], start=start
        )

    @property
    def left_out(self) -> int:
        """Number of samples at the end of the recording that no window holds."""
        if self.start is None:
            return 0
        end: int = int(self.start[-1]) + self.values.shape[1]
        return max(len(self.source) - end, 0)

    @property
    def has_gaps(self) -> NDArray[np.bool_]:
        """Mask of windows (n,) with missing values within the recording."""
        missing = np.isnan(self.values)
        if self.start is not None:
            sample = self.start[:, None] + np.arange(self.values.shape[1])
            missing[sample >= len(self.source)] = False
        return np.asarray(missing.any(axis=tuple(range(1, missing.ndim))))

    @property
    def unfilled(self) -> NDArray[np.bool_]:
        """Mask of values of `source` in gaps of at least one window, which cannot be imputed."""
        missing = np.isnan(self.source)
        others = tuple(range(1, missing.ndim))
        if self.start is None:
            return np.broadcast_to(missing.all(axis=others, keepdims=True), missing.shape)
        gaps = long_gaps(np.asarray(missing.any(axis=others)), self.values.shape[1])
        return np.broadcast_to(gaps.reshape(-1, *[1] * len(others)), missing.shape)

    @property
    def step(self) -> int | None:
        """Distance of the starts of windows in samples; None if unknown."""
        if self.start is None or len(self.start) < 2:
            return None
        return int(self.start[1] - self.start[0])

    @property
    def overlap(self) -> bool:
        """Whether windows share samples of the recording."""
        return self.step is not None and self.step < self.values.shape[1]

    def restore(self, values: Floats) -> Floats:
        """Invert the normalisation, and reassemble a recording (overlap-add).

        Parameters
        ----------
        values : ndarray of the shape of `Windows.values`
            Reconstructed, completed or denoised windows.

        Returns
        -------
        ndarray
            In the unit of the recording, and of its shape if windows cover it. Overlapping windows
            are averaged with triangular weights; NaN between windows. If the input was windows,
            windows.

        Examples
        --------
        >>> from orbitdl.io import Recording
        >>> from orbitdl.windows import split_recording
        >>> recording = Recording(np.array([5.0, 7, 1, 2, 8, 9, 3]))
        >>> windows = split_recording(recording, 4, 3, normalize=True)
        >>> windows.restore(windows.values)
        array([5., 7., 1., 2., 8., 9., 3.])
        """
        data = values * self.scale + self.mean
        if self.start is None:
            return data
        length, rest = data.shape[1], [1] * (data.ndim - 2)
        sample = self.start[:, None] + np.arange(length)
        weight = taper(length)
        total = np.zeros((int(sample.max()) + 1, *data.shape[2:]))
        np.add.at(total, sample, data * weight.reshape(-1, *rest))
        count = np.bincount(sample.ravel(), np.tile(weight, len(data)))
        count[count == 0] = np.nan
        return np.asarray(total / count.reshape(-1, *rest))[: len(self.source)]
