"""The command line on whole recordings: waveforms at any time of them."""

import json
import warnings

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from test_command import run

import orbitdl
from orbitdl import WaveformLearning
from orbitdl.adapters.wfdb import annotation_file
from orbitdl.command.display import Screen
from orbitdl.datasets import make_ecg_like, make_ecg_recording
from orbitdl.io import Recording
from orbitdl.io.wfdb_records import import_wfdb
from orbitdl.preprocessing import HighPass

# fits end early here, on purpose
pytestmark = pytest.mark.filterwarnings("ignore:max_iter=:sklearn.exceptions.ConvergenceWarning")

RATE, LENGTH = 120, 84
HEART = make_ecg_recording(duration=20, sfreq=RATE, premature=0.0, n_leads=2, random_state=0)
BEATS = HEART.beats.loc[HEART.beats["inside"], "position"].to_numpy()
LEARNING = ("--components", 1, "--restarts", 1, "--max-iter", 4, "--jobs", 1)


def fit(path, output, *more):
    noise = ("--noise", "white") if "--length" in more else ()
    return run("fit", path, "-o", output, "--sfreq", RATE, *LEARNING, *noise, *more)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with a heart in one lead and in two, and a model of each."""
    path = tmp_path_factory.mktemp("recordings")
    np.save(path / "one.npy", HEART.signal[:, 0])
    np.save(path / "two.npy", HEART.signal)
    fit(path / "one.npy", path / "one", "--length", "0.7s").fine()
    more = ("--length", "0.7s", "--highpass", 0.5, "--channel", "0,1")
    fit(path / "two.npy", path / "two", *more).fine()
    return path


@pytest.fixture(scope="module")
def windowed(folder):
    """Return a model of windows of the same heart."""
    more = ("--window", LENGTH, "--alpha", 1.0, "--tol", 0.01)
    fit(folder / "one.npy", folder / "windowed", *more).fine()
    return folder / "windowed"


def misused(result, sentence: str) -> None:
    """Check for exit code 2, and for a sentence in the box, however its lines are broken."""
    assert result.code == 2
    assert sentence in " ".join(result.err.replace("│", " ").split())


def events_of(result, path) -> pd.DataFrame:
    result.fine()
    return pd.read_csv(path)


# fit


def test_fit_learns_what_the_library_learns_and_keeps_how(folder):
    model = orbitdl.load(folder / "one")
    settings = {"n_components": 1, "n_restarts": 1, "max_iter": 4, "random_state": 0}
    own = WaveformLearning(length=LENGTH, **settings, noise="white").fit(HEART.signal[:, 0])
    assert isinstance(model, WaveformLearning)
    assert_array_equal(model.components_, own.components_)
    kept = model.acquisition_.copy()
    assert kept.pop("scale")[0] > 0
    assert kept == {"sfreq": RATE}
    assert model.preprocessing_ == []
    assert model.provenance_["data"] == "one.npy"
    assert model.provenance_["alpha"] == own.provenance_["alpha"]


def test_two_channels_are_learned_together_without_their_slow_part(folder):
    model = orbitdl.load(folder / "two")
    settings = {"n_components": 1, "n_restarts": 1, "max_iter": 4, "random_state": 0}
    own = WaveformLearning(length=LENGTH, **settings, noise="white").fit(
        HighPass(0.5).fit_transform(HEART)
    )
    assert model.components_.shape == (1, LENGTH, 2)
    assert_array_equal(model.components_, own.components_)
    assert [str(step) for step in model.preprocessing_] == [
        "Pick(channels='0,1')",
        "HighPass(cutoff=0.5)",
    ]


@pytest.mark.parametrize("written", ["0.7", "84", "700ms"])
def test_a_length_is_in_samples_if_it_is_whole_and_in_seconds_if_not(folder, tmp_path, written):
    fit(folder / "one.npy", tmp_path / "m", "--length", written).fine()
    same = orbitdl.load(tmp_path / "m"), orbitdl.load(folder / "one")
    assert_array_equal(same[0].components_, same[1].components_)


def test_fit_speaks_of_recordings(folder, tmp_path):
    told = fit(folder / "one.npy", tmp_path / "m", "--length", "0.7s").fine().out
    assert "Learned 1 waveform of 84 samples (0.7 s) from 20 s of signal in " in told
    assert "Chose alpha " in told
    assert "sqrt(2 log T) with noise level sigma" in told
    assert "no other code of the whole recording would lower its objective by more than 0.0" in told
    two = fit(folder / "two.npy", tmp_path / "m", "--length", "0.7s").fine().out
    assert "of 84 samples (0.7 s) in 2 channels from 20 s" in two


def test_fit_prints_facts_for_machines(folder, tmp_path):
    result = fit(folder / "one.npy", tmp_path / "m", "--length", 84, "--alpha", 0.5, "--json")
    facts = json.loads(result.fine().out)
    assert facts["length"] == LENGTH
    assert facts["length_seconds"] == 0.7
    assert facts["duration_seconds"] == 20.0
    assert facts["samples"] == 20 * RATE
    assert facts["alpha"] == 0.5
    assert facts["alpha_chosen"] is None
    assert facts["gap"] <= 1e-4
    assert facts["atoms"] >= len(BEATS)


def test_flags_reach_the_estimator(folder, tmp_path):
    flags = ("--positive", "--integer-shifts", "--no-detrend")
    fit(folder / "one.npy", tmp_path / "m", "--length", 84, "--max-iter", 1, *flags).fine()
    model = orbitdl.load(tmp_path / "m")
    assert (model.positive, model.integer_shifts, model.detrend) == (True, True, False)


OF_WINDOWS = {
    "--window": (60,),
    "--step": (10,),
    "--group": ("integer-shift",),
    "--subdivisions": (2,),
    "--matrices": ("azimuth",),
    "--normalize": (),
    "--layout": ("windows",),
}


@pytest.mark.parametrize("option", OF_WINDOWS)
def test_options_of_windows_are_refused_beside_a_length(folder, option):
    more = ("--length", 84, option, *OF_WINDOWS[option])
    result = fit(folder / "one.npy", folder / "no", *more)
    misused(result, f"--length learns from the whole recording, and {option}")
    assert not (folder / "no").exists()


@pytest.mark.parametrize("option", ["--positive", "--integer-shifts", "--no-detrend"])
def test_options_of_waveforms_are_refused_without_a_length(folder, option):
    result = fit(folder / "one.npy", folder / "no", "--window", 84, option)
    misused(result, f"{option} belongs to --length")


def bad():
    """Return recordings that nothing can be learned from."""
    sine = np.sin(np.arange(400.0))
    return {
        "short": (sine[:50], ("--length", 84), "50 samples, fewer than one waveform"),
        "tiny": (sine, ("--length", 3), "--length 3 is 3 samples, .* at least 4; .* instance 3s"),
        "missing": (np.nan * sine, ("--length", 84), "missing throughout"),
        "constant": (0 * sine + 5, ("--length", 84), "constant, so no waveform is in it"),
        "flat": (0 * sine + 5.1, ("--length", 84, "--highpass", 1.2), "constant"),
        "levels": (np.outer(0 * sine + 1, [0.1, 0.7]), ("--length", 84), "constant"),
        "windows": (np.ones((9, 8, 7)), ("--length", 4), "so they are windows, not a recording"),
        "unsaid": (sine, (), "say with --length how long a waveform in it is at most"),
    }


@pytest.mark.parametrize("case", bad())
def test_bad_recordings_are_refused_in_one_sentence(tmp_path, case):
    values, more, sentence = bad()[case]
    np.save(tmp_path / "x.npy", values)
    fit(tmp_path / "x.npy", tmp_path / "m", *more).refused(sentence)
    assert [path.name for path in tmp_path.iterdir()] == ["x.npy"]


@pytest.mark.parametrize("sfreq", [0, -5])
def test_a_rate_is_positive(folder, sfreq):
    result = run("fit", folder / "one.npy", "-o", folder / "no", "--length", 84, "--sfreq", sfreq)
    assert result.code == 2


def test_seconds_need_a_rate(folder):
    result = run("fit", folder / "one.npy", "-o", folder / "no", "--length", "0.7")
    result.refused("0.7 is a length in seconds, .* say it with --sfreq")


# encode


def test_encode_writes_the_events_of_the_library(folder):
    result = run("events", folder / "one", folder / "one.npy", "-o", folder / "e.csv")
    events = events_of(result, folder / "e.csv")
    model = orbitdl.load(folder / "one")
    own = model.events(HEART.signal[:, 0], RATE)
    assert list(events) == list(own)
    assert_allclose(events["sample"], own["sample"], atol=1e-9)
    assert_allclose(events["amplitude"], own["amplitude"], rtol=1e-9)
    assert f"Found {len(events)} events in 20 s of signal" in result.out
    assert "no other code of the whole recording" in result.out
    (least,) = own.attrs["threshold"]
    assert f"Component 0: {len(events)} events with coefficients of at least {least:.3g}" in (
        result.out
    )


def test_every_beat_is_listed_once_and_where_it_is(folder):
    result = run("events", folder / "one", folder / "one.npy", "-o", folder / "e.csv")
    time = events_of(result, folder / "e.csv")["sample"].to_numpy()
    inside = time[(time >= 0) & (time < len(HEART.signal))]
    assert len(inside) == len(BEATS)
    late = np.median(inside - BEATS)  # the peak of a waveform is where it is
    assert np.abs(inside - BEATS - late).max() < 0.5


def test_times_of_an_excerpt_count_from_the_start_of_the_recording(folder):
    arguments = ("events", folder / "one", folder / "one.npy", "-o", folder / "e.csv")
    part = events_of(run(*arguments, "--from", "5s", "--to", "15s"), folder / "e.csv")
    whole = events_of(run(*arguments), folder / "e.csv")
    middle = [table.loc[table["onset"].between(6, 14)] for table in (part, whole)]
    assert len(middle[0]) == len(middle[1]) > 5
    assert_allclose(middle[0]["sample"], middle[1]["sample"], atol=0.05)
    assert_allclose(part["onset"], part["sample"] / RATE)


def test_thresholds_and_the_refractory_time_are_obeyed_and_said(folder):
    arguments = ("events", folder / "one", folder / "one.npy", "-o", folder / "e.csv", "--json")
    facts = json.loads(run(*arguments, "--threshold", 1.5).fine().out)
    assert facts["threshold"] == [1.5]
    assert pd.read_csv(folder / "e.csv")["coefficient"].abs().min() >= 1.5
    facts = json.loads(run(*arguments, "--refractory", "2s").fine().out)
    assert facts["events"] < len(BEATS)
    assert np.diff(pd.read_csv(folder / "e.csv")["onset"]).min() >= 2
    facts = json.loads(run(*arguments, "--refractory", 0, "--threshold", 0).fine().out)
    assert facts["events"] == facts["atoms"]
    assert facts["resolution"] == [0.0]
    assert run(*arguments, "--threshold", -1).code == 2


@pytest.mark.filterwarnings("default")
def test_a_larger_alpha_lists_less_and_one_too_large_nothing(folder):
    arguments = ("events", folder / "one", folder / "one.npy", "-o", folder / "e.json")
    facts = json.loads(run(*arguments, "--alpha", 100, "--json").fine().out)
    assert facts["events"] == 0
    assert facts["alpha"] == 100
    assert pd.read_json(folder / "e.json").empty
    assert "alpha 100 exceeds every correlation" in run(*arguments, "--alpha", 100).err


def test_options_of_windows_are_refused_by_waveforms_and_the_other_way_round(folder, windowed):
    data = folder / "one.npy"
    for option in (("--step", 10), ("--layout", "windows")):
        result = run("events", folder / "one", data, "-o", folder / "e.csv", *option)
        misused(result, "is for models of windows, and this one codes a recording as a whole")
    for option in (("--threshold", 1), ("--refractory", 0)):
        result = run("events", windowed, data, "-o", folder / "e.csv", *option)
        misused(result, f"{option[0]} is for models that fit --length wrote")
    assert (
        run("denoise", folder / "one", data, "-o", folder / "c.npy", "--alpha", "noise").code == 2
    )
    assert run("complete", folder / "one", data, "-o", folder / "c.npy", "--exact").code == 2


def test_a_model_is_not_used_at_another_rate_or_on_other_channels(folder):
    arguments = ("events", folder / "one", "-o", folder / "e.csv")
    run(*arguments, folder / "two.npy").refused("2 channels, but .* from one channel; .*--channel")
    np.savetxt(folder / "one.csv", HEART.signal[:, :1])
    run(*arguments, folder / "one.csv").fine()
    run(*arguments, folder / "two.npy", "--channel", 0).fine()


def test_windows_list_every_beat_once_too(tmp_path):
    """Beats lie anywhere in windows of 0.7 s, on their borders too."""
    heart = make_ecg_like(n_windows=60, random_state=0)
    np.save(tmp_path / "heart.npy", heart.signal)
    more = ("--window", "0.7s", "--sfreq", heart.sfreq, "--highpass", 0.5, *LEARNING[2:])
    more += ("--group", "continuous-shift")
    run("fit", tmp_path / "heart.npy", "-o", tmp_path / "m", "--components", 2, *more).fine()
    result = run("events", tmp_path / "m", tmp_path / "heart.npy", "-o", tmp_path / "e.csv")
    time = events_of(result, tmp_path / "e.csv")["onset"].to_numpy()
    beats = heart.beats.loc[heart.beats["seconds"].between(0.2, 119.8), "seconds"].to_numpy()
    inside = time[(time > 0.2) & (time < 119.8)]
    assert len(inside) == len(beats)
    assert np.abs(inside - beats - np.median(inside - beats)).max() < 0.1


# annotations


def annotated(path) -> object:
    """Return what wfdb reads of an annotation file; it uses what pandas 4 will drop."""
    with warnings.catch_warnings(action="ignore", category=DeprecationWarning):
        return import_wfdb().rdann(str(path.with_suffix("")), path.suffix[1:])


def test_events_are_annotations_of_a_record(folder):
    output = folder / "beats of 100.atr"
    run("events", folder / "one", folder / "one.npy", "-o", output).fine()
    found = annotated(output)
    events = orbitdl.load(folder / "one").events(HEART.signal[:, 0])
    time = np.rint(events["sample"]).astype(int)
    assert_array_equal(found.sample, time[time >= 0])
    assert found.fs == RATE
    assert set(found.symbol) == {'"'}
    assert set(found.aux_note) == {"component 0"}


def test_annotations_name_their_component_and_begin_with_the_record(tmp_path):
    content = annotation_file([-3.2, 4.4, 70000.0, 70000.2], [0, 1, 0, 200], 250.0)
    (tmp_path / "r.qrs").write_bytes(content)
    found = annotated(tmp_path / "r.qrs")
    assert found.sample.tolist() == [4, 70000, 70000]
    assert found.symbol == ['"', '"', '"']  # a comment claims no diagnosis
    assert found.num.tolist() == [1, 0, 127]
    assert found.aux_note == ["component 1", "component 0", "component 200"]
    assert found.fs == 250.0
    (tmp_path / "none.atr").write_bytes(annotation_file([], []))
    assert len(annotated(tmp_path / "none.atr").sample) == 0


def test_symbols_of_annotations_are_the_users_choice(folder, tmp_path):
    (tmp_path / "r.qrs").write_bytes(annotation_file([4.0, 9.0], [1, 0], 250.0, {1: "V"}))
    assert annotated(tmp_path / "r.qrs").symbol == ["V", '"']
    encode = ("events", folder / "one", folder / "one.npy", "-o")
    run(*encode, tmp_path / "a.atr", "--symbols", "0=N").fine()
    assert set(annotated(tmp_path / "a.atr").symbol) == {"N"}
    misused(run(*encode, tmp_path / "b.atr", "--symbols", "N"), "write it like 0=N,1=V")
    run(*encode, tmp_path / "b.atr", "--symbols", "0=XY").refused("'XY' is no annotation code")
    run(*encode, tmp_path / "b.atr", "--symbols", "1=V").refused("there is no component 1")
    run(*encode, tmp_path / "b.csv", "--symbols", "0=N").refused("is a table; leave them out")


def test_windows_of_a_recording_can_be_annotated_and_others_not(folder, windowed):
    run("events", windowed, folder / "one.npy", "-o", folder / "w.atr").fine()
    run("events", windowed, folder / "one.npy", "-o", folder / "w.csv").fine()
    position = pd.read_csv(folder / "w.csv")["sample"]
    assert_array_equal(annotated(folder / "w.atr").sample, np.rint(position))
    np.save(folder / "cut.npy", HEART.signal[: 4 * LENGTH, 0].reshape(4, LENGTH))
    result = run("events", windowed, folder / "cut.npy", "-o", folder / "no.atr")
    result.refused("annotations lie at times of a recording, and the data are windows")
    assert not (folder / "no.atr").exists()


# denoise, complete


@pytest.mark.parametrize("more", [(), ("--debias",)])
def test_denoise_gives_a_recording_back_with_its_slow_part(folder, more):
    run(
        "denoise", folder / "two", folder / "two.npy", "-o", folder / "c.npy", "--overwrite", *more
    ).fine()
    model, quick = orbitdl.load(folder / "two"), HighPass(0.5).fit_transform(HEART)[:]
    own = model.set_params().denoise(HEART, debias=bool(more))
    assert_allclose(np.load(folder / "c.npy"), own, atol=1e-12)
    model.preprocessing_ = []
    plain = model.denoise(quick, debias=bool(more))
    assert_allclose(own, plain + (HEART.signal - quick), atol=1e-12)


def test_denoise_says_how_much(folder):
    result = run("denoise", folder / "one", folder / "one.npy", "-o", folder / "c.csv")
    assert "Denoised 20 s of signal" in result.fine().out


def test_complete_fills_gaps_and_leaves_the_rest(folder):
    holed = HEART.signal + 5.0
    at = int(BEATS[8])
    holed[at - 4 : at + 5] = np.nan
    np.save(folder / "holed.npy", holed)
    run(
        "complete", folder / "two", folder / "holed.npy", "-o", folder / "c.npy", "--overwrite"
    ).fine()
    filled, missing = np.load(folder / "c.npy"), np.isnan(holed)
    assert_array_equal(filled[~missing], holed[~missing])
    error = filled[missing] - 5.0 - HEART.signal[missing]
    assert np.linalg.norm(error) < 0.3 * np.linalg.norm(HEART.signal[missing])
    arguments = (
        "complete",
        folder / "two",
        folder / "holed.npy",
        "-o",
        folder / "c.npy",
        "--overwrite",
    )
    run(*arguments, "--no-debias").fine()
    shrunk = np.load(folder / "c.npy")
    assert np.abs(shrunk[missing] - 5.0).max() < np.abs(filled[missing] - 5.0).max()


@pytest.mark.parametrize("kind", ["one", "windowed"])
def test_complete_leaves_long_gaps_missing_and_says_so(folder, windowed, tmp_path, kind):
    holed = HEART.signal[:, 0] - 0.35
    holed[500 : 500 + 5 * LENGTH] = np.nan
    holed[1500:1504] = np.nan
    np.save(tmp_path / "holed.npy", holed)
    arguments = ("complete", folder / kind, tmp_path / "holed.npy", "-o", tmp_path / "c.npy")
    told = run(*arguments, "--step", 20).fine() if kind == "windowed" else run(*arguments).fine()
    assert f"Filled in 4 of {5 * LENGTH + 4} missing values" in told.out
    assert f"The other {5 * LENGTH} are left missing" in told.out
    filled = np.load(tmp_path / "c.npy")
    assert_array_equal(np.flatnonzero(np.isnan(filled)), np.arange(500, 500 + 5 * LENGTH))


# info, compare, report


def test_info_says_how_long_waveforms_are_and_why_alpha_is_what_it_is(folder):
    facts = json.loads(run("info", folder / "one", "--json").fine().out)
    assert facts["length"] == LENGTH
    assert facts["length in seconds"] == 0.7
    assert facts["detrend"] is True
    assert facts["acquisition"]["sfreq"] == RATE
    assert "noise level" in facts["provenance"]["alpha"]
    run("info", folder / "two", "--components", folder / "waves.csv").fine()
    waves = pd.read_csv(folder / "waves.csv")
    assert list(waves) == ["seconds", "component_0_channel_0", "component_0_channel_1"]
    assert len(waves) == LENGTH


def test_compare_moves_waveforms_in_time_whatever_their_length(folder, tmp_path):
    fit(folder / "one.npy", tmp_path / "long", "--length", 100).fine()
    facts = json.loads(run("compare", folder / "one", tmp_path / "long", "--json").fine().out)
    (pair,) = facts["pairs"]
    assert pair["distance"] < 0.05
    moved = orbitdl.load(tmp_path / "long")
    peaks = [
        np.abs(model.components_[0]).argmax() for model in (orbitdl.load(folder / "one"), moved)
    ]
    assert abs(pair["move"]["shift"] - (peaks[0] - peaks[1])) < 1


def test_models_of_two_kinds_rates_or_channels_are_not_compared(folder, windowed, tmp_path):
    run("compare", folder / "one", windowed).refused("only models of one kind")
    run("compare", folder / "one", folder / "two").refused("only models of one shape")
    learning = (
        "--length",
        LENGTH,
        "--sfreq",
        100,
        "--max-iter",
        0,
        *LEARNING[:4],
        "--noise",
        "white",
    )
    run("fit", folder / "one.npy", "-o", tmp_path / "slow", *learning).fine()
    run("compare", folder / "one", tmp_path / "slow").refused("120 and 100 samples per second")


def test_a_report_on_a_recording_is_written(folder):
    run("report", folder / "one", folder / "one.npy", "-o", folder / "page.html").fine()
    page = (folder / "page.html").read_text()
    assert "Unusual events" in page
    assert "On the command line" in page
    assert "one on one.npy" in page


def test_a_report_on_waveforms_alone_is_written(folder):
    run("report", folder / "one", "-o", folder / "alone.html").fine()
    assert "describes the model alone" in (folder / "alone.html").read_text()


# progress


def test_progress_is_told_in_the_time_of_the_recording(monkeypatch):
    said = []
    monkeypatch.setattr("rich.progress.Progress.update", lambda *_, facts: said.append(facts))
    recording = Recording(np.zeros(120 * 1800), sfreq=120.0)
    with Screen(quiet=True).window_progress(recording, "Coding") as done:
        done(120 * 720)
        done(120 * 1080)
    assert said == ["12 min of 30 min", "30 min of 30 min"]


# layout


def test_an_array_of_two_axes_with_a_rate_is_a_recording_in_channels(folder):
    result = fit(folder / "two.npy", folder / "no")
    result.refused(r"one recording of 2400 samples in 2 channels; say with --length .*--layout win")
    assert not (folder / "no").exists()
    more = ("--layout", "windows", "--group", "trivial")
    fit(folder / "two.npy", folder / "pairs", *more).fine()  # windows of 2 samples, on request


# what is said, and how many digits are written


def test_a_waveform_longer_than_the_recording_is_refused_as_that(folder):
    for length in ("10min", "1h"):
        result = fit(folder / "one.npy", folder / "no", "--length", length)
        result.refused("the recording has 2400 samples, fewer than one waveform of --length")


def test_flags_are_shown_without_a_value():
    for command in ("fit", "complete", "denoise", "events", "report", "select", "info"):
        lines = run(command, "--help").fine().out.splitlines()
        assert not [line for line in lines if "<bool>" in line and "--help" not in line]


def test_encode_says_the_refractory_time_that_it_was_given(folder, tmp_path):
    encode = ("events", folder / "one", folder / "one.npy", "-o", tmp_path / "e.csv")
    assert "ms) are one." in run(*encode).fine().out
    told = run(*encode, "--refractory", "1s").fine().out
    assert "of those closer than 120 samples (1 s) the strongest is listed." in told
    assert "ms) are one." not in told


def test_signals_as_text_have_as_many_digits_as_are_worth_it(folder, tmp_path):
    run("denoise", folder / "one", folder / "one.npy", "-o", tmp_path / "a.csv").fine()
    run("denoise", folder / "one", folder / "one.npy", "-o", tmp_path / "a.npy").fine()
    text, exact = (tmp_path / "a.csv").read_text().split(), np.load(tmp_path / "a.npy")
    assert max(map(len, text)) <= len("-0.1234567")
    assert_allclose(np.array(text, dtype=float), exact, atol=1e-6 * np.abs(exact).max())


def test_observed_values_keep_all_their_digits_as_text(folder, tmp_path):
    holed = HEART.signal[:, 0].copy()
    holed[700:703] = np.nan
    pd.DataFrame({"x": holed}).to_csv(tmp_path / "holed.csv", index=False)
    run("complete", folder / "one", tmp_path / "holed.csv", "-o", tmp_path / "c.csv").fine()
    whole = pd.read_csv(tmp_path / "c.csv", float_precision="round_trip")["x"]
    seen = ~np.isnan(holed)
    assert_allclose(whole[seen], holed[seen], rtol=1e-14)
    assert whole.notna().all()
