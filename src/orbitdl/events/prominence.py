"""Peaks of waveforms, which define the samples of events."""

from __future__ import annotations

import numpy as np
from scipy.ndimage import maximum_filter1d, uniform_filter1d

from orbitdl.arrays.blocks import Floats
from orbitdl.domains.time.splines import ON_SAMPLES, TAPS, weights_at
from orbitdl.domains.time.waveforms import Waveforms

QUARTER = 4
"""Neighbourhood of a peak: 1 / QUARTER of a waveform length on either side. Whitened energy is
averaged over 1 / QUARTER of a length, and at a peak it is 1 / QUARTER of its maximum at least: half
of it instead excludes the larger of two peaks of some wide beats."""


def peaks_of(waveforms: Waveforms, whitened: Floats | None = None) -> Floats:
    """Return the position of the peak of each waveform in samples, to a fraction of one, (q,).

    It is the extremum of the spline next to the sample of the largest prominence: of the largest
    distance from the running mean over half a waveform length, by which a slow wave, however large,
    is no peak. With `whitened` waveforms (q, W, channels) it is the largest one where these have
    much of their energy: what stands out from the noise tells the time of an event.
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
    peak = np.argmax(largest, axis=1)
    channel = np.argmax(prominence[np.arange(len(peak)), peak], axis=1) if len(peak) else peak
    every = zip(waveforms.u, peak, channel, strict=True)
    return np.array([extremum_near(u[:, c], int(n)) for u, n, c in every], dtype=np.float64)


def extremum_near(u: Floats, n: int) -> float:
    """Return where the size of a spline with coefficients u (W,) is largest within a sample of n.

    On the cell from m to m + 1 its derivative is a quadratic in d = t - m,

        a'(t) = c_0 + c_1 d + c_2 d^2,      c_0 = (r - p)/2,      c_1 = p - 2 q + r,
        c_2 = (s - 3 r + 3 q - p)/2,        (p, q, r, s) = u[m-1], .., u[m+2].
    """
    padded = np.pad(u, TAPS)
    found = [(abs(float(ON_SAMPLES @ padded[n + TAPS - 1 : n + TAPS + 2])), float(n))]
    for m in (n - 1, n):
        p, q, r, s = near = padded[m + TAPS - 1 : m + TAPS + 3]
        roots = np.roots([0.5 * (s - 3.0 * r + 3.0 * q - p), p - 2.0 * q + r, 0.5 * (r - p)])
        d = roots.real[(roots.imag == 0) & (roots.real >= 0) & (roots.real <= 1)]
        found += zip(np.abs(weights_at(d) @ near).tolist(), (m + d).tolist(), strict=True)
    return max(found)[1]
