"""Zero-phase filters in time."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orbitdl.arrays.validation import require_positive
from orbitdl.groups.base import Floats
from orbitdl.io.lazy import LazyArray
from orbitdl.io.recording import Recording
from orbitdl.preprocessing.base import Step, as_recording, computed

ORDER = 2
"""Order of the Butterworth filters, which are applied forwards and backwards."""
SETTLED = 1e-12
"""Relative size of a transient that is negligible."""


class Filter(Step):
    """A filter of second-order sections, applied forwards and backwards: without delay.

    Frequencies are in Hz; in cycles per sample if the sampling rate of the training recording is
    not known. Gaps (NaN) are bridged by straight lines before, and missing after: segments between
    gaps, filtered separately, would lose all frequencies below their inverse length.
    """

    @abstractmethod
    def frequencies(self) -> tuple[float, ...]:
        """Return the frequencies of the filter, as passed."""

    @abstractmethod
    def sections(self, *frequencies: float) -> Floats:
        """Return the second-order sections for frequencies in cycles per sample."""

    def check(self, recording: Recording) -> None:
        """Raise ValueError unless all frequencies lie below the Nyquist frequency."""
        names = [name for name in self.get_params() if name != "width"]
        for name, hertz in zip(names, self.frequencies(), strict=True):
            if self.per_sample(require_positive(hertz, name), recording) >= 0.5:
                rate = recording.sfreq or self.sfreq_
                unit = "Hz" if rate else "cycles per sample, or a Recording with sfreq= for Hz"
                raise ValueError(
                    f"{name}={hertz:g} is above the Nyquist frequency; pass less than "
                    f"{0.5 * (rate or 1.0):g} {unit}."
                )

    def transform(self, recording: Any) -> Recording:
        """Return the filtered recording."""
        known = as_recording(recording)
        self.check(known)
        return replace_signal(known, computed(self._filtered(known), known.signal))

    def _filtered(self, recording: Recording) -> Filtered:
        own = [self.per_sample(hertz, recording) for hertz in self.frequencies()]
        return Filtered(recording.signal, self.sections(*own), math.ceil(1 / min(own)))


class HighPass(Filter):
    """Remove what is slower than a cutoff frequency; denoised and completed data have it again.

    Parameters
    ----------
    cutoff : float
        In Hz, or in cycles per sample if the sampling rate is not known. Amplitudes are halved
        there.

    Examples
    --------
    >>> t = np.arange(1000.0)
    >>> drifting = Recording(np.sin(t) + 5 + 0.01 * t, sfreq=100.0)
    >>> step = HighPass(0.5).fit(drifting)
    >>> quick = step.transform(drifting)
    >>> bool(np.abs(quick[100:-100] - np.sin(t)[100:-100]).max() < 0.01)
    True
    >>> bool(np.allclose(step.restore(quick[:], drifting), drifting[:]))
    True
    """

    def __init__(self, cutoff: float) -> None:
        self.cutoff = cutoff

    def frequencies(self) -> tuple[float, ...]:
        """Return the cutoff."""
        return (self.cutoff,)

    def sections(self, *frequencies: float) -> Floats:
        """Return a Butterworth high-pass filter."""
        return butterworth(frequencies, "highpass")

    def restore(self, values: Floats, recording: Recording) -> Floats:
        """Add the baseline, which is known in gaps, too."""
        return np.asarray(values + self._filtered(recording).baseline())


class LowPass(Filter):
    """Remove what is faster than a cutoff frequency, in Hz or in cycles per sample."""

    def __init__(self, cutoff: float) -> None:
        self.cutoff = cutoff

    def frequencies(self) -> tuple[float, ...]:
        """Return the cutoff."""
        return (self.cutoff,)

    def sections(self, *frequencies: float) -> Floats:
        """Return a Butterworth low-pass filter."""
        return butterworth(frequencies, "lowpass")


class BandPass(Filter):
    """Remove what is slower than `low` or faster than `high`, in Hz or in cycles per sample."""

    def __init__(self, low: float, high: float) -> None:
        self.low = low
        self.high = high

    def frequencies(self) -> tuple[float, ...]:
        """Return both cutoffs."""
        return self.low, self.high

    def sections(self, *frequencies: float) -> Floats:
        """Return a Butterworth band-pass filter."""
        return butterworth(frequencies, "bandpass")

    def check(self, recording: Recording) -> None:
        """Raise ValueError unless the band has a width, and lies below the Nyquist frequency."""
        super().check(recording)
        if not self.low < self.high:
            raise ValueError(f"low={self.low:g} is not below high={self.high:g}; exchange them.")


class Notch(Filter):
    """Remove one frequency, such as that of the mains.

    Parameters
    ----------
    frequency : float
        In Hz, or in cycles per sample if the sampling rate is not known.
    width : float
        Width at half power, as a fraction of the frequency.
    """

    def __init__(self, frequency: float, width: float = 0.03) -> None:
        self.frequency = frequency
        self.width = width

    def frequencies(self) -> tuple[float, ...]:
        """Return the frequency."""
        return (self.frequency,)

    def sections(self, *frequencies: float) -> Floats:
        """Return a notch filter of second order."""
        from scipy.signal import iirnotch, tf2sos

        quality = 1 / require_positive(self.width, "width")
        return np.asarray(tf2sos(*iirnotch(2 * frequencies[0], quality)))


class Filtered(LazyArray):
    """Samples after a zero-phase filter.

    A part is filtered together with as many samples on either side as a transient of the filter
    lasts, so that it does not depend on where it begins.
    """

    def __init__(self, values: Any, sections: Floats, padding: int) -> None:
        self.values, self.sections, self.padding = values, sections, padding
        self.shape = tuple(map(int, values.shape))
        from scipy.signal import sos2zpk

        slowest = float(np.abs(sos2zpk(sections)[1]).max())
        self.settling = math.ceil(math.log(SETTLED) / math.log(slowest)) if slowest > 0 else 0

    def _read(self, first: int, last: int) -> Floats:
        filtered, bridged, missing = self._around(first, last)
        return np.where(missing, np.nan, filtered)

    def baseline(self) -> Floats:
        """Return what the filter removes, in gaps too."""
        filtered, bridged, _ = self._around(0, len(self))
        return np.asarray(bridged - filtered)

    def _around(self, first: int, last: int) -> tuple[Floats, Floats, NDArray[np.bool_]]:
        """Return filtered and bridged samples, and which of them are missing."""
        from scipy.signal import sosfiltfilt

        begin, part = self._known_around(first - self.settling, last + self.settling)
        missing = np.isnan(part)
        bridged = _bridged(part, missing)
        padding = min(len(bridged) - 1, self.padding)
        filtered = sosfiltfilt(self.sections, bridged, axis=0, padlen=padding)
        if self._removes_constants():  # exactly
            filtered = np.where(np.ptp(bridged, axis=0) == 0, 0.0, filtered)
        own = slice(first - begin, last - begin)
        return np.asarray(filtered)[own], bridged[own], missing[own]

    def _removes_constants(self) -> bool:
        """Return whether the gain of the filter for constants is zero."""
        b, a = self.sections[:, :3].sum(axis=1), self.sections[:, 3:].sum(axis=1)
        return abs(float(np.prod(b / a))) < SETTLED

    def _known_around(self, first: int, last: int) -> tuple[int, Floats]:
        """Return samples, farther if the first or the last are in a gap, and where they begin."""
        first, last = max(first, 0), min(last, len(self))
        while True:
            part = np.asarray(self.values[first:last], dtype=np.float64)
            before = first > 0 and bool(np.isnan(part[0]).any())
            after = last < len(self) and bool(np.isnan(part[-1]).any())
            if not (before or after):
                return first, part
            reach = last - first
            first, last = max(first - before * reach, 0), min(last + after * reach, len(self))


def butterworth(frequencies: tuple[float, ...], kind: str) -> Floats:
    """Return second-order sections for frequencies in cycles per sample."""
    from scipy.signal import butter

    band = [2 * f for f in frequencies]
    return np.asarray(butter(ORDER, band if len(band) > 1 else band[0], kind, output="sos"))


def replace_signal(recording: Recording, signal: Any, **changes: Any) -> Recording:
    """Return a recording with other samples; what a simulator knows beyond it is left out."""
    own = {name: getattr(recording, name) for name in Recording.__dataclass_fields__}
    return replace(Recording(**own), signal=signal, **changes)


def _bridged(values: Floats, missing: NDArray[np.bool_]) -> Floats:
    """Interpolate gaps linearly, with constant extrapolation at the ends."""
    if not missing.any():
        return values
    columns = values.reshape(len(values), -1).copy()
    t = np.arange(len(columns))
    for column, gone in zip(columns.T, missing.reshape(len(values), -1).T, strict=True):
        if gone.all():
            column[:] = 0.0
        else:
            column[gone] = np.interp(t[gone], t[~gone], column[~gone])
    return columns.reshape(values.shape)
