"""A recording: its values, and what is known of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from orbitdl.groups.base import Floats
from orbitdl.recordings.dialect import Dialect
from orbitdl.recordings.layout import Kind


@dataclass(frozen=True, eq=False)
class Recording:
    """Hold one recording.

    Attributes
    ----------
    signal : ndarray of shape (n_times,) or (n_times, n_leads)
        The values, NaN where one is missing. A file may hold windows that were cut already,
        (n_windows, length) or (n_windows, length, n_leads): `prepare` takes them as they are.
    rate : float or None
        Samples per second, where it is known.
    leads : tuple of str
        Names of the channels that `signal` holds or is the mean of, where there are any.
    kind : Kind
        What is known of the rows of `signal`.
    dialect : Dialect or None
        How the file was written, if it was a table as text.

    Examples
    --------
    >>> recording = Recording(np.zeros((1000, 2)), rate=250.0, leads=("I", "V1"))
    >>> recording.signal.shape, recording.rate, recording.leads
    ((1000, 2), 250.0, ('I', 'V1'))
    """

    signal: Floats
    rate: float | None = None
    leads: tuple[str, ...] = ()
    kind: Kind = Kind.samples
    dialect: Dialect | None = None


def as_signal(values: ArrayLike) -> Floats:
    """Return real, finite numbers as floats, or refuse them in one sentence."""
    array = np.asarray(values)
    if np.iscomplexobj(array):
        raise ValueError("signal is complex: pass its real and imaginary parts as two channels.")
    array = np.asarray(array, dtype=np.float64)
    if np.isinf(array).any():
        raise ValueError("signal holds infinite values: set them to NaN, which means missing.")
    return array
