"""Preprocessing of a recording: selection of channels, high-pass filter, and its inverse."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from orbitdl.groups.base import Floats
from orbitdl.io.channels import choose_channel, warn_of_time
from orbitdl.io.layout import Kind
from orbitdl.io.preprocessing import Preprocessing
from orbitdl.io.recording import Recording, as_signal

ORDER = 2
"""Order of the Butterworth filter, applied forwards and backwards."""


@dataclass(frozen=True, eq=False)
class PreparedSignal:
    """A preprocessed recording, returned by `prepare_signal`.

    Attributes
    ----------
    recording : Recording
        The selected channels minus the baseline, with `sfreq`, `ch_names` and offset.
    source : ndarray of the shape of the recording's signal
        The selected channels before filtering.
    baseline : ndarray of the same shape, or None
        The part removed by a high-pass filter, if any.
    """

    recording: Recording
    source: Floats
    baseline: Floats | None = None

    @property
    def signal(self) -> Floats:
        """The values that are coded, (n_times,) or (n_times, channels)."""
        return self.recording.signal

    def restore(self, values: Floats) -> Floats:
        """Add the baseline."""
        return values if self.baseline is None else values + self.baseline


def prepare_signal(recording: Recording, preprocessing: Preprocessing) -> PreparedSignal:
    """Select channels of a recording, and apply a high-pass filter.

    Parameters
    ----------
    recording : Recording
        As returned by `read`, or ``Recording(signal, sfreq)``.
    preprocessing : Preprocessing
        Channels, sampling rate and cutoff of the high-pass filter; its `window` is not used.

    Returns
    -------
    PreparedSignal
        Its `recording` is input for `WaveformLearning`.

    Examples
    --------
    >>> import numpy as np
    >>> two = Recording(np.outer(np.arange(4.0), [1.0, 10.0]), ch_names=("I", "V1"))
    >>> prepare_signal(two, Preprocessing(channel="V1")).signal
    array([ 0., 10., 20., 30.])
    """
    selection = _in_channels(recording, preprocessing.channel)
    source = selection.signal
    slow = _slow_part(source, recording, preprocessing)
    quick = source if slow is None else source - slow
    sfreq = preprocessing.sfreq or recording.sfreq
    return PreparedSignal(replace(selection, signal=quick, sfreq=sfreq), source, slow)


def _in_channels(recording: Recording, channel: str | None) -> Recording:
    """Return the selected channels, (n_times,) or (n_times, channels), with their names."""
    signal, ch_names, units = as_signal(recording.signal), recording.ch_names, recording.units
    if signal.ndim > 2:
        raise ValueError(
            f"the data have shape {signal.shape}, so they are windows, not a recording; leave out "
            "window=, length= and layout=."
        )
    if channel is not None:
        time = recording.time_column
        signal, index = choose_channel(signal, ch_names, channel, least=2, time_column=time)
        common = units[0] if len(set(units)) == 1 else ""
        ch_names, units = _of(index, ch_names, "mean"), _of(index, units, common)
    else:
        warn_of_time(signal, ch_names)
        signal = signal[:, 0] if signal.shape[1:] == (1,) else signal
    return Recording(signal, None, ch_names, Kind.samples, offset=recording.offset, units=units)


def _of(indices: list[int] | None, values: tuple[str, ...], of_mean: str) -> tuple[str, ...]:
    """Return values of selected channels, or that of their mean; empty if there are none."""
    if not values:
        return ()
    return (of_mean,) if indices is None else tuple(values[k] for k in indices)


def _slow_part(signal: Floats, recording: Recording, preprocessing: Preprocessing) -> Floats | None:
    """Return the part that a high-pass filter removes, in the shape of the signal, or None."""
    frequency = preprocessing.highpass
    if frequency is None:
        return None
    if preprocessing.sfreq is None and recording.sfreq is not None:
        raise ValueError(
            f"highpass={frequency:g} is ambiguous: Hz or cycles per sample; pass "
            f"sfreq={recording.sfreq:g}, too."
        )
    return baseline(signal, preprocessing.cycles_per_sample(frequency))


def baseline(signal: Floats, cutoff: float) -> Floats:
    """Return the part of a recording that a high-pass filter removes.

    Parameters
    ----------
    signal : ndarray of shape (n_times,) or (n_times, channels)
        NaN where a value is missing.
    cutoff : float
        Cutoff frequency in cycles per sample, below 1/2.

    Returns
    -------
    ndarray of the shape of the signal
        Without NaN, so that it can be added to completed data.

    Notes
    -----
    A zero-phase Butterworth filter of order 2 (forwards and backwards), which halves amplitudes at
    the cutoff. Gaps are first interpolated linearly: segments between gaps, filtered separately,
    would lose all frequencies below their inverse length.

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
    padding = min(len(signal) - 1, math.ceil(1 / cutoff))  # one period
    slow = bridged - sosfiltfilt(filter_, bridged, axis=0, padlen=padding)
    is_constant = np.ptp(bridged, axis=0) == 0  # avoids rounding errors of a zero residual
    return np.where(is_constant, bridged, slow)


def _bridged(signal: Floats) -> Floats:
    """Interpolate gaps linearly, with constant extrapolation at the ends."""
    columns = signal.reshape(len(signal), -1).copy()
    t = np.arange(len(columns))
    for values in columns.T:
        observed = ~np.isnan(values)
        values[~observed] = (
            np.interp(t[~observed], t[observed], values[observed]) if observed.any() else 0.0
        )
    return columns.reshape(signal.shape)
