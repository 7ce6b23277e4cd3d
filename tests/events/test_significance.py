"""Errors beyond noise: halves of events that vary on their own, and the variance they tell."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from orbitdl import WaveformLearning
from orbitdl.coding.atoms import Atoms
from orbitdl.domains.time.atoms import at_times
from orbitdl.domains.time.chunks import split_recording
from orbitdl.domains.time.signal import Signal
from orbitdl.domains.time.waveforms import Waveforms
from orbitdl.events.significance import contrasts, misfit_variance

LENGTH, SAMPLES, EVENTS = 80, 24_000, 120


def peak(t: np.ndarray) -> np.ndarray:
    return np.exp(-0.5 * (t / 3.0) ** 2)


def two_peaks(spread: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return a recording of pairs of peaks in noise, and the times of pairs.

    The delay and the size of each peak of a pair vary on their own: delays by `spread` samples.
    """
    rng, t = np.random.default_rng(seed), np.arange(SAMPLES)
    times = 200.0 * (0.5 + np.arange(EVENTS)) + rng.uniform(-30, 30, EVENTS)
    late, size = spread * rng.standard_normal((2, 2, EVENTS))
    size = 1.0 + 0.1 * size
    x = 0.03 * rng.standard_normal(SAMPLES)
    for k, time in enumerate(times):
        x += size[0, k] * peak(t - time + 15 - late[0, k])
        x -= size[1, k] * peak(t - time - 15 - late[1, k])
    return x, times


def errors(events: pd.DataFrame, times: np.ndarray) -> np.ndarray:
    """Return the errors of the times of events, the constant one removed."""
    late = events["sample"].to_numpy()[:, None] - times
    late = late[np.arange(len(events)), np.abs(late).argmin(axis=1)]
    return np.asarray(late - np.median(late))


@pytest.fixture(scope="module")
def loose() -> tuple[pd.DataFrame, np.ndarray]:
    x, times = two_peaks(0.8, 0)
    return WaveformLearning(n_components=1, length=LENGTH).fit(x).events(x), times


def test_standard_errors_of_times_are_right_where_halves_vary_on_their_own(loose):
    events, times = loose
    error = errors(events, times)
    assert len(events) >= 0.95 * EVENTS
    assert np.std(error) == pytest.approx(0.8 / np.sqrt(2), rel=0.15)
    assert np.median(events["sample_sd"]) == pytest.approx(np.std(error), rel=0.2)
    assert 0.9 <= np.mean(np.abs(error) < 1.96 * events["sample_sd"]) <= 0.99


def test_standard_errors_of_amplitudes_are_right_where_halves_vary_on_their_own(loose):
    size = loose[0]["amplitude"]
    relative = np.median(loose[0]["amplitude_sd"] / size)
    assert relative == pytest.approx(1.4826 * np.median(np.abs(size / size.median() - 1)), rel=0.3)


def events_at(times: np.ndarray, size: float = 5.0) -> Atoms:
    return at_times(np.zeros(len(times), np.intp), times, np.full(len(times), size), 1)


def waveform() -> Waveforms:
    t = np.arange(LENGTH) - 40.0
    return Waveforms.through((peak(t + 15) - peak(t - 15))[None, :, None])


@pytest.mark.parametrize("seed", range(5))
def test_rigid_events_have_no_misfit(seed):
    rng, a = np.random.default_rng(seed), waveform()
    events = events_at(200.0 * np.arange(1, 101) + rng.uniform(0, 30, 100))
    x = a.add_up(SAMPLES, events.component, events.time, events.coefficient)
    noisy = split_recording(Signal(x + rng.standard_normal(x.shape)), LENGTH)
    np.testing.assert_array_equal(misfit_variance(noisy, a, events, np.ones(100)), 0.0)


def test_contrasts_have_the_variance_of_noise_and_do_not_see_time_and_amplitude():
    rng, a = np.random.default_rng(0), waveform()
    events = events_at(100.0 * np.arange(1, 201) + rng.uniform(0, 15, 200))
    fitted = a.add_up(SAMPLES, events.component, events.time, events.coefficient)
    later = a.add_up(SAMPLES, events.component, events.time + 0.01, 1.01 * events.coefficient)
    rigid = contrasts(split_recording(Signal(later), LENGTH), a, events)
    noise = fitted + rng.standard_normal(fitted.shape)
    assert np.abs(rigid).max() < 5e-4  # of 0.05 and 0.01 in a' and a
    np.testing.assert_allclose(
        np.std(contrasts(split_recording(Signal(noise), LENGTH), a, events), axis=1), 1.0, atol=0.1
    )


def test_contrasts_do_not_depend_on_how_a_recording_is_split():
    rng, a = np.random.default_rng(0), waveform()
    events, x = events_at(100.0 * np.arange(1, 201) + 0.3), rng.standard_normal((SAMPLES, 1))
    one, many = (split_recording(Signal(x), LENGTH, size) for size in (SAMPLES, 950))
    assert len(many) > 20 > len(one)
    np.testing.assert_allclose(contrasts(one, a, events), contrasts(many, a, events))
