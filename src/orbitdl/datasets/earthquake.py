"""A local earthquake recorded in three components, from ObsPy."""

import numpy as np
from numpy.typing import NDArray
from scipy.signal import butter, sosfiltfilt

_BAND = 1.0, 8.0  # Hz: above the drift, and below the Nyquist frequency after decimation
_EVERY = 5  # decimation factor of the record at 100 Hz
_BEGIN = 4.3  # seconds into the record, half a second before the first wave
_LENGTH = 101
_TAPER = 8  # samples of the taper at both ends


def load_earthquake() -> NDArray[np.float64]:
    """Load five seconds of a local earthquake recorded at station RJOB in Bavaria.

    Returns
    -------
    ndarray of shape (101, 3)
        Ground motion upwards, to the north and to the east, sampled at 20 Hz, filtered to 1-8 Hz,
        in the unit of the record. Both ends are tapered for circular shifts.

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
    """Filter, decimate and taper a record (n_times, 3)."""
    band = butter(3, _BAND, "bandpass", fs=sfreq, output="sos")
    begin = round(_BEGIN * sfreq)
    cut = sosfiltfilt(band, record, axis=0)[begin : begin + _LENGTH * _EVERY : _EVERY]
    from_end = np.minimum(np.arange(_LENGTH), np.arange(_LENGTH)[::-1])
    fading = 0.5 - 0.5 * np.cos(np.pi * np.minimum(from_end / _TAPER, 1.0))
    return np.asarray(cut * fading[:, None])
