"""A circle group from outside the package, under another transform than that of time."""

import numpy as np
import pytest
from laws import LAWS, draw_correlations
from numpy.testing import assert_allclose
from outsiders import Harmonics, InPairs

from orbitdl import OrbitDictionaryLearning
from orbitdl.coding import Matching
from orbitdl.groups import CircleRepresentation, ContinuousShift
from orbitdl.report import Report
from orbitdl.report.sections.components import payload
from orbitdl.report.sections.provenance import snippet
from orbitdl.report.sections.summary import paragraphs

LAWS_OF_A_CIRCLE = [law for law, (_, kind) in LAWS.items() if kind(Harmonics().on((8,)))]


@pytest.mark.parametrize("n_blocks", [1, 2, 5, 60])
@pytest.mark.parametrize("law", LAWS_OF_A_CIRCLE)
def test_law_holds_for_a_circle_under_another_transform(law, n_blocks):
    check, _ = LAWS[law]
    check(Harmonics().on((2 * n_blocks,)), np.random.default_rng(n_blocks))


def test_harmonics_turn_by_multiples_of_the_angle():
    x = np.random.default_rng(0).standard_normal(8)
    moved = Harmonics().on((8,)).act(np.array([30.0]), x)
    f = np.arange(4)
    expected = (x[::2] + 1j * x[1::2]) * np.exp(-1j * np.deg2rad(30.0) * f)
    assert_allclose(moved[::2] + 1j * moved[1::2], expected)


def test_the_best_turn_is_that_of_a_dense_search_and_the_best_shift_in_other_units():
    rng, turns, shifts = np.random.default_rng(0), Harmonics().on((10,)), ContinuousShift().on((9,))
    C = draw_correlations(turns, rng, 20)
    value, degrees = turns.match(C)
    dense = np.deg2rad(np.linspace(0, 360, 100_000, endpoint=False))
    tried = np.real(C[:, :, 0, 0] @ np.exp(1j * np.outer(np.arange(5), dense)))
    assert_allclose(np.abs(value), np.abs(tried).max(axis=1), rtol=1e-7)
    assert np.all(np.abs(value) >= np.abs(tried).max(axis=1) * (1 - 1e-12))
    assert_allclose(degrees / 360, shifts.match(C)[1] / 9, atol=1e-9)


def test_every_peak_of_a_circle_is_found_and_no_more():
    turns = Harmonics().on((12,))
    C = draw_correlations(turns, np.random.default_rng(1), 5)
    angle = np.linspace(0, 2 * np.pi, 50_000, endpoint=False)
    height = np.abs(np.real(C[:, :, 0, 0] @ np.exp(1j * np.outer(np.arange(6), angle))))
    level = 0.3 * height.max()
    is_peak = (height >= np.roll(height, 1, 1)) & (height > np.roll(height, -1, 1))
    row, k = np.nonzero(is_peak & (height > level))
    found = turns.peaks(C, level)
    order = np.lexsort((found.element[:, 0], found.row))
    assert np.array_equal(found.row[order], row)
    assert_allclose(found.element[order, 0], np.rad2deg(angle[k]), atol=0.02)


def test_too_few_cells_for_the_frequencies_are_refused():
    with pytest.raises(ValueError, match="4 frequencies need at least 7 resolution cells, not 6"):
        CircleRepresentation(Harmonics(), InPairs((8,)), period=360.0, cells=6)


def test_a_group_that_declares_no_presentation_is_reported_in_words_and_pictures_of_any_group():
    X = np.random.default_rng(0).standard_normal((12, 6))
    model = OrbitDictionaryLearning(2, Harmonics(), alpha=0.3, coder=Matching(), max_iter=0).fit(X)
    facts = Report(model, X).facts
    content = payload(facts, np.arange(2))
    assert "They may be transformed by the group Harmonics." in paragraphs(facts)[0]
    assert [slider["kind"] for slider in content["sliders"]] == ["list"]
    assert content["sliders"][0]["words"][:3] == ["0", "15", "30"]
    moved = facts.action.act(np.array([30.0]), facts.components[1])
    assert_allclose(content["shapes"][1]["copies"][2], [moved], atol=1e-3)
    assert "from outsiders import Harmonics" in snippet(facts)


def test_turns_the_other_way_are_shortest_with_a_minus_sign():
    turns = Harmonics().on((8,))
    given = np.array([[10.0], [350.0], [181.0]])
    assert_allclose(turns.principal(given), [[10.0], [-10.0], [-179.0]])
    assert_allclose(turns.represent(turns.principal(given)), turns.represent(given))
