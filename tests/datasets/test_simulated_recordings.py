"""Simulated recordings are what their tables say, to rounding."""

from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from orbitdl.datasets import make_ecg_recording, make_spike_recording
from orbitdl.io import Preprocessing, Recording, prepare

quiet_ecg = partial(make_ecg_recording, noise=0.0, drift=0.0)
quiet_spikes = partial(make_spike_recording, snr=np.inf)


def rebuilt(data, events, waveform_of) -> np.ndarray:
    """Add up all events at all samples, each wave by its formula: no window, no rounding."""
    t = np.arange(len(data.signal)) / data.sfreq
    total = np.zeros((len(t), waveform_of(events.iloc[0]).height.shape[1]))
    for _, event in events.iterrows():
        waves = waveform_of(event)
        for h, m, s in zip(waves.height, waves.centre, waves.width, strict=True):
            wave = np.exp(-((t - event["seconds"] - m) ** 2) / (2 * s**2))
            total += event["amplitude"] * wave[:, None] * h
    return total.reshape(data.signal.shape)


# Electrocardiograms


@pytest.mark.parametrize("n_leads", [1, 2])
@pytest.mark.parametrize("sfreq", [100.0, 360.0])
def test_an_ecg_without_noise_is_the_sum_of_its_listed_beats(sfreq, n_leads):
    data = quiet_ecg(20.3, sfreq, n_leads=n_leads, random_state=1)
    expected = rebuilt(data, data.beats, lambda beat: data.waveforms[beat["kind"]])
    assert data.signal.shape == ((round(20.3 * sfreq),) if n_leads == 1 else (20.3 * sfreq, 2))
    assert_allclose(data.signal, expected, atol=1e-12)


def test_beats_lie_off_the_grid_in_order_and_at_the_listed_samples():
    beats = make_ecg_recording(100.0, random_state=0).beats
    assert_allclose(beats["position"], 360.0 * beats["seconds"])
    assert beats["seconds"].is_monotonic_increasing
    assert np.abs(beats["position"] - np.rint(beats["position"])).max() > 0.4
    assert_array_equal(beats["inside"], beats["position"].between(0, 35999))
    assert not beats["inside"].all()


def test_the_r_wave_is_highest_at_the_reference_point():
    data = quiet_ecg(30.0, 2000.0, premature=0.0, amplitude_spread=0.0, random_state=0)
    at = np.rint(data.beats["position"][data.beats["inside"]]).astype(int).to_numpy()[1:-1]
    peak = np.argmax(data.signal[at[:, None] + np.arange(-60, 61)], axis=1) - 60
    assert np.abs(peak).max() <= 2  # one millisecond


def test_intervals_have_the_asked_rate_and_variability():
    data = make_ecg_recording(
        3000.0, 64.0, heart_rate=100, variability=0.1, premature=0.0, random_state=0
    )
    intervals = np.log(np.diff(data.beats["seconds"]))
    assert np.exp(intervals.mean()) == pytest.approx(0.6, rel=0.02)
    assert intervals.std() == pytest.approx(0.1, rel=0.05)
    assert abs(np.corrcoef(intervals[1:], intervals[:-1])[0, 1]) < 0.06


def test_premature_beats_have_their_share_and_come_early():
    beats = make_ecg_recording(3000.0, 64.0, premature=0.3, random_state=0).beats
    premature = (beats["kind"] == "premature").to_numpy()
    before = np.diff(beats["seconds"])
    assert premature.mean() == pytest.approx(0.3, abs=0.03)
    normal_twice = ~premature[1:] & ~premature[:-1]
    after_normal = premature[1:] & ~premature[:-1]
    assert before[after_normal].mean() == pytest.approx(0.7 * before[normal_twice].mean(), rel=0.02)
    assert set(make_ecg_recording(30.0, premature=1.0).beats["kind"]) == {"premature"}


def test_amplitudes_of_beats_have_the_asked_spread():
    amplitudes = make_ecg_recording(2000.0, 64.0, amplitude_spread=0.2, random_state=0).beats
    assert np.log(amplitudes["amplitude"]).std() == pytest.approx(0.2, rel=0.05)
    assert np.median(amplitudes["amplitude"]) == pytest.approx(1.0, rel=0.02)


def test_noise_and_drift_are_added_to_the_same_beats():
    quiet = quiet_ecg(300.0, n_leads=2, random_state=3)
    noisy = make_ecg_recording(300.0, n_leads=2, noise=0.05, drift=0.0, random_state=3)
    wandering = make_ecg_recording(300.0, n_leads=2, noise=0.0, drift=0.3, random_state=3)
    assert quiet.beats.equals(noisy.beats)
    assert quiet.beats.equals(quiet_ecg(300.0, random_state=3).beats)
    assert_allclose((noisy.signal - quiet.signal).std(axis=0), 0.05, rtol=0.02)
    drift = wandering.signal - quiet.signal
    assert_allclose(np.sqrt((drift**2).mean(axis=0)), 0.3, rtol=0.05)
    assert np.abs(np.diff(drift, axis=0)).max() < 0.005
    assert abs(np.corrcoef(drift.T)[0, 1]) < 0.5


def test_artefacts_are_where_the_table_says_and_nowhere_else():
    clean = make_ecg_recording(80.0, n_leads=2, random_state=5)
    data = make_ecg_recording(
        80.0, n_leads=2, saturations=3, flat_lines=4, bursts=5, gaps=2, random_state=5
    )
    spoilt = np.zeros(data.signal.shape, dtype=bool)
    for row in data.artefacts.itertuples():
        own = data.signal[row.start : row.end, row.channel]
        assert 0.5 <= row.end_time - row.start_time <= 2.01
        assert row.start_time == row.start / 360
        spoilt[row.start : row.end, row.channel] = True
        match row.reason:
            case "saturation":
                assert np.abs(own).tolist() == [3.0] * len(own)
            case "flat line":
                assert np.ptp(own) == 0
            case "missing":
                assert np.isnan(own).all()
            case "burst":
                before = clean.signal[row.start : row.end, row.channel]
                assert (own - before).std() == pytest.approx(2.0, rel=0.2)
    assert_array_equal(data.signal[~spoilt], clean.signal[~spoilt])
    counts = data.artefacts["reason"].value_counts().to_dict()
    assert counts == {"burst": 5, "flat line": 4, "missing": 2 * 2, "saturation": 3}
    assert len(clean.artefacts) == 0
    assert list(clean.artefacts) == list(data.artefacts)


# Spikes


@pytest.mark.parametrize(("n_channels", "n_neurons"), [(1, 1), (4, 3), (2, 5)])
def test_spikes_without_noise_are_the_sum_of_the_listed_ones(n_channels, n_neurons):
    data = quiet_spikes(
        0.5, n_channels=n_channels, n_neurons=n_neurons, firing_rate=40, drift=0.3, random_state=2
    )
    expected = rebuilt(data, data.spikes, lambda spike: data.waveforms[spike["neuron"]])
    assert data.signal.shape == ((12000,) if n_channels == 1 else (12000, n_channels))
    assert_allclose(data.signal, expected, atol=1e-12)


def test_no_neuron_fires_in_its_refractory_period():
    spikes = make_spike_recording(
        20, firing_rate=80, refractory=0.004, overlaps=0.4, random_state=0
    ).spikes
    for _, own in spikes.groupby("neuron"):
        assert np.diff(own["seconds"]).min() >= 0.004


def test_intervals_are_a_refractory_period_and_an_exponential_wait():
    data = make_spike_recording(
        200, 1000.0, n_channels=1, firing_rate=[20, 5, 40], overlaps=0, random_state=0
    )
    for rate, (_, own) in zip([20, 5, 40], data.spikes.groupby("neuron"), strict=True):
        wait = np.diff(own["seconds"]) - 0.003
        assert wait.mean() == pytest.approx(1 / rate - 0.003, rel=0.12)
        assert wait.std() == pytest.approx(wait.mean(), rel=0.15)


def test_overlaps_are_there_on_purpose_and_firing_rates_are_kept():
    share = {}
    for overlaps in (0.0, 0.3):
        spikes = make_spike_recording(60, 10_000.0, overlaps=overlaps, random_state=0).spikes
        share[overlaps] = spikes["overlaps"].mean()
        assert_allclose(spikes["neuron"].value_counts() / 60, 10, rtol=0.15)
    assert share[0.0] < 0.08
    assert share[0.3] > 0.35


def test_a_lone_neuron_keeps_its_firing_rate():
    spikes = make_spike_recording(100, 1000.0, n_neurons=1, overlaps=0.5, random_state=0).spikes
    assert len(spikes) / 100 == pytest.approx(10, rel=0.1)
    assert not spikes["overlaps"].any()


def test_overlapping_spikes_are_those_within_a_millisecond_of_another_neurons():
    spikes = make_spike_recording(5, firing_rate=30, random_state=0).spikes
    time, neuron = spikes["seconds"].to_numpy(), spikes["neuron"].to_numpy()
    near = (np.abs(time[:, None] - time) < 1e-3) & (neuron[:, None] != neuron)
    assert_array_equal(spikes["overlaps"], near.any(axis=1))


def test_noise_of_spikes_is_that_of_the_asked_ratio():
    quiet, noisy = quiet_spikes(5, random_state=0), make_spike_recording(5, snr=8, random_state=0)
    assert quiet.spikes.equals(noisy.spikes)
    assert noisy.noise == 1 / 8
    assert_allclose((noisy.signal - quiet.signal).std(axis=0), 1 / 8, rtol=0.02)
    depths = [-waves.height.min() for waves in noisy.waveforms]
    assert min(depths) == pytest.approx(1.0)


def test_waveforms_of_neurons_differ():
    for seed in range(20):
        waveforms = make_spike_recording(0.1, random_state=seed).waveforms
        values = [waves.at(np.arange(-60, 61) / 24_000).ravel() for waves in waveforms]
        unit = np.array([value / np.linalg.norm(value) for value in values])
        assert np.abs(unit @ unit.T - np.eye(3)).max() < 0.9


def test_amplitudes_drift_slowly_and_only_when_asked():
    steady = make_spike_recording(60, 1000.0, random_state=0).spikes
    moving = make_spike_recording(60, 1000.0, drift=0.5, random_state=0).spikes
    ratio = moving["amplitude"] / steady["amplitude"]
    for _, own in moving.assign(ratio=ratio).groupby("neuron"):
        assert own["ratio"].min() == pytest.approx(0.5, abs=0.01)
        assert own["ratio"].max() == pytest.approx(1.5, abs=0.01)
        assert np.abs(np.diff(own["ratio"]) / np.diff(own["seconds"])).max() < 0.5 * 2 * np.pi / 59
    assert np.log(steady["amplitude"]).std() == pytest.approx(0.05, rel=0.1)


# Both

SIMULATORS = [
    partial(make_ecg_recording, 20.0, bursts=1, gaps=1),
    partial(make_spike_recording, 2.0),
]


@pytest.mark.parametrize("simulate", SIMULATORS)
def test_seeds_decide_everything(simulate):
    first, again, other = (simulate(random_state=seed) for seed in (0, 0, 1))
    generator = simulate(random_state=np.random.default_rng(0))
    assert_array_equal(first.signal, again.signal)
    assert_array_equal(first.signal, generator.signal)
    assert not np.array_equal(first.signal, other.signal, equal_nan=True)


@pytest.mark.parametrize("simulate", SIMULATORS)
def test_a_simulated_recording_is_a_recording(simulate):
    data = simulate(random_state=0)
    assert isinstance(data, Recording)
    windows = prepare(data, Preprocessing(window=200))
    assert windows.sfreq == data.sfreq
    assert_array_equal(windows.source, data.signal)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"duration": -1.0}, "duration must be a positive number, not -1.0."),
        ({"duration": np.nan}, "duration must be a positive number, not nan."),
        ({"duration": np.inf}, "duration must be a positive number, not inf."),
        ({"sfreq": 0}, "sfreq must be a positive number, not 0."),
        ({"duration": 1e-9}, "duration=1e-09 at sfreq=1000.0 makes no sample"),
        ({"amplitude_spread": 2}, "amplitude_spread must be a number from 0 to 1, not 2."),
    ],
)
@pytest.mark.parametrize("simulate", [make_ecg_recording, make_spike_recording])
def test_recordings_that_cannot_be_are_refused(simulate, arguments, words):
    with pytest.raises(ValueError, match=words):
        simulate(**{"duration": 2.0, "sfreq": 1000.0, **arguments})


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"heart_rate": 0}, "heart_rate must be a positive number, not 0."),
        ({"variability": -0.1}, "variability must be a number from 0 to 0.5, not -0.1."),
        ({"premature": 1.5}, "premature must be a number from 0 to 1, not 1.5."),
        ({"noise": -1}, "noise must be a number of at least 0, not -1."),
        ({"noise": np.nan}, "noise must be a number of at least 0, not nan."),
        ({"drift": "much"}, "drift must be a number of at least 0, not 'much'."),
        ({"n_leads": 3}, "n_leads must be 1 or 2, not 3."),
        ({"bursts": -1}, "bursts must be an integer of at least 0, not -1."),
        ({"gaps": 3}, "3 artefacts need a recording of at least 12 seconds, but this one has 10"),
    ],
)
def test_an_ecg_that_cannot_be_is_refused(arguments, words):
    with pytest.raises(ValueError, match=words):
        make_ecg_recording(10.0, **arguments)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"n_channels": 0}, "n_channels must be an integer of at least 1, not 0."),
        ({"n_neurons": 1.5}, "n_neurons must be an integer of at least 1, not 1.5."),
        ({"firing_rate": [1.0, 2.0]}, "firing_rate has 2 numbers for 3 neurons"),
        ({"firing_rate": -3}, "firing_rate must be a positive number, not -3."),
        ({"refractory": -1}, "refractory must be a number of at least 0, not -1."),
        ({"refractory": 0.2}, "refractory=0.2 leaves no time for 10 spikes per second"),
        ({"overlaps": 0.9}, "overlaps must be a number from 0 to 0.5, not 0.9."),
        ({"snr": 0}, "snr must be a positive number, not 0."),
        ({"drift": 1.0}, "drift must be a number from 0 to 0.9, not 1.0."),
    ],
)
def test_spikes_that_cannot_be_are_refused(arguments, words):
    with pytest.raises(ValueError, match=words):
        make_spike_recording(1.0, **arguments)
