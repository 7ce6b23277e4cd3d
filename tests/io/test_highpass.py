"""Drift taken off a recording before it is cut, kept in the model, and put back."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from orbitdl.io.prepared_signal import baseline
from test_command import FIT, LENGTH, RATE, SIGNAL, TIMES, run

import orbitdl
from orbitdl.io import Preprocessing, Recording, prepare, prepare_for

# fits end early here, on purpose
pytestmark = pytest.mark.filterwarnings("ignore:max_iter=:sklearn.exceptions.ConvergenceWarning")

HZ = 0.3
SECONDS = np.arange(len(SIGNAL)) / RATE
DRIFT = 4 + 3 * np.sin(2 * np.pi * 0.05 * SECONDS) + 0.2 * SECONDS
RNG = np.random.default_rng(0)


def amplitude(values, frequency):
    """Return how large an oscillation of so many cycles per sample is, by least squares."""
    phase = 2 * np.pi * frequency * np.arange(len(values))
    waves = np.stack([np.cos(phase), np.sin(phase)], axis=1)
    return np.linalg.norm(np.linalg.lstsq(waves, values, rcond=None)[0])


@pytest.mark.parametrize("ratio", [0.25, 0.5, 1.0, 2.0, 4.0])
def test_an_oscillation_keeps_the_share_of_a_butterworth_filter_and_its_phase(ratio):
    """Twice ``1 / sqrt(1 + (cutoff / f)^4)``, once in each direction, for low frequencies."""
    cutoff, n = 0.005, 8000
    wave = np.sin(2 * np.pi * ratio * cutoff * np.arange(n) + 1.0)
    kept = (wave - baseline(wave, cutoff))[2000:6000]
    share = 1 / (1 + ratio**-4)
    assert_allclose(amplitude(kept, ratio * cutoff), share, atol=2e-3)
    assert_allclose(kept, share * wave[2000:6000], atol=5e-3)


def test_a_straight_line_is_all_baseline_up_to_the_ends():
    line = 3 + 0.02 * np.arange(400.0)
    assert_allclose(baseline(line, 0.01), line, atol=0.05)
    assert_allclose(baseline(np.full(400, 7.0), 0.01), 7.0, rtol=1e-9)


@pytest.mark.parametrize("n", [1, 2, 5])
def test_a_recording_shorter_than_a_period_has_a_baseline_too(n):
    assert np.isfinite(baseline(RNG.standard_normal(n), 0.01)).all()


def test_gaps_are_bridged_and_channels_are_their_own():
    n = 2000
    drift = np.stack([np.linspace(0, 9, n), 5 * np.cos(np.arange(n) / 300)], axis=1)
    holed = drift + np.sin(np.arange(n))[:, None]
    holed[RNG.random(n) < 0.3, 0] = np.nan
    holed[700:720] = np.nan
    slow = baseline(holed, 0.005)
    assert np.isfinite(slow).all()
    assert np.abs(slow - drift)[50:-50].max() < 0.5
    assert_array_equal(slow[:, 1], baseline(holed[:, 1], 0.005))
    assert not baseline(np.full(9, np.nan), 0.1).any()


@pytest.mark.parametrize("step", [LENGTH, 20, None])
@pytest.mark.parametrize("normalize", [False, True])
@pytest.mark.parametrize("channels", [1, 2])
def test_what_was_taken_off_is_put_back(step, normalize, channels):
    signal = SIGNAL + DRIFT
    signal = signal if channels == 1 else np.stack([signal, -2 * signal], axis=1)
    steps = Preprocessing(LENGTH, step, normalize, sfreq=RATE, highpass=HZ)
    windows = prepare(Recording(signal, RATE), steps, to_end=True)
    assert_allclose(windows.restore(windows.values), signal, atol=1e-12)
    assert_array_equal(windows.source, signal)
    assert_allclose(windows.baseline[200:-200].T.reshape(channels, -1)[0],
                    (DRIFT + SIGNAL.mean())[200:-200], atol=0.7)  # fmt: skip
    nothing = windows.restore(np.zeros_like(windows.values))
    if not normalize:
        assert_allclose(nothing, windows.baseline, atol=1e-12)


def test_windows_that_leave_out_the_end_are_put_back_too():
    steps = Preprocessing(100, sfreq=RATE, highpass=HZ)
    windows = prepare(Recording(SIGNAL, RATE), steps)
    assert windows.left_out == 20
    assert_allclose(windows.restore(windows.values), SIGNAL[:-20], atol=1e-12)


def test_the_cutoff_means_the_same_whether_the_rate_is_known_or_not():
    known = prepare(Recording(SIGNAL, RATE), Preprocessing(LENGTH, sfreq=RATE, highpass=HZ))
    unknown = prepare(Recording(SIGNAL), Preprocessing(LENGTH, highpass=HZ / RATE))
    assert_allclose(known.values, unknown.values, atol=1e-12)
    model = orbitdl.OrbitDictionaryLearning(1, alpha=1.0, max_iter=0, random_state=0)
    model.fit(unknown.values)
    model.preprocessing_ = Preprocessing(LENGTH, highpass=HZ / RATE).to_dict()
    again = prepare_for(model, Recording(SIGNAL, RATE))
    assert_allclose(again.values, known.values, atol=1e-12)


@pytest.fixture(scope="module")
def drifting(tmp_path_factory):
    """Return a folder with a recording that drifts, and a model learned from it."""
    path = tmp_path_factory.mktemp("drifting")
    np.save(path / "rec.npy", SIGNAL + DRIFT)
    cutting = ("--window", LENGTH, "--sfreq", RATE, "--highpass", HZ)
    run("fit", path / "rec.npy", "-o", path / "model", *cutting, *FIT).fine()
    return path


def test_the_model_keeps_the_filter_and_encode_does_it_again(drifting):
    assert orbitdl.load(drifting / "model").preprocessing_["highpass"] == HZ
    arguments = ("encode", drifting / "model", drifting / "rec.npy", "-o", drifting / "e.csv")
    run(*arguments, "--step", LENGTH).fine()  # as it learned: a pulse in every window
    events = pd.read_csv(drifting / "e.csv").query("coefficient.abs() > 1.5")
    assert_allclose(events["sample"], TIMES, atol=1.0)
    assert "0.3" in run("info", drifting / "model").fine().out


def test_denoise_puts_the_drift_back(drifting):
    arguments = (drifting / "model", drifting / "rec.npy", "-o", drifting / "clean.npy")
    run("denoise", *arguments, "--step", 16, "--debias").fine()
    error = np.load(drifting / "clean.npy") - SIGNAL - DRIFT
    assert np.sqrt(np.mean(error**2)) < 0.2


def test_complete_fills_gaps_at_the_height_of_the_drift(drifting):
    holed = SIGNAL + DRIFT
    gaps = np.rint(TIMES[3:20:4]).astype(int)[:, None] + np.arange(4)
    holed[gaps] = np.nan
    np.save(drifting / "holed.npy", holed)
    arguments = (drifting / "model", drifting / "holed.npy", "-o", drifting / "whole.npy")
    run("complete", *arguments, "--debias").fine()
    whole = np.load(drifting / "whole.npy")
    assert_array_equal(whole[~np.isnan(holed)], holed[~np.isnan(holed)])
    assert np.abs(whole - SIGNAL - DRIFT)[gaps].max() < 0.6


@pytest.mark.parametrize("highpass", [0, -1.0, np.nan, np.inf, True, "slow"])
def test_a_cutoff_is_a_positive_number(highpass):
    with pytest.raises(ValueError, match=r"^highpass must be a positive number, not "):
        Preprocessing(highpass=highpass)


def test_a_cutoff_that_leaves_nothing_is_refused(drifting):
    with pytest.raises(ValueError, match=r"pass less than 0.5 cycles per sample, or sfreq="):
        Preprocessing(highpass=0.5)
    arguments = ("fit", drifting / "rec.npy", "-o", drifting / "none", "--window", LENGTH, *FIT)
    run(*arguments, "--sfreq", 100, "--highpass", 50).refused(
        "--highpass 50 is above the Nyquist frequency; pass less than 50 Hz"
    )


def test_a_cutoff_without_a_unit_is_refused():
    with pytest.raises(ValueError, match=r"is ambiguous: Hz or cycles per sample; pass sfreq=100"):
        prepare(Recording(SIGNAL, RATE), Preprocessing(LENGTH, highpass=0.1))


def test_windows_cannot_be_filtered(drifting):
    np.save(drifting / "windows.npy", SIGNAL.reshape(-1, LENGTH))
    arguments = (drifting / "model", drifting / "windows.npy", "-o", drifting / "none.csv")
    run("encode", *arguments).refused("--highpass 0.3 needs a recording, but the data are windows")
