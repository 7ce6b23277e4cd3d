"""Peaks of waveforms, which define the samples of events."""

from __future__ import annotations

import numpy as np
from scipy.ndimage import maximum_filter1d, uniform_filter1d

from orbitdl.domains.time.waveforms import Waveforms
from orbitdl.groups.base import Floats, Integers

QUARTER = 4
"""Neighbourhood of a peak: 1 / QUARTER of a waveform length on either side. Whitened energy is
averaged over 1 / QUARTER of a length, and at a peak it is 1 / QUARTER of its maximum at least: half
of it instead excludes the larger of two peaks of some wide beats."""


def peaks_of(waveforms: Waveforms, whitened: Floats | None = None) -> Integers:
    """Return the sample of the largest prominence of each waveform, (q,).

    The largest distance from the running mean over half a waveform length: a slow wave, however
    large, is no peak. With `whitened` waveforms (q, W, channels) it is the largest one where these
    have much of their energy: what stands out from the noise tells the time of an event.
    """
    samples = waveforms.samples()
    width = 2 * (waveforms.length // QUARTER) + 1
    above = samples - uniform_filter1d(samples, width, axis=1)
    prominence = np.where(samples * above > 0, np.abs(above), 0.0)  # a dip to zero is no peak
    largest = prominence.max(axis=2)
    if whitened is not None:
        energy = np.sum(whitened**2, axis=2)
        energy = uniform_filter1d(energy, width // 2, axis=1, mode="constant")
        is_high = energy >= energy.max(axis=1, keepdims=True) / QUARTER
        is_high &= (largest > 0) & (largest >= maximum_filter1d(largest, 3, axis=1))
        largest += is_high * largest.max(axis=1, keepdims=True)
    return np.asarray(np.argmax(largest, axis=1))
