"""Peaks of waveforms, which define the samples of events."""

from __future__ import annotations

import numpy as np
from scipy.ndimage import uniform_filter1d

from orbitdl.domains.time.waveforms import Waveforms
from orbitdl.groups.base import Integers

QUARTER = 4
"""Neighbourhood of a peak: 1 / QUARTER of a waveform length on either side."""


def peaks_of(waveforms: Waveforms) -> Integers:
    """Return the sample of the largest prominence of each waveform, (q,).

    The largest distance from the running mean over half a waveform length: a slow wave, however
    large, is no peak.
    """
    samples = waveforms.samples()
    width = 2 * (waveforms.length // QUARTER) + 1
    above = samples - uniform_filter1d(samples, width, axis=1)
    prominence = np.where(samples * above > 0, np.abs(above), 0.0)  # a dip to zero is no peak
    return np.asarray(np.argmax(prominence.max(axis=2), axis=1))
