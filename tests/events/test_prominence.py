"""Peaks of waveforms: where events are said to be."""

from __future__ import annotations

import numpy as np
from scipy.signal import lfilter

from orbitdl import WaveformLearning
from orbitdl.domains.time.waveforms import Waveforms
from orbitdl.events.prominence import peaks_of

LENGTH, SHARP, WIDE = 400, 150, 250


def two_waves() -> np.ndarray:
    """Return a sharp wave and then a wide one that is higher."""
    t = np.arange(LENGTH, dtype=float)
    sharp, wide = (np.exp(-0.5 * ((t - at) / sd) ** 2) for at, sd in ((SHARP, 1.2), (WIDE, 20.0)))
    return sharp + 1.7 * wide


def test_the_peak_is_the_most_prominent_wave():
    assert abs(peaks_of(Waveforms.through(two_waves()[None, :, None]))[0] - WIDE) <= 1


def test_a_slow_wave_is_no_peak():
    slow = two_waves() + np.linspace(0.0, 6.0, LENGTH)
    assert abs(peaks_of(Waveforms.through(slow[None, :, None]))[0] - WIDE) <= 10


def test_the_peak_is_where_noise_hides_least():
    a = two_waves()[None, :, None]
    whitened = np.diff(a, axis=1, prepend=0.0)
    assert peaks_of(Waveforms.through(a), whitened).tolist() == [SHARP]
    assert peaks_of(Waveforms.through(-a), -whitened).tolist() == [SHARP]


def test_events_in_slow_noise_are_at_the_sharp_wave_detected_or_coded():
    rng = np.random.default_rng(0)
    x = lfilter([0.1], [1.0, -0.98], rng.standard_normal(70_000))
    begins = 550 * np.arange(1, 118) + rng.integers(0, 60, 117)
    for begin in begins:
        x[begin : begin + LENGTH] += 2.0 * two_waves()
    model = WaveformLearning(n_components=1, length=LENGTH, detrend=False).fit(x)
    for events in (model.events(x), model.events(x, alpha=model.alpha_)):
        late = events["sample"].to_numpy()[:, None] - begins - SHARP
        assert np.median(np.abs(late).min(axis=1)) < 1.0


def test_the_end_of_the_part_with_most_energy_is_no_peak():
    t = np.arange(LENGTH) - 200.0
    a = np.exp(-0.5 * (t / 60.0) ** 2) - 0.2 * np.exp(-0.5 * ((t - 150) / 30.0) ** 2)
    whitened = np.where(t < -75, 1.0, 0.01) * a
    found = peaks_of(Waveforms.through(a[None, :, None]), whitened[None, :, None])
    assert abs(found[0] - 200) < 10


def test_no_waveforms_have_no_peaks():
    assert peaks_of(Waveforms(np.zeros((0, 9, 1))), np.zeros((0, 9, 1))).tolist() == []
