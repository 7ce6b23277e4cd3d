"""Steps other than filters, and how models hold all of them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.signal import resample_poly
from sklearn.base import clone

import orbitdl
from orbitdl import OrbitDictionaryLearning, WaveformLearning
from orbitdl.datasets import make_ecg_recording
from orbitdl.groups import ContinuousShift
from orbitdl.io import Recording
from orbitdl.io.lazy import ReadBy
from orbitdl.preprocessing import (
    CommonReference,
    Detrend,
    HighPass,
    Notch,
    Pick,
    Resample,
    SplitWindows,
    Whiten,
)
from orbitdl.preprocessing.pipeline import from_records, to_records

RNG = np.random.default_rng(0)
FOUR = Recording(RNG.standard_normal((3000, 4)) @ RNG.standard_normal((4, 4)), 200.0, tuple("abcd"))
HEART = make_ecg_recording(duration=60, n_leads=2, random_state=1)


def lazily(recording: Recording) -> Recording:
    """Return the same recording, read by a function."""
    x = np.asarray(recording)
    return Recording(ReadBy(x.shape, lambda first, last: x[first:last]), recording.sfreq)


STEPS = [
    HighPass(1.0),
    Notch(50.0),
    Pick("c,a"),
    CommonReference(),
    CommonReference("mean"),
    Whiten(),
    Resample(150.0),
    Detrend(0.5),
]


@pytest.mark.parametrize("step", STEPS, ids=str)
def test_a_step_comes_back_from_its_record_and_does_the_same(step):
    fitted = clone(step).fit(FOUR)
    (again,) = from_records(to_records([fitted]))
    assert type(again) is type(step)
    assert_array_equal(again.transform(FOUR)[:], fitted.transform(FOUR)[:])


@pytest.mark.parametrize("step", [step for step in STEPS if not isinstance(step, Pick)], ids=str)
def test_what_is_read_a_part_at_a_time_is_the_same(step, monkeypatch):
    monkeypatch.setattr("orbitdl.preprocessing.base.SMALL", 0)
    fitted = clone(step).fit(FOUR)
    whole, lazy = fitted.transform(FOUR), fitted.transform(lazily(FOUR))
    assert not isinstance(lazy.signal, np.ndarray)
    for first in range(0, len(whole), 271):
        part = slice(first, min(first + 271, len(whole)))
        assert_allclose(lazy[part], whole[part], atol=1e-9)


def test_a_common_reference_is_the_median_of_the_channels_that_are_there():
    holed = np.asarray(FOUR).copy()
    holed[5, 1], holed[9] = np.nan, np.nan
    made = CommonReference().fit_transform(Recording(holed))[:]
    assert_allclose(made[5, [0, 2, 3]], holed[5, [0, 2, 3]] - np.median(holed[5, [0, 2, 3]]))
    assert np.isnan(made[9]).all()
    with pytest.raises(ValueError, match="needs several channels, and the recording has one"):
        CommonReference().fit(Recording(np.zeros(9)))


def test_whitened_channels_are_uncorrelated_and_of_unit_variance():
    white = Whiten().fit(FOUR)
    assert_allclose(np.cov(white.transform(FOUR)[:].T), np.eye(4), atol=1e-10)
    with pytest.raises(ValueError, match="has 2 channels, and whitening was fitted on 4"):
        white.transform(Recording(np.zeros((9, 2))))


@pytest.mark.parametrize("sfreq", [100.0, 150.0, 400.0])
def test_resampled_samples_are_those_of_scipy_and_at_their_times(sfreq):
    step = Resample(sfreq).fit(FOUR)
    made = step.transform(FOUR)
    ratio = {100.0: (1, 2), 150.0: (3, 4), 400.0: (2, 1)}[sfreq]
    assert_allclose(made[:], resample_poly(np.asarray(FOUR), *ratio, axis=0), atol=1e-12)
    assert made.sfreq == sfreq
    assert step.transform(FOUR.excerpt(100)).first_sample == round(100 * sfreq / 200)
    with pytest.raises(ValueError, match="needs the sampling rate"):
        Resample(100.0).fit(Recording(np.zeros(9)))


def test_onsets_do_not_change_with_the_rate():
    model = WaveformLearning(length=200, preprocessing=[Pick("II")]).fit(HEART)
    slow = WaveformLearning(length=100, preprocessing=[Pick("II"), Resample(180.0)]).fit(HEART)
    assert slow.sfreq_ == 180.0
    first, second = model.events(HEART), slow.events(HEART)
    true = HEART.beats.query("inside")["seconds"].to_numpy()
    for events in (first, second):
        assert len(events) == len(true)
        assert np.std(events["onset"].to_numpy() - true) < 0.02  # kinds peak at their own places
    late = second["onset"].to_numpy() - first["onset"].to_numpy()
    assert np.abs(late - np.median(late)).max() < 0.005


def test_a_model_holds_its_steps_and_applies_them_to_new_data(tmp_path):
    steps = [Pick("V1"), HighPass(0.5)]
    model = WaveformLearning(length=200, preprocessing=steps).fit(HEART)
    by_hand = HighPass(0.5).fit_transform(HEART.pick("V1"))
    plain = WaveformLearning(length=200).fit(by_hand)
    assert_allclose(model.components_, plain.components_)
    assert model.ch_names_ == ("V1",)
    model.save(tmp_path / "m")
    again = orbitdl.load(tmp_path / "m")
    assert_allclose(again.events(HEART)["sample"], plain.events(by_hand)["sample"], atol=1e-9)
    assert_allclose(again.encode(HEART).objective, plain.encode(by_hand).objective)
    baseline = HEART.pick("V1")[:] - by_hand[:]
    assert_allclose(again.denoise(HEART), plain.denoise(by_hand) + baseline, atol=1e-9)


def test_gaps_are_filled_at_the_height_of_the_baseline():
    holed = HEART.pick("II")[:] + 3.0
    holed[4000:4040] = np.nan
    recording = Recording(holed, HEART.sfreq)
    model = WaveformLearning(length=200, preprocessing=[HighPass(0.5)]).fit(recording)
    filled, sd = model.complete(recording, return_std=True)
    there = ~np.isnan(holed)
    assert_allclose(filled[there], holed[there], atol=1e-9)
    assert np.abs(filled[4000:4040] - 3.0).max() < 1.5
    assert (sd[~there] > 0).all()


def test_windows_of_several_recordings_are_learned_from_and_told_apart_by_their_rate():
    steps = [Pick("II"), SplitWindows(128, normalize=True)]
    model = OrbitDictionaryLearning(
        2, ContinuousShift(), alpha=0.2, max_iter=2, tol=0.1, random_state=0, preprocessing=steps
    )
    halves = [HEART.excerpt(0, 10800), HEART.excerpt(10800)]
    model.fit(halves)
    assert model.provenance_["samples"] == 2 * (10800 // 128)
    events = model.events(halves[1])
    assert events["sample"].between(10800, 21600).all()
    assert model.denoise(halves[0]).shape == (10800,)
    with pytest.raises(ValueError, match="sampling rate of 250 Hz, but the model was learned"):
        model.events(Recording(HEART.signal, 250.0, HEART.ch_names))


BAD = {
    "a word": ("highpass", "must be a sequence of steps"),
    "a class": ([HighPass], "does not fit and transform; pass an object such as HighPass"),
    "windows first": ([SplitWindows(9), HighPass(1.0)], "SplitWindows must be the last step"),
    "no such channel": ([Pick("V9")], "channel='V9' does not exist"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_is_no_preprocessing_is_refused_before_any_work(case):
    steps, sentence = BAD[case]
    with pytest.raises(ValueError, match=sentence) as caught:
        WaveformLearning(length=200, preprocessing=steps).fit(HEART)
    assert "\n" not in str(caught.value)


def test_steps_of_others_work_but_are_not_stored(tmp_path):
    class Doubled(HighPass):
        def transform(self, recording):
            return Recording(2 * np.asarray(recording), recording.sfreq)

    model = WaveformLearning(length=200, preprocessing=[Pick("II"), Doubled(0.5)]).fit(HEART)
    assert model.n_components_ == 2
    with pytest.raises(ValueError, match="Doubled is not one of orbitdl, and a model file holds"):
        model.save(tmp_path / "m")
