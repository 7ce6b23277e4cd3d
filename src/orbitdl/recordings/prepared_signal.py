"""A whole recording as it is cut or coded: channels chosen, drift taken off, and the way back."""

from __future__ import annotations

from dataclasses import dataclass, replace

from orbitdl.groups.base import Floats
from orbitdl.recordings.baseline import baseline
from orbitdl.recordings.channels import choose_channel, warn_of_time
from orbitdl.recordings.layout import Kind
from orbitdl.recordings.preprocessing import Preprocessing
from orbitdl.recordings.recording import Recording, as_signal


@dataclass(frozen=True, eq=False)
class PreparedSignal:
    """Hold a recording without its slow part; made by `prepare_signal`.

    Attributes
    ----------
    recording : Recording
        The channels that were chosen, less the baseline, with `sfreq`, `ch_names` and offset.
    source : ndarray of the shape of the recording's signal
        The same channels before anything was taken off.
    baseline : ndarray of the same shape, or None
        What a high-pass took off; None: nothing.
    """

    recording: Recording
    source: Floats
    baseline: Floats | None = None

    @property
    def signal(self) -> Floats:
        """The values that are coded, (n_times,) or (n_times, channels)."""
        return self.recording.signal

    def restore(self, values: Floats) -> Floats:
        """Put back what the high-pass took off."""
        return values if self.baseline is None else values + self.baseline


def prepare_signal(recording: Recording, preprocessing: Preprocessing) -> PreparedSignal:
    """Choose channels of a recording, and take off what is slow.

    Parameters
    ----------
    recording : Recording
        As `read` returns it, or ``Recording(signal, sfreq)``.
    preprocessing : Preprocessing
        Which channels, the rate, and whether a high-pass takes off what is slow; windows are not
        cut.

    Returns
    -------
    PreparedSignal
        Its `recording` is what `WaveformLearning` takes.

    Examples
    --------
    >>> import numpy as np
    >>> two = Recording(np.outer(np.arange(4.0), [1.0, 10.0]), ch_names=("I", "V1"))
    >>> prepare_signal(two, Preprocessing(channel="V1")).signal
    array([ 0., 10., 20., 30.])
    """
    chosen = _in_channels(recording, preprocessing.channel)
    source = chosen.signal
    slow = _slow_part(source, recording, preprocessing)
    quick = source if slow is None else source - slow
    sfreq = preprocessing.sfreq or recording.sfreq
    return PreparedSignal(replace(chosen, signal=quick, sfreq=sfreq), source, slow)


def _in_channels(recording: Recording, channel: str | None) -> Recording:
    """Return the channels that are chosen, (n_times,) or (n_times, channels), with their names."""
    signal, ch_names, units = as_signal(recording.signal), recording.ch_names, recording.units
    if signal.ndim > 2:
        raise ValueError(
            f"the data have shape {signal.shape}, so they are windows already and no recording; "
            "leave out window=, length= and layout=."
        )
    if channel is not None:
        time = recording.time_column
        signal, place = choose_channel(signal, ch_names, channel, least=2, time_column=time)
        common = units[0] if len(set(units)) == 1 else ""
        ch_names, units = _of(place, ch_names, "mean"), _of(place, units, common)
    else:
        warn_of_time(signal, ch_names)
        signal = signal[:, 0] if signal.shape[1:] == (1,) else signal
    return Recording(signal, None, ch_names, Kind.samples, offset=recording.offset, units=units)


def _of(places: list[int] | None, words: tuple[str, ...], of_mean: str) -> tuple[str, ...]:
    """Return what is said of some channels, or of the mean of all; nothing where nothing is."""
    if not words:
        return ()
    return (of_mean,) if places is None else tuple(words[place] for place in places)


def _slow_part(signal: Floats, recording: Recording, preprocessing: Preprocessing) -> Floats | None:
    """Return what a high-pass takes off, in the shape of the signal; None: there is none."""
    frequency = preprocessing.highpass
    if frequency is None:
        return None
    if preprocessing.sfreq is None and recording.sfreq is not None:
        raise ValueError(
            f"whether highpass={frequency:g} is in Hz cannot be told later on; say "
            f"sfreq={recording.sfreq:g} beside it."
        )
    return baseline(signal, preprocessing.cycles_per_sample(frequency))
