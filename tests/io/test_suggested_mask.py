"""What would eat all atoms is found and explained, and clean recordings are left alone."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from test_datasets import recording_is_here

from orbitdl.datasets import load_ecg, make_ecg_recording, make_spike_recording
from orbitdl.io import Recording, suggest_mask


def found(signal, **settings) -> list[tuple[int, int, int, str]]:
    table = suggest_mask(signal, **settings).artefacts
    return list(table[["start", "end", "channel", "reason"]].itertuples(index=False, name=None))


def clean(seed=0, duration=60.0, **settings) -> np.ndarray:
    return make_ecg_recording(duration, random_state=seed, **settings).signal


# Clean recordings


@pytest.mark.parametrize("seed", range(20))
def test_nothing_is_found_in_a_clean_ecg(seed):
    for duration, sfreq in ((10.0, 360.0), (120.0, 360.0), (60.0, 100.0)):
        assert not found(make_ecg_recording(duration, sfreq, n_leads=2, random_state=seed))


@pytest.mark.parametrize("seed", range(10))
def test_nothing_is_found_in_clean_spikes(seed):
    for settings in ({}, {"snr": 15.0}, {"drift": 0.5}, {"n_neurons": 1, "overlaps": 0.0}):
        assert not found(make_spike_recording(5.0, random_state=seed, **settings))


def test_nothing_is_found_in_noise_of_any_unit():
    noise = np.random.default_rng(0).standard_normal((20_000, 3))
    for unit in (1e-90, 1.0, 1e90):
        assert not found(unit * noise + 5 * unit)


def test_nothing_is_found_in_clean_data_of_coarse_steps():
    """Converters make runs of equal values, long ones at the tops of slow waves."""
    assert not found(np.round(clean(n_leads=2) / 0.005))
    assert not found(np.round(clean(n_leads=2) / 0.05).astype(np.int16))
    slow = np.sin(np.arange(50_000) / 700)
    assert not found(np.round(20 * slow))
    assert not found(np.sign(slow))


@pytest.mark.skipif(not recording_is_here(), reason="no wfdb, or record 100 is not here")
def test_nothing_is_found_in_record_100_and_its_one_ventricular_beat_when_asked():
    record = load_ecg("100", channel=None)
    assert not found(record)
    rare = found(load_ecg("100"), burst=3.0)
    assert len(rare) == 1
    assert rare[0][0] <= 546_792 < rare[0][1]  # the lowest value of the lead, -2.7 mV


# Planted artefacts


@pytest.mark.parametrize("seed", range(10))
def test_planted_artefacts_are_found_with_their_edges(seed):
    """To the sample where values are equal or missing, to 16 samples in bursts."""
    data = make_ecg_recording(
        120.0, n_leads=2, saturations=2, flat_lines=2, bursts=3, gaps=2, random_state=seed
    )
    result = suggest_mask(data)
    planted, listed = data.artefacts, result.artefacts
    assert len(listed) == len(planted)
    assert_array_equal(listed["channel"], planted["channel"])
    # a flat line at the height of an R peak cannot be told from saturation
    same = listed["reason"] == planted["reason"]
    assert set(planted["reason"][~same]) <= {"flat line"}
    assert (~same).sum() <= 1
    tolerance = np.where(planted["reason"] == "burst", 16, 0)
    assert (np.abs(listed["start"] - planted["start"]) <= tolerance).all()
    assert (np.abs(listed["end"] - planted["end"]) <= tolerance).all()


def test_the_mask_is_false_in_the_listed_stretches_alone():
    data = make_ecg_recording(60.0, n_leads=2, saturations=1, bursts=2, gaps=1, random_state=0)
    before = data.signal.copy()
    result = suggest_mask(data)
    expected = np.ones(data.signal.shape, dtype=bool)
    for row in result.artefacts.itertuples():
        expected[row.start : row.end, row.channel] = False
    assert_array_equal(result.mask, expected)
    assert not result.mask.all()
    assert_array_equal(data.signal, before)  # nothing is masked


def test_a_burst_among_spikes_is_found():
    signal = make_spike_recording(10.0, random_state=0).signal
    rng = np.random.default_rng(0)
    signal[100_000:101_000, 2] += 5 * rng.standard_normal(1000)
    ((start, end, channel, reason),) = found(signal)
    assert (channel, reason) == (2, "burst")
    assert abs(start - 100_000) <= 16
    assert abs(end - 101_000) <= 16


def test_a_burst_no_higher_than_events_but_long_is_found():
    signal = clean()
    signal[9000:9720] += np.random.default_rng(0).standard_normal(720)
    ((start, end, _, reason),) = found(signal, burst=8.0)
    assert reason == "burst"
    assert abs(start - 9000) <= 40
    assert abs(end - 9720) <= 40


@pytest.mark.parametrize("height", [60.0, -60.0, 1e300])
def test_a_single_wild_sample_is_found_wherever_it_is(height):
    for place in (0, 7777, 21_599):
        signal = clean()
        signal[place] = height
        ((start, end, _, reason),) = found(signal)
        assert reason == "burst"
        assert start <= place < end <= start + 16


def test_heartbeats_cut_at_a_ceiling_are_saturation():
    signal = np.minimum(np.round(clean(drift=0.0) / 0.005) * 0.005, 0.5)
    runs = found(signal)
    assert len(runs) > 40
    assert {reason for *_, reason in runs} == {"saturation"}
    for start, end, *_ in runs:
        assert end - start >= 5
        assert_array_equal(signal[start:end], 0.5)
        assert max(signal[start - 1], signal[end]) < 0.5


def test_values_that_are_not_finite_are_missing():
    signal = clean()
    signal[100:105] = np.nan
    signal[200], signal[201] = np.inf, -np.inf
    signal[300:400] = np.inf
    missing = [(100, 105, 0, "missing"), (200, 202, 0, "missing"), (300, 400, 0, "missing")]
    assert found(signal) == missing
    assert found(np.full(1000, np.nan)) == [(0, 1000, 0, "missing")]


def test_a_channel_that_never_changes_is_flat():
    signal = np.column_stack([clean(), np.full(21_600, 0.3)])
    assert found(signal) == [(0, 21_600, 1, "flat line")]
    signal[:100, 1] = np.nan
    assert found(signal) == [(0, 100, 1, "missing"), (100, 21_600, 1, "flat line")]


def test_settings_decide_what_is_found():
    signal = clean()
    signal[5000:5020] = signal[5000]
    assert not found(signal)
    assert found(signal, flat=20) == [(5000, 5020, 0, "flat line")]
    signal = np.minimum(clean(), 0.5)
    assert not found(signal, saturated=40, flat=40)
    assert 0 < len(found(signal, saturated=20)) < len(found(signal))


def test_times_are_in_seconds_if_the_rate_is_known():
    signal = clean()
    signal[720:1080] = np.nan
    known, unknown = suggest_mask(Recording(signal, 360.0)), suggest_mask(signal)
    (row,) = known.artefacts.to_dict("records")
    assert (row["start_time"], row["end_time"]) == (2.0, 3.0)
    assert row["description"] == "360 values in a row are NaN or infinite."
    assert unknown.artefacts[["start_time", "end_time"]].isna().all(axis=None)
    assert unknown.mask.shape == signal.shape


def test_every_reason_is_told_in_a_sentence():
    data = make_ecg_recording(60.0, saturations=1, flat_lines=1, bursts=1, gaps=1, random_state=0)
    words = suggest_mask(data).artefacts["description"]
    assert words.str.endswith(".").all()
    assert words.str.contains("in a row|times that of recurring").all()


def test_the_table_has_its_columns_when_nothing_is_found():
    empty, full = suggest_mask(clean()).artefacts, suggest_mask(np.zeros(100)).artefacts
    assert len(empty) == 0
    assert (empty.dtypes == full.dtypes).all()


@pytest.mark.parametrize("n", [1, 2, 31, 127, 128, 511, 513])
def test_short_recordings_of_noise_are_left_alone(n):
    assert not found(np.random.default_rng(n).standard_normal(n))


@pytest.mark.parametrize(
    ("recording", "settings", "words"),
    [
        (np.zeros((2, 3, 4)), {}, r"recording has shape \(2, 3, 4\): pass one of shape"),
        (np.zeros(0), {}, r"recording has shape \(0,\)"),
        (3.0, {}, r"recording has shape \(\)"),
        (["a", "b"], {}, "pass an array of real numbers"),
        (np.zeros(9, dtype=complex), {}, "recording holds complex128: pass an array of real"),
        (np.zeros(9), {"saturated": 1}, "saturated must be an integer of at least 2, not 1."),
        (np.zeros(9), {"flat": 0.5}, "flat must be an integer of at least 2, not 0.5."),
        (np.zeros(9), {"burst": 0}, "burst must be a number of at least 1, not 0."),
    ],
)
def test_bad_input_to_the_detector_is_refused(recording, settings, words):
    with pytest.raises(ValueError, match=words):
        suggest_mask(recording, **settings)
