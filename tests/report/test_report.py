"""The report as one file: every group gets one, and nothing from outside gets into its markup."""

import json
import re
from copy import copy
from dataclasses import replace
from functools import cache
from html import unescape

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from registry import ACTIONS, PENTAGON, action
from reports import bump, data_of, fitted, given, layers_of, words_of

from orbitdl import Codes, OrbitDictionaryLearning, WaveformLearning, encode, load
from orbitdl.datasets import make_ecg_like, make_ecg_recording, make_shift_data
from orbitdl.groups import ContinuousShift, Finite, IntegerShift, Trivial
from orbitdl.io import Recording
from orbitdl.preprocessing import SplitWindows
from orbitdl.report import Chart, Content, Report, Section, axis, bars, row
from orbitdl.report.page import as_json
from orbitdl.report.phrasing import NO_BREAK
from orbitdl.report.sections.components import view_of
from orbitdl.report.sections.provenance import run_table, snippet
from orbitdl.report.sections.summary import figures, paragraphs
from orbitdl.report.sections.windows import MOST_ATOMS
from orbitdl.storage import writing
from orbitdl.storage.provenance import data_fingerprint
from orbitdl.windows import split_recording
from orbitdl.windows.splitting import given_windows

# fits end early here, on purpose
pytestmark = pytest.mark.filterwarnings("ignore:max_iter=:sklearn.exceptions.ConvergenceWarning")


@cache
def report_of(name):
    """Fit a model of the registry's group to noise."""
    acts = action(name)
    X = np.random.default_rng(0).standard_normal((12, *acts.shape))
    return Report(fitted(acts.group, X), X, n_windows=12)


@pytest.fixture(scope="module")
def heart():
    data = make_ecg_like(n_windows=40, length=65, random_state=0)
    return fitted(ContinuousShift(), data.X, alpha=0.1), data


# Every group


@pytest.mark.parametrize("name", ACTIONS)
def test_the_atoms_shown_add_up_to_the_approximation(name):
    """All of them do, or the largest do to what is left when the smaller ones are subtracted."""
    report = report_of(name)
    facts, content = report.facts, data_of(report.html())
    acts, view, atoms = facts.action, facts.view, facts.codes.atoms
    windows = content["windows"]
    assert len(windows["shown"]) == 12
    for window in windows["shown"]:
        own = np.flatnonzero(atoms.sample == window["number"])
        order = own[np.argsort(-np.abs(atoms.coefficient[own]), kind="stable")]
        assert window["count"] == len(own)
        assert len(window["atoms"]) == min(len(own), MOST_ATOMS)
        smaller = order[MOST_ATOMS:]
        rest = acts.act(atoms.element[smaller], facts.components[atoms.component[smaller]])
        rest = np.tensordot(atoms.coefficient[smaller], rest, 1)
        total = np.zeros((view.n_lines, view.length))
        for atom in window["atoms"]:
            lines = np.array(content["components"]["shapes"][atom["j"]]["lines"])
            if "shift" in atom:
                a = facts.components[atom["j"]]
                lines = view.lines(acts.act(np.array([atom["shift"]]), a), acts.shape)
            elif "copy" in atom:
                lines = np.array(windows["copies"][atom["copy"]])
            total += atom["c"] * lines
        assert_allclose(total + view.lines(rest, acts.shape), window["fit"], atol=2e-3)


@pytest.mark.parametrize("name", ACTIONS)
def test_every_group_gets_a_page_in_words(name):
    report = report_of(name)
    text, facts = report.html(), report.facts
    content = data_of(text)["components"]
    kinds = [slider["kind"] for slider in content["sliders"]]
    assert set(kinds) <= {"shift", "phase", "rotation", "list"}
    assert "list" not in kinds[1:], "the page transforms listed copies, but makes none"
    assert all(len(shape["start"]) == len(kinds) for shape in content["shapes"])
    assert bool(kinds) != facts.action.presentation.fixed
    assert len(content["shapes"]) == 2
    assert "{{" not in text.split("<script")[0]
    assert "components describe 12" in words_of(text)
    assert "nan" not in " ".join(paragraphs(facts)).lower()


@pytest.mark.parametrize("name", ACTIONS)
def test_the_view_keeps_every_value(name):
    facts = report_of(name).facts
    lines = facts.view.lines(facts.components, facts.shape)
    assert lines.shape == (2, facts.view.n_lines, facts.view.length)
    assert_allclose(np.sort(lines.ravel()), np.sort(facts.components.ravel()))


# What is passed


def test_a_list_of_windows_an_array_and_windows_get_one_page(heart):
    model, data = heart
    windows = given_windows(data.X)
    pages = [Report(model, X).html() for X in (data.X, list(data.X), windows)]
    assert len({re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d UTC", "", page) for page in pages}) == 1


def test_a_recording_is_split_as_the_model_was_learned(heart, tmp_path):
    model, data = heart
    signal = Recording(data.signal, 64.0, ("MLII",), first_sample=640, units=("mV",))
    model = copy(model)
    model.preprocessing_ = [SplitWindows(65).fit(signal)]
    model.save(tmp_path / "m")
    own = load(tmp_path / "m")
    facts = Report(own, signal).facts
    windows = split_recording(signal, 65, 16, to_end=True)  # they overlap, as those of events
    assert_array_equal(facts.windows.X, windows.values)
    assert (facts.clock.sfreq, facts.unit, facts.channels) == (64.0, "mV", ("MLII",))
    assert_allclose(facts.events["onset"], facts.events["sample"] / 64)
    assert facts.events["sample"].min() >= 640
    np.save(tmp_path / "signal.npy", data.signal)
    assert len(Report(own, tmp_path / "signal.npy").facts.windows.X) == len(facts.windows.X)


@pytest.mark.filterwarnings("ignore:hardly anything")
def test_names_units_and_rates_that_are_passed_override_those_of_the_data():
    x = Recording(np.zeros((400, 2)), 100.0, ("a", "b"), units=("mV", "mV"))
    model = WaveformLearning(1, 20, noise="white", alpha=6.0, n_restarts=1)
    model.fit(np.random.default_rng(0).standard_normal((400, 2)))
    labels = {"sfreq": 50.0, "unit": "V", "ch_names": ["I", "II"]}
    found = Report(model, x, **labels).acquisition
    assert (found.sfreq, found.unit, found.ch_names) == (50.0, "V", ("I", "II"))
    mixed = replace(x, units=("mV", "degC"))
    found = Report(model, mixed).acquisition
    assert (found.unit, found.ch_names) == (None, ("a (mV)", "b (degC)"))


def test_codes_at_hand_are_not_computed_again(heart, monkeypatch):
    model, data = heart
    codes = model.encode(data.X)
    monkeypatch.setattr(OrbitDictionaryLearning, "encode", None)
    assert Report(model, data.X, codes=codes).facts.codes is codes
    with pytest.raises(ValueError, match="codes of 40 windows do not belong"):
        Report(model, data.X[:3], codes=codes).html()


def test_progress_counts_every_data_point_and_every_sample(heart):
    model, data = heart
    X, told = np.tile(data.X, (60, 1)), []
    codes = Report(model, X, progress=told.append).facts.codes
    assert len(told) > 1
    assert sum(told) == len(X) == len(codes)
    signal, told = make_ecg_recording(duration=20, random_state=0).signal, []
    waves = WaveformLearning(1, 200, noise="white", n_restarts=1, random_state=0).fit(signal)
    assert len(Report(waves, signal, progress=told.append).facts.table)
    assert sum(told) == len(signal)


# Sections


def test_a_user_adds_a_section_with_a_chart_of_his_own(heart):
    model, _ = heart
    chart = Chart("doses", "Doses <by day>", [row("dose (mg)", bars([0, 1], [5, 3]))], axis("day"))
    own = Section("Doses", lambda facts: Content(f"<p>Two days</p>{chart.__html__()}", [chart]))
    nothing = Section("Nothing", lambda facts: None)
    text = Report(model).add(own, before="Provenance").add(nothing).html()
    titles = re.findall(r"<h2[^>]*>(.*?)</h2>", text)
    assert titles[-2:] == ["Doses", "Provenance"]
    assert "Doses &lt;by day&gt;" in text
    assert data_of(text)["charts"]["doses"]["rows"][0]["layers"][0]["y"] == [5, 3]
    with pytest.raises(ValueError, match="before='Dose' is no section; use one of: Summary"):
        Report(model).add(own, before="Dose")


def test_every_title_and_every_entry_of_the_menu_leads_to_one_section(heart):
    model, data = heart
    twice = Section("Summary", lambda facts: "<p>again</p>")
    text = Report(model, data.X).add(twice).html()
    anchors = re.findall(r'<section id="([^"]*)"', text)
    assert len(set(anchors)) == len(anchors)
    assert re.findall(r'    <a href="#([^"]*)"', text) == anchors


def test_a_notebook_shows_the_page_in_a_frame_without_its_own_origin(heart):
    report = Report(heart[0])
    shown = report._repr_html_()
    inside = unescape(re.search(r'srcdoc="([^"]*)"', shown)[1])
    assert inside.startswith("<!DOCTYPE html>")
    assert 'sandbox="allow-scripts"' in shown
    assert repr(report) == "<Report of OrbitDictionaryLearning>"


# Summary and provenance


def test_the_summary_says_what_how_well_and_how_far(heart):
    model, data = heart
    said = " ".join(paragraphs(Report(model, data.X, sfreq=64.0).facts)).replace(NO_BREAK, " ")
    for words in ("2 components describe 40 windows of 65 samples (1.02 s)", "any amount"):
        assert words in said
    share = 1 - np.sum((data.X - model.reconstruct(data.X)) ** 2) / np.sum(data.X**2)
    assert f"explain {100 * share:.1f} % of the energy" in said
    assert "by more than 0.0" in said
    assert "not converged" in said


def test_the_certified_gap_is_never_rounded_down(heart):
    model, data = heart
    facts = Report(model, data.X).facts
    shown = {words: value for value, words in figures(facts)}["certified gap, at most"]
    assert float(shown.split(NO_BREAK)[0]) >= 100 * facts.codes.gap.max()


def test_without_data_the_report_is_about_the_model(heart):
    text = Report(heart[0]).html()
    assert "describes the model alone" in words_of(text)
    assert "windows" not in data_of(text)
    for title in ("Decomposition", "Amplitudes", "Recording"):
        assert f">{title}</h2>" not in text


def test_a_model_without_history_says_so(heart):
    model = fitted(ContinuousShift(), heart[1].X[:5], max_iter=0)
    del model.history_
    assert "not recorded" in words_of(Report(model).html())


@pytest.mark.parametrize("group", [PENTAGON, Trivial(), Finite([[1, 0]])])
def test_the_snippet_fits_the_same_components_and_writes_the_report(group, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    X = np.random.default_rng(0).standard_normal((5, 2))
    facts = Report(fitted(group, X), X, title="A 'title'").facts
    scope = {"X": X}
    exec(snippet(facts), scope)
    assert type(scope["model"].group) is type(group)
    assert_allclose(scope["model"].components_, facts.components)
    assert isinstance(scope["codes"], Codes)
    assert "<h1>A &#39;title&#39;</h1>" in (tmp_path / "report.html").read_text()


def test_the_snippet_of_a_recording_reads_its_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    signal = make_ecg_recording(duration=20, random_state=0).signal
    np.save("heart.npy", signal)
    model = WaveformLearning(1, 200, noise="white", n_restarts=1, random_state=0).fit(signal)
    facts = Report(model, "heart.npy", sfreq=360.0).facts
    scope = {}
    exec(snippet(facts), scope)
    assert_allclose(scope["model"].components_, model.components_)
    assert "A recording" not in snippet(facts)
    assert (tmp_path / "report.html").exists()


def test_the_table_of_the_run_has_parameters_versions_and_a_fingerprint(heart):
    model, data = heart
    rows = dict(run_table(Report(model, data.X, sfreq=64.0).facts))
    assert rows["alpha"] == "0.1"
    assert rows["group"] == "ContinuousShift()"
    assert "numpy" in rows["versions"]
    assert rows["sampling rate"] == f"64{NO_BREAK}Hz".replace(NO_BREAK, " ")
    assert rows["fingerprint of the data"] == data_fingerprint(data.X)
    assert rows["fingerprint of the training data"] == data_fingerprint(data.X)


def test_a_model_from_a_file_gets_the_same_report(heart, tmp_path):
    model, data = heart
    model.save(tmp_path / "m.safetensors")
    again = Report(load(tmp_path / "m.safetensors"), data.X).facts
    anew = Report(model, data.X, codes=model.encode(data.X)).facts  # not the codes of the fit
    assert paragraphs(again) == paragraphs(anew)


# The file


def test_texts_from_outside_are_escaped(heart):
    model, data = heart
    evil = "</script><script>alert(1)</script><b>&\"'"
    labels = {"title": evil, "command": evil, "unit": evil, "ch_names": [evil]}
    text = Report(model, data.X, **labels).html()
    assert evil not in text
    assert "<script>alert" not in text
    assert unescape(re.search(r"<h1>(.*?)</h1>", text, re.S)[1]) == evil
    assert json.loads(as_json({"a": evil})) == {"a": evil}
    assert data_of(text)["unit"] == evil


def test_a_page_is_small_and_allows_no_network(heart, tmp_path):
    model, data = heart
    assert Report(model).write(tmp_path / "r.html").stat().st_size < 500_000
    file = Report(model, data.X, sfreq=64.0).write(tmp_path / "r.html")
    assert file.stat().st_size < 500_000
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', file.read_text())[1]
    rules = dict(rule.strip().split(" ", 1) for rule in unescape(policy).split(";"))
    assert rules["default-src"] == "'none'"
    assert len(re.findall("'sha256-", rules["script-src"])) == 1
    assert "unsafe" not in rules["script-src"]
    assert "http" not in policy


def test_large_data_points_are_shown_in_smaller_number():
    X = np.random.default_rng(0).standard_normal((30, 20_000))
    codes = encode(X, X[:1], group=Trivial(), alpha=1e4)
    model = fitted(Trivial(), X[:2], n_components=1, max_iter=0)
    model.components_ = X[:1]
    content = data_of(Report(model, X, codes=codes, n_windows=30).html())
    assert 1 <= len(content["windows"]["shown"]) <= 10


def test_a_report_replaces_the_old_one_only_when_complete(heart, tmp_path, monkeypatch):
    file = tmp_path / "r.html"
    file.write_text("old")

    def full(*_):
        raise OSError("No space left on device")

    monkeypatch.setattr(writing.os, "replace", full)
    with pytest.raises(OSError, match="no space"):
        Report(heart[0]).write(file)
    assert file.read_text() == "old"
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"sfreq": -1.0}, "sfreq must be a positive number"),
        ({"n_windows": 0}, "n_windows must be an integer"),
        ({"path": "nowhere/r.html"}, "there is no folder nowhere"),
        ({"path": "."}, "is a folder"),
        ({"data": 3.0}, "X is a single number"),
    ],
)
def test_bad_arguments_are_refused_before_any_work(heart, monkeypatch, settings, message):
    monkeypatch.setattr(OrbitDictionaryLearning, "encode", None)
    model, data = heart
    given = {"data": data.X, "path": "r.html"} | settings
    path = given.pop("path")
    with pytest.raises((ValueError, OSError), match=message):
        Report(model, **given).write(path)


def test_components_beyond_two_dozen_are_left_to_the_table():
    X = make_shift_data(40, 9, 2, 2, random_state=0).X
    text = Report(fitted(Trivial(), X, n_components=30), X).html()
    assert len(data_of(text)["components"]["shown"]) == 24
    assert "The 24 most used of 30 are drawn" in words_of(text)


def test_signals_of_many_channels_are_lines_with_their_names():
    X = np.random.default_rng(0).standard_normal((6, 15, 12))
    names = [f"lead {k}" for k in range(12)]
    view = view_of(Report(fitted(IntegerShift(), X), X, ch_names=names).facts)
    assert (view["kind"], view["lines"], view["channels"]) == ("lines", 12, names)


def test_a_component_that_is_not_used_has_no_median():
    facts = given([bump(), bump(width=6)], [bump()] * 3, IntegerShift(), alpha=0.5)
    assert "no events" in data_of_components(facts)[1]


def data_of_components(facts):
    from orbitdl.report.sections.components import payload

    return payload(facts, np.arange(len(facts.components)))["captions"]


# Selection


def chosen(table, **choice):
    from orbitdl.selection.choice import Selection

    return Selection(table, choice, "2 components: 1 is worse.", None)


def test_the_selection_is_drawn_as_a_curve_for_every_candidate_with_the_choice(heart):
    rows = [("IntegerShift()", q, alpha, 1 / q + alpha) for q in (1, 2) for alpha in (0.2, 0.1)]
    table = pd.DataFrame(rows, columns=["group", "n_components", "alpha", "error"])
    found = chosen(
        table.assign(standard_error=0.01), group="IntegerShift()", n_components=2, alpha=0.1
    )
    text = Report(heart[0], selection=found).html()
    assert "2 components: 1 is worse." in words_of(text)
    spec = data_of(text)["charts"]["selection-errors"]
    curves = {layer["name"]: layer for layer in layers_of(spec, "line")}
    assert set(curves) == {"IntegerShift(), 1 component", "IntegerShift(), 2 components"}
    assert curves["IntegerShift(), 1 component"]["x"] == [0.1, 0.2]
    assert curves["IntegerShift(), 1 component"]["y"] == [1.1, 1.2]
    (mark,) = layers_of(spec, "marks")
    assert (mark["x"], mark["y"]) == ([0.1], [0.6])


def test_the_selection_for_a_recording_is_one_curve_over_numbers_of_components(heart):
    table = pd.DataFrame({"n_components": [2, 1], "error": [0.3, 0.5], "standard_error": 0.01})
    spec = data_of(Report(heart[0], selection=chosen(table, n_components=2)).html())
    spec = spec["charts"]["selection-errors"]
    (curve,) = layers_of(spec, "line")
    assert (curve["x"], curve["y"]) == ([1, 2], [0.5, 0.3])
    (mark,) = layers_of(spec, "marks")
    assert (mark["x"], mark["y"]) == ([2], [0.3])
