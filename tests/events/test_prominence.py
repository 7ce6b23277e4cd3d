"""Peaks of waveforms: where events are said to be."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.interpolate import BSpline
from scipy.signal import lfilter

from orbitdl import WaveformLearning
from orbitdl.domains.time.waveforms import Waveforms
from orbitdl.events.prominence import peaks_of

LENGTH, SHARP, WIDE = 400, 150, 250
CUBIC = BSpline.basis_element(np.arange(-2, 3), extrapolate=False)


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
    assert abs(peaks_of(Waveforms.through(a), whitened)[0] - SHARP) < 0.5
    assert abs(peaks_of(Waveforms.through(-a), -whitened)[0] - SHARP) < 0.5


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


@pytest.mark.parametrize("at", np.linspace(19.5, 20.5, 11))
def test_the_peak_is_that_of_the_spline_between_samples(at):
    t = np.arange(60.0)
    bump = np.exp(-0.5 * ((t - at) / 2.5) ** 2)
    waveforms = Waveforms.through(np.stack([bump, 0.3 * bump], axis=1)[None] * [1.0, -1.0])
    fine = np.linspace(at - 1.0, at + 1.0, 20_001)
    values = [
        float(c @ np.nan_to_num(CUBIC(time - t))) for c in waveforms.u[:, :, 0] for time in fine
    ]
    assert abs(peaks_of(waveforms)[0] - fine[np.argmax(values)]) < 2e-4
    assert abs(peaks_of(waveforms)[0] - at) < 0.01


def test_times_of_events_are_right_at_any_fraction_of_a_sample():
    """Without a median subtracted: but for the error of the peak of the learned waveform."""
    rng, t = np.random.default_rng(1), np.arange(30_000.0)
    for fraction in (0.2, 0.5, 0.8):
        true = 150.0 * np.arange(1, 190) + rng.uniform(0, 40, 189).round() + fraction
        x = sum(np.exp(-0.5 * ((t - one) / 4.0) ** 2) for one in true)
        x = x + 0.05 * rng.standard_normal(len(t))
        events = WaveformLearning(length=60).fit(x).events(x)
        assert len(events) == len(true)
        error = events["sample"].to_numpy() - true
        assert abs(error.mean()) < 0.2
        assert np.mean(np.abs(error - error.mean()) < 1.96 * events["sample_sd"]) > 0.9


def test_no_waveforms_have_no_peaks():
    assert peaks_of(Waveforms(np.zeros((0, 9, 1))), np.zeros((0, 9, 1))).tolist() == []
