"""The slow part of a recording: drift and baseline, which a high-pass takes off."""

from __future__ import annotations

import math

import numpy as np

from orbitdl.groups.base import Floats

ORDER = 2
"""Of the Butterworth filter that runs over a recording forwards and backwards."""


def baseline(signal: Floats, cutoff: float) -> Floats:
    """Return what a high-pass takes off a recording.

    Parameters
    ----------
    signal : ndarray of shape (n_times,) or (n_times, channels)
        NaN where a value is missing.
    cutoff : float
        In cycles per sample, below 1/2.

    Returns
    -------
    ndarray of the shape of the signal
        Without NaN, so that it can be put back where values were filled in.

    Notes
    -----
    A Butterworth filter of order 2 runs forwards and backwards, which moves nothing in time; at
    the cutoff an oscillation keeps half of its amplitude. Gaps are bridged by straight lines
    first: stretches between them, filtered one by one, would lose all that is slower than they are
    long, and where values are missing here and there, that is everything.

    Examples
    --------
    >>> drift = 5 + 0.01 * np.arange(1000.0)
    >>> wave = np.sin(np.arange(1000.0))
    >>> bool(np.abs(baseline(drift + wave, 0.005) - drift)[100:-100].max() < 0.01)
    True
    """
    from scipy.signal import butter, sosfiltfilt

    bridged = _bridged(signal)
    filter_ = butter(ORDER, 2 * cutoff, "highpass", output="sos")
    beyond = min(len(signal) - 1, math.ceil(1 / cutoff))  # of its ends, a period is made up
    slow = bridged - sosfiltfilt(filter_, bridged, axis=0, padlen=beyond)
    is_constant = np.ptp(bridged, axis=0) == 0  # then rounding errors must not be left
    return np.where(is_constant, bridged, slow)


def _bridged(signal: Floats) -> Floats:
    """Fill gaps by straight lines, and those at an end with the value next to them."""
    columns = signal.reshape(len(signal), -1).copy()
    place = np.arange(len(columns))
    for values in columns.T:
        seen = ~np.isnan(values)
        values[~seen] = np.interp(place[~seen], place[seen], values[seen]) if seen.any() else 0.0
    return columns.reshape(signal.shape)
