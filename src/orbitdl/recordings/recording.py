"""A recording: its values, and what is known of them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from orbitdl.arrays.validation import require_count
from orbitdl.groups.base import Floats
from orbitdl.recordings.dialect import Dialect
from orbitdl.recordings.layout import Kind
from orbitdl.recordings.time_units import TimeUnit


@dataclass(frozen=True, eq=False)
class Recording:
    """Hold one recording.

    Attributes
    ----------
    signal : ndarray of shape (n_times,) or (n_times, n_leads)
        The values, NaN where one is missing. A file may hold windows that were cut already,
        (n_windows, length) or (n_windows, length, n_leads): `prepare` takes them as they are.
    sfreq : float or None
        Samples per second, where it is known.
    ch_names : tuple of str
        Names of the channels that `signal` holds, where there are any.
    kind : Kind
        What is known of the rows of `signal`.
    dialect : Dialect or None
        How the file was written, if it was a table as text.
    offset : int or None
        Samples before `signal` in the recording that it is an excerpt of; None: it is no excerpt.
    time_column : int or None
        The place of a column that told the rate, and that `signal` lacks; numbers of channels count
        it, as the file does.
    time_unit : TimeUnit or None
        Unit of the numbers in that column; None: they were dates, or there is none.
    units : tuple of str
        Physical units of the channels, such as "mV", where they are known.

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
        """Return a part of this recording; its events keep the times of the whole.

        Parameters
        ----------
        begin, end : int, optional
            The first sample, and the one after the last; the recording's own if left out.

        Examples
        --------
        >>> part = Recording(np.arange(100.0), sfreq=10.0).excerpt(40, 60)
        >>> len(part.signal), part.offset
        (20, 40)
        """
        whole = len(self.signal)
        first = 0 if begin is None else require_count(begin, "begin", least=0)
        after = whole if end is None else require_count(end, "end", least=0)
        if max(first + 1, after) > whole:
            last = after if after > whole else first
            raise ValueError(
                f"an excerpt cannot reach to {self._place(last)}: the recording ends at "
                f"{self._place(whole)}; choose a part of it."
            )
        if after <= first:
            raise ValueError(
                f"an excerpt from {self._place(first)} to {self._place(after)} holds nothing; "
                "choose an end after the beginning."
            )
        before = (self.offset or 0) + first
        return replace(self, signal=self.signal[first:after], offset=before)

    def _place(self, sample: int) -> str:
        """Return a place in words, in seconds too where the rate is known."""
        seconds = f" ({sample / self.sfreq:g} s)" if self.sfreq else ""
        return f"sample {sample}{seconds}"


def as_signal(values: ArrayLike) -> Floats:
    """Return real, finite numbers as floats, or refuse them in one sentence."""
    array = np.asarray(values)
    if np.iscomplexobj(array):
        raise ValueError("signal is complex: pass its real and imaginary parts as two channels.")
    array = np.asarray(array, dtype=np.float64)
    if np.isinf(array).any():
        raise ValueError("signal holds infinite values: set them to NaN, which means missing.")
    return array
