"""Displays draw what they say, where they are told to, and change nothing else."""

import ast
import json
import re
import sys
from pathlib import Path
from types import SimpleNamespace

import matplotlib
import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import NotFittedError

import orbitdl.plot
from orbitdl import Codes, OrbitDictionaryLearning, WaveformLearning, dictionary_distance
from orbitdl.datasets import make_ecg_recording
from orbitdl.groups import (
    ContinuousShift,
    Finite,
    ImageRotation,
    IntegerShift,
    Orthogonal,
    Product,
    Trivial,
)
from orbitdl.plot import (
    ComponentsDisplay,
    ConvergenceDisplay,
    DecompositionDisplay,
    DictionariesDisplay,
    EventsDisplay,
    SelectionDisplay,
    canvas,
)
from orbitdl.preprocessing import HighPass, Pick
from orbitdl.report.frame import file
from orbitdl.report.recording import write_recording_report
from orbitdl.selection import select
from tests.registry import KINDS as KINDS_OF_GROUPS
from tests.registry import action

FOLDER = Path(orbitdl.plot.__file__).parent
IMPORTS = (ast.Import, ast.ImportFrom)
RNG = np.random.default_rng(0)


@pytest.fixture(autouse=True)
def closed():
    """Close what a test draws, and see that it showed nothing and changed no setting."""
    before = dict(matplotlib.rcParams)
    yield
    plt.close("all")
    assert dict(matplotlib.rcParams) == before


def model_of(group, shape, q=2, n=6):
    """Return a model with codes of data that were drawn at random, after one look at them."""
    X = RNG.standard_normal((n, *shape))
    model = OrbitDictionaryLearning(
        q, group, alpha=1.0, max_iter=0, n_restarts=1, random_state=0
    ).fit(X)
    return model, X


@pytest.fixture(scope="module")
def shifted():
    return model_of(IntegerShift(), (12,))


@pytest.fixture(scope="module")
def waveforms():
    """Return a model of two channels, and a recording in which it finds two events."""
    rng = np.random.default_rng(0)
    t = np.arange(16)
    wave = np.stack([np.exp(-0.2 * (t - 7) ** 2), -0.5 * np.exp(-0.1 * (t - 9) ** 2)], axis=1)
    signal = 0.01 * rng.standard_normal((400, 2))
    signal[100:116] += 2.0 * wave
    signal[300:316] += 3.0 * wave
    model = WaveformLearning(
        1, 16, alpha=0.2, init=wave[None], max_iter=1, tol=1e-3, detrend=False,
        callback=lambda iteration: True,noise="white"
    ).fit(signal)  # fmt: skip
    return model, signal


def drawn(ax):
    """Return the heights of all curves of an axis that are data, not guides."""
    return [line.get_ydata() for line in ax.lines if len(line.get_xdata()) > 2]


def test_components_are_drawn_as_they_are():
    model, _ = model_of(Trivial(), (9,))
    display = ComponentsDisplay.from_estimator(model)
    for ax, a in zip(display.axes_, model.components_, strict=True):
        assert_array_equal(drawn(ax)[0], a)


def test_components_of_shifts_have_their_peaks_in_the_middle(shifted):
    model, _ = shifted
    display = ComponentsDisplay.from_estimator(model, sfreq=4.0)
    for ax, a in zip(display.axes_, model.components_, strict=True):
        line = next(line for line in ax.lines if len(line.get_xdata()) > 2)
        peak = int(np.argmax(np.abs(a)))
        assert_array_equal(np.roll(line.get_ydata(), peak - 6), a)
        assert_allclose(line.get_xdata(), (np.arange(12) - 6) / 4.0)
        assert ax.get_xlabel() == "time from the peak (s)"


def test_channels_are_drawn_below_each_other_and_do_not_meet():
    model, _ = model_of(Trivial(), (9, 3))
    display = ComponentsDisplay.from_estimator(model)
    names = [label.get_text() for label in display.axes_[0].get_yticklabels()]
    assert names == ["column 0", "column 1", "column 2"]
    for ax, a in zip(display.axes_, model.components_, strict=True):
        lines, levels = drawn(ax), ax.get_yticks()
        for k, (line, level) in enumerate(zip(lines, levels, strict=True)):
            assert_allclose(line - level, a[:, k], atol=1e-12)
        assert all(low.max() < high.min() for high, low in zip(lines, lines[1:], strict=False))


def test_images_are_drawn_on_one_scale_with_zero_in_its_middle():
    model, _ = model_of(ImageRotation(), (6, 6))
    display = ComponentsDisplay.from_estimator(model)
    limits = {ax.images[0].get_clim() for ax in display.axes_}
    assert len(limits) == 1
    assert limits.pop() == (-np.abs(model.components_).max(), np.abs(model.components_).max())
    for ax, a in zip(display.axes_, model.components_, strict=True):
        assert_array_equal(ax.images[0].get_array(), a)


def test_points_of_a_plane_are_drawn_at_their_places():
    model, _ = model_of(Orthogonal(), (2, 5))
    display = ComponentsDisplay.from_estimator(model)
    for ax, a in zip(display.axes_, model.components_, strict=True):
        assert_array_equal(np.array(ax.lines[-1].get_data()), a)


@pytest.mark.parametrize("name", KINDS_OF_GROUPS)
def test_components_and_data_of_every_kind_of_group_are_drawn(name):
    space = action(name)
    model = OrbitDictionaryLearning(2, space.group)
    model.components_ = space.project(RNG.standard_normal((2, *space.shape)))
    model.alpha_ = 1e9  # no atoms at this price
    for display in (
        ComponentsDisplay.from_estimator(model),
        DecompositionDisplay.from_estimator(model, model.components_, sample=1),
    ):
        display.figure_.draw_without_rendering()


def test_shares_are_those_of_the_codes(shifted):
    model, X = shifted
    weight = np.abs(model.encode(X).invariants()).sum(axis=0)
    display = ComponentsDisplay.from_estimator(model)
    assert_allclose(display.shares, weight / weight.sum(), rtol=1e-3)
    assert f"{100 * display.shares[1]:.0f} %" in display.axes_[1].get_title(loc="left")


def test_eight_components_fill_two_rows():
    model, _ = model_of(IntegerShift(), (12,), q=8, n=20)
    rows = {ax.get_position().y0 for ax in ComponentsDisplay.from_estimator(model).axes_}
    assert len(rows) == 2


def test_a_data_point_is_the_sum_of_what_is_drawn_below_it(shifted):
    model, X = shifted
    display = DecompositionDisplay.from_estimator(model, X, sample=2)
    (ax,) = display.axes_
    data, fit, *atoms, residual = drawn(ax)
    levels = ax.get_yticks()
    assert_array_equal(data, X[2])
    assert_allclose(fit, model.reconstruct(X)[2], atol=1e-10)
    parts = np.array(atoms) - levels[1:-1, None]
    assert_allclose(parts.sum(axis=0), fit, atol=1e-10)
    assert_allclose(residual - levels[-1], data - fit, atol=1e-10)


def test_rows_do_not_meet(shifted):
    model, X = shifted
    display = DecompositionDisplay.from_estimator(model, X, sample=2)
    data, fit, *below = drawn(display.axes_[0])
    rows = [np.concatenate([data, fit]), *below]
    assert all(low.max() < high.min() for high, low in zip(rows, rows[1:], strict=False))


def test_atoms_are_named_by_component_coefficient_and_place(shifted):
    model, X = shifted
    codes = model.encode(X)
    display = DecompositionDisplay.from_estimator(model, X, sample=2, codes=codes, sfreq=2.0)
    first = display.axes_[0].get_yticklabels()[1].get_text()
    own = codes.to_frame().query("sample == 2")
    largest = own.loc[own["coefficient"].abs().idxmax()]
    peak = np.argmax(np.abs(model.components_[int(largest["component"])]))
    place = (peak + largest["shift"]) % 12 / 2.0
    assert first == (
        f"component {largest['component']:.0f} × {largest['coefficient']:.3g}\nat {place:.4g} s"
    )


def test_many_atoms_end_in_a_sum_of_the_smaller_ones():
    model, _ = model_of(Trivial(), (12,), q=11, n=12)
    model.alpha_ = 1e-6
    x = RNG.standard_normal((1, 12))
    display = DecompositionDisplay.from_estimator(model, x)
    assert display.terms[-1].row == "3 smaller atoms"
    assert len(display.terms) == 9
    assert_allclose(sum(part.signal for part in display.terms), display.fit, atol=1e-10)


def test_missing_values_leave_a_gap(shifted):
    model, X = shifted
    gapped = X.copy()
    gapped[1, 3:5] = np.nan
    display = DecompositionDisplay.from_estimator(model, gapped, sample=1)
    assert np.isnan(drawn(display.axes_[0])[0][3:5]).all()
    assert not np.isnan(drawn(display.axes_[0])[1]).any()


def test_an_image_is_taken_apart_into_images():
    turns = Finite([np.rot90(np.arange(16).reshape(4, 4)).ravel()])
    model, X = model_of(turns, (4, 4))
    display = DecompositionDisplay.from_estimator(model, X)
    shown = [np.asarray(ax.images[0].get_array()) for ax in display.axes_]
    assert_array_equal(shown[0], X[0])
    assert_allclose(sum(shown[2:-1]), shown[1], atol=1e-10)
    assert_allclose(shown[-1], shown[0] - shown[1], atol=1e-10)


def test_vectors_have_a_panel_per_coordinate():
    model, X = model_of(Product(IntegerShift(), Orthogonal()), (7, 3))
    display = DecompositionDisplay.from_estimator(model, X)
    assert len(display.axes_) == 3
    for k, ax in enumerate(display.axes_):
        assert_array_equal(drawn(ax)[0], X[0, :, k])


def test_a_stretch_of_a_recording_is_taken_apart(waveforms):
    model, signal = waveforms
    display = DecompositionDisplay.from_estimator(model, signal, start=1.0, stop=2.0, sfreq=80.0)
    assert_array_equal(display.data, signal[80:160])
    assert_allclose(display.fit, model.reconstruct(signal)[80:160], atol=1e-10)
    parts = sum(np.nan_to_num(part.signal) for part in display.terms)
    assert_allclose(parts, display.fit, atol=1e-10)
    line = display.axes_[1].lines[1]
    assert_allclose(line.get_xdata().take([0, -1]), [1.0, 159 / 80])
    assert_array_equal(line.get_ydata(), signal[80:160, 1])


def test_a_waveform_cut_by_the_stretch_is_drawn_to_its_end(waveforms):
    model, signal = waveforms
    whole = DecompositionDisplay.from_estimator(model, signal, start=80, stop=160)
    cut = DecompositionDisplay.from_estimator(model, signal, start=107, stop=160)
    assert_allclose(cut.fit, whole.fit[27:], atol=1e-12)


def test_coefficients_are_written_beside_the_atoms_of_a_stretch(waveforms):
    model, signal = waveforms
    codes = model.encode(signal)
    display = DecompositionDisplay.from_estimator(model, signal, stop=200, codes=codes)
    written = ", ".join(text.get_text() for text in display.axes_[0].texts)
    inside = codes.atoms.coefficient[codes.atoms.time < 200]
    assert len(inside) > 0
    assert sorted(written.split(", ")) == sorted(f"{c:.3g}" for c in inside)


def test_short_times_are_in_milliseconds(waveforms):
    model, _ = waveforms
    (ax,) = ComponentsDisplay.from_estimator(model, sfreq=1000.0).axes_
    assert ax.get_xlabel() == "time (ms)"
    assert_allclose(ax.lines[1].get_xdata(), np.arange(16))


def test_waveforms_stay_where_they_are_and_count_all_recordings(waveforms):
    model, signal = waveforms
    codes = model.encode(signal)
    display = ComponentsDisplay.from_estimator(model, codes=Codes.concatenate([codes, codes]))
    assert_array_equal(display.components, model.components_)
    assert_allclose(display.shares, [1.0])


def test_events_are_drawn_where_the_table_has_them(waveforms):
    model, signal = waveforms
    display = EventsDisplay.from_estimator(model, signal, sfreq=50.0, unit="mV")
    table = model.events(signal, 50.0)
    row, below = display.axes_
    points = row.lines[-1]
    assert_array_equal(points.get_xdata(), table["onset"])
    assert_array_equal(points.get_ydata(), table["amplitude"])
    assert_allclose(below.lines[0].get_ydata(), table["interval_s"])
    assert row.get_ylabel() == "component 0\n(mV)"


def many_events(n, last):
    time = np.sort(RNG.uniform(0, last, n))
    return pd.DataFrame({"onset": time, "component": np.arange(n) % 2, "amplitude": 1.0})


@pytest.mark.parametrize(
    ("last", "unit"), [(60.0, "time (s)"), (3600.0, "time (min)"), (86400.0, "time (h)")]
)
def test_long_recordings_have_their_time_in_minutes_or_hours(last, unit):
    display = EventsDisplay.from_events(many_events(50, last))
    assert display.axes_[-1].get_xlabel() == unit
    assert display.axes_[0].lines[-1].get_xdata().max() < 61


def test_many_events_have_no_stems():
    few, many = (EventsDisplay.from_events(many_events(n, 60.0)) for n in (100, 2000))
    assert few.axes_[0].collections
    assert not many.axes_[0].collections


@pytest.mark.parametrize(
    ("columns", "label"),
    [
        ({"sample": [3.0, 5.0]}, "time (samples)"),
        ({"onset": [3.0, 5.0], "sample": [30.0, 50.0]}, "time (s)"),
    ],
)
def test_tables_of_windows_are_read_as_they_are_meant(columns, label):
    table = pd.DataFrame({**columns, "component": [0, 1], "coefficient": [1.0, 2.0]})
    display = EventsDisplay.from_events(table)
    assert display.axes_[-1].get_xlabel() == label
    assert_array_equal(display.time, [3.0, 5.0])


def test_no_events_are_drawn_as_none():
    display = EventsDisplay.from_events(many_events(0, 1.0), n_components=2)
    display.figure_.draw_without_rendering()
    assert len(display.axes_) == 3


def test_convergence_is_that_of_the_history():
    X = RNG.standard_normal((20, 8))
    model = OrbitDictionaryLearning(2, alpha=0.5, max_iter=50, n_restarts=3, random_state=0).fit(X)
    display = ConvergenceDisplay.from_estimator(model)
    table, (course, starts) = model.history_.to_frame(), display.axes_
    objective, gap = course.lines
    above = table["objective"] / table["objective"].iloc[-1] - 1
    assert_allclose(objective.get_ydata(), above.where(above > 0))
    assert_allclose(gap.get_ydata(), table["gap"].where(table["gap"] > 0))
    points = starts.collections[-1].get_offsets()[:, 1]
    assert_allclose(points, 100 * (model.starts_ / model.starts_.min() - 1))


def test_a_single_start_has_no_panel(shifted):
    assert len(ConvergenceDisplay.from_estimator(shifted[0]).axes_) == 1


def selection(groups=("IntegerShift()",)):
    """Return a stand-in for what a selection returns."""
    rows = [
        {"group": g, "n_components": n, "alpha": a, "error": 1 / n + a + k, "atoms": 1 / a,
         "standard_error": 0.05}
        for k, g in enumerate(groups) for n in (1, 2) for a in (0.4, 0.1, 0.2)
    ]  # fmt: skip
    table = pd.DataFrame(rows)
    return SimpleNamespace(table=table, choice=table.iloc[4].to_dict(), reason="It is best.")


def test_a_selection_has_a_curve_per_number_of_components_and_marks_the_choice():
    chosen = selection()
    display = SelectionDisplay.from_selection(chosen)
    one, two, mark = display.ax_.lines
    assert_array_equal(one.get_xdata(), [0.1, 0.2, 0.4])
    assert_allclose(one.get_ydata(), [1.1, 1.2, 1.4])
    assert_allclose(two.get_ydata(), [0.6, 0.7, 0.9])
    assert (mark.get_xdata()[0], mark.get_ydata()[0]) == (0.1, 0.6)
    assert display.ax_.get_xscale() == "log"
    band = display.ax_.collections[0].get_paths()[0].get_extents()
    assert_allclose([band.y0, band.y1], [1.05, 1.45])


def test_errors_that_differ_by_far_are_drawn_on_a_logarithmic_scale():
    close, far = selection(), selection()
    far.table.loc[0, "error"] = 100.0
    scales = [SelectionDisplay.from_selection(one).ax_.get_yscale() for one in (close, far)]
    assert scales == ["linear", "log"]


def test_what_select_returns_is_drawn():
    X = RNG.standard_normal((12, 6))
    found = select(
        OrbitDictionaryLearning(max_iter=1, n_restarts=1, random_state=0), X, n_components=(1, 2),
        alphas=(0.5, 1.0), rounds=2,
    )  # fmt: skip
    display = SelectionDisplay.from_selection(found)
    mark = display.ax_.lines[-1]
    assert mark.get_xdata()[0] == found.choice["alpha"]
    assert len(display.ax_.lines) == 3


def test_groups_of_a_selection_are_told_apart_by_name_and_line():
    display = SelectionDisplay.from_selection(selection(("IntegerShift()", "Trivial()")))
    names = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert "Trivial(), 2 components" in names
    assert {line.get_linestyle() for line in display.ax_.lines[:4]} == {"-", "--"}


def test_the_second_dictionary_is_drawn_moved_onto_the_first():
    first = RNG.standard_normal((3, 11))
    first /= np.linalg.norm(first, axis=1, keepdims=True)
    second = -np.roll(first[[2, 0, 1]], 4, axis=1)
    display = DictionariesDisplay.from_components(
        first, second, group=IntegerShift(), names=("truth", "learned")
    )
    for upper, lower in display.axes_.T:
        assert_allclose(drawn(upper)[0], drawn(lower)[1], atol=1e-12)
    assert_allclose(display.distances, 0, atol=1e-12)
    assert display.axes_[0, 0].get_ylabel() == "truth"


def test_distances_of_dictionaries_are_those_of_the_metric():
    first, second = RNG.standard_normal((2, 3, 11))
    display = DictionariesDisplay.from_components(first, second, group=ContinuousShift())
    assert display.distance == pytest.approx(
        dictionary_distance(first, second, ContinuousShift()), abs=1e-9
    )
    gap = np.sum((display.first - display.second) ** 2, axis=1)
    assert_allclose(display.distances, gap)


def test_waveforms_of_different_lengths_are_compared(waveforms):
    model, _ = waveforms
    longer = WaveformLearning(1, 20, noise="white")
    longer.components_ = np.pad(model.components_, [(0, 0), (3, 1), (0, 0)])
    longer.preprocessing_, longer.acquisition_ = [], {}
    assert DictionariesDisplay.from_estimators(model, longer).distance < 1e-9


def displays(model, X, recording):
    """Return how every display is drawn into given axes, and how many it takes."""
    waves, signal = recording
    return {
        "components": (lambda ax: ComponentsDisplay.from_estimator(model, ax=ax), 2),
        "a data point": (lambda ax: DecompositionDisplay.from_estimator(model, X, ax=ax), 1),
        "a stretch": (lambda ax: DecompositionDisplay.from_estimator(waves, signal, ax=ax), 2),
        "events": (lambda ax: EventsDisplay.from_estimator(waves, signal, ax=ax), 2),
        "convergence": (lambda ax: ConvergenceDisplay.from_estimator(model, ax=ax), 1),
        "selection": (lambda ax: SelectionDisplay.from_selection(selection(), ax=ax), 1),
        "dictionaries": (lambda ax: DictionariesDisplay.from_estimators(model, model, ax=ax), 4),
    }


KINDS = (
    "components", "a data point", "a stretch", "events", "convergence", "selection", "dictionaries",
)  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_axes_that_are_given_are_drawn_in(kind, shifted, waveforms):
    draw, many = displays(*shifted, waveforms)[kind]
    figure, axes = plt.subplots(1, many)
    display = draw(axes)
    used = np.ravel(display.ax_ if hasattr(display, "ax_") else display.axes_)
    assert list(used) == list(np.ravel(axes))
    assert display.figure_ is figure
    assert plt.get_fignums() == [figure.number]


@pytest.mark.parametrize("kind", KINDS)
def test_one_axis_is_divided(kind, shifted, waveforms):
    draw, _ = displays(*shifted, waveforms)[kind]
    figure, (left, right) = plt.subplots(1, 2)
    display = draw(left)
    used = np.ravel(display.ax_ if hasattr(display, "ax_") else display.axes_)
    middle = right.get_position().x0
    assert all(ax.get_position().x1 <= middle for ax in used)
    assert plt.get_fignums() == [figure.number]


def test_a_display_is_drawn_again_elsewhere(shifted):
    display = ComponentsDisplay.from_estimator(shifted[0])
    first = display.figure_
    assert display.plot().figure_ is not first


@pytest.mark.parametrize(
    ("draw", "kind", "words"),
    [
        (lambda m, X: ComponentsDisplay.from_estimator(3), TypeError, "not int"),
        (
            lambda m, X: ComponentsDisplay.from_estimator(OrbitDictionaryLearning()),
            NotFittedError,
            "call its fit first",
        ),
        (lambda m, X: ComponentsDisplay.from_estimator(m, sfreq=-1), ValueError, "sfreq must be"),
        (
            lambda m, X: ComponentsDisplay.from_estimator(m, ax=plt.subplots(1, 3)[1]),
            ValueError,
            "ax must be one of plt.subplots.. or 2 axes",
        ),
        (
            lambda m, X: DecompositionDisplay.from_estimator(m, X, sample=6),
            ValueError,
            "from 0 to 5, not 6",
        ),
        (
            lambda m, X: DecompositionDisplay.from_estimator(m, X, sample=-1),
            ValueError,
            "sample must be",
        ),
        (
            lambda m, X: DecompositionDisplay.from_estimator(m, X, start=3),
            ValueError,
            "for recordings",
        ),
        (
            lambda m, X: DecompositionDisplay.from_estimator(m, X, codes=m.encode(X[:2])),
            ValueError,
            "codes of 2 data points",
        ),
        (
            lambda m, X: EventsDisplay.from_events(pd.DataFrame({"sample": [1.0]})),
            ValueError,
            "a column 'component'",
        ),
        (
            lambda m, X: SelectionDisplay.from_selection(SimpleNamespace(table=pd.DataFrame())),
            ValueError,
            "it lacks n_components, error",
        ),
        (
            lambda m, X: DictionariesDisplay.from_components(X[:2], X[:1], group=IntegerShift()),
            ValueError,
            "equally many components",
        ),
        (
            lambda m, X: DictionariesDisplay.from_components(X, X, group="shift"),
            ValueError,
            "group",
        ),
    ],
)
def test_bad_input_is_refused_in_a_sentence(draw, kind, words, shifted):
    with pytest.raises(kind, match=words):
        draw(*shifted)


@pytest.mark.parametrize(("start", "stop"), [(500, None), (200, 100), (50, 50)])
def test_a_stretch_that_is_empty_is_refused(start, stop, waveforms):
    with pytest.raises(ValueError, match="start must come before stop"):
        DecompositionDisplay.from_estimator(*waveforms, start=start, stop=stop)


def test_a_model_that_does_not_say_how_it_was_learned_is_refused():
    model = OrbitDictionaryLearning()
    model.components_ = np.ones((1, 4))
    with pytest.raises(ValueError, match="this model has no history"):
        ConvergenceDisplay.from_estimator(model)


def test_without_matplotlib_one_sentence_says_how_to_get_it(monkeypatch, shifted):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match="pip install matplotlib"):
        ComponentsDisplay.from_estimator(shifted[0])


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.py")), ids=lambda path: path.stem)
def test_matplotlib_is_imported_by_functions_only(path):
    tops = [node for node in ast.parse(path.read_text()).body if isinstance(node, IMPORTS)]
    assert not [node for node in tops if ast.unparse(node).split()[1].startswith("matplotlib")]


def test_every_display_is_exported():
    assert set(orbitdl.plot.__all__) <= set(dir(orbitdl.plot))
    assert all(hasattr(orbitdl.plot, name) for name in orbitdl.plot.__all__)


def test_a_component_has_one_colour_in_pictures_and_reports(waveforms, tmp_path):
    model, signal = waveforms
    page = write_recording_report(model, signal, tmp_path / "r.html").read_text()
    assert json.dumps(list(canvas.PALETTE), separators=(",", ":")) in page
    assert len(canvas.DARK) == len(canvas.PALETTE) == len(set(canvas.PALETTE))
    script = file("script/colours.js")
    assert not set(canvas.PALETTE) & set(re.findall("#[0-9a-f]{6}", script))


def test_what_recordings_and_models_know_is_used():
    heart = make_ecg_recording(duration=60, n_leads=2, random_state=1)
    model = WaveformLearning(length=252, preprocessing=[Pick("V1"), HighPass(0.5)]).fit(heart)
    assert ComponentsDisplay.from_estimator(model).sketch.sfreq == heart.sfreq
    part = heart.excerpt(7200)  # from second 20 on
    display = DecompositionDisplay.from_estimator(model, part, start=25, stop=27)
    quick = HighPass(0.5).fit(heart.pick("V1")).transform(heart.pick("V1"))
    assert_allclose(display.data, quick[9000:9720], atol=0.01)
    drawn = max(display.axes_[0].lines, key=lambda line: len(line.get_xdata()))
    assert_allclose(np.take(drawn.get_xdata(), [0, -1]), [25, 27], atol=0.01)
    assert np.mean(display.residual**2) < 0.1 * np.mean(display.data**2)
    events = EventsDisplay.from_estimator(model, part)
    assert events.in_seconds
    assert events.time.min() > 19.9
