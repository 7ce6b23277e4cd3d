"""Windows as the last step of preprocessing."""

from __future__ import annotations

from typing import Any

import numpy as np

from orbitdl.arrays.validation import require_count
from orbitdl.io.channels import warn_of_time
from orbitdl.io.recording import Recording, is_recording
from orbitdl.preprocessing.base import Step, as_recording
from orbitdl.windows.splitting import given_windows, split_recording
from orbitdl.windows.windows import Windows


class SplitWindows(Step):
    """Split recordings into windows: the last step before `OrbitDictionaryLearning`.

    Parameters
    ----------
    length : int
        Of a window, in samples.
    step : int, optional
        Distance of the starts of windows, in samples; by default they adjoin.
    normalize : bool
        Whether to give every window zero mean and unit norm.

    Notes
    -----
    Windows to learn from leave out what does not fill a window at the end; new recordings are
    covered to their end, without gaps between windows. An array of windows, which has no times,
    is only normalised.

    Examples
    --------
    >>> recording = Recording(np.arange(7.0))
    >>> SplitWindows(3).fit_transform(recording).start
    array([0, 3])
    >>> SplitWindows(3).fit(recording).transform(recording).start
    array([0, 3, 4])
    """

    def __init__(self, length: int, step: int | None = None, normalize: bool = False) -> None:
        self.length = length
        self.step = step
        self.normalize = normalize

    def check(self, recording: Recording) -> None:
        """Raise ValueError for lengths that are no numbers of samples."""
        require_count(self.length, "length")
        if self.step is not None:
            require_count(self.step, "step")
        if not isinstance(self.normalize, bool):
            raise ValueError(f"normalize must be True or False, not {self.normalize!r}.")

    def fit_transform(self, X: Any, y: None = None, **params: Any) -> Windows:
        """Return the windows to learn from."""
        self.fit(X)
        return self.windows(X, to_end=False)

    def transform(self, recording: Any) -> Windows:
        """Return windows that cover a recording."""
        return self.windows(recording, self._step_again())

    def windows(self, data: Any, step: int | None = None, *, to_end: bool = True) -> Windows:
        """Return the windows of a recording, or given windows; `step` overrides that of the fit."""
        known = as_recording(data)
        if not isinstance(data, Recording) or not is_recording(known, self.length):
            return given_windows(np.asarray(known), normalize=self.normalize)
        warn_of_time(known.signal, known.ch_names)
        every = step or self.step
        return split_recording(known, self.length, every, normalize=self.normalize, to_end=to_end)

    def _step_again(self) -> int | None:
        """Return the step for new data, which leaves no gaps."""
        return None if self.step is None else min(self.step, self.length)
