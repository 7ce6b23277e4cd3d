"""The report of a recording: its facts, its words and its file, without a browser."""

import base64
import json
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from reports import data_of, layers_of, words_of

from orbitdl import WaveformLearning, load
from orbitdl.datasets import make_ecg_recording
from orbitdl.domains.time.atoms import no_atoms
from orbitdl.domains.time.signal import Signal
from orbitdl.domains.time.waveforms import Waveforms
from orbitdl.estimators.signal_coder import SignalCoder
from orbitdl.events.code_events import peaks_of
from orbitdl.events.intervals import gap_middles, own_intervals_of
from orbitdl.io import Recording
from orbitdl.report import Report, resolution
from orbitdl.report.charts import MOMENTS, thinned
from orbitdl.report.clock import Clock
from orbitdl.report.listed import (
    LEAST_SIMILAR,
    doubtful,
    least_similar,
    listed_events,
    unusual_intervals,
)
from orbitdl.report.phrasing import NO_BREAK
from orbitdl.report.resolution import bin_size, sampled_segments
from orbitdl.report.sections import (
    amplitudes,
    components,
    convergence,
    events,
    intervals,
    noise,
    strip,
    unusual,
)
from orbitdl.report.sections.strip import KINDS
from orbitdl.report.sections.summary import paragraphs
from orbitdl.report.trace import MISSING, packed, trace_of

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
    return Report(model, heart, title="A heart", unit="mV").facts


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


def table(times, component=0, missing=NOTHING_MISSING):
    time, component = np.asarray(times, dtype=float), np.zeros(len(times), dtype=int) + component
    own = own_intervals_of(time, component, gap_middles(missing, 50))
    return pd.DataFrame({"sample": time, "component": component, "own_interval": own})


def test_an_array_is_reported_as_a_recording_without_a_rate_is(model, heart):
    given = heart.signal, Recording(heart.signal), list(heart.signal)
    minute = r"\d{4}-\d\d-\d\d \d\d:\d\d UTC"  # one page may be written in the next one
    assert len({re.sub(minute, "", Report(model, one).html()) for one in given}) == 1


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
    facts = Report(model, Recording(signal)).facts
    removed = signal[:, None] - facts.recording.signal.read(0, len(signal))[0]
    trend = model.denoise(signal) - model.decode(facts.codes, len(signal))
    assert_allclose(removed[:, 0], trend, atol=1e-9)


def test_the_file_holds_the_table_of_events(model, heart, facts):
    found = model.events(heart.signal, heart.sfreq)
    content = {"events": strip.packed_events(facts)}
    assert content["events"]["total"] == len(found)
    assert_allclose(column(content, "sample"), found["sample"])
    for name in ("component", "amplitude", "similarity"):
        assert_allclose(column(content, name), found[name], rtol=1e-6)
    assert_array_equal(column(content, "flags") & 1 > 0, found["overlapping"])
    assert_array_equal(column(content, "flags") & 2 > 0, found["truncated"])
    assert_array_equal(column(content, "row"), np.arange(len(found)))
    typical = found["amplitude"].abs().median()
    page = words_of(components.content(facts).html)
    assert f"{len(found)} events, median absolute amplitude {typical:.3g} mV" in page
    (drawn,) = layers_of(components.component_chart(facts, 0).spec(), "line")
    assert_allclose(drawn["y"], typical * model.components_[0], atol=1e-3)
    peak = 1e3 * peaks_of(facts.recording.waveforms)[0] / heart.sfreq
    assert_allclose(drawn["x"][0], -peak, rtol=1e-5)  # ms from the peak
    assert_allclose(np.diff(drawn["x"]), 1e3 / heart.sfreq, rtol=1e-3)


def test_of_very_many_events_the_strongest_and_the_listed_are_in_the_file(facts, monkeypatch):
    monkeypatch.setattr(strip, "MOST_EVENTS", 20)
    chosen = strip.chosen_events(facts)
    assert len(chosen) == 20
    assert np.all(np.diff(chosen) > 0)
    assert set(np.flatnonzero(listed_events(facts.table))) <= set(chosen)
    words = words_of(strip.content(facts).html)
    assert f"The 20 strongest of {len(facts.table)} events are in the file." in words


def test_the_least_similar_events_come_first(facts):
    similarity = facts.events["similarity"].to_numpy()
    lowest = least_similar(facts.events)
    assert_allclose(similarity[lowest], np.sort(similarity)[:LEAST_SIMILAR])
    html = unusual.content(facts).html
    assert re.findall(r'data-event="(\d+)"', html) == [str(k) for k in lowest]
    first = facts.events.iloc[lowest[0]]
    row = words_of(html).split("remark ")[1]
    assert row.split()[:4] == [
        facts.clock.time(first["sample"]),
        str(first["component"]),
        f"{first['amplitude']:.3g}".replace("-", "\N{MINUS SIGN}"),
        f"{first['similarity']:.2f}",
    ]


def test_the_recording_is_coded_once(model, heart, monkeypatch):
    code, coded = SignalCoder.code, []
    monkeypatch.setattr(SignalCoder, "code", lambda *given: coded.append(1) or code(*given))
    Report(model, heart).html()
    assert coded == [1]


def test_a_model_from_a_file_gets_the_same_page(model, heart, tmp_path):
    model.save(tmp_path / "model.npz")
    again, now = (
        words_of(Report(one, heart, title="A heart", unit="mV").html()).split("learned")[0]
        for one in (load(tmp_path / "model.npz"), model)
    )
    assert again == now


def test_events_of_codes_at_hand_are_those_of_the_recording(model, heart):
    codes = model.encode(heart.signal)
    given = model.events(heart.signal, heart.sfreq, codes=codes)
    pd.testing.assert_frame_equal(given, model.events(heart.signal, heart.sfreq))
    both = model.events([heart.signal, heart.signal], codes=[codes, codes])
    assert_allclose(both[1]["sample"], given["sample"])


# Intervals


def test_unusual_intervals_are_far_in_spread_and_in_proportion():
    even = np.full(40, 100.0) + np.tile([-1.0, 1.0], 20)
    even[10], even[20], even[30] = 84.0, 114.0, 130.0  # 114 is many deviations off, but 14 %
    found = unusual_intervals(table(np.concatenate([[0.0], np.cumsum(even)])))
    assert found.tolist() == [31, 11]  # farthest first
    wide = 100.0 * np.exp(np.random.default_rng(0).uniform(-0.5, 0.5, 40))
    assert len(unusual_intervals(table(np.cumsum(wide)))) == 0


def test_intervals_are_unusual_component_by_component():
    times = np.concatenate([np.arange(40) * 100.0, 7 + np.arange(20) * 200.0])
    kinds = np.repeat([0, 1], [40, 20])
    order = np.argsort(times)
    assert len(unusual_intervals(table(times[order], kinds[order]))) == 0


def test_an_interval_over_a_long_gap_is_not_known():
    times = np.arange(20) * 100.0
    holes = np.array([[510, 515], [1010, 1060]])
    events = table(np.delete(times, 15), missing=holes)
    assert np.flatnonzero(events["own_interval"].isna()).tolist() == [0, 11]
    assert unusual_intervals(events).tolist() == [15]


def test_the_interval_from_beat_to_beat_is_over_all_components():
    heart = make_ecg_recording(duration=60, random_state=0)
    signal = heart.signal.copy()
    signal[10_000:10_400] = np.nan
    model = WaveformLearning(2, 200, random_state=0, n_restarts=2, noise="white").fit(signal)
    facts = Report(model, Recording(signal, heart.sfreq)).facts
    between = np.diff(facts.events["sample"])
    across = np.diff(facts.events["sample"] > 10_200)
    expected = np.concatenate([[np.nan], np.where(across, np.nan, between)])
    median, often = (f(np.nanmedian(expected)) for f in (facts.clock.span, facts.clock.frequency))
    said = words_of(paragraphs(facts)[0] + intervals.content(facts).html)
    rate = f"of any component: median interval {median}, as at {often}".replace(NO_BREAK, " ")
    assert said.count(rate) == 2
    charts = {chart.name: chart.spec() for chart in intervals.content(facts).charts}
    drawn = [(t, y, e) for layer in layers_of(charts["interval-over-time"], "marks")
             for t, y, e in zip(layer["x"], layer["y"], layer["event"], strict=True)]  # fmt: skip
    sample, seconds, event = map(np.array, zip(*sorted(drawn), strict=True))
    known = np.isfinite(expected)
    assert_array_equal(event, np.flatnonzero(known))
    assert_allclose(sample, facts.events["sample"][known], rtol=1e-6)
    assert_allclose(seconds, expected[known] / heart.sfreq, rtol=1e-3)


def test_the_histogram_holds_every_interval(facts):
    values = facts.events["own_interval"].to_numpy()
    charts = {chart.name: chart.spec() for chart in intervals.content(facts).charts}
    (drawn,) = layers_of(charts["interval-distribution"], "line")
    assert len(drawn["x"]) == len(drawn["y"])
    assert sum(drawn["y"]) == np.isfinite(values).sum()


def test_of_very_many_marks_the_extremes_of_every_moment_are_drawn():
    values = np.random.default_rng(0).standard_normal(100_000)
    listed = np.zeros(len(values), dtype=bool)
    listed[12_345] = True
    chosen = thinned(values, listed)
    assert len(chosen) <= 2 * MOMENTS + 1
    assert {12_345, values.argmin(), values.argmax()} <= set(chosen)
    assert_array_equal(thinned(values[:50], listed[:50]), np.arange(50))


# Certainty and noise


@pytest.fixture(scope="module")
def certain():
    heart = make_ecg_recording(duration=60, random_state=0)
    model = WaveformLearning(length=200, random_state=0).fit(heart.signal)
    return Report(model, Recording(heart.signal, heart.sfreq, units=("mV",))).facts


def test_the_doubtful_events_come_with_their_errors(certain):
    q = np.linspace(0.05, 1e-9, len(certain.events))
    found = certain.events.assign(q_value=np.random.default_rng(0).permutation(q))
    found.attrs, certain = certain.events.attrs, replace(certain, events=found)
    worst = found.iloc[int(found["q_value"].argmax())]
    text = words_of(events.content(certain).html)
    row = text.split("remark ")[1].split(" 0:")[0]
    assert row.startswith(certain.clock.time(worst["sample"]))
    for words in (f"{worst['amplitude']:.3g}", f"{worst['amplitude_sd']:.2g}"):
        assert words in row
    assert f"{worst['q_value']:.2g}" in row
    assert f"by decoys about {sum(found.attrs['decoys'])} event" in text
    assert (
        f"{certain.clock.span(found['sample_sd'].median())} in time".replace(NO_BREAK, " ") in text
    )
    (chart,) = events.content(certain).charts
    drawn = layers_of(chart.spec(), "marks")
    errors = sorted(s for layer in drawn for s in layer["sy"])
    twelve = found["q_value"].to_numpy().argsort(kind="stable")[-12:]
    assert len(errors) == len(twelve)
    assert max(errors) <= 2 * found["amplitude_sd"].max() * 1.001


def test_where_no_event_is_doubtful_the_least_precise_are_listed_and_it_is_said(certain):
    sure = certain.events.assign(q_value=1e-9)
    sure.attrs = certain.events.attrs
    chosen = doubtful(sure)
    relative = (sure["amplitude_sd"] / sure["amplitude"].abs()).to_numpy()
    assert_allclose(relative[chosen], np.sort(relative)[::-1][: len(chosen)])
    text = words_of(events.content(replace(certain, events=sure)).html)
    assert "None is doubtful: the largest q-value is 1e-09." in text


def test_white_noise_has_no_section_on_certainty_and_none_on_noise(facts):
    assert events.content(facts) is None
    assert noise.content(facts) is None


def test_the_spectrum_is_that_of_the_noise_in_its_unit(certain):
    background = certain.model.event_model_.background
    frequency, density = noise.spectrum(certain)
    assert frequency[-1] == certain.clock.sfreq / 2
    rng = np.random.default_rng(0)
    x = background.undo(rng.standard_normal((2**16, 1)))[1000:, 0]
    variance = np.trapezoid(density[0] ** 2, frequency)
    assert_allclose(variance, np.var(x), rtol=0.1)
    spectrum, level = (chart.spec() for chart in noise.content(certain).charts)
    assert spectrum["rows"][0]["label"] == "mV/\N{SQUARE ROOT}Hz"
    assert spectrum["x"]["label"].startswith("frequency (Hz)")
    sample = layers_of(level, "line")[0]["x"]
    assert 0 <= sample[0] < sample[-1] <= 60 * certain.clock.sfreq


def test_amplitudes_are_drawn_at_their_times_with_two_standard_errors(certain):
    found = certain.events
    layers = layers_of(amplitudes.content(certain).charts[0].spec(), "marks")
    assert sum(len(layer["x"]) for layer in layers) == len(found)
    for layer in layers:
        own = found.iloc[layer["event"]]
        assert set(own["component"]) == {layer["component"]}
        assert_allclose(layer["x"], own["sample"], rtol=1e-7)
        assert_allclose(layer["y"], own["amplitude"], rtol=1e-3)
        assert_allclose(layer["sy"], 2 * own["amplitude_sd"], rtol=1e-2, atol=1e-4)


# The signal


@pytest.fixture
def little_room(monkeypatch):
    monkeypatch.setattr(resolution, "VALUES", 6000)


def test_outlines_bound_the_data_at_every_size(model, heart, little_room):
    x = heart.signal.copy()
    x[700:1500] = np.nan
    x[4000] = 500.0
    content = Report(model, replace(heart, signal=x)).facts.recording.trace
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
    content = strip.strip(facts, facts.recording)
    assert content["size"] == 1
    assert content["outline"] == []
    (stretch,) = content["detail"]
    data, left = unpacked(stretch["blocks"]).T
    waveforms, every = facts.recording.waveforms, model.events(x)
    j = every["component"].to_numpy()
    begin = every["sample"].to_numpy() - peaks_of(waveforms)[j]
    explained = waveforms.add_up(len(x), j, begin, every["amplitude"].to_numpy())[:, 0]
    trend = Signal(x, span=model.length).trend(0, len(x))[:, 0]
    assert_allclose(data, x, atol=1e-4)
    assert_allclose(left, x - trend - explained, atol=1e-4)
    share = 1 - np.sum((x - trend - explained) ** 2) / np.sum((x - trend) ** 2)
    assert_allclose(facts.recording.trace.explained, share, rtol=1e-6)


def test_every_sample_is_kept_around_what_is_listed(model, heart, monkeypatch):
    monkeypatch.setattr(resolution, "VALUES", 25_000)
    monkeypatch.setattr(resolution, "AROUND", 1)
    facts = Report(model, heart).facts
    kept = [(first, first + len(v)) for first, v in facts.recording.trace.detail]
    assert sum(last - first for first, last in kept) < len(heart.signal)
    for time in facts.events["sample"][least_similar(facts.events)]:
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
    segments = sampled_segments(900_000, 2, 64, [], 10_000)
    strip = trace_of(Signal(x), waveform, no_atoms(1), segments)
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
    found = facts.events
    typical = 60 * facts.clock.sfreq / np.median(np.diff(found["sample"]))
    assert f"{len(found)} events of one component (median interval " in said
    assert f", as at {typical:.3g} per minute)" in said
    assert "In 40 s of recording" in said
    assert "no other code of the whole recording lowers the objective by more than" in said
    assert facts.model.provenance_["alpha"] in said
    assert "Learning has converged" in said


def test_gaps_are_named_and_shaded(model, heart):
    x = heart.signal.copy()
    x[1000:3000] = np.nan
    facts = Report(model, Recording(x, heart.sfreq, first_sample=500)).facts
    drawn = strip.strip(facts, facts.recording)
    assert drawn["missing"] == [[1500, 3500]]
    (segment,) = drawn["detail"]
    assert np.isnan(unpacked(segment["blocks"])[1000:3000]).all()
    share = f"{100 * 2000 / len(x):.1f}".removesuffix(".0")
    assert f"{share} % of the samples are missing, in 1 segment." in words_of(paragraphs(facts)[0])


def test_a_recording_without_events_gets_a_page(model, heart):
    quiet = Recording(1e-6 * np.sin(np.arange(2000.0)), heart.sfreq)
    text = Report(model, quiet).html()
    said = words_of(text)
    assert "there are no events" in said
    assert "nan" not in said.lower().split()
    for title in ("Unusual events", "Intervals", "Amplitudes"):
        assert f">{title}</h2>" not in text


def test_one_event_gets_a_page(model):
    x = np.zeros(2000)
    x[700:900] = 3 * model.components_[0]
    text = Report(model, Recording(x)).html()
    assert "1 event of one component." in words_of(text)
    assert ">Intervals</h2>" not in text


def test_without_a_rate_times_are_samples_and_excerpts_count_from_the_start(model, heart):
    whole = Report(model, Recording(heart.signal)).facts
    facts = Report(model, Recording(heart.signal, first_sample=5000)).facts
    assert_allclose(facts.events["sample"], whole.events["sample"] + 5000)
    first = facts.events["sample"].iloc[least_similar(facts.events)[0]]
    said = words_of(unusual.content(facts).html)
    assert f" {first:.1f} ".replace(".0 ", " ") in said
    said = words_of(paragraphs(facts)[0])
    assert "per minute" not in said
    assert "(median interval " in said
    low, high = amplitudes.content(facts).charts[0].spec()["x"]["range"]
    assert (low, high) == (5000, 5000 + len(heart.signal))


@pytest.mark.parametrize("channels", [2, 3, 12, 32])
def test_channels_are_named_and_have_one_scale_where_they_are_many(channels):
    rng = np.random.default_rng(0)
    times, wave = np.arange(100, 5800, 190), np.hanning(60)
    gain = np.linspace(1, 3, channels)
    x = 0.05 * rng.standard_normal((6000, channels))
    for t in times:
        x[t : t + 60] += wave[:, None] * gain
    model = WaveformLearning(1, 60, noise="white", random_state=0, n_restarts=1).fit(x)
    names = tuple(f"E{k}" for k in range(channels))
    units = ("uV",) * channels
    facts = Report(model, Recording(x, 1000.0, names, units=units)).facts
    spec = components.component_chart(facts, 0).spec()
    lines = np.array([layer["y"] for layer in layers_of(spec, "line")])
    assert_allclose(lines, facts.medians[0] * model.components_[0].T, atol=1e-2)
    labels = [row["label"] for row in spec["rows"]]
    if channels <= 3:
        assert labels == [f"{name} (uV)" for name in names]
        assert not spec["grid"]
    else:
        assert labels == list(names)
        assert spec["grid"]
        assert len({tuple(row["range"]) for row in spec["rows"]}) == 1
        assert spec["rows"][0]["range"][1] > lines.max()
        assert spec["x"]["unit"] == "uV"
    assert strip.strip(facts, facts.recording)["channels"] == list(names)


@pytest.mark.parametrize(
    ("sample", "sfreq", "words"),
    [(0, 100.0, "0:00:00.0"), (372_512, 100.0, "1:02:05.1"), (5_999.9, 100.0, "0:01:00.0")],
)
def test_times_are_hours_minutes_and_seconds(sample, sfreq, words):
    assert Clock(sfreq).time(sample) == words


def test_several_recordings_are_refused(model, heart):
    with pytest.raises(ValueError, match="a report is about one recording"):
        Report(model, [heart.signal, heart.signal])


def test_a_folder_that_is_not_there_is_refused_before_any_work(model, heart, tmp_path, monkeypatch):
    monkeypatch.setattr(WaveformLearning, "encode", None)
    with pytest.raises(FileNotFoundError, match="make it first"):
        Report(model, heart).write(tmp_path / "none" / "page.html")


def test_a_long_recording_takes_few_megabytes(model, heart, tmp_path):
    sfreq = heart.sfreq
    long = Recording(np.tile(heart.signal, 45)[: round(1800 * sfreq)], sfreq)
    file = Report(model, long).write(tmp_path / "long.html")
    assert file.stat().st_size < 5.5e6
    content = data_of(file.read_text())
    assert content["strip"]["samples"] == 1800 * sfreq


def test_components_that_grew_have_a_reason_and_no_course_of_iterations(certain):
    page = words_of(convergence.content(certain).html)
    assert certain.model.provenance_["components"] in page
    assert "iteration" not in page


@pytest.mark.filterwarnings("ignore:no waveform recurs")
def test_noise_without_components_gets_a_page():
    x = np.random.default_rng(0).standard_normal(6000)
    model = WaveformLearning(length=50).fit(x)
    assert model.n_components_ == 0
    for data in (None, x):
        text = Report(model, data).html()
        assert ">Components</h2>" not in text
        assert ">Noise</h2>" in text
