"""Filters without delay: their gain, gaps, and the baseline that is put back."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from test_command import FIT, LENGTH, RATE, SIGNAL, TIMES, run

import orbitdl
from orbitdl.io import Recording
from orbitdl.io.lazy import ReadBy
from orbitdl.preprocessing import BandPass, HighPass, LowPass, Notch, SplitWindows
from orbitdl.preprocessing.filters import Filtered
from orbitdl.preprocessing.pipeline import apply_steps, fit_steps

# fits end early here, on purpose
pytestmark = pytest.mark.filterwarnings("ignore:max_iter=:sklearn.exceptions.ConvergenceWarning")

HZ = 0.3
SECONDS = np.arange(len(SIGNAL)) / RATE
DRIFT = 4 + 3 * np.sin(2 * np.pi * 0.05 * SECONDS) + 0.2 * SECONDS
RNG = np.random.default_rng(0)


def baseline(signal, cutoff):
    """Return what a high-pass filter removes."""
    known = Recording(signal)
    step = HighPass(cutoff).fit(known)
    return step.restore(np.zeros(known.shape), known)


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
    steps = [HighPass(HZ), SplitWindows(LENGTH, step, normalize)]
    fitted, _ = fit_steps(steps, [Recording(signal, RATE)])
    applied = apply_steps(fitted, Recording(signal, RATE))
    windows = applied.result
    assert_allclose(applied.restore(windows.values), signal, atol=1e-12)
    slow = applied.restore(np.zeros_like(windows.values))
    if not normalize:
        assert_allclose(slow[200:-200].T.reshape(channels, -1)[0],
                        (DRIFT + SIGNAL.mean())[200:-200], atol=0.7)  # fmt: skip


def test_windows_that_leave_out_the_end_do_not_cover_it():
    steps = [HighPass(HZ), SplitWindows(100)]
    _, (applied,) = fit_steps(steps, [Recording(SIGNAL, RATE)])
    assert applied.result.left_out == 20


def test_the_cutoff_means_the_same_whether_the_rate_is_known_or_not():
    known = HighPass(HZ).fit_transform(Recording(SIGNAL, RATE))
    unknown = HighPass(HZ / RATE).fit(Recording(SIGNAL))
    assert_allclose(known[:], unknown.transform(Recording(SIGNAL))[:], atol=1e-12)
    assert_allclose(known[:], unknown.transform(Recording(SIGNAL, RATE))[:], atol=1e-12)


FILTERS = {
    "high-pass": (HighPass(0.01), (0.0, 0.01, 0.2), (0.0, 0.5, 1.0)),
    "low-pass": (LowPass(0.05), (0.0, 0.05, 0.3), (1.0, 0.5, 0.0)),
    "band-pass": (BandPass(0.02, 0.1), (0.0, 0.0447, 0.4), (0.0, 1.0, 0.0)),
    "notch": (Notch(0.14), (0.03, 0.14, 0.3), (1.0, 0.0, 1.0)),
}


@pytest.mark.parametrize("kind", FILTERS)
def test_a_filter_has_its_gain_and_no_delay(kind):
    step, frequencies, gains = FILTERS[kind]
    t = np.arange(6000)
    for frequency, gain in zip(frequencies, gains, strict=True):
        wave = np.cos(2 * np.pi * frequency * t + 0.3)
        filtered = step.fit_transform(Recording(wave))[2000:4000]
        assert_allclose(filtered, gain * wave[2000:4000], atol=0.03)


@pytest.mark.parametrize("kind", FILTERS)
def test_a_part_that_is_read_alone_is_that_of_the_whole(kind):
    step = FILTERS[kind][0].fit(Recording(np.zeros(9)))
    x = np.cumsum(RNG.standard_normal((4000, 2)), axis=0)
    x[1000:1300] = x[2600:2610] = np.nan
    recording = Recording(ReadBy(x.shape, lambda first, last: x[first:last]))
    lazy = step._filtered(recording)
    assert isinstance(lazy, Filtered)
    whole = lazy[:]
    assert_array_equal(np.isnan(whole), np.isnan(x))
    for first in range(0, 4000, 333):
        part = slice(first, min(first + 333, 4000))
        assert_allclose(lazy[part], whole[part], rtol=0, atol=1e-8 * np.nanmax(np.abs(x)))


@pytest.fixture(scope="module")
def drifting(tmp_path_factory):
    """Return a folder with a recording that drifts, and a model learned from it."""
    path = tmp_path_factory.mktemp("drifting")
    np.save(path / "rec.npy", SIGNAL + DRIFT)
    cutting = ("--window", LENGTH, "--sfreq", RATE, "--highpass", HZ)
    run("fit", path / "rec.npy", "-o", path / "model", *cutting, *FIT).fine()
    return path


def test_the_model_keeps_the_filter_and_encode_does_it_again(drifting):
    assert orbitdl.load(drifting / "model").preprocessing_[0].cutoff == HZ
    arguments = ("events", drifting / "model", drifting / "rec.npy", "-o", drifting / "e.csv")
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


@pytest.mark.parametrize("cutoff", [0, -1.0, np.nan, np.inf, True, "slow"])
def test_a_cutoff_is_a_positive_number(cutoff):
    with pytest.raises(ValueError, match=r"^cutoff must be a positive number, not "):
        HighPass(cutoff).fit(Recording(SIGNAL, RATE))


def test_a_cutoff_that_leaves_nothing_is_refused(drifting):
    with pytest.raises(ValueError, match=r"pass less than 0.5 cycles per sample, or a Recording"):
        HighPass(0.5).fit(Recording(SIGNAL))
    with pytest.raises(ValueError, match=r"low=30 is not below high=20; exchange them"):
        BandPass(30.0, 20.0).fit(Recording(SIGNAL, RATE))
    arguments = ("fit", drifting / "rec.npy", "-o", drifting / "none", "--window", LENGTH, *FIT)
    run(*arguments, "--sfreq", 100, "--highpass", 50).refused(
        "cutoff=50 is above the Nyquist frequency; pass less than 50 Hz"
    )


def test_windows_cannot_be_filtered(drifting):
    np.save(drifting / "windows.npy", SIGNAL.reshape(-1, LENGTH))
    arguments = ("--highpass", HZ, "-o", drifting / "none", *FIT)
    run("fit", drifting / "windows.npy", *arguments).refused(
        "--highpass 0.3 needs a recording, but the data are windows"
    )
