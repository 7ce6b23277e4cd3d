"""A small earthquake that a seismometer recorded in three components; it comes with ObsPy."""

import numpy as np
from numpy.typing import NDArray
from scipy.signal import butter, sosfiltfilt

_BAND = 1.0, 8.0  # Hz: above the drift, and below half of the rate that is left
_EVERY = 5  # of the samples of a record of 100 Hz, one in so many is kept
_BEGIN = 4.3  # seconds into the record, half a second before the first wave
_LENGTH = 101
_TAPER = 8  # samples in which the cut fades at both ends


def load_earthquake() -> NDArray[np.float64]:
    """Load five seconds of a local earthquake as station RJOB in Bavaria recorded it.

    Returns
    -------
    ndarray of shape (101, 3)
        Ground motion upwards, to the north and to the east, 20 samples per second, from 1 Hz to
        8 Hz, in the unit of the record. It fades at both ends, so that it can be shifted round.

    Raises
    ------
    ImportError
        If ObsPy is not installed: the record is the one that ``obspy.read()`` returns.

    Examples
    --------
    >>> load_earthquake().shape  # doctest: +SKIP
    (101, 3)
    """
    try:
        from obspy import read
    except ImportError as error:
        raise ImportError(
            "this earthquake comes with ObsPy: install it with pip install obspy."
        ) from error
    return cut_event(np.stack([trace.data for trace in read()], axis=1), sfreq=100.0)


def cut_event(record: NDArray[np.float64], sfreq: float) -> NDArray[np.float64]:
    """Filter a record (n_times, 3), keep some of its samples, and let both ends fade."""
    band = butter(3, _BAND, "bandpass", fs=sfreq, output="sos")
    begin = round(_BEGIN * sfreq)
    cut = sosfiltfilt(band, record, axis=0)[begin : begin + _LENGTH * _EVERY : _EVERY]
    from_end = np.minimum(np.arange(_LENGTH), np.arange(_LENGTH)[::-1])
    fading = 0.5 - 0.5 * np.cos(np.pi * np.minimum(from_end / _TAPER, 1.0))
    return np.asarray(cut * fading[:, None])
