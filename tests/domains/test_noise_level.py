"""The level of noise: of a recording with events and drift, and of one whose noise changes."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from orbitdl.domains.time.alpha import white_noise
from orbitdl.domains.time.shards import RecordingShards
from orbitdl.domains.time.signal import Signal
from orbitdl.domains.time.whitening import noise_field

L = 200


def test_drift_and_smooth_events_do_not_change_the_level_of_white_noise():
    rng, t = np.random.default_rng(0), np.arange(50_000)[:, None]
    smooth = 50 * np.sin(t / 3000) + 10 * np.exp(-0.5 * ((t % 1000 - 500) / 20) ** 2)
    x = smooth + rng.standard_normal((len(t), 2)) * np.array([0.5, 2.0])
    assert white_noise(RecordingShards.cut([Signal(x)], L, 1.0)) == pytest.approx(2.0, rel=0.02)


def test_the_penalty_of_an_event_is_the_level_of_noise_at_its_centre():
    rng, half = np.random.default_rng(0), 30 * L
    x = rng.standard_normal((2 * half, 1))
    x[half:] *= 4.0
    [taps] = noise_field(Signal(x), L, None).taps(0, 2 * half)
    assert_allclose([taps[: half - 3 * L].mean(), taps[half + 3 * L :].mean()], [1, 4], rtol=0.08)
    middle = np.searchsorted(taps[half - 3 * L : half + 3 * L], 2.5) + half - 3 * L
    assert middle == pytest.approx(half - L // 2, abs=L // 4)
