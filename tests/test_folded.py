"""Groups with finitely many other moves: against lassos over all moved copies."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from registry import CYCLE, DOUBLED
from sklearn.linear_model import Lasso

import orbitdl
from orbitdl import OrbitDictionaryLearning, encode
from orbitdl.coding import Folding
from orbitdl.coding.choice import default_coder
from orbitdl.coding.codes import Atoms
from orbitdl.coding.folding import fold_atoms, unfold_atoms
from orbitdl.groups import (
    ContinuousShift,
    Finite,
    IntegerShift,
    InterpolatedShift,
    Orthogonal,
    Reversal,
    ShiftAndPhase,
    WithFinite,
)
from orbitdl.groups.base import inner

BOTH_WAYS = WithFinite(ContinuousShift(), Reversal())
WHOLE = WithFinite(IntegerShift(), Reversal())


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
        WithFinite(IntegerShift(), DOUBLED),
        (7, 2),
        [lambda a, u=u: a[u * np.arange(7) % 7] for u in (1, 2, 4)],
    ),
}


@pytest.mark.parametrize("name", FINITE)
def test_codes_are_the_lasso_over_all_moved_copies(name):
    group, shape, turned = FINITE[name]
    rng = np.random.default_rng(0)
    X, A = rng.standard_normal((6, *shape)), unit_rows(rng, 2, *shape)
    codes = encode(X, A, group=group, alpha=0.2, coder=Folding(tol=1e-9))
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
    codes = encode(np.where(seen, X, np.nan), A, group=group, alpha=0.2, coder=Folding(tol=1e-8))
    assert_allclose(codes.objective, least(X, rolled(A, turned), 0.2, seen), rtol=1e-6)


@pytest.mark.parametrize("length", [9, 10])
def test_shifts_by_any_amount_both_ways_are_no_worse_than_a_fine_grid_and_close(length):
    rng = np.random.default_rng(length)
    shifts = ContinuousShift().on((length,))
    X, A = rng.standard_normal((4, length)), unit_rows(rng, 2, length)
    A = shifts.adopt(A)
    codes = encode(X, A, group=BOTH_WAYS, alpha=0.3, coder=Folding(tol=1e-8))
    grid = np.arange(10 * length)[:, None] / 10
    copies = np.concatenate([shifts.act(grid, b[None]) for a in A for b in (a, a[::-1])])
    expected = least(X, copies, 0.3)
    assert np.all(codes.objective <= expected * (1 + 1e-8))
    assert_allclose(codes.objective, expected, rtol=5e-3)


def test_bursts_of_any_phase_are_no_worse_than_a_fine_grid_and_close():
    rng, length = np.random.default_rng(0), 9
    moves = ShiftAndPhase().on((length,))
    X, A = rng.standard_normal((2, length)), moves.adopt(unit_rows(rng, 1, length))
    codes = encode(X, A, group=ShiftAndPhase(), alpha=0.3)
    shift, phase = np.meshgrid(np.arange(0, length, 0.2), np.arange(0, 180, 10.0))
    copies = moves.act(np.stack([shift.ravel(), phase.ravel()], axis=1), A)
    expected = least(X, copies, 0.3)
    assert codes.gap.max() <= 1e-4
    assert np.all(codes.objective <= expected * (1 + 1e-4))
    assert_allclose(codes.objective, expected, rtol=1e-2)


def test_bursts_of_any_phase_may_run_backwards_too():
    rng = np.random.default_rng(0)
    group = WithFinite(ShiftAndPhase(), Reversal())
    moves = group.on((16,))
    a = moves.adopt(unit_rows(rng, 1, 16))
    element = np.array([[2.3, 40.0, 1.0], [7.9, 300.0, 0.0]])
    X = 3.0 * moves.act(element, a)
    codes = encode(X, a, group=group, alpha=0.01)
    largest = codes.to_frame().groupby("sample")["coefficient"].idxmax()
    found = codes.atoms.element[largest]
    assert_allclose(moves.represent(found), moves.represent(element), atol=1e-2)


# The action


def test_an_element_runs_backwards_first_and_shifts_then():
    x = np.random.default_rng(0).standard_normal((7, 2))
    for group in (WHOLE, BOTH_WAYS, WithFinite(InterpolatedShift(2), Reversal())):
        moves = group.on((7, 2))
        assert_allclose(moves.act(np.array([2.0, 1.0]), x), np.roll(x[::-1], 2, axis=0))
        assert_allclose(moves.act(np.array([2.0, 0.0]), x), np.roll(x, 2, axis=0))


def test_moves_do_not_commute_with_shifts():
    moves = BOTH_WAYS.on((9,))
    shift, back = np.array([[2.5, 0.0]]), np.array([[0.0, 1.0]])
    assert_allclose(moves.compose(shift, back), [[2.5, 1.0]])
    assert_allclose(moves.compose(back, shift), [[6.5, 1.0]])


@pytest.mark.parametrize("name", FINITE)
def test_polar_of_any_matrix_is_the_largest_of_all_elements(name):
    """Of matrices that are no correlations of data too, which fill the rows left over."""
    group, shape, _ = FINITE[name]
    moves, rng = group.on(shape), np.random.default_rng(0)
    n_blocks, d, _ = moves.block_shape
    C = rng.standard_normal((5, n_blocks, d, d))
    every = inner(C[:, None], moves.represent(moves.cover())[None])
    assert_allclose(moves.polar(C), np.abs(every).max(axis=1))
    value, element = moves.match(C)
    assert_allclose(inner(C, moves.represent(element)), value)


def test_blocks_that_are_exchanged_lie_in_one_block():
    moves = WithFinite(IntegerShift(), DOUBLED).on((7, 2))
    assert moves.block_shape == (2, 6, 2)  # the constant, and all other frequencies
    assert WHOLE.on((7, 2)).block_shape == (4, 2, 2)


def test_the_matrix_view_of_codes_is_the_sum_of_their_matrices():
    moves, rng = WithFinite(IntegerShift(), DOUBLED).on((7,)), np.random.default_rng(0)
    c, g = rng.standard_normal(6), moves.sample(rng, 6)
    atoms = Atoms(2, np.array([0, 2, 6]), np.array([0, 1, 1, 0, 1, 1]), c, g)
    Z, expected = atoms.embed(moves), np.zeros((4, *moves.represent(g).shape[1:]))
    pair = atoms.sample * 2 + atoms.component
    np.add.at(expected, pair, c[:, None, None, None] * moves.represent(g))
    assert_allclose(Z.reshape(expected.shape), expected, atol=1e-12)


def test_unfolding_atoms_and_folding_them_is_no_change():
    moves, rng = WithFinite(IntegerShift(), DOUBLED).on((7,)), np.random.default_rng(0)
    component, element = np.array([0, 2, 1, 1]), moves.sample(rng, 4)
    atoms = Atoms(3, np.array([0, 3, 4]), component, rng.standard_normal(4), element)
    there = unfold_atoms(moves, atoms)
    assert there.n_components == 9
    back = fold_atoms(moves, there)
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
    assert shown.moves.endswith("fractions of a sample included, and may run backwards")
    assert shown.element(np.array([3.2, 1.0])) == "shift 3.20, backwards"
    assert BOTH_WAYS.in_short() == "WithFinite(ContinuousShift(), Reversal())"


# What cannot go together


@pytest.mark.parametrize(
    ("group", "moves", "shape", "why"),
    [
        (IntegerShift(), Finite([[1, 0, 2, 3, 4]]), (5,), "map moved copies to moved copies"),
        (ContinuousShift(), Finite([[1, 2, 0, 3]]), (4,), "map moved copies to moved copies"),
        (ContinuousShift(), DOUBLED, (7,), "map moved copies to moved copies"),
        (IntegerShift(), Finite([[1, 0, 3, 2, 5, 4]]), (3, 2), "mix the channels"),
        (IntegerShift(), Orthogonal(), (5,), "is not finite"),
        (CYCLE, Reversal(), (5,), "complex blocks of size one"),
        (Orthogonal(), Reversal(), (3, 2), "complex blocks of size one"),
        (IntegerShift(), Reversal(), (3, 3, 3), "acts on data points"),
    ],
)
def test_moves_that_do_not_go_with_the_group_are_refused(group, moves, shape, why):
    with pytest.raises(ValueError, match=why):
        WithFinite(group, moves).on(shape)


def test_what_is_no_group_is_refused():
    with pytest.raises(ValueError, match="must be an object from orbitdl.groups"):
        WithFinite(IntegerShift(), "reversal")


@pytest.mark.parametrize("max_iter", [0, -1, 1.5])
def test_iterations_of_folding_are_counted(max_iter):
    with pytest.raises(ValueError, match="max_iter of Folding"):
        Folding(max_iter=max_iter)


# Learning


def planted(n, length, seed):
    """Return windows with two waveforms at any time, forwards or backwards, and the waveforms."""
    rng, t = np.random.default_rng(seed), np.arange(length)
    moves = BOTH_WAYS.on((length,))
    steep = np.where(t > 8, np.exp(-(t - 8) / 3.0), 0.0)
    ringing = np.where(t > 8, np.exp(-(t - 8) / 4.0) * np.sin((t - 8) / 1.2), 0.0)
    A = moves.adopt(np.stack([steep, ringing]) - np.mean([steep, ringing], axis=1, keepdims=True))
    A /= np.linalg.norm(A, axis=1, keepdims=True)
    X = sum(
        rng.uniform(1, 2, (n, 1)) * moves.act(moves.sample(rng, n), np.broadcast_to(a, (n, length)))
        for a in A
    )
    return X + 0.03 * rng.standard_normal(X.shape), A


def apart(moves, A, B):
    """Return for every row of A how far the orbit nearest to it among those of B is."""
    product = moves.analyze(A)[:, None] @ moves.analyze(B).swapaxes(-1, -2)[None]
    return 2.0 - 2.0 * moves.polar(product).max(axis=1)


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
    group = WithFinite(ContinuousShift(), Reversal())
    model = OrbitDictionaryLearning(
        2, group=group, alpha=0.3, tol=0.1, coder=Folding(tol=1e-3), random_state=0
    ).fit(X)
    model.save(tmp_path / "model.orbit")
    again = orbitdl.load(tmp_path / "model.orbit")
    assert again.group == group
    assert again.coder == Folding(tol=1e-3)
    assert_allclose(again.transform(X), model.transform(X))


def test_moves_given_by_matrices_are_saved_and_loaded(tmp_path):
    X = np.random.default_rng(0).standard_normal((6, 7))
    model = OrbitDictionaryLearning(
        1, group=WithFinite(IntegerShift(), DOUBLED), alpha=0.3, tol=0.1, random_state=0
    ).fit(X)
    model.save(tmp_path / "model.orbit")
    again = orbitdl.load(tmp_path / "model.orbit")
    assert_array_equal(again.group.moves.matrices, DOUBLED.matrices)
    assert_allclose(again.transform(X), model.transform(X))


def test_folding_is_the_default_coder():
    assert isinstance(default_coder(BOTH_WAYS.on((8,))), Folding)
    assert not Folding().serves(ContinuousShift().on((8,)))
