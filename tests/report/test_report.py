"""The report's facts, remarks and file, without a browser."""

import json
import re
from dataclasses import replace
from functools import cache
from html import unescape

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from registry import ACTIONS, PENTAGON, action

from orbitdl import Codes, OrbitDictionaryLearning, Status, encode, load, positions
from orbitdl.datasets import make_ecg_like, make_shift_data
from orbitdl.groups import ContinuousShift, Finite, IntegerShift, Trivial
from orbitdl.io import Preprocessing, Recording, event_table, prepare
from orbitdl.report import coded, write, write_report
from orbitdl.report.coded import Scaling
from orbitdl.report.examples import MOST_ATOMS, choose_windows, worst_windows
from orbitdl.report.facts import Labels, gather
from orbitdl.report.frame import as_json
from orbitdl.report.notes import remarks
from orbitdl.report.origin import run_table, snippet
from orbitdl.report.overview import figures, paragraphs
from orbitdl.report.payload import payload
from orbitdl.report.phrasing import NO_BREAK
from orbitdl.report.timeline import events_of
from orbitdl.report.usage import usage_of
from orbitdl.report.write import page
from orbitdl.storage.provenance import data_fingerprint

# fits end early here, on purpose
pytestmark = pytest.mark.filterwarnings("ignore:max_iter=:sklearn.exceptions.ConvergenceWarning")

LABELS = Labels("A title")


def fitted(group, X, **settings):
    settings = {"n_components": 2, "alpha": 0.3, "max_iter": 3, "random_state": 0} | settings
    return OrbitDictionaryLearning(group=group, **settings).fit(X)


@cache
def facts_of(name):
    """Fit a model of the registry's group to noise, and gather the facts."""
    representation = action(name)
    X = np.random.default_rng(0).standard_normal((12, *representation.shape))
    return gather(fitted(representation.group, X), X, LABELS)


def given(components, X, group, alpha=0.1, converged=True, **labels):
    """Gather facts of components and data made up for the purpose."""
    X = np.asarray(X, dtype=float)
    model = fitted(group, np.nan_to_num(X), n_components=len(components), max_iter=0, alpha=alpha)
    model.components_ = np.asarray(components, dtype=float)
    model.converged_ = converged
    return gather(model, X, replace(LABELS, **labels))


def about(facts):
    return [note.about for note in remarks(facts)]


def bump(length=41, width=1.5):
    t = np.arange(length) - length // 2
    wave = np.exp(-0.5 * (t / width) ** 2)
    return wave / np.linalg.norm(wave)


@pytest.fixture(scope="module")
def heart():
    data = make_ecg_like(n_windows=40, length=65, random_state=0)
    return fitted(ContinuousShift(), data.X, alpha=0.1), data


# Facts, for every group


@pytest.mark.parametrize("name", ACTIONS)
def test_the_atoms_shown_add_up_to_the_approximation(name):
    """All of them do, or the largest do to what is left when the smaller ones are taken off."""
    facts = facts_of(name)
    content = payload(facts, 12)
    moves, view, atoms = facts.representation, facts.view, facts.coded.codes.atoms
    assert len(content["windows"]) == 12
    for window in content["windows"]:
        own = np.flatnonzero(atoms.sample == window["number"])
        order = own[np.argsort(-np.abs(atoms.coefficient[own]), kind="stable")]
        assert window["count"] == len(own)
        assert len(window["atoms"]) == min(len(own), MOST_ATOMS)
        smaller = order[MOST_ATOMS:]
        rest = moves.act(atoms.element[smaller], facts.components[atoms.component[smaller]])
        rest = np.tensordot(atoms.coefficient[smaller], rest, 1)
        total = np.zeros((view.n_lines, view.length))
        for atom in window["atoms"]:
            lines = np.array(content["components"][atom["j"]]["lines"])
            if "shift" in atom:
                a = facts.components[atom["j"]]
                lines = view.lines(moves.act(np.array([atom["shift"]]), a), moves.shape)
            elif "moved" in atom:
                lines = np.array(content["moved"][atom["moved"]])
            total += atom["c"] * lines
        assert_allclose(total + view.lines(rest, moves.shape), window["fit"], atol=2e-3)


@pytest.mark.parametrize("name", ACTIONS)
def test_every_group_gets_a_page_in_words(name):
    facts = facts_of(name)
    text = page(facts, 5, None)
    content = json.loads(re.search(r'id="data">(.*?)</script>', text, re.S)[1])
    kinds = [slider["kind"] for slider in content["sliders"]]
    assert set(kinds) <= {"shift", "phase", "turn", "list"}
    assert "list" not in kinds[1:], "the page moves listed copies on, but makes none"
    assert all(len(component["start"]) == len(kinds) for component in content["components"])
    assert bool(kinds) != facts.presentation.fixed
    assert len(content["components"]) == 2
    assert "$" not in text.split('<script type="application/json"')[0].split("</style>")[1]
    assert "components describe 12" in text
    assert "nan" not in " ".join(paragraphs(facts)).lower()


@pytest.mark.parametrize("name", ACTIONS)
def test_the_view_keeps_every_value(name):
    facts = facts_of(name)
    lines = facts.view.lines(facts.components, facts.representation.shape)
    assert lines.shape == (2, facts.view.n_lines, facts.view.length)
    assert_allclose(np.sort(lines.ravel()), np.sort(facts.components.ravel()))


def test_explained_energy_counts_what_was_observed(heart):
    model, data = heart
    X = data.X.copy()
    X[3, 10:20] = np.nan
    coded = gather(model, X, LABELS).coded
    left = (X - coded.approximation)[3]
    seen = ~np.isnan(left)
    assert_allclose(coded.explained[3], 1 - np.sum(left[seen] ** 2) / np.sum(X[3, seen] ** 2))
    assert_allclose(coded.missing, 10 / X.size)


def test_usage_adds_up_to_all_atoms(heart):
    model, data = heart
    coded = gather(model, data.X, LABELS).coded
    usage, atoms = coded.usage, coded.codes.atoms
    assert usage.atoms.sum() == usage.histogram.sum() == len(atoms.coefficient)
    assert_allclose(usage.share.sum(), 1)
    assert_array_equal(usage.windows, (coded.codes.invariants() > 0).sum(axis=0))


def test_an_event_is_placed_where_the_component_is_highest():
    wave, sfreq = np.roll(bump(), 7), 100.0
    X = [np.roll(bump(), 3), np.roll(bump(), -5)]
    facts = given([wave], X, IntegerShift(), alpha=0.5, sfreq=sfreq)
    events = events_of(facts, facts.coded)
    assert events.in_seconds
    assert_allclose(events.time, [(20 + 3) / sfreq, (41 + 20 - 5) / sfreq])
    overlapping = replace(facts.coded, step=20)
    assert_allclose(events_of(facts, overlapping).time, [23 / sfreq, (20 + 15) / sfreq])
    unknown = replace(facts, labels=replace(facts.labels, sfreq=None))
    assert_allclose(events_of(unknown, facts.coded).time, [23 / 41, 1 + 15 / 41])


def pulse(place, length=40):
    """Return a pulse on a circle, peaked between the samples."""
    t = (np.arange(length) - place + length / 2) % length - length / 2
    return np.exp(-0.5 * (t / 2) ** 2)


def two_channels() -> np.ndarray:
    """Return a component whose largest value is not where its channels together are largest."""
    a = np.zeros((64, 2))
    a[:, 0] = 1.2 * pulse(50.4, 64)
    a[:, 1] = pulse(9.3, 64)
    a[:, 0] += pulse(9.3, 64)
    return a / np.linalg.norm(a)


@pytest.mark.parametrize("a", [pulse(20.42), two_channels()], ids=["one channel", "two channels"])
def test_the_table_and_the_report_place_an_atom_alike(a):
    moves = ContinuousShift().on(a.shape)
    X = 2 * moves.act(np.array([[3.3], [0.0], [30.1]]), a[None])
    model = OrbitDictionaryLearning(1, ContinuousShift(), alpha=0.1, max_iter=0).fit(X)
    model.components_ = moves.project(a[None])
    codes = model.encode(X)
    windows = prepare(Recording(X), Preprocessing(), layout="windows")
    table = event_table(codes, model.components_, windows)
    facts = gather(model, X, LABELS, codes)
    assert_allclose(facts.coded.position, table["sample"], atol=1e-9)
    assert_allclose(positions(codes, model.components_), table["sample"], atol=1e-9)


def test_the_worst_windows_are_among_those_shown(heart):
    model, data = heart
    coded = gather(model, data.X, LABELS).coded
    chosen = choose_windows(coded, 12)
    assert len(chosen) == 12
    assert np.all(np.diff(chosen) > 0)
    assert set(np.argsort(-coded.unexplained)[:3]) <= set(chosen)
    assert_array_equal(choose_windows(coded, 500), np.arange(40))


def test_codes_at_hand_are_not_computed_again(heart, monkeypatch):
    model, data = heart
    codes = model.encode(data.X)
    monkeypatch.setattr(OrbitDictionaryLearning, "encode", None)
    assert gather(model, data.X, LABELS, codes).coded.codes is codes
    with pytest.raises(ValueError, match="codes of 40 windows do not belong"):
        gather(model, data.X[:3], LABELS, codes)


# Which windows are worth a look

NORMAL = [[0.15, -0.17, 0.028], [-0.14, -0.045, 0.016], [1, 0, 0.018], [-0.25, 0.045, 0.018]]
WIDE = [[0.72, 0, 0.04], [-0.44, 0.11, 0.045], [-0.24, 0.3, 0.055]]
BEAT = 45  # samples, at 64 a second: about as long as a beat


def recording(phase, strange=True):
    """Simulate 600 beats, one in the middle of another shape, `phase` samples into a window."""
    rng = np.random.default_rng(1)
    n, middle = 500 * BEAT, (250 * BEAT + phase) / 64
    away = np.cumsum(0.8 * np.exp(0.08 * rng.standard_normal((2, 400))), axis=1)
    times = np.concatenate([middle - away[0], middle + away[1]])
    signal = 0.02 * rng.standard_normal(n)
    shapes = [(t, NORMAL) for t in times] + [(middle, WIDE if strange else NORMAL)]
    for t, waves in shapes:
        near = np.arange(max(0, int(64 * t) - 40), min(n, int(64 * t) + 40))
        for height, after, width in waves:
            signal[near] += height * np.exp(-0.5 * ((near / 64 - t - after) / width) ** 2)
    return signal


@pytest.fixture(scope="module")
def beats():
    """Return a model of the ordinary beats, from normalised windows."""
    windows = prepare(Recording(recording(20, strange=False)), Preprocessing(BEAT, BEAT, True))
    return fitted(ContinuousShift(), windows.values, alpha=0.1, max_iter=20, n_restarts=2)


def rank_of_the_strange_beat(model, phase, step):
    """Return how many windows are shown before one that holds the strange beat."""
    signal = recording(phase)
    windows = prepare(Recording(signal), Preprocessing(BEAT, step, True), to_end=True)
    labels = replace(LABELS, step=step, samples=len(signal))
    scaling = Scaling.of(windows.values, windows.mean, windows.scale)
    coded = gather(model, windows.values, labels, None, scaling).coded
    start = coded.start[worst_windows(coded, 50)]
    beat = 250 * BEAT + phase + np.array([-5, 20])  # from its rise to its T wave
    holds = (start <= beat[1]) & (beat[0] < start + BEAT)
    return int(np.argmax(holds)) if holds.any() else 50


@pytest.mark.parametrize("phase", [0, 7, 14, 21, 28, 35, 42])
@pytest.mark.parametrize("step", [23, 11])
def test_the_one_strange_beat_is_shown_first_where_windows_overlap(beats, phase, step):
    assert rank_of_the_strange_beat(beats, phase, step) == 0


@pytest.mark.parametrize("phase", [4, 8, 14, 21, 28, 32])
def test_the_one_strange_beat_is_among_the_first_where_windows_adjoin(beats, phase):
    assert rank_of_the_strange_beat(beats, phase, BEAT) <= 2


def test_windows_that_show_the_same_are_not_all_shown(beats):
    signal = recording(20)
    windows = prepare(Recording(signal), Preprocessing(BEAT, 5), to_end=True)
    coded = gather(beats, windows.values, replace(LABELS, step=5, samples=len(signal))).coded
    worst = np.sort(worst_windows(coded, 30))
    assert len(worst) == 30
    assert 5 * np.diff(worst).min() >= BEAT // 2


# Units


def test_a_report_undoes_the_normalisation_of_several_channels():
    rng = np.random.default_rng(0)
    raw = 7 * rng.standard_normal((6, 21, 2)) + [100, -3]
    mean, scale = raw.mean(axis=1, keepdims=True), rng.uniform(5, 9, 6)
    X = (raw - mean) / scale[:, None, None]
    model = fitted(ContinuousShift(), X)
    facts = gather(model, X, LABELS, None, Scaling.of(X, mean, scale))
    content = payload(facts, 6)
    for i, window in enumerate(content["windows"]):
        assert_allclose(np.transpose(window["data"]), raw[i], atol=2e-3)
        assert_allclose(window["base"], mean[i, 0], rtol=1e-6)
        left = np.transpose(window["data"]) - np.transpose(window["fit"])
        share = np.sum(left**2) / np.sum((raw[i] - mean[i]) ** 2)
        assert_allclose(window["explained"], 1 - share, atol=1e-3)
    codes = facts.coded.codes.atoms
    assert_allclose(facts.coded.coefficient, codes.coefficient * scale[codes.sample])


BAD_SCALING = {
    "too few": ({"scale": [1.0, 2.0]}, "scale must be 40 positive numbers"),
    "not positive": ({"scale": np.zeros(40)}, "scale must be 40 positive numbers"),
    "mean of another shape": ({"mean": np.zeros(7)}, "mean must be 40 finite numbers"),
    "mean of too few windows": ({"mean": np.zeros((1, 65))}, "mean must be 40 finite numbers"),
    "mean not known": ({"mean": np.full(40, np.nan)}, "mean must be 40 finite numbers"),
}


@pytest.mark.parametrize("case", BAD_SCALING)
def test_a_scaling_that_does_not_fit_is_refused(heart, case, tmp_path):
    model, data = heart
    settings, message = BAD_SCALING[case]
    with pytest.raises(ValueError, match=message):
        write_report(model, data.X, tmp_path / "r.html", **settings)


def test_usage_is_counted_once(heart, monkeypatch):
    model, data = heart
    counted = []
    monkeypatch.setattr(coded, "usage_of", lambda *data: counted.append(1) or usage_of(*data))
    page(gather(model, data.X, LABELS), 5, None)
    assert len(counted) == 1


# Words


def test_the_summary_says_what_how_well_and_how_far(heart):
    model, data = heart
    said = " ".join(paragraphs(gather(model, data.X, replace(LABELS, sfreq=64.0))))
    said = said.replace(NO_BREAK, " ")
    for words in ("2 components describe 40 windows of 65 samples (1.02 s)", "any amount"):
        assert words in said
    assert re.search(r"add up to \d\d(\.\d)? % of the energy", said)
    assert "by more than 0.0" in said
    assert "not converged" in said


def test_the_certified_gap_is_never_rounded_down(heart):
    model, data = heart
    facts = gather(model, data.X, LABELS)
    shown = {words: value for value, words in figures(facts)}["certified gap, at most"]
    assert float(shown.split(NO_BREAK)[0]) >= 100 * facts.coded.codes.gap.max()


def test_without_data_the_report_is_about_the_model(heart):
    facts = gather(heart[0], None, LABELS)
    assert "written from the model alone" in " ".join(paragraphs(facts))
    assert "windows" not in payload(facts, 5)
    assert 'class="about-model"' in page(facts, 5, None)


def test_a_model_without_history_says_so(heart):
    facts = replace(gather(heart[0], None, LABELS), history=[])
    assert "not recorded" in " ".join(paragraphs(facts))


# Remarks


def test_a_clean_fit_has_nothing_to_remark():
    rng = np.random.default_rng(0)
    waves = np.array([bump(), bump(width=6)])
    shifts = rng.permutation(np.linspace(-14, 14, 80).astype(int))
    X = [np.roll(waves[i % 2], s) for i, s in enumerate(shifts)]
    facts = given(waves, X, IntegerShift())
    assert remarks(facts) == []
    assert "Nothing to remark" in page(facts, 5, None)


def test_stopping_early_is_remarked():
    facts = given([bump()], [bump()] * 3, IntegerShift(), converged=False)
    assert "not converged" in about(facts)


def test_duplicates_are_found_up_to_a_move():
    waves = [bump(), -np.roll(bump(), 9), bump(width=7)]
    [note] = [n for n in remarks(given(waves, waves, IntegerShift())) if "dup" in n.about]
    assert "0 with 1 (similarity 100" in note.text
    assert "with 2" not in note.text


def test_unused_and_rare_components_are_remarked():
    waves = [bump(), bump(width=6), np.cos(2 * np.pi * 9 * np.arange(41) / 41) / np.sqrt(20.5)]
    X = [np.roll(bump(), s) for s in range(-15, 15)] + [0.3 * waves[1]]
    notes = {n.about: n.text for n in remarks(given(waves, X, IntegerShift()))}
    assert "Component 2 is not used" in notes["unused components"]
    assert "component 1 (1 atom)" in notes["nearly unused components"].replace(NO_BREAK, " ")


def test_windows_left_unexplained_are_remarked_with_the_worst():
    strange = (-1.0) ** np.arange(41)
    X = [bump()] * 9 + [bump() + strange]
    [note] = [n for n in remarks(given([bump()], X, IntegerShift())) if n.about == "not explained"]
    assert "1 window of 10" in note.text
    assert "window 9" in note.text


def test_much_noise_is_called_noise_and_a_missing_shape_is_not():
    rng = np.random.default_rng(0)
    clean = [np.roll(bump(), s) for s in range(-15, 15)]
    noisy = [x + 0.2 * rng.standard_normal(41) for x in clean]
    odd = [
        x + 1.5 * np.roll(bump(width=6), rng.integers(41)) * np.cos(np.arange(41)) for x in clean
    ]
    for X, about in ((noisy, "noise"), (odd, "not explained")):
        notes = remarks(given([bump()], X, IntegerShift(), alpha=0.5))
        assert [n.about for n in notes if n.about in ("noise", "not explained")] == [about]


def test_an_alpha_that_silences_most_windows_is_remarked():
    X = [0.2 * bump()] * 8 + [bump()] * 2
    notes = remarks(given([bump()], X, IntegerShift(), alpha=0.3))
    assert [n.about for n in notes] == ["alpha too large"]
    assert "8 windows of 10" in notes[0].text


def test_atoms_crowding_the_border_are_remarked():
    inside = [np.roll(bump(), s) for s in range(-15, 15)]
    cut = [np.roll(bump(), 20)] * 15
    assert "crowded border" not in about(given([bump()], inside, IntegerShift()))
    assert "crowded border" in about(given([bump()], inside + cut, IntegerShift()))


def test_the_alternating_part_is_remarked_only_where_it_is_lost():
    wave = bump(42)
    X = np.array([np.roll(wave, s) for s in range(-15, 15)])
    alternating = X + 0.05 * (-1.0) ** np.arange(42)
    assert "alternating part" not in about(given([wave], X, ContinuousShift()))
    assert "alternating part" in about(given([wave], alternating, ContinuousShift()))
    assert "alternating part" not in about(given([wave], alternating, IntegerShift()))


def test_missing_samples_are_remarked_and_become_gaps():
    X = np.array([np.roll(bump(), s) for s in range(-15, 15)])
    X[2, 5:9] = np.nan
    X[4] = np.nan
    facts = given([bump()], X, IntegerShift())
    [note] = [n for n in remarks(facts) if n.about == "missing"]
    assert "in 2 windows" in note.text.replace(NO_BREAK, " ")
    assert "no value at all" in note.text
    content = payload(facts, 50)
    assert content["windows"][2]["data"][0][4:10].count(None) == 4
    assert content["windows"][4]["explained"] is None
    assert None not in content["windows"][2]["fit"][0]


def test_overlapping_windows_and_early_codes_are_remarked():
    X = [np.roll(bump(), s) for s in range(-15, 15)]
    facts = given([bump()], X, IntegerShift(), step=10)
    assert "overlap" in about(facts)
    status = np.array([Status.STOPPED_EARLY] * 30, dtype=object)
    coded = replace(facts.coded, codes=replace(facts.coded.codes, status=status))
    assert "gap" in about(replace(facts, coded=coded))
    assert "gap" not in about(facts)


def uncentred():
    """Return windows with a pulse on top of an offset far larger than it."""
    return np.array([20 + np.roll(bump(), s) for s in range(-15, 15)])


def test_components_that_became_the_mean_are_remarked_with_the_remedy():
    facts = gather(fitted(IntegerShift(), uncentred(), n_components=3), uncentred(), LABELS)
    [note] = [note for note in remarks(facts) if note.about == "not centred"]
    text = note.text.replace(NO_BREAK, " ")
    assert note.severity == "check"
    assert "means of the windows carry 100 % of the energy" in text
    assert "0, 1 and 2" in text
    assert "--normalize" in text
    assert "orbitdl.datasets.segment" in text
    assert "X - X.mean(axis=1, keepdims=True)" in text
    assert "duplicate components" not in about(facts)
    assert "not centred" in about(gather(facts.model, None, LABELS))


def test_the_remedy_for_data_that_are_not_centred_helps():
    X = uncentred()
    X = X - X.mean(axis=1, keepdims=True)
    assert "not centred" not in about(gather(fitted(IntegerShift(), X), X, LABELS))


def test_the_alpha_at_which_codes_become_empty_is_named():
    X = np.array([3 * np.roll(bump(), s) for s in range(-15, 15)])
    facts = given([bump()], X, IntegerShift(), alpha=5.0)
    [note] = [note for note in remarks(facts) if note.about == "alpha too large"]
    assert "From 3 on all codes are empty" in note.text


@pytest.mark.parametrize("name", ACTIONS)
def test_remarks_can_be_made_for_every_group(name):
    for note in remarks(facts_of(name)):
        assert note.severity in ("check", "know")
        assert note.text.endswith(".")


# What was run


def test_the_snippet_fits_the_same_components_again(heart):
    model, data = heart
    scope = {"X": data.X}
    exec(snippet(gather(model, data.X, LABELS)), scope)
    assert_allclose(scope["model"].components_, model.components_)
    assert isinstance(scope["codes"], Codes)


@pytest.mark.parametrize("group", [PENTAGON, Trivial(), Finite([[1, 0]])])
def test_the_snippet_names_any_group(group):
    X = np.random.default_rng(0).standard_normal((5, 2))
    scope = {"X": X}
    exec(snippet(gather(fitted(group, X), X, LABELS)), scope)
    assert type(scope["model"].group) is type(group)


def test_the_table_of_the_run_has_parameters_versions_and_a_fingerprint(heart):
    model, data = heart
    rows = dict(run_table(gather(model, data.X, replace(LABELS, sfreq=64.0))))
    assert rows["alpha"] == "0.1"
    assert rows["group"] == "ContinuousShift()"
    assert "numpy" in rows["versions"]
    assert rows["fingerprint of the data"] == data_fingerprint(data.X)
    assert data_fingerprint(data.X) != data_fingerprint(data.X[1:])


@pytest.mark.parametrize("missing", ["nothing", "NaN", "a mask"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_model_and_report_print_one_fingerprint_of_the_same_data(missing, dtype):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((8, 6)).astype(dtype)
    seen = rng.random(X.shape) < (0.8 if missing != "nothing" else 2.0)
    holed = np.where(seen, X, np.nan)
    settings = {"n_components": 2, "alpha": 0.3, "max_iter": 0, "random_state": 0}
    model = OrbitDictionaryLearning(**settings)
    model.fit(X, mask=seen) if missing == "a mask" else model.fit(holed)
    rows = dict(run_table(gather(model, holed, LABELS)))
    assert rows["fingerprint of the data"] == model.provenance_["fingerprint"]


def test_a_model_from_a_file_tells_the_same_story(heart, tmp_path):
    model, data = heart
    model.save(tmp_path / "m.safetensors", preprocessing={"window": 65})
    again = gather(load(tmp_path / "m.safetensors"), data.X, LABELS)
    anew = gather(model, data.X, LABELS, model.encode(data.X))  # not the codes of the fit
    assert paragraphs(again) == paragraphs(anew)
    assert dict(run_table(again))["preprocessing"] == "window = 65"


# The file


def test_texts_from_outside_are_escaped(heart, tmp_path):
    model, data = heart
    evil = "</script><script>alert(1)</script><b>&\"'"
    text = write_report(
        model, data.X, tmp_path / "r.html", title=evil, command=evil, unit=evil, channels=[evil]
    ).read_text()
    assert evil not in text
    assert "<script>alert" not in text
    assert unescape(re.search(r"<h1>(.*?)</h1>", text, re.S)[1]) == evil
    assert json.loads(as_json({"a": evil})) == {"a": evil}


def test_the_file_is_small_and_allows_no_network(heart, tmp_path):
    model, data = heart
    file = write_report(model, data.X, tmp_path / "r.html", sfreq=64.0)
    assert file.stat().st_size < 10e6
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', file.read_text())[1]
    assert policy.startswith("default-src 'none'")
    assert "http" not in policy


def test_large_windows_are_shown_in_smaller_number():
    X = np.random.default_rng(0).standard_normal((30, 20_000))
    codes = encode(X, X[:1], group=Trivial(), alpha=1e4)
    model = fitted(Trivial(), X[:2], n_components=1, max_iter=0)
    model.components_ = X[:1]
    content = payload(gather(model, X, LABELS, codes), 30)
    assert 1 <= len(content["windows"]) <= 10


def test_a_report_replaces_the_old_one_only_when_complete(heart, tmp_path, monkeypatch):
    model, data = heart
    file = tmp_path / "r.html"
    file.write_text("old")

    def full(*_):
        raise OSError("No space left on device")

    monkeypatch.setattr(write.os, "replace", full)
    with pytest.raises(OSError, match="no space"):
        write_report(model, None, file)
    assert file.read_text() == "old"
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"sfreq": -1.0}, "sfreq must be a positive number"),
        ({"n_windows": 0}, "n_windows must be an integer"),
        ({"step": 0}, "step must be an integer"),
        ({"path": "nowhere/r.html"}, "there is no folder nowhere"),
        ({"path": "."}, "is a folder"),
    ],
)
def test_bad_arguments_are_refused_before_any_work(heart, monkeypatch, settings, message):
    monkeypatch.setattr(OrbitDictionaryLearning, "encode", None)
    model, data = heart
    with pytest.raises((ValueError, OSError), match=message):
        write_report(**{"model": model, "X": data.X, "path": "r.html"} | settings)


def test_components_beyond_two_dozen_are_left_to_the_table():
    X = make_shift_data(40, 9, 2, 2, random_state=0).X
    facts = gather(fitted(Trivial(), X, n_components=30), X, LABELS)
    assert len(payload(facts, 5)["shown"]) == 24
    assert "24 most used of 30" in page(facts, 5, None)
