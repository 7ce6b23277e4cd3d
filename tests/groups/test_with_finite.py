"""Groups with finitely many other moves: against lassos over all transformed copies."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from registry import CYCLE, DOUBLED
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Lasso

import orbitdl
from orbitdl import OrbitDictionaryLearning, encode
from orbitdl.coding import ActiveSet, Growing, Proximal, Sliding
from orbitdl.coding.atoms import Atoms
from orbitdl.coding.choice import default_coder
from orbitdl.encoding.metrics import orbit_distances
from orbitdl.groups import (
    ContinuousShift,
    Finite,
    IntegerShift,
    InterpolatedShift,
    Orthogonal,
    Reversal,
    SemidirectProduct,
    ShiftAndPhase,
)

BOTH_WAYS = SemidirectProduct(ContinuousShift(), Reversal())
WHOLE = SemidirectProduct(IntegerShift(), Reversal())


def unit_rows(rng, *shape):
    A = rng.standard_normal(shape)
    return A / np.sqrt(np.sum(A**2, axis=tuple(range(1, A.ndim)), keepdims=True))


def least(X, copies, alpha, seen=None):
    """Return the least objective of every sample over coefficients of copies (k, ...)."""
    objective = []
    for i, x in enumerate(X):
        own = np.ones(x.shape, dtype=bool) if seen is None else seen[i]
        D, y = copies[:, own].T, x[own]
        lasso = Lasso(alpha / len(y), fit_intercept=False, tol=1e-13, max_iter=200_000)
        c = lasso.fit(D, y).coef_
        objective.append(0.5 * np.sum((y - D @ c) ** 2) + alpha * np.abs(c).sum())
    return np.array(objective)


def rolled(A, turned):
    """Return all whole shifts of components (q, length, ...) and of what moves make of them."""
    every = [move(a) for a in A for move in turned]
    return np.array([np.roll(a, k, axis=0) for a in every for k in range(A.shape[1])])


FINITE = {
    "reversal, odd": (WHOLE, (5,), [lambda a: a, lambda a: a[::-1]]),
    "reversal, even": (WHOLE, (6, 2), [lambda a: a, lambda a: a[::-1]]),
    "doubling": (
        SemidirectProduct(IntegerShift(), DOUBLED),
        (7, 2),
        [lambda a, u=u: a[u * np.arange(7) % 7] for u in (1, 2, 4)],
    ),
}


@pytest.mark.parametrize("name", FINITE)
def test_codes_are_the_lasso_over_all_moved_copies(name):
    group, shape, turned = FINITE[name]
    rng = np.random.default_rng(0)
    X, A = rng.standard_normal((6, *shape)), unit_rows(rng, 2, *shape)
    codes = encode(X, A, group=group, alpha=0.2, coder=ActiveSet(tol=1e-9))
    assert_allclose(codes.objective, least(X, rolled(A, turned), 0.2), rtol=1e-7)
    assert codes.gap.max() < 1e-9
    used = codes.atoms.element[:, -1]
    assert len(np.unique(used)) == len(turned)


@pytest.mark.parametrize("name", FINITE)
def test_missing_entries_are_left_out_of_the_lasso(name):
    group, shape, turned = FINITE[name]
    rng = np.random.default_rng(1)
    X, A = rng.standard_normal((6, *shape)), unit_rows(rng, 2, *shape)
    seen = rng.uniform(size=X.shape) < 0.75
    codes = encode(np.where(seen, X, np.nan), A, group=group, alpha=0.2, coder=ActiveSet(tol=1e-8))
    assert_allclose(codes.objective, least(X, rolled(A, turned), 0.2, seen), rtol=1e-6)


@pytest.mark.parametrize("length", [9, 10])
def test_shifts_by_any_amount_both_ways_are_no_worse_than_a_fine_grid_and_close(length):
    rng = np.random.default_rng(length)
    shifts = ContinuousShift().on((length,))
    X, A = rng.standard_normal((4, length)), unit_rows(rng, 2, length)
    A = shifts.project(A)
    codes = encode(X, A, group=BOTH_WAYS, alpha=0.3, coder=Sliding(tol=1e-8))
    grid = np.arange(10 * length)[:, None] / 10
    copies = np.concatenate([shifts.act(grid, b[None]) for a in A for b in (a, a[::-1])])
    expected = least(X, copies, 0.3)
    assert np.all(codes.objective <= expected * (1 + 1e-8))
    assert_allclose(codes.objective, expected, rtol=5e-3)


def test_bursts_of_any_phase_are_no_worse_than_a_fine_grid_and_close():
    rng, length = np.random.default_rng(0), 9
    moves = ShiftAndPhase().on((length,))
    X, A = rng.standard_normal((2, length)), moves.project(unit_rows(rng, 1, length))
    codes = encode(X, A, group=ShiftAndPhase(), alpha=0.3)
    shift, phase = np.meshgrid(np.arange(0, length, 0.2), np.arange(0, 180, 10.0))
    copies = moves.act(np.stack([shift.ravel(), phase.ravel()], axis=1), A)
    expected = least(X, copies, 0.3)
    assert codes.gap.max() <= 1e-4
    assert np.all(codes.objective <= expected * (1 + 1e-4))
    assert_allclose(codes.objective, expected, rtol=1e-2)


def test_bursts_of_any_phase_may_run_backwards_too():
    rng = np.random.default_rng(0)
    group = SemidirectProduct(ShiftAndPhase(), Reversal())
    moves = group.on((16,))
    a = moves.project(unit_rows(rng, 1, 16))
    element = np.array([[2.3, 40.0, 1.0], [7.9, 300.0, 0.0]])
    X = 3.0 * moves.act(element, a)
    codes = encode(X, a, group=group, alpha=0.01)
    largest = codes.to_frame().groupby("sample")["coefficient"].idxmax()
    found = codes.atoms.element[largest]
    x = np.random.default_rng(1).standard_normal((2, 16))
    assert_allclose(moves.act(found, x), moves.act(element, x), atol=0.1)


# The action


def test_an_element_runs_backwards_first_and_shifts_then():
    x = np.random.default_rng(0).standard_normal((7, 2))
    for group in (WHOLE, BOTH_WAYS, SemidirectProduct(InterpolatedShift(2), Reversal())):
        moves = group.on((7, 2))
        assert_allclose(moves.act(np.array([2.0, 1.0]), x), np.roll(x[::-1], 2, axis=0))
        assert_allclose(moves.act(np.array([2.0, 0.0]), x), np.roll(x, 2, axis=0))


def test_moves_do_not_commute_with_shifts():
    moves = BOTH_WAYS.on((9,))
    shift, back = np.array([[2.5, 0.0]]), np.array([[0.0, 1.0]])
    assert_allclose(moves.compose(shift, back), [[2.5, 1.0]])
    assert_allclose(moves.compose(back, shift), [[6.5, 1.0]])


def test_the_matrix_view_of_codes_is_that_of_all_copies():
    group, rng = SemidirectProduct(IntegerShift(), DOUBLED), np.random.default_rng(0)
    X, A = rng.standard_normal((4, 7)), unit_rows(rng, 2, 7)
    codes = encode(X, A, group=group, alpha=0.1)
    moves = group.on((7,))
    Z = codes.embed()
    assert Z.shape == (4, 6, 4, 1, 1)
    fitted = np.einsum("njfxy,jfym->nfxm", Z, moves.copies(moves.analyze(A)))
    assert_allclose(moves.synthesize(fitted), orbitdl.decode(codes, A), atol=1e-12)


def test_atoms_of_copies_and_of_components_are_the_same():
    moves, rng = SemidirectProduct(IntegerShift(), DOUBLED).on((7,)), np.random.default_rng(0)
    component, element = np.array([0, 2, 1, 1]), moves.sample(rng, 4)
    atoms = Atoms(3, np.array([0, 3, 4]), component, rng.standard_normal(4), element)
    there = atoms.to_copies(moves)
    assert there.n_components == 9
    back = there.from_copies(moves)
    assert back.n_components == 3
    assert_array_equal(back.component, component)
    assert_array_equal(back.element, element)


def test_an_atom_lies_where_its_moved_component_peaks():
    t = np.arange(40)
    a = np.exp(-0.5 * ((t - 9.3) / 2.0) ** 2)[None]
    moves = BOTH_WAYS.on((40,))
    found = moves.locate(np.array([[5.5, 0.0], [0.0, 1.0], [30.0, 1.0]]), np.zeros(3, int), a)
    assert_allclose(found, [14.8, 29.7, 19.7], atol=1e-3)


def test_words_tell_of_both_moves():
    shown = BOTH_WAYS.on((20,)).presentation
    assert shown.description.endswith("fractions of a sample included, and may be reversed in time")
    assert shown.label(np.array([3.2, 1.0])) == "shift 3.20, backwards"
    assert BOTH_WAYS.short_name() == "SemidirectProduct(ContinuousShift(), Reversal())"


# What cannot go together


@pytest.mark.parametrize(
    ("group", "moves", "shape", "why"),
    [
        (IntegerShift(), Finite([[1, 0, 2, 3, 4]]), (5,), "a finite group that normalises"),
        (ContinuousShift(), Finite([[1, 2, 0, 3]]), (4,), "a finite group that normalises"),
        (ContinuousShift(), DOUBLED, (7,), "a finite group that normalises"),
        (IntegerShift(), Finite([[1, 0, 3, 2, 5, 4]]), (3, 2), "does not mix channels"),
        (IntegerShift(), Orthogonal(), (5,), "is not finite"),
        (CYCLE, Reversal(), (5,), "multiplies complex blocks by phases"),
        (Orthogonal(), Reversal(), (3, 2), "multiplies complex blocks by phases"),
        (IntegerShift(), Reversal(), (3, 3, 3), "acts on data points"),
    ],
)
def test_moves_that_do_not_go_with_the_group_are_refused(group, moves, shape, why):
    with pytest.raises(ValueError, match=why):
        SemidirectProduct(group, moves).on(shape)


def test_what_is_no_group_is_refused():
    with pytest.raises(ValueError, match="must be an object from orbitdl.groups"):
        SemidirectProduct(IntegerShift(), "reversal")


# Learning


def planted(n, length, seed):
    """Return windows with two waveforms at any time, forwards or backwards, and the waveforms."""
    rng, t = np.random.default_rng(seed), np.arange(length)
    moves = BOTH_WAYS.on((length,))
    steep = np.where(t > 8, np.exp(-(t - 8) / 3.0), 0.0)
    ringing = np.where(t > 8, np.exp(-(t - 8) / 4.0) * np.sin((t - 8) / 1.2), 0.0)
    A = moves.project(np.stack([steep, ringing]) - np.mean([steep, ringing], axis=1, keepdims=True))
    A /= np.linalg.norm(A, axis=1, keepdims=True)
    X = sum(
        rng.uniform(1, 2, (n, 1)) * moves.act(moves.sample(rng, n), np.broadcast_to(a, (n, length)))
        for a in A
    )
    return X + 0.03 * rng.standard_normal(X.shape), A


def apart(moves, A, B):
    """Return for every row of A how far the orbit nearest to it among those of B is."""
    return orbit_distances(A, B, moves.group).min(axis=1)


def test_waveforms_that_run_both_ways_are_learned():
    X, A = planted(80, 32, seed=0)
    settings = {"n_components": 2, "alpha": 0.15, "random_state": 0, "tol": 1e-3}
    model = OrbitDictionaryLearning(group=BOTH_WAYS, **settings).fit(X)
    moves = BOTH_WAYS.on((32,))
    assert apart(moves, A, model.components_).max() < 0.01
    one_way = OrbitDictionaryLearning(group=ContinuousShift(), **settings).fit(X)
    assert apart(moves, A, one_way.components_).max() > 0.05
    assert model.history_[-1].objective < one_way.history_[-1].objective


def test_a_model_of_moves_both_ways_is_saved_and_loaded(tmp_path):
    X, _ = planted(12, 16, seed=1)
    group = SemidirectProduct(ContinuousShift(), Reversal())
    model = OrbitDictionaryLearning(
        2, group=group, alpha=0.3, tol=0.1, coder=Sliding(tol=1e-3), random_state=0
    ).fit(X)
    model.save(tmp_path / "model.orbit")
    again = orbitdl.load(tmp_path / "model.orbit")
    assert again.group == group
    assert again.coder == Sliding(tol=1e-3)
    assert_allclose(again.transform(X), model.transform(X))


def test_moves_given_by_matrices_are_saved_and_loaded(tmp_path):
    X = np.random.default_rng(0).standard_normal((6, 7))
    model = OrbitDictionaryLearning(
        1, group=SemidirectProduct(IntegerShift(), DOUBLED), alpha=0.3, tol=0.1, random_state=0
    ).fit(X)
    model.save(tmp_path / "model.orbit")
    again = orbitdl.load(tmp_path / "model.orbit")
    assert_array_equal(again.group.finite.matrices, DOUBLED.matrices)
    assert_allclose(again.transform(X), model.transform(X))


@pytest.mark.parametrize("coder", [Sliding(tol=1e-6), Growing(tol=1e-6)])
def test_every_coder_of_the_group_alone_serves(coder):
    rng = np.random.default_rng(0)
    X, A = rng.standard_normal((4, 9)), unit_rows(rng, 2, 9)
    codes = encode(X, A, group=BOTH_WAYS, alpha=0.3, coder=coder)
    expected = encode(X, A, group=BOTH_WAYS, alpha=0.3, coder=Sliding(tol=1e-8))
    assert_allclose(codes.objective, expected.objective, rtol=2e-6)
    assert list(codes.to_frame().columns)[3:] == ["shift", "reversed"]
    with pytest.raises(ValueError, match=r"^the coder Proximal does not serve Semidirect"):
        encode(X, A, group=BOTH_WAYS, alpha=0.3, coder=Proximal())


def test_the_default_coder_is_that_of_the_group_alone():
    assert isinstance(default_coder(BOTH_WAYS.on((8,))), Sliding)
    assert isinstance(default_coder(WHOLE.on((8,))), ActiveSet)


def test_groups_with_other_transformations_are_not_extended_once_more():
    with pytest.raises(ValueError, match="multiplies complex blocks by phases"):
        SemidirectProduct(BOTH_WAYS, Reversal()).on((8,))


def test_components_are_aligned_by_either_kind_of_transformation():
    rng = np.random.default_rng(0)
    A = unit_rows(rng, 3, 11)
    B = -np.roll(A[[2, 0, 1]][:, ::-1], 4, axis=1)
    assert orbitdl.dictionary_distance(A, B, BOTH_WAYS) < 1e-12
    assert_allclose(orbitdl.align(A, B, BOTH_WAYS), A, atol=1e-6)
    assert orbitdl.dictionary_distance(A, B, ContinuousShift()) > 0.1


def test_selection_prefers_both_directions_where_waveforms_run_both_ways():
    X, _ = planted(60, 24, seed=2)
    estimator = OrbitDictionaryLearning(n_restarts=1, random_state=0, max_iter=4)
    groups = [ContinuousShift(), BOTH_WAYS]
    selection = orbitdl.select(
        estimator, X, groups=groups, n_components=[2], alphas=[0.3, 0.15], rounds=2
    )
    errors = selection.table.groupby("group")["error"].min()
    assert errors[BOTH_WAYS.name] < errors[ContinuousShift().name]


def test_a_fit_goes_on_from_its_checkpoint(tmp_path):
    X, _ = planted(30, 16, seed=3)
    settings = {"group": BOTH_WAYS, "alpha": 0.3, "n_restarts": 1, "random_state": 0}
    settings |= {"n_components": 2, "max_iter": 5, "tol": 1e-6}
    path = tmp_path / "fit.checkpoint"
    with pytest.warns(ConvergenceWarning):
        whole = OrbitDictionaryLearning(**settings).fit(X)

    def stop(iteration):
        if iteration.number == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        OrbitDictionaryLearning(**settings, checkpoint=path, callback=stop).fit(X)
    with pytest.warns(ConvergenceWarning):
        again = OrbitDictionaryLearning(**settings, checkpoint=path).fit(X)
    assert_array_equal(again.components_, whole.components_)
    assert again.codes_.representation.group == BOTH_WAYS
    assert_allclose(again.decode(again.codes_), whole.decode(whole.codes_))
