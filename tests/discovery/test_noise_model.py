"""The noise model: whitening against known processes, missing samples, noise over time."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.linalg import toeplitz
from scipy.signal import lfilter

from orbitdl import WaveformLearning
from orbitdl.discovery.background import (
    Background,
    burg,
    estimate_background,
    floored_filter,
    robust_scales,
)
from orbitdl.discovery.level import local_level
from orbitdl.domains.time.inputs import as_signal, ready

AR = np.array([1.0, -1.5, 0.7])
"""An autoregressive process with a resonance."""


def process(samples: int, seed: int = 0, h: np.ndarray = AR) -> np.ndarray:
    """Return samples of the process, (n, 1), from its stationary distribution."""
    noise = np.random.default_rng(seed).standard_normal(samples + 500)
    return lfilter([1.0], h, noise)[500:, None]


def observed(x: np.ndarray) -> np.ndarray:
    return np.ones(len(x), dtype=bool)


def test_the_filter_of_a_known_process_is_found():
    h, _ = burg(process(40_000).reshape(400, 100), np.ones(400), 2)
    np.testing.assert_allclose(h, AR, atol=0.02)


def test_the_filter_agrees_with_the_yule_walker_equations():
    x = process(200_000)[:, 0]
    R = np.array([np.mean(x[k:] * x[: len(x) - k]) for k in range(5)])
    yule_walker = np.concatenate([[1.0], -np.linalg.solve(toeplitz(R[:-1]), R[1:])])
    h, _ = burg(x.reshape(200, 1000), np.ones(200), 4)
    np.testing.assert_allclose(h, yule_walker, atol=0.02)


def test_whitened_noise_is_white_and_of_unit_level():
    x = 3.0 * process(60_000)
    y, known = estimate_background(x, observed(x), 80).filtered(x, observed(x))
    y = y[known][:, 0]
    assert abs(np.std(y) - 1.0) < 0.03
    correlation = [np.mean(y[k:] * y[: len(y) - k]) for k in range(1, 10)]
    assert np.max(np.abs(correlation)) < 0.03


def test_rare_events_do_not_change_the_filter():
    x = process(60_000)
    alone = estimate_background(x, observed(x), 80)
    pulse = 60.0 * np.hanning(80)[:, None]
    for start in range(500, 59_000, 900):
        x[start : start + 80] += pulse
    model = estimate_background(x, observed(x), 80)
    frequencies = np.linspace(0.05, 0.5, 30)
    response = [
        np.abs(np.exp(-2j * np.pi * frequencies[:, None] * np.arange(len(h))) @ h) / scale
        for h, scale in ((alone.filters[0], alone.scale[0]), (model.filters[0], model.scale[0]))
    ]
    np.testing.assert_allclose(response[1], response[0], rtol=0.25)


def test_whitening_can_be_undone():
    x = np.random.default_rng(0).standard_normal((300, 2))
    model = Background(np.array([AR, [1.0, -0.9, 0.2]]), np.array([2.0, 0.5]))
    padded = np.concatenate([np.zeros((2, 2)), x])
    np.testing.assert_allclose(model.undo(model.whiten(padded)), x, atol=1e-9)


def test_the_filter_has_minimum_phase_whatever_the_recording():
    rng = np.random.default_rng(1)
    for x in (rng.standard_normal((3000, 1)).cumsum(axis=0), np.sin(np.arange(3000.0))[:, None]):
        (h,) = estimate_background(x, observed(x), 60).filters
        assert np.all(np.abs(np.roots(h)) < 1.0 + 1e-9)


def test_samples_that_the_filter_cannot_know_are_missing():
    x, there = np.ones((20, 1)), np.ones(20, dtype=bool)
    there[10] = False
    _, known = Background(AR[None], np.ones(1)).filtered(x, there)
    assert np.flatnonzero(~known).tolist() == [0, 1, 10, 11, 12]


def test_reading_a_part_whitens_as_reading_all():
    model = Background(AR[None], np.ones(1))
    signal = ready(as_signal(process(1000)), 50, detrend=True, noise=model)
    lazy = ready(as_signal(process(1000)), 50, detrend=True)
    lazy = replace(lazy, noise=model)
    whole = signal.read(0, 1000)
    for first, last in ((0, 10), (1, 500), (377, 1000)):
        part = lazy.read(first, last)
        np.testing.assert_allclose(part[0], whole[0][first:last], atol=1e-12)
        assert np.array_equal(part[1], whole[1][first:last])


def test_the_noise_level_follows_bursts():
    rng = np.random.default_rng(2)
    x = rng.standard_normal((20_000, 1))
    x[8000:12_000] *= 5.0
    level = local_level(x, observed(x), 100)
    assert np.median(level[9000:11_000]) == pytest.approx(5.0, rel=0.1)
    assert np.median(level[:7000]) == pytest.approx(1.0, rel=0.1)


def covariance(h: np.ndarray, n: int) -> np.ndarray:
    """Return the covariance of n samples of the process, from its impulse response."""
    response = lfilter([1.0], h, np.eye(1, 4000)[0])
    R = np.array([np.sum(response[k:] * response[: len(response) - k]) for k in range(n)])
    return toeplitz(R)


def test_white_noise_is_added_to_the_spectrum_of_a_filter():
    """AR(1) of variance R_0 and white noise of variance f: the best filter is -R_1 / (R_0 + f)."""
    a, variance, floor = 0.9, 2.0, 3.0
    power = variance / (1.0 - a**2)
    np.testing.assert_allclose(
        floored_filter(np.array([1.0, -a]), variance, floor),
        [1.0, -a * power / (power + floor)],
        rtol=1e-12,
    )


def test_smooth_recordings_without_noise_have_one_kind_of_event():
    """Bumps whose widths vary by a tenth are a kind of event, also where nothing hides that."""
    rng, t = np.random.default_rng(0), np.arange(20_000)
    peaks = 150 + 195 * np.arange(100) + rng.uniform(0, 60, 100)
    widths = 12 * rng.uniform(0.95, 1.05, 100)
    x = sum(np.exp(-0.5 * ((t - at) / w) ** 2) for at, w in zip(peaks, widths, strict=True))
    model = WaveformLearning(length=90).fit(x)
    assert model.n_components_ == 1
    assert len(model.events(x)) == 100


def test_a_recording_without_a_complete_segment_has_white_noise_of_its_deviation():
    x = 3.0 * np.random.default_rng(0).standard_normal((4000, 1))
    known = np.arange(4000) % 5 > 0
    found = estimate_background(x, known, 100)
    assert found.order == 0
    np.testing.assert_allclose(found.scale, np.std(x[known], axis=0))


def test_a_recording_shorter_than_the_filter_is_not_known():
    y, known = Background(AR[None], np.ones(1)).filtered(np.ones((2, 1)), np.ones(2, dtype=bool))
    assert not known.any()
    assert not y.any()


def test_a_filter_of_zeros_stays_as_it_is():
    np.testing.assert_array_equal(floored_filter(AR, 0.0, 0.0), AR)


def test_the_scale_of_a_recording_that_is_never_known_is_its_deviation():
    x = np.random.default_rng(0).standard_normal((100, 2))
    known = np.zeros(100, dtype=bool)
    np.testing.assert_allclose(robust_scales(x, known, np.ones((2, 1))), np.std(x, axis=0))
