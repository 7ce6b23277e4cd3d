"""Remarks on data and fit: each is made where it applies, and nowhere else."""

from dataclasses import replace

import numpy as np
import pytest
from registry import ACTIONS, action
from reports import bump, fitted, given

from orbitdl import Status
from orbitdl.groups import ContinuousShift, IntegerShift
from orbitdl.io import Recording
from orbitdl.report import Report
from orbitdl.report.phrasing import NO_BREAK
from orbitdl.report.sections.remarks import content, remarks
from orbitdl.report.sections.windows import payload
from orbitdl.windows import split_recording

# fits end early here, on purpose
pytestmark = pytest.mark.filterwarnings("ignore:max_iter=:sklearn.exceptions.ConvergenceWarning")


def about(facts):
    return [note.about for note in remarks(facts)]


def test_a_clean_fit_has_nothing_to_remark():
    rng = np.random.default_rng(0)
    waves = np.array([bump(), bump(width=6)])
    shifts = rng.permutation(np.linspace(-14, 14, 80).astype(int))
    X = [np.roll(waves[i % 2], s) for i, s in enumerate(shifts)]
    facts = given(waves, X, IntegerShift())
    assert remarks(facts) == []
    assert "Nothing to remark" in content(facts).html


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
    assert "component 1 (1 event)" in notes["nearly unused components"].replace(NO_BREAK, " ")


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
    shown = payload(facts, facts.windows, 50)["shown"]
    assert shown[2]["data"][0][4:10].count(None) == 4
    assert shown[4]["explained"] is None
    assert None not in shown[2]["fit"][0]


def test_overlapping_windows_and_early_codes_are_remarked():
    X = [np.roll(bump(), s) for s in range(-15, 15)]
    windows = split_recording(Recording(np.ravel(X)), 41, 10)
    assert "overlap" in about(given([bump()], windows, IntegerShift()))
    facts = given([bump()], X, IntegerShift())
    assert "overlap" not in about(facts)
    status = np.array([Status.STOPPED_EARLY] * 30, dtype=object)
    coded = replace(facts.windows, codes=replace(facts.codes, status=status))
    assert "gap" in about(replace(facts, windows=coded))
    assert "gap" not in about(facts)


def uncentred():
    """Return windows with a pulse on top of an offset far larger than it."""
    return np.array([20 + np.roll(bump(), s) for s in range(-15, 15)])


def test_components_that_became_the_mean_are_remarked_with_the_remedy():
    facts = Report(fitted(IntegerShift(), uncentred(), n_components=3), uncentred()).facts
    [note] = [note for note in remarks(facts) if note.about == "not centred"]
    text = note.text.replace(NO_BREAK, " ")
    assert note.severity == "check"
    assert "means of the windows carry 100 % of the energy" in text
    assert "0, 1 and 2" in text
    assert "--normalize" in text
    assert "orbitdl.datasets.segment" in text
    assert "X - X.mean(axis=1, keepdims=True)" in text
    assert "duplicate components" not in about(facts)
    assert "not centred" in about(Report(facts.model).facts)


def test_the_remedy_for_data_that_are_not_centred_helps():
    X = uncentred()
    X = X - X.mean(axis=1, keepdims=True)
    assert "not centred" not in about(Report(fitted(IntegerShift(), X), X).facts)


def test_the_alpha_at_which_codes_become_empty_is_named():
    X = np.array([3 * np.roll(bump(), s) for s in range(-15, 15)])
    facts = given([bump()], X, IntegerShift(), alpha=5.0)
    [note] = [note for note in remarks(facts) if note.about == "alpha too large"]
    assert "From 3 on all codes are empty" in note.text


@pytest.mark.parametrize("name", ACTIONS)
def test_remarks_can_be_made_for_every_group(name):
    acts = action(name)
    X = np.random.default_rng(0).standard_normal((12, *acts.shape))
    for note in remarks(Report(fitted(acts.group, X), X).facts):
        assert note.severity in ("check", "know")
        assert note.text.endswith(".")
