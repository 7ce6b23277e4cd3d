"""The report of a recording: its facts, its words and its file, without a browser."""

import base64
import json
import re
import shutil
import subprocess
from dataclasses import replace
from html import unescape

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from orbitdl import WaveformLearning, load
from orbitdl.datasets import make_ecg_recording
from orbitdl.domains.time.atoms import no_atoms
from orbitdl.domains.time.signal import Signal
from orbitdl.domains.time.waveforms import Waveforms
from orbitdl.estimators.signal_coder import SignalCoder
from orbitdl.events.code_events import peaks_of
from orbitdl.events.intervals import gap_middles, own_intervals_of
from orbitdl.io import Recording
from orbitdl.report.frame import file
from orbitdl.report.phrasing import NO_BREAK
from orbitdl.report.recording import resolution, write_recording_report
from orbitdl.report.recording.facts import LEAST_SIMILAR, Clock, gather
from orbitdl.report.recording.intervals import marked_intervals
from orbitdl.report.recording.packing import MISSING, packed
from orbitdl.report.recording.payload import KINDS, payload
from orbitdl.report.recording.resolution import bin_size, sampled_segments
from orbitdl.report.recording.summary import paragraphs
from orbitdl.report.recording.trace import ExplainedSignal
from orbitdl.report.recording.write import page

NOTHING_MISSING = np.zeros((0, 2), dtype=int)


@pytest.fixture(scope="module")
def heart():
    return make_ecg_recording(duration=40, random_state=0)


@pytest.fixture(scope="module")
def model(heart):
    return WaveformLearning(
        length=200, random_state=0, n_restarts=1, n_components=1, noise="white"
    ).fit(heart.signal)


@pytest.fixture(scope="module")
def facts(model, heart):
    return gather(model, heart, "A heart", "mV")


def unpacked(blocks):
    """Return the values of packed blocks, as the page decodes them."""
    parts = []
    for block in blocks:
        codes = np.frombuffer(base64.b64decode(block["codes"]), dtype="<i2").astype(float)
        codes[codes == MISSING] = np.nan
        columns = codes.reshape(-1, block["rows"]).T
        parts.append(np.array(block["middle"]) + np.array(block["scale"]) * columns)
    return np.concatenate(parts)


def column(content, name):
    """Return a column of the events as the page reads it."""
    return np.frombuffer(base64.b64decode(content["events"][name]), dtype=KINDS[name])


def words_of(text):
    """Return what a reader sees of a page."""
    body = text[text.index("<body") : text.index('<script type="application/json"')]
    return unescape(re.sub("<[^>]*>", " ", body)).replace(NO_BREAK, " ")


def table(times, component=0, missing=NOTHING_MISSING):
    time, component = np.asarray(times, dtype=float), np.zeros(len(times), dtype=int) + component
    own = own_intervals_of(time, component, gap_middles(missing, 50))
    return pd.DataFrame({"sample": time, "component": component, "own_interval": own})


def test_an_array_is_reported_as_a_recording_without_a_rate_is(model, heart, tmp_path):
    files = [
        write_recording_report(model, recording, tmp_path / f"{k}.html")
        for k, recording in enumerate((heart.signal, Recording(heart.signal), list(heart.signal)))
    ]
    minute = r"\d{4}-\d\d-\d\d \d\d:\d\d UTC"  # one file may be written in the next one
    assert len({re.sub(minute, "", file.read_text()) for file in files}) == 1


# Events


@pytest.mark.filterwarnings("ignore:max_iter")
@pytest.mark.parametrize("length", [60, 61])
def test_the_report_removes_the_trend_that_the_model_removes(length):
    heart = make_ecg_recording(duration=20, sfreq=100.0, random_state=0)
    drift = np.sin(np.arange(len(heart.signal)) / 20)  # only just slower than a waveform
    signal = heart.signal + drift
    model = WaveformLearning(
        length=length, random_state=0, n_restarts=1, max_iter=5, n_components=1, noise="white"
    ).fit(signal)
    facts = gather(model, Recording(signal), None, None)
    removed = signal[:, None] - facts.signal.read(0, len(signal))[0]
    trend = model.denoise(signal) - model.decode(facts.codes, len(signal))
    assert_allclose(removed[:, 0], trend, atol=1e-9)


def test_the_file_holds_the_table_of_events(model, heart, facts):
    events = model.events(heart.signal, heart.sfreq)
    content = payload(facts)
    assert content["events"]["total"] == len(events)
    assert_allclose(column(content, "sample"), events["sample"])
    for name in ("component", "amplitude", "similarity"):
        assert_allclose(column(content, name), events[name], rtol=1e-6)
    assert_array_equal(column(content, "flags") & 1 > 0, events["overlapping"])
    assert_array_equal(column(content, "flags") & 2 > 0, events["truncated"])
    shown = content["waveforms"][0]
    assert shown["events"] == len(events)
    assert_allclose(shown["typical"], events["amplitude"].median())


def test_the_least_similar_events_come_first(facts):
    similarity = facts.events["similarity"].to_numpy()
    assert_allclose(similarity[facts.least_similar], np.sort(similarity)[:LEAST_SIMILAR])
    rows = re.findall(r'data-event="(\d+)"', page(facts))
    assert rows[:LEAST_SIMILAR] == [str(k) for k in facts.least_similar]


def test_the_recording_is_coded_once(model, heart, monkeypatch):
    code, coded = SignalCoder.code, []
    monkeypatch.setattr(SignalCoder, "code", lambda *given: coded.append(1) or code(*given))
    gather(model, heart, None, None)
    assert coded == [1]


def test_a_model_from_a_file_gets_the_same_page(model, heart, facts, tmp_path):
    model.save(tmp_path / "model.npz")
    again = page(gather(load(tmp_path / "model.npz"), heart, "A heart", "mV"))
    assert words_of(again).split("written")[0] == words_of(page(facts)).split("written")[0]


def test_events_of_codes_at_hand_are_those_of_the_recording(model, heart):
    codes = model.encode(heart.signal)
    given = model.events(heart.signal, heart.sfreq, codes=codes)
    pd.testing.assert_frame_equal(given, model.events(heart.signal, heart.sfreq))
    both = model.events([heart.signal, heart.signal], codes=[codes, codes])
    assert_allclose(both[1]["sample"], given["sample"])


# The axis of time


@pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is not installed")
@pytest.mark.parametrize("sfreq", [None, 1e-12, 1e-7, 1e-5, 1e-3, 1.0, 360.0, 3e4])
def test_an_axis_of_time_has_a_few_marks_whatever_the_rate(sfreq):
    script = file("recording/script/numbers.js")
    parts = [script[script.index(f"const {name} =") :] for name in ("clock", "STEPS")]
    code = [part[: part.index("\n};\n") + 4] for part in parts]
    code = f"""
        const view = {{ sfreq: {json.dumps(sfreq)} }}, narrow = () => false, axis = (look) => look;
        {code[0]}
        {code[1]}
        const axes = [1e1, 1e4, 1e8].map((n) => timeAxis(0, n / (view.sfreq || 1), {{}}));
        console.log(JSON.stringify(axes.map((one) => [one.tickvals, one.ticktext])));
    """
    done = subprocess.run(["node", "-e", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    for samples, (places, words) in zip((1e1, 1e4, 1e8), json.loads(done.stdout), strict=True):
        end = samples / (sfreq or 1.0)
        assert 2 <= sum(0 <= place <= end for place in places) <= 15
        assert len(places) == len(words) <= 30


# Intervals


def test_intervals_are_counted_waveform_by_waveform():
    rng = np.random.default_rng(0)
    events = table(np.sort(rng.uniform(0, 1e4, 200)), rng.integers(0, 2, 200))
    found = marked_intervals(events, 3)
    last = {}
    for k, (time, j) in enumerate(zip(events["sample"], events["component"], strict=True)):
        if j in last:
            assert found.before[k] == time - last[j]
        else:
            assert np.isnan(found.before[k])
        last[j] = time
    for j in (0, 1):
        assert_allclose(
            found.median[j], np.median(np.diff(events["sample"][events.component == j]))
        )
    assert np.isnan(found.median[2])


def test_unusual_intervals_are_far_in_spread_and_in_proportion():
    even = np.full(40, 100.0) + np.tile([-1.0, 1.0], 20)
    even[10], even[20], even[30] = 84.0, 114.0, 130.0  # 114 is many deviations off, but 14 %
    found = marked_intervals(table(np.concatenate([[0.0], np.cumsum(even)])), 1)
    assert np.flatnonzero(found.unusual).tolist() == [11, 31]
    assert found.unusual[[11, 31]].tolist() == [-1, 1]
    wide = 100.0 * np.exp(np.random.default_rng(0).uniform(-0.5, 0.5, 40))
    scattered = marked_intervals(table(np.cumsum(wide)), 1)
    assert not scattered.unusual.any()


def test_an_interval_over_a_long_gap_is_not_known():
    times = np.arange(20) * 100.0
    holes = np.array([[510, 515], [1010, 1060]])
    found = marked_intervals(table(np.delete(times, 15), missing=holes), 1)
    assert np.flatnonzero(np.isnan(found.before)).tolist() == [0, 11]
    assert np.flatnonzero(found.unusual).tolist() == [15]


def test_the_interval_from_beat_to_beat_is_over_all_waveforms():
    heart = make_ecg_recording(duration=60, random_state=0)
    signal = heart.signal.copy()
    signal[10_000:10_400] = np.nan
    model = WaveformLearning(2, 200, random_state=0, n_restarts=2, noise="white").fit(signal)
    events = model.events(signal, heart.sfreq)
    between = np.diff(events["sample"])
    across = np.diff(events["sample"] > 10_200)
    expected = np.concatenate([[np.nan], np.where(across, np.nan, between)])
    assert_allclose(events["interval"], expected)
    assert_allclose(events["interval_s"], expected / heart.sfreq)
    for j in (0, 1):
        own = events[events["component"] == j]
        known = ~np.diff(own["sample"] > 10_200)
        assert_allclose(own["own_interval"][1:][known], np.diff(own["sample"])[known])
    facts = gather(model, Recording(signal, heart.sfreq), None, None)
    median, often = (f(np.nanmedian(expected)) for f in (facts.clock.span, facts.clock.frequency))
    said, median = words_of(page(facts)), median.replace(NO_BREAK, " ")
    assert said.count(f"of any waveform: typically {often}") == 2
    assert f"median interval {median}" in said
    assert_allclose(column(payload(facts), "interval"), expected, rtol=1e-6)


def test_the_histogram_holds_every_interval(facts):
    edges, counts = facts.intervals.histogram(facts.component)
    assert len(edges) == counts.shape[1] + 1
    assert counts.sum() == np.isfinite(facts.intervals.before).sum()


# The signal


@pytest.fixture
def little_room(monkeypatch):
    monkeypatch.setattr(resolution, "VALUES", 6000)


def test_outlines_bound_the_data_at_every_size(model, heart, little_room):
    x = heart.signal.copy()
    x[700:1500] = np.nan
    x[4000] = 500.0
    content = gather(model, replace(heart, signal=x), None, None).trace
    sent = content.as_json()
    bins, size = unpacked(sent["outline"]), sent["size"]
    assert size > 1
    assert len(bins) == -(-len(x) // size)
    for factor in (1, 2, 8, 64):
        for k in range(0, len(bins), factor):
            own = x[k * size : (k + factor) * size]
            if np.isnan(own).all():
                assert np.isnan(bins[k : k + factor]).all()
                continue
            low, high = np.nanmin(bins[k : k + factor, 0]), np.nanmax(bins[k : k + factor, 2])
            step = 1.01 * sent["outline"][0]["scale"][0]
            assert np.nanmin(own) - step <= low <= np.nanmin(own) + 1e-9
            assert (
                np.nanmax(own) - 1e-9
                <= high
                <= np.nanmax(own) + 1.01 * (sent["outline"][0]["scale"][2])
            )


def test_stretches_hold_data_and_what_events_leave_of_them(model, heart, facts):
    x = heart.signal
    content = payload(facts)["strip"]
    assert content["size"] == 1
    assert content["outline"] == []
    (stretch,) = content["detail"]
    data, left = unpacked(stretch["blocks"]).T
    waveforms, every = facts.waveforms, model.events(x)
    j = every["component"].to_numpy()
    begin = every["sample"].to_numpy() - peaks_of(waveforms)[j]
    explained = waveforms.add_up(len(x), j, begin, every["amplitude"].to_numpy())[:, 0]
    trend = Signal(x, span=model.length).trend(0, len(x))[:, 0]
    assert_allclose(data, x, atol=1e-4)
    assert_allclose(left, x - trend - explained, atol=1e-4)
    share = 1 - np.sum((x - trend - explained) ** 2) / np.sum((x - trend) ** 2)
    assert_allclose(facts.trace.explained, share, rtol=1e-6)


def test_every_sample_is_kept_around_what_is_listed(model, heart, monkeypatch):
    monkeypatch.setattr(resolution, "VALUES", 25_000)
    monkeypatch.setattr(resolution, "AROUND", 1)
    facts = gather(model, heart, None, None)
    kept = [(first, first + len(values)) for first, values in facts.trace.detail]
    assert sum(last - first for first, last in kept) < len(heart.signal)
    for time in facts.events["sample"][facts.least_similar]:
        around = max(time - 100, 0), min(time + 100, len(heart.signal))
        assert any(first <= around[0] and around[1] <= last for first, last in kept)


@pytest.mark.parametrize(("samples", "channels"), [(100, 1), (750_000, 1), (31_000_000, 2)])
def test_room_in_the_file_is_bounded(samples, channels):
    size = bin_size(samples, channels)
    stretches = sampled_segments(samples, channels, 200, [50.0, samples - 20.0], 20_000)
    assert np.all(np.diff(stretches.ravel()) > 0)
    bins = 0 if size == 1 else 4 * channels * -(-samples // size)
    kept = 2 * channels * int((stretches[:, 1] - stretches[:, 0]).sum())
    assert bins + kept <= resolution.VALUES
    assert stretches[0, 0] == 0
    assert stretches[-1, 1] == samples


def test_a_long_recording_takes_four_megabytes():
    x = np.random.default_rng(0).standard_normal((900_000, 2))
    waveform = Waveforms.through(np.hanning(64)[None, :, None] * np.ones((1, 1, 2)))
    explained = ExplainedSignal(Signal(x), waveform, no_atoms(1))
    strip = explained.trace(sampled_segments(900_000, 2, 64, [], 10_000))
    assert 3.5e6 < len(json.dumps(strip.as_json())) < 4.1e6
    assert strip.explained == 0.0


def test_numbers_come_back_from_text():
    rng = np.random.default_rng(0)
    values = rng.standard_normal((40_000, 3)) * [1.0, 1e-6, 1e6] + [0.0, 0.0, 1e7]
    values[5, 1] = np.nan
    values[:, 2][20_000:] = 7.0
    back = unpacked(packed(values, [np.rint] * 3))
    for m, scale in enumerate((1.0, 1e-6, 1e6)):
        assert_allclose(back[:, m], values[:, m], atol=2e-4 * scale, rtol=0)


# Words and the page


def test_the_summary_says_how_many_how_often_and_how_good(facts):
    said = " ".join(paragraphs(facts)).replace(NO_BREAK, " ")
    events = facts.events
    typical = 60 * facts.clock.sfreq / np.median(np.diff(events["sample"]))
    assert f"{len(events)} events of one waveform (typically {typical:.3g} per minute" in said
    assert "In 40 s of recording" in said
    assert "no other code of the whole recording lowers the objective by more than" in said
    assert facts.model.provenance_["alpha"] in said
    assert "Learning has converged" in said


def test_names_from_outside_cannot_become_markup(model, heart):
    evil = "</script><script>alert(1)</script><img src=x onerror=alert(1)>"
    named = replace(heart, ch_names=(evil,))
    text = page(gather(model, named, evil, evil))
    assert evil not in text
    assert "<img" not in text.split("<script>")[0]
    assert json.loads(re.search(r'id="data">(.*?)</script>', text, re.S)[1])["view"]["unit"] == evil


def test_the_policy_allows_the_scripts_of_the_file_and_nothing_else(facts):
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page(facts))[1]
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == "'none'"
    assert len(re.findall("'sha256-", rules["script-src"])) == 2
    assert "unsafe" not in rules["script-src"]
    assert "http" not in policy


def test_gaps_are_named_and_kept(model, heart):
    x = heart.signal.copy()
    x[1000:3000] = np.nan
    facts = gather(model, replace(heart, signal=x), None, None)
    assert payload(facts)["strip"]["missing"] == [[1000, 3000]]
    (stretch,) = payload(facts)["strip"]["detail"]
    assert np.isnan(unpacked(stretch["blocks"])[1000:3000]).all()
    share = f"{100 * 2000 / len(x):.1f}".removesuffix(".0")
    assert f"{share} % of the samples are missing, in 1 stretch." in words_of(page(facts))


def test_a_recording_without_events_gets_a_page(model, heart):
    quiet = Recording(1e-6 * np.sin(np.arange(2000.0)), heart.sfreq)
    text = page(gather(model, quiet, None, None))
    assert "there are no events" in words_of(text)
    assert "about-nothing" in text
    assert "nan" not in words_of(text).lower().split()


def test_one_event_gets_a_page(model):
    x = np.zeros(2000)
    x[700:900] = 3 * model.components_[0]
    facts = gather(model, Recording(x), None, None)
    assert len(facts.events) == 1
    assert "1 event of one waveform." in words_of(page(facts))
    assert payload(facts)["histogram"]["edges"] == []


def test_without_a_rate_times_are_samples_and_excerpts_count_from_the_start(model, heart):
    facts = gather(model, Recording(heart.signal, None, offset=5000), None, None)
    first = facts.events["sample"][facts.least_similar[0]] + 5000
    said = words_of(page(facts))
    assert f" {first:.1f} ".replace(".0 ", " ") in said
    assert "per minute" not in said
    assert "one every" in said


def test_several_channels_are_named(model, heart):
    both = Recording(np.stack([heart.signal, -heart.signal], axis=1), heart.sfreq, ("I", "II"))
    two = WaveformLearning(
        length=200, random_state=0, n_restarts=1, n_components=1, noise="white"
    ).fit(both.signal)
    content = payload(gather(two, both, None, None))
    assert content["view"]["channels"] == ["I", "II"]
    assert np.array(content["waveforms"][0]["lines"]).shape == (2, 200)
    assert unpacked(content["strip"]["detail"][0]["blocks"]).shape == (len(both.signal), 4)


@pytest.mark.parametrize(
    ("sample", "sfreq", "words"),
    [(0, 100.0, "0:00:00.0"), (372_512, 100.0, "1:02:05.1"), (5_999.9, 100.0, "0:01:00.0")],
)
def test_times_are_hours_minutes_and_seconds(sample, sfreq, words):
    assert Clock(sfreq).time(sample) == words
    assert Clock(sfreq, offset=sample).time(0) == words


def test_a_place_that_cannot_be_is_refused_before_any_work(model, heart, tmp_path, monkeypatch):
    monkeypatch.setattr(WaveformLearning, "encode", None)
    with pytest.raises(FileNotFoundError, match="make it first"):
        write_recording_report(model, heart, tmp_path / "none" / "page.html")
