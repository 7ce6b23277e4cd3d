"""A recording: signal and metadata."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from orbitdl.arrays.validation import require_count
from orbitdl.groups.base import Floats
from orbitdl.io.dialect import Dialect
from orbitdl.io.layout import Kind
from orbitdl.io.time_units import TimeUnit


@dataclass(frozen=True, eq=False)
class Recording:
    """A recording: signal and metadata.

    Attributes
    ----------
    signal : ndarray of shape (n_times,) or (n_times, n_leads)
        The signal, NaN where missing. A file may hold windows, (n_windows, length) or
        (n_windows, length, n_leads), which `prepare` does not split.
    sfreq : float or None
        Sampling rate in Hz, if known.
    ch_names : tuple of str
        Channel names, or empty.
    kind : Kind
        Meaning of the rows of `signal`.
    dialect : Dialect or None
        Dialect of a text table.
    offset : int or None
        For excerpts: number of samples of the recording before `signal`.
    time_column : int or None
        Index of the time column that was removed; channel numbers include it, as in the file.
    time_unit : TimeUnit or None
        Unit of the numbers in that column; None for dates or without such a column.
    units : tuple of str
        Physical units of the channels, such as "mV", or empty.

    Examples
    --------
    >>> recording = Recording(np.zeros((1000, 2)), sfreq=250.0, ch_names=("I", "V1"))
    >>> recording.signal.shape, recording.sfreq, recording.ch_names
    ((1000, 2), 250.0, ('I', 'V1'))
    """

    signal: Floats
    sfreq: float | None = None
    ch_names: tuple[str, ...] = ()
    kind: Kind = Kind.samples
    dialect: Dialect | None = None
    offset: int | None = None
    time_column: int | None = None
    time_unit: TimeUnit | None = None
    units: tuple[str, ...] = ()

    def excerpt(self, begin: int | None = None, end: int | None = None) -> Recording:
        """Return an excerpt; times of its events refer to the complete recording.

        Parameters
        ----------
        begin, end : int, optional
            Half-open range of samples; by default from the start, and to the end.

        Examples
        --------
        >>> part = Recording(np.arange(100.0), sfreq=10.0).excerpt(40, 60)
        >>> len(part.signal), part.offset
        (20, 40)
        """
        samples = len(self.signal)
        first = 0 if begin is None else require_count(begin, "begin", least=0)
        after = samples if end is None else require_count(end, "end", least=0)
        if max(first + 1, after) > samples:
            last = after if after > samples else first
            raise ValueError(
                f"an excerpt cannot extend to {self._position(last)}: the recording ends at "
                f"{self._position(samples)}; choose a range within it."
            )
        if after <= first:
            raise ValueError(
                f"an excerpt from {self._position(first)} to {self._position(after)} is empty; "
                "choose an end after the beginning."
            )
        before = (self.offset or 0) + first
        return replace(self, signal=self.signal[first:after], offset=before)

    def _position(self, sample: int) -> str:
        """Return a description of a position, in seconds too if the sampling rate is known."""
        seconds = f" ({sample / self.sfreq:g} s)" if self.sfreq else ""
        return f"sample {sample}{seconds}"


def as_signal(values: ArrayLike) -> Floats:
    """Return values as floats; raise ValueError for complex or infinite ones."""
    array = np.asarray(values)
    if np.iscomplexobj(array):
        raise ValueError("signal is complex: pass its real and imaginary parts as two channels.")
    array = np.asarray(array, dtype=np.float64)
    if np.isinf(array).any():
        raise ValueError("signal holds infinite values: set them to NaN, which means missing.")
    return array
