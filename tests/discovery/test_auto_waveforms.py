"""Waveforms found untuned: their number, their events, how sure these are, what changes nothing."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import orbitdl
from orbitdl import WaveformLearning
from orbitdl.datasets import make_ecg_recording

LENGTH = 60


def pulse(width: float = 4.0, bend: float = 0.0) -> np.ndarray:
    t = np.arange(LENGTH) - 30.0
    a = (1 - bend * t / width) * np.exp(-0.5 * (t / width) ** 2)
    return a / np.linalg.norm(a)


def planted(
    amplitudes: np.ndarray,
    samples: int = 20_000,
    noise: float = 1.0,
    seed: int = 0,
    bend: float = 0,
) -> tuple[np.ndarray, np.ndarray]:
    """Return a recording of pulses at random times in white noise, and the times of their peaks."""
    rng = np.random.default_rng(seed)
    gap = samples // (len(amplitudes) + 1)
    start = gap * np.arange(1, len(amplitudes) + 1) + rng.uniform(-0.2, 0.2, len(amplitudes)) * gap
    x, t = noise * rng.standard_normal(samples), np.arange(samples)
    for b, s in zip(amplitudes, start, strict=True):
        own = slice(int(s) - 60, int(s) + 60)
        z = (t[own] - s) / 4.0
        shape = (1 - bend * z) * np.exp(-0.5 * z**2)
        x[own] += b * shape / np.linalg.norm(pulse()) / 1.0 / np.sqrt(4.0 * np.sqrt(np.pi))
    return x, start


def found(events: pd.DataFrame, times: np.ndarray, within: float = 5.0) -> tuple[int, int]:
    """Return how many of some times have an event nearby, and how many events have none."""
    sample = events["sample"].to_numpy()
    apart = np.abs(sample[:, None] - times)
    if not apart.size:
        return 0, len(sample)
    return int(np.sum(apart.min(axis=0) < within)), int(np.sum(apart.min(axis=1) >= within))


def test_one_waveform_is_found_and_every_event():
    x, times = planted(np.full(60, 12.0))
    model = WaveformLearning(length=LENGTH).fit(x)
    assert model.n_components_ == 1
    assert found(model.events(x), times) == (60, 0)


def test_two_amplitude_classes_of_one_waveform_are_all_found():
    x, times = planted(np.tile([10.0, 4.0], 50), noise=0.05)
    model = WaveformLearning(length=LENGTH).fit(x)
    assert found(model.events(x), times) == (100, 0)


def test_two_kinds_of_events_are_told_apart():
    x, times = planted(np.full(50, 15.0))
    y, others = planted(np.full(41, 15.0), noise=0.0, seed=5, bend=1.5)
    model = WaveformLearning(length=LENGTH).fit(x + y)
    events = model.events(x + y)
    assert model.n_components_ == 2
    near = np.abs(events["sample"].to_numpy()[:, None] - others).min(axis=1) < 6
    alone = np.abs(events["sample"].to_numpy()[:, None] - times).min(axis=1) > 30
    kinds = events["component"][near & alone].to_numpy()
    assert len(kinds) > 25
    assert np.mean(kinds == np.bincount(kinds).argmax()) > 0.95
    assert (events["runner_up"] == 1 - events["component"]).all()


@pytest.mark.parametrize("colour", [0.0, 0.5, 1.0])
def test_noise_has_no_waveforms(colour):
    frequency = np.fft.rfftfreq(30_000)
    frequency[0] = frequency[1]
    for seed in range(3):
        white = np.fft.rfft(np.random.default_rng(seed).standard_normal(30_000))
        x = np.fft.irfft(white * frequency**-colour, 30_000)
        with pytest.warns(RuntimeWarning, match="no waveform recurs"):
            model = WaveformLearning(length=LENGTH).fit(x)
        assert model.n_components_ == 0
        assert len(model.events(x)) == 0
        assert model.encode(x).gap < 1e-9
        assert model.components_.shape == (0, LENGTH)
        np.testing.assert_allclose(model.denoise(x).std(), 0.0, atol=x.std())


def test_scale_and_offset_of_a_recording_change_nothing():
    x, _ = planted(np.full(60, 12.0))
    model = WaveformLearning(length=LENGTH).fit(x)
    events, scaled = model.events(x), 1e-3 * x + 7.0
    others = WaveformLearning(length=LENGTH).fit(scaled).events(scaled)
    np.testing.assert_allclose(others["sample"], events["sample"], atol=1e-3)
    np.testing.assert_allclose(others["amplitude"], 1e-3 * events["amplitude"], rtol=1e-4)
    np.testing.assert_allclose(others["coefficient"], events["coefficient"], rtol=1e-3)


def test_time_reversal_finds_the_same_events():
    x, times = planted(np.full(60, 12.0), bend=1.0)
    model = WaveformLearning(length=LENGTH).fit(x[::-1])
    assert model.n_components_ == 1
    assert found(model.events(x[::-1]), len(x) - 1 - times, within=10) == (60, 0)


def test_threads_and_repetition_change_nothing():
    x, _ = planted(np.full(300, 12.0), samples=160_000)
    one, two = (WaveformLearning(length=LENGTH, n_jobs=jobs).fit(x) for jobs in (1, 2))
    pd.testing.assert_frame_equal(one.events(x), two.events(x))
    np.testing.assert_array_equal(one.components_, two.components_)


def test_events_of_chunks_are_those_of_the_whole():
    x, times = planted(np.full(300, 12.0), samples=160_000)
    model = WaveformLearning(length=LENGTH).fit(x)
    assert found(model.events(x), times) == (300, 0)
    late = model.events(x[69_960:])["sample"].to_numpy() + 69_960
    whole = model.events(x)["sample"].to_numpy()
    np.testing.assert_allclose(late[1:], whole[whole > late[0] + 1], atol=0.2)


def test_a_model_of_one_half_finds_the_events_of_the_other():
    x, times = planted(np.full(120, 10.0), samples=40_000)
    model = WaveformLearning(length=LENGTH).fit(x[:20_000])
    events = model.events(x[20_000:])
    hit, false = found(events, times[times > 20_000] - 20_000)
    assert hit >= 59
    assert false <= 1


def test_the_list_of_an_excerpt_is_part_of_the_list_of_the_whole():
    """Thresholds belong to the fit: leaving out strong events does not lower them."""
    x, times = planted(np.concatenate([np.full(60, 12.0), np.full(60, 3.0)]), samples=40_000)
    model = WaveformLearning(length=LENGTH).fit(x)
    whole, part = model.events(x), model.events(x[24_000:])
    before = whole["sample"].to_numpy()
    new = np.abs(part["sample"].to_numpy()[:, None] + 24_000 - before).min(axis=1) > 2
    assert new.sum() <= 1


def test_given_waveforms_are_respected():
    x, times = planted(np.full(60, 12.0))
    model = WaveformLearning(n_components=1, length=LENGTH, init=pulse()[None], max_iter=0).fit(x)
    assert model.n_components_ == 1
    assert found(model.events(x), times) == (60, 0)
    same = WaveformLearning(length=LENGTH, init=pulse()[None], max_iter=0).fit(x)
    np.testing.assert_array_equal(same.coefficients_, model.coefficients_)


def test_missing_samples_are_no_events():
    x, times = planted(np.full(60, 12.0))
    x[3000:3400] = np.nan
    x[9000:9003] = np.nan
    model = WaveformLearning(length=LENGTH).fit(x)
    inside = (times > 2980) & (times < 3420)
    hit, false = found(model.events(x), times[~inside])
    assert model.n_components_ == 1
    assert hit >= (~inside).sum() - 1
    assert false <= 1


def test_several_channels_share_their_events():
    x, times = planted(np.full(60, 9.0))
    y, _ = planted(np.full(60, 9.0), noise=0.0)
    rng = np.random.default_rng(9)
    both = np.stack([x, -0.7 * y + rng.standard_normal(len(x))], axis=1)
    model = WaveformLearning(length=LENGTH).fit(both)
    assert model.n_components_ == 1
    assert model.components_.shape == (1, LENGTH, 2)
    assert found(model.events(both), times) == (60, 0)


def test_a_saved_model_lists_the_same_events(tmp_path):
    x, _ = planted(np.full(60, 12.0))
    model = WaveformLearning(length=LENGTH).fit(x)
    model.save(tmp_path / "model.safetensors")
    again = orbitdl.load(tmp_path / "model.safetensors")
    pd.testing.assert_frame_equal(again.events(x), model.events(x))
    np.testing.assert_array_equal(again.components_, model.components_)
    np.testing.assert_array_equal(again.denoise(x), model.denoise(x))


def test_a_model_without_waveforms_is_saved(tmp_path):
    x = np.random.default_rng(0).standard_normal(20_000)
    with pytest.warns(RuntimeWarning, match="no waveform recurs"):
        model = WaveformLearning(length=LENGTH).fit(x)
    model.save(tmp_path / "model.safetensors")
    assert len(orbitdl.load(tmp_path / "model.safetensors").events(x)) == 0


def test_a_recording_with_hardly_any_noise_has_its_waveform():
    x, times = planted(np.full(40, 5.0), noise=1e-3)
    model = WaveformLearning(length=LENGTH).fit(x)
    assert model.n_components_ == 1
    assert found(model.events(x), times) == (40, 0)


def test_components_are_in_the_unit_of_the_data():
    x, times = planted(np.full(80, 30.0))
    model = WaveformLearning(length=LENGTH).fit(x)
    events, (component,) = model.events(x), model.components_
    peak = events["amplitude"].median() * np.abs(component).max()
    assert peak == pytest.approx(30.0 / np.linalg.norm(pulse()) * pulse().max(), rel=0.05)


def test_errors_of_time_and_amplitude_are_as_large_as_they_are_said():
    x, times = planted(np.full(300, 15.0), samples=100_000)
    events = WaveformLearning(length=LENGTH).fit(x).events(x)
    assert len(events) == 300
    time = events["sample"] - times
    assert np.std(time - time.mean()) == pytest.approx(events["sample_sd"].mean(), rel=0.15)
    assert events["amplitude"].std() == pytest.approx(events["amplitude_sd"].mean(), rel=0.15)


def test_the_table_has_the_columns_of_the_schema():
    x, _ = planted(np.full(60, 12.0))
    events = WaveformLearning(length=LENGTH).fit(x).events(x, sfreq=100.0)
    first = ["onset", "sample", "component", "amplitude", "coefficient", "onset_sd", "sample_sd"]
    rest = ["amplitude_sd", "p_value", "q_value", "runner_up", "evidence", "explained"]
    last = ["similarity", "overlapping", "truncated", "interval", "interval_s", "own_interval"]
    assert list(events) == first + rest + last
    np.testing.assert_allclose(events["onset"], events["sample"] / 100.0)


def test_why_there_are_no_more_components_is_in_the_provenance():
    x, _ = planted(np.full(60, 12.0))
    assert WaveformLearning(length=LENGTH).fit(x).provenance_["components"].startswith("1 comp")


def test_completion_reports_an_interval():
    heart = make_ecg_recording(duration=60, random_state=0)
    x = heart.signal.copy()
    gaps = np.concatenate([np.arange(k, k + 20) for k in range(2000, 20_000, 1500)])
    x[gaps] = np.nan
    model = WaveformLearning(length=200).fit(x)
    values, sd = model.complete(x, return_std=True)
    assert np.array_equal(values[~np.isnan(x)], x[~np.isnan(x)])
    assert not sd[~np.isnan(x)].any()
    error = (values - heart.signal)[gaps]
    assert np.mean(np.abs(error) < 1.96 * sd[gaps]) > 0.9
    assert np.sum(error**2) < 0.05 * np.sum((heart.signal[gaps] - np.nanmedian(x)) ** 2)


def test_odd_parameters_are_refused():
    x, _ = planted(np.full(60, 12.0))
    with pytest.raises(ValueError, match="noise must be"):
        WaveformLearning(length=LENGTH, noise="pink").fit(x)
    with pytest.raises(ValueError, match="integer or"):
        WaveformLearning(n_components="many", length=LENGTH).fit(x)


def test_pictures_and_reports_are_in_the_unit_of_the_data(tmp_path):
    from orbitdl.plot.segment import segment_of
    from orbitdl.report import Report

    x, _ = planted(np.full(60, 30.0))
    model = WaveformLearning(length=LENGTH).fit(1e-3 * x)
    drawn = segment_of(model, 1e-3 * x, 0, 3000, None, None)
    assert np.std(drawn.data - drawn.fit) == pytest.approx(1e-3, rel=0.2)
    recording = Report(model, 1e-3 * x).facts.recording
    waveform = recording.waveforms.samples()[0, :, 0]
    np.testing.assert_allclose(waveform, model.components_[0], atol=1e-12)
