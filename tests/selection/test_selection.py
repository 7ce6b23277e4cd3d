"""Selections: planted numbers of components are found, and alphas that recover what was planted."""

from dataclasses import replace

import numpy as np
import pytest

from orbitdl import OrbitDictionaryLearning, Selection, select
from orbitdl.datasets import make_shift_data, make_synchronization_data
from orbitdl.encoding.samples import Samples
from orbitdl.groups import ContinuousShift, IntegerShift, InterpolatedShift, Orthogonal, Trivial
from orbitdl.selection.choice import choose, reason_for
from orbitdl.selection.held_out import Speckles
from orbitdl.selection.judges import Effort, PointJudges, best_start, judge_path, last_of
from orbitdl.selection.scores import Scores


def shifts(noise=0.1, seed=0):
    """Return sums of two planted components, and what they are without noise."""
    settings = {"n_samples": 80, "length": 24, "n_components": 2, "n_atoms": 2}
    data = make_shift_data(**settings, noise=noise, random_state=seed)
    return data, make_shift_data(**settings, noise=0.0, random_state=seed).X


def recovery(model, X, clean):
    """Return the energy of what refitted codes miss of the signal without noise."""
    fitted = model.decode(model.encode(X, debias=True))
    return np.sum((fitted - clean) ** 2) / np.sum(clean**2)


def test_the_planted_number_is_found_with_an_alpha_that_recovers_signals_as_the_best_does():
    data, clean = shifts()
    estimator = OrbitDictionaryLearning(random_state=0, n_restarts=3)
    selection = select(estimator, data.X, n_components=(1, 2, 3), rounds=3)
    assert selection.choice["n_components"] == 2
    alphas = selection.table["alpha"].unique()
    errors = {}
    for alpha in alphas:
        model = selection.estimator.set_params(alpha=alpha, tol=1e-3).fit(data.X)
        errors[alpha] = recovery(model, data.X, clean)
    assert errors[selection.choice["alpha"]] <= 1.1 * min(errors.values())


def test_the_planted_number_of_rotated_components_is_found():
    X = make_synchronization_data(
        n_samples=60, n_devices=6, n_components=2, noise=0.1, random_state=0
    ).X
    estimator = OrbitDictionaryLearning(group=Orthogonal(), random_state=0, n_restarts=3)
    selection = select(estimator, X, n_components=(1, 2, 3), alphas=[2.0, 1.0], rounds=3)
    assert selection.choice["n_components"] == 2


def test_fractional_shifts_are_preferred_where_they_were_planted_and_whole_ones_where_not():
    settings = {"n_samples": 80, "length": 25, "n_components": 1, "n_atoms": 2, "noise": 0.05}
    groups = [IntegerShift(), ContinuousShift()]
    for subdivisions, expected in ((1, "IntegerShift"), (None, "ContinuousShift")):
        X = make_shift_data(**settings, subdivisions=subdivisions, random_state=0).X
        selection = select(
            OrbitDictionaryLearning(random_state=0, n_restarts=2),
            X,
            n_components=[1],
            alphas=[0.4, 0.2],
            groups=groups,
            rounds=2,
        )
        assert selection.choice["group"] == expected
        assert selection.estimator.group in groups
        assert expected in selection.reason


def test_errors_of_a_table_are_those_of_predictions_made_by_hand():
    data, _ = shifts()
    estimator = OrbitDictionaryLearning(group=Trivial(), random_state=0, n_restarts=1)
    selection = select(estimator, data.X, n_components=[1], alphas=[1e3], rounds=2)
    assert selection.table["error"].tolist() == pytest.approx([1.0])  # nothing is predicted
    assert selection.table["atoms"].tolist() == [0.0]


def judges(X, share=0.3, size=1, rounds=3):
    samples = Samples.of(X, IntegerShift())
    return PointJudges(samples, (IntegerShift(),), None, Speckles(rounds, share, size, 0), "")


def test_every_data_point_is_judged_once_and_hidden_entries_are_missing():
    X = np.random.default_rng(0).standard_normal((10, 12)) + 3.0
    every = [judges(X).hold_out(0, number) for number in range(3)]
    assert np.sum([one.judged for one in every], axis=0).tolist() == [1] * 10
    for one in every:
        assert one.hidden.any()
        assert not one.hidden[~one.judged].any()
        assert not one.samples.observed[one.hidden].any()
        assert not one.samples.signal[one.hidden].any()
        assert np.array_equal(one.samples.observed, ~one.hidden)


def learned(held_out):
    """Return components and atoms that are learned from what is not hidden, and their errors."""
    shards = replace(held_out.shards, alpha=2.0)
    start = best_start(shards, held_out.starts(2, np.random.default_rng(0).spawn(2)))
    last = last_of(shards, start, Effort(5, 1))
    atoms = [part.atoms for part in last.shards.parts]
    columns = [column for one in atoms for column in (one.coefficient, one.element, one.component)]
    return [start.expand(), last.components, *columns], held_out.judge(last.shards, last.components)


@pytest.mark.parametrize("kind", ["points", "points with gaps"])
def test_no_hidden_entry_is_learned_from_or_used_to_predict_itself(kind):
    x = np.random.default_rng(0).standard_normal((6, 60, 2))
    if "gaps" in kind:
        x[:, ::7] = np.nan
    make = judges
    hidden = np.array(make(x).hold_out(0, 1).hidden)
    hidden = hidden[..., None] & np.full(x.shape, True) if hidden.ndim == 2 else hidden
    known, plain = learned(make(x).hold_out(0, 1))
    errors = []
    for large in (30.0, -30.0):
        again, judged = learned(make(np.where(hidden, x + large, x)).hold_out(0, 1))
        for one, other in zip(known, again, strict=True):
            np.testing.assert_array_equal(one, other)
        assert judged.atoms == plain.atoms
        errors.append(judged.error.sum())
    # with predictions p that stay, (x + e - p)^2 + (x - e - p)^2 = 2 (x - p)^2 + 2 e^2
    assert sum(errors) == pytest.approx(2 * plain.error.sum() + 1800.0 * hidden.sum(), rel=1e-9)


def test_predictions_are_those_of_atoms_refitted_by_least_squares():
    X = np.random.default_rng(0).standard_normal((20, 12))
    held_out = judges(X).hold_out(0, 1)
    shards = replace(held_out.shards, alpha=0.3)
    A = held_out.starts(2, np.random.default_rng(0).spawn(1))[0].expand()
    coded, _ = shards.code(A, 1e-6)
    waves, errors = IntegerShift().on((12,)).synthesize(A), []
    for i in np.flatnonzero(held_out.judged):
        atoms, hidden = coded.atoms.take(np.array([i])), held_out.hidden[i]
        shift = atoms.element[:, 0].astype(int)
        moved = [np.roll(waves[j], t) for j, t in zip(atoms.component, shift, strict=True)]
        columns = np.array(moved).reshape(-1, 12).T
        c = np.linalg.lstsq(columns[~hidden], X[i, ~hidden], rcond=1e-10)[0]
        errors.append(np.sum((X[i] - columns @ c)[hidden] ** 2))
    np.testing.assert_allclose(held_out.judge(coded, A).error, errors, rtol=1e-6)


def test_along_a_path_every_alpha_has_its_own_codes():
    data, _ = shifts()
    held_out = judges(data.X).hold_out(0, 1)
    found = judge_path(held_out, 1, [1.0, 0.5, 0.25], 1, 0, Effort(2, 1))
    atoms = np.array([one.atoms for one in found])
    assert np.all(np.diff(atoms) > 0.1)


def test_entries_that_were_missing_are_not_judged():
    X = np.random.default_rng(0).standard_normal((10, 12))
    X[:, :6] = np.nan
    assert not any(judges(X).hold_out(0, number).hidden[:, :6].any() for number in range(3))


def test_speckles_are_runs_of_their_size():
    hidden = Speckles(2, 0.5, 4, 0).hide((200,), 1)
    changes = np.flatnonzero(np.diff(hidden.astype(int)))
    assert np.all(np.diff(changes) % 4 == 0)
    assert 0.3 < hidden.mean() < 0.7
    assert 0.15 < Speckles(2, 0.2, 1, 0).hide((2000,), 1).mean() < 0.25


def scores(*errors, alphas=(1.0, 0.5)):
    """Return scores of 1, 2, .. components whose errors in three units are given by alpha."""
    candidates = [(0, q + 1) for q in range(len(errors))]
    return Scores(
        ("any",), candidates, list(alphas), np.array(errors), *np.ones((2, len(errors), 2))
    )


def test_the_simplest_within_one_standard_error_is_chosen():
    best = np.array([0.10, 0.20, 0.30])
    wobble = np.array([0.02, -0.02, 0.02])  # 0.02 in all, and a standard error of 0.04
    found = scores([best + wobble + 0.1, best + 1.0], [best + wobble, best + 0.1], [best, best])
    assert choose(found) == (1, 0)
    assert "3 would lower the held-out error by 3.2 %, less than" in reason_for(found, (1, 0))
    assert "2 components" in reason_for(found, (1, 0))
    assert choose(scores([best + wobble, best])) == (0, 0)  # the larger alpha


def test_a_difference_that_units_agree_on_counts():
    best = np.array([0.10, 0.20, 0.30])
    found = scores([best + 0.01, best + 0.01], [best, best + 0.01])
    assert choose(found) == (1, 0)  # 0.03 in all, without any spread


def test_the_standard_error_of_a_difference_is_that_of_the_jackknife():
    rng, n = np.random.default_rng(0), 12
    one, other = rng.uniform(0, 1, (2, n))
    found = Scores(("any",), [(0, 1), (0, 2)], [1.0], np.array([[one], [other]]), *[one] * 2)
    left_out = np.array([n * np.delete(one - other, k).mean() for k in range(n)])
    error = np.sqrt((n - 1) / n * np.sum((left_out - left_out.mean()) ** 2))
    assert found.difference((0, 0), (1, 0)) == pytest.approx((np.sum(one - other), error))


def test_a_selection_goes_on_where_it_was_stopped(tmp_path):
    data, _ = shifts()
    estimator = OrbitDictionaryLearning(random_state=0, n_restarts=1)
    settings = {"n_components": [1, 2], "alphas": [0.5, 0.3], "rounds": 2}
    whole = select(estimator, data.X, **settings)
    place, told = tmp_path / "run.selection", []

    def stop(done, total):
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        select(estimator, data.X, **settings, progress=stop, checkpoint=place)
    again = select(
        estimator, data.X, **settings, progress=lambda *k: told.append(k), checkpoint=place
    )
    assert told == [(2, 4), (3, 4), (4, 4)]
    assert again.table.equals(whole.table)
    assert again.reason == whole.reason
    with pytest.raises(ValueError, match="differs in alphas, the initial alpha; delete"):
        select(estimator, data.X, **settings | {"alphas": [0.1]}, checkpoint=place)


@pytest.mark.parametrize("unit", [1e-6])
def test_the_unit_of_data_changes_alphas_alone(unit):
    data, _ = shifts()
    settings = {"n_components": [1, 2], "rounds": 2}
    estimator, X = OrbitDictionaryLearning(random_state=0, n_restarts=1, max_iter=1), data.X[:20]
    plain, scaled = (select(estimator, c * X, **settings) for c in (1.0, unit))
    np.testing.assert_allclose(scaled.table["alpha"], unit * plain.table["alpha"], rtol=0.02)
    np.testing.assert_allclose(scaled.table["error"], plain.table["error"], rtol=0.05)
    assert scaled.choice["n_components"] == plain.choice["n_components"]


def other_settings(data):
    """Return pairs of estimators, data and settings that differ in one thing, by its name."""
    windows = OrbitDictionaryLearning(random_state=0, n_restarts=1)
    few, many = ({"groups": [InterpolatedShift(k)]} for k in (2, 3))
    return {
        "max_samples": (windows, data.X, {"max_samples": 20}, windows, {"max_samples": 30}),
        "groups": (windows, data.X, few, windows, many),
    }


@pytest.mark.parametrize("name", ["max_samples", "groups"])
def test_what_was_judged_with_other_settings_is_not_taken_up(tmp_path, name):
    data, _ = shifts()
    one, X, first, other, second = other_settings(data)[name]
    settings = {"n_components": [1], "alphas": [0.5], "rounds": 2, "checkpoint": tmp_path / "run"}
    select(one, X, **first, **settings)
    with pytest.raises(ValueError, match=f"differs in {name}; "):
        select(other, X, **second, **settings)


def test_the_reason_reads_as_sentences():
    best = np.array([0.10, 0.20, 0.30])
    found = scores([best + 1.0, best + 0.9], [best, best + 0.1], [best + 0.02, best + 0.1])
    assert reason_for(found, (1, 0)) == (
        "2 components: 3 would raise the held-out error by 10 %; 1 would make it 5.5 times as "
        "large. Alpha 1: the minimum of the held-out error. 1 is the largest tried: larger ones "
        "may do as well. 40 % of the energy of held-out entries is predicted."
    )


def test_the_reason_names_the_number_of_least_error_though_it_is_no_neighbour():
    best, wobble = np.array([0.10, 0.20, 0.30]), np.array([0.02, -0.02, 0.02])
    found = scores([best + wobble, best + 1], [best + 0.1, best + 1], [best, best + 1])
    reason = reason_for(found, (0, 0))
    assert reason.startswith("1 component: 3 would lower the held-out error by 3.2 %, less than")
    assert "; 2 would raise it by 45 %." in reason


def test_the_reason_says_when_nothing_is_predicted_and_when_nothing_changes():
    nothing, best = np.array([0.4, 0.6]), np.array([0.2, 0.4])
    assert reason_for(scores([nothing, nothing + 0.1]), (0, 0)) == (
        "No candidate predicts held-out entries: the data may be noise. The simplest was selected: "
        "1 component, alpha 1."
    )
    same = scores([best, best + 0.1], [best * 0.9999, best])
    assert "2 would change the held-out error by less than 0.1 %." in reason_for(same, (0, 0))


def test_threads_do_not_change_a_selection():
    data, _ = shifts()
    settings = {"n_components": [1, 2], "alphas": [0.5, 0.3], "rounds": 2}
    one, two = (
        select(OrbitDictionaryLearning(random_state=0, n_restarts=1, n_jobs=k), data.X, **settings)
        for k in (1, 2)
    )
    assert one.table.equals(two.table)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"n_components": []}, "n_components is empty"),
        ({"n_components": 3}, "n_components must be a list"),
        ({"n_components": [0]}, "n_components must be an integer"),
        ({"alphas": [-1.0]}, "each of alphas must be a positive number"),
        ({"groups": ["shift"]}, "group"),
        ({"rounds": 1}, "rounds must be an integer of at least 2"),
        ({"share": 0.0}, "share must be a number from 0.01 to 0.9"),
        ({"speckle": 0}, "speckle must be"),
        ({"max_samples": 0}, "max_samples must be"),
        ({"rounds": 90}, "80 data points are fewer than rounds=90"),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(settings, sentence):
    with pytest.raises(ValueError, match=sentence):
        select(OrbitDictionaryLearning(), shifts()[0].X, **settings)


@pytest.mark.parametrize(
    ("X", "settings"),
    [(np.zeros((8, 5)), {}), (np.ones((2, 2)), {"share": 0.01})],
)
def test_data_of_which_nothing_could_be_predicted_are_refused(X, settings):
    with pytest.raises(ValueError, match="^all held-out entries are zero"):
        select(OrbitDictionaryLearning(), X, rounds=2, **settings)


def test_other_estimators_are_refused():
    with pytest.raises(ValueError, match="OrbitDictionaryLearning or a WaveformLearning"):
        select(Selection, np.zeros((4, 4)))


def test_a_selection_reads_as_its_reason():
    data, _ = shifts()
    estimator = OrbitDictionaryLearning(random_state=0, n_restarts=1, max_iter=1)
    found = select(estimator, data.X[:20], n_components=[1], alphas=[0.5], rounds=2)
    assert "1 component, the only number tried. Alpha 0.5, the only one tried." in found.reason
    assert repr(found) == f"Selection({found.reason})"


def test_a_verbose_estimator_prints_how_many_runs_are_done(capsys):
    data, _ = shifts()
    estimator = OrbitDictionaryLearning(random_state=0, n_restarts=1, max_iter=1, verbose=1)
    select(estimator, data.X[:20], n_components=[1], alphas=[0.5], rounds=2)
    assert "0 of 2 runs\n1 of 2 runs\n2 of 2 runs\n" in capsys.readouterr().out
