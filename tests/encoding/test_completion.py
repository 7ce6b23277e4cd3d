"""Completion: agreement with what was observed, values and bounds, sentences."""

import numpy as np
import pytest
from reference import has_reference, reference_norm
from registry import ACTIONS, action
from sklearn.exceptions import ConvergenceWarning
from test_masked import holed, problem, unit

from orbitdl import OrbitDictionaryLearning, complete
from orbitdl.coding import basis_pursuit
from orbitdl.encoding.complete import _warn_unless_met
from orbitdl.groups import ContinuousShift, IntegerShift, Orthogonal, Trivial

FINITE = [
    name for name in ACTIONS if action(name).dimension == 0 and has_reference(*ACTIONS[name](7, 2))
]


def pulses(length=41):
    """Return two narrow components."""
    time = np.arange(length) - length // 2
    wide = np.exp(-((time / 2.0) ** 2))
    return unit(np.array([wide, -time * wide]))


def sparse_signals(group, A, seed=0, n=5):
    """Return sums of two atoms far apart."""
    rng = np.random.default_rng(seed)
    shifts = group.on(A.shape[1:])
    places = rng.uniform(0, 20, size=(n, 1))
    if isinstance(group, IntegerShift):
        places = np.rint(places)
    first = rng.uniform(1, 2, (n, 1)) * shifts.act(places, A[[0] * n])
    return first - shifts.act(places + 20, A[[1] * n])


@pytest.mark.parametrize("group", [IntegerShift(), ContinuousShift()])
def test_separated_atoms_are_completed_exactly(group):
    A = pulses()
    X = sparse_signals(group, A)
    found = complete(holed(X, 0.3), A, group=group, tol=1e-6)
    np.testing.assert_allclose(found.X, X, atol=1e-6)
    assert np.all(found.bound <= found.value)
    np.testing.assert_allclose(found.bound, found.value, rtol=1e-5)


@pytest.mark.parametrize("name", FINITE)
def test_the_least_norm_agrees_with_cvxpy(name):
    group, _, A = problem(name)
    rng = np.random.default_rng(2)
    representation = group.on(A.shape[1:])
    elements = representation.sample(rng, 4)
    X = holed(representation.act(elements, A[[0, 1, 0, 1]]) - 0.5 * A[[1, 1, 0, 0]])
    found = complete(X, A, group=group, tol=1e-8)
    expected = reference_norm(group, X, A)
    np.testing.assert_allclose(found.value, expected, rtol=1e-6, atol=1e-9)
    assert np.all(found.bound <= expected + 1e-7)


@pytest.mark.parametrize("group", [ContinuousShift(), Orthogonal()])
def test_value_and_bound_meet_for_groups_without_end(group):
    rng = np.random.default_rng(0)
    shape = (3, 5) if isinstance(group, Orthogonal) else (13,)
    representation = group.on(shape)
    A = unit(representation.project(rng.standard_normal((2, *shape))))
    X = representation.act(representation.sample(rng, 3), A[[0, 1, 0]])
    found = complete(holed(X + representation.act(representation.sample(rng, 3), A[[1, 1, 0]])), A,
                     group=group)  # fmt: skip
    np.testing.assert_allclose(found.bound, found.value, rtol=1e-3)
    assert np.all(found.value <= 2 + 1e-3)  # the planted code is a candidate


@pytest.mark.filterwarnings("ignore:.*completions stopped")
def test_bounds_hold_before_the_program_is_solved(monkeypatch):
    """Whichever component violates the dual constraint most."""
    rng, group = np.random.default_rng(0), ContinuousShift()
    A = unit(rng.standard_normal((3, 15)))
    X = holed(group.on((15,)).project(rng.standard_normal((12, 15))), 0.5)
    value = complete(X, A, group=group, tol=1e-6).value
    monkeypatch.setattr(basis_pursuit, "ROUNDS", 1)
    monkeypatch.setattr(basis_pursuit, "PENALTIES", (0.9,))
    early = complete(X, A, group=group, tol=1e-6)
    assert np.all(early.bound <= value * (1.0 + 1e-6))
    assert np.max(early.bound / value) < 0.999
    assert np.max(early.value / value) > 1.001


def test_observed_entries_stay_as_they_are():
    group, A = ContinuousShift(), pulses()
    X = sparse_signals(group, A) + 0.05 * np.random.default_rng(3).standard_normal((5, 41))
    gaps = holed(X)
    model = OrbitDictionaryLearning(n_components=2, group=group, alpha=0.1, max_iter=0, init=A)
    model.fit(X)
    filled = model.complete(gaps, debias=False)
    seen = ~np.isnan(gaps)
    np.testing.assert_array_equal(filled[seen], X[seen])
    blind = np.sum(X[~seen] ** 2)
    lost = np.sum((filled - X)[~seen] ** 2)
    assert lost < 0.2 * blind
    refitted = model.complete(gaps)
    np.testing.assert_array_equal(refitted[seen], X[seen])
    assert np.sum((refitted - X)[~seen] ** 2) < lost


def test_least_squares_gives_back_what_the_penalty_took_unless_told_not_to():
    """One atom, and no noise: its coefficient is 3, and 3 less alpha over the observed energy."""
    gap, wave = [[1.8, np.nan]], [[0.6, 0.8]]
    settings = {"group": Trivial(), "alpha": 0.3}
    assert complete(gap, wave, **settings).X[0, 1] == pytest.approx(2.4)
    shrunk = complete(gap, wave, **settings, debias=False).X[0, 1]
    assert shrunk == pytest.approx(0.8 * (3 - 0.3 / 0.36), rel=1e-3)


def test_exact_completion_of_the_model_is_that_of_the_function():
    group, A = IntegerShift(), pulses()
    X = holed(sparse_signals(group, A))
    model = OrbitDictionaryLearning(n_components=2, group=group, max_iter=0, init=A)
    model.fit(np.nan_to_num(X))
    np.testing.assert_array_equal(
        model.complete(X, exact=True), complete(X, model.components_, group=group).X
    )


def test_complete_data_come_back_as_they_were():
    A = pulses()
    X = sparse_signals(IntegerShift(), A)
    np.testing.assert_array_equal(complete(X, A, group=IntegerShift(), alpha=0.1).X, X)
    np.testing.assert_array_equal(complete(X, A, group=IntegerShift()).X, X)


def test_nothing_observed_is_filled_with_nothing():
    A = pulses()
    X = np.full((2, 41), np.nan)
    for alpha in (None, 0.1):
        found = complete(X, A, group=ContinuousShift(), alpha=alpha)
        np.testing.assert_array_equal(found.X, 0.0)
        np.testing.assert_array_equal(found.value, 0.0)


def test_impossible_agreement_is_one_sentence():
    X = np.random.default_rng(0).standard_normal((2, 41))
    message = (
        r"^the observed entries of a data point are no combination of transformed "
        r"components \(.*\): use"
    )
    with pytest.raises(ValueError, match=message) as caught:
        complete(holed(X), pulses(), group=Trivial())
    assert str(caught.value).endswith("use exact=False, or an alpha.")


def test_the_size_of_components_only_changes_the_unit():
    rng = np.random.default_rng(3)
    X, A = rng.standard_normal((1, 8)), rng.standard_normal((1, 8))
    X[0, 0] = np.nan
    plain = complete(X, A, group=IntegerShift())
    for scale in (1e-12, 1e12):
        scaled = complete(X, scale * A, group=IntegerShift())
        np.testing.assert_allclose(scaled.value * scale, plain.value, rtol=1e-6)
        np.testing.assert_allclose(scaled.X, plain.X, atol=1e-6)


def test_completions_whose_value_and_bound_do_not_meet_are_counted():
    with pytest.warns(ConvergenceWarning, match="^1 of 2 completions stopped before value and"):
        _warn_unless_met(np.array([2.0, 1.0]), np.array([2.0, 0.9]), 1e-3)
