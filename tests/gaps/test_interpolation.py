"""Gaps in recordings that repeat themselves: an autoregressive process longer than a waveform."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy.signal import lfilter
from sklearn.linear_model import Ridge

from orbitdl import WaveformLearning
from orbitdl.datasets import make_ecg_recording
from orbitdl.estimators import fill_gaps as applied
from orbitdl.gaps.interpolation import RIDGE, artificial_gaps, long_background, predicts_better

RNG = 0


def seasonal(samples: int = 2300, period: float = 52.18) -> np.ndarray:
    rng, t = np.random.default_rng(RNG), np.arange(samples)
    phase = 2 * np.pi * t / period
    return 3 * np.sin(phase) + np.sin(2 * phase + 1) + 0.3 * rng.standard_normal(samples)


def hidden(samples: int, size: int, step: int) -> np.ndarray:
    gone = np.zeros(samples, dtype=bool)
    for start in range(step, samples - step, step):
        gone[start : start + size] = True
    return gone


def test_the_filter_is_that_of_a_ridge_regression():
    x = lfilter([1.0], [1.0, -1.5, 0.7], np.random.default_rng(0).standard_normal(200))[:, None]
    missing = np.zeros(200, dtype=bool)
    missing[100:110] = True
    found = long_background(x, missing, 10)
    t = np.flatnonzero(~missing[10:]) + 10
    lagged = x[t[:, None] - np.arange(1, 11), 0]
    ridge = Ridge(RIDGE * np.mean(np.sum(lagged**2, axis=0)), fit_intercept=False)
    ridge.fit(lagged, x[t, 0])
    np.testing.assert_allclose(found.filters[0], [1.0, *-ridge.coef_], rtol=1e-8)
    assert found.scale[0] == pytest.approx(np.std(x[t, 0] - ridge.predict(lagged)), rel=0.01)


def test_gaps_of_a_seasonal_series_are_filled_almost_to_its_noise():
    x, gone = seasonal(), hidden(2300, 20, 200)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what repeats all the time may be background alone
        model = WaveformLearning(length=52).fit(np.where(gone, np.nan, x))
    filled, sd = model.complete(np.where(gone, np.nan, x), return_std=True)
    error = (filled - x)[gone]
    assert np.sqrt(np.mean(error**2)) < 1.5 * 0.3
    assert np.mean(np.abs(error) < 2 * sd[gone]) > 0.85
    np.testing.assert_array_equal(filled[~gone], x[~gone])


def test_events_fill_the_gaps_of_a_heart(monkeypatch):
    judged = []
    monkeypatch.setattr(
        applied, "predicts_better", lambda *a: judged.append(predicts_better(*a)) or judged[-1]
    )
    x = make_ecg_recording(duration=90, random_state=0).signal
    gone = hidden(len(x), 40, 1500)
    model = WaveformLearning(length=252).fit(np.where(gone, np.nan, x))
    model.complete(np.where(gone, np.nan, x))
    assert judged == [False]


def test_gaps_to_judge_by_are_as_long_as_those_of_missing_samples_and_away_from_them():
    gone = hidden(5000, 20, 400)
    made = artificial_gaps(gone, 60)
    edges = np.flatnonzero(np.diff(made, prepend=False, append=False)).reshape(-1, 2)
    assert len(edges) > 5
    np.testing.assert_array_equal(np.diff(edges), 20)
    assert not np.any(made & gone)


def test_without_gaps_nothing_is_judged():
    assert not artificial_gaps(np.zeros(1000, dtype=bool), 50).any()


def test_no_gap_to_judge_by_is_made_where_there_is_no_space():
    assert not artificial_gaps(np.arange(1000) % 20 < 10, 50).any()


@pytest.mark.parametrize("missing", [np.zeros(400, dtype=bool), np.arange(400) % 100 < 10])
def test_recordings_too_short_to_judge_by_are_not_of_high_order(missing):
    x = np.random.default_rng(0).standard_normal((400, 1))
    assert not predicts_better(x, missing, 60, lambda values, gone: (values, values))
