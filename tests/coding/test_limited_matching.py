"""Matching with a limit on the atoms of all components together, against brute force."""

from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from registry import KINDS
from sklearn.linear_model import Lasso
from test_coder_contract import draw

from orbitdl import OrbitDictionaryLearning, encode, load
from orbitdl.coding import Coder, Matching
from orbitdl.coding.matching import largest_atoms
from orbitdl.coding.problem import Problem
from orbitdl.groups import IntegerShift, Trivial
from orbitdl.storage.kinds import describe, rebuild

# fits end early here, on purpose
pytestmark = pytest.mark.filterwarnings("ignore:max_iter=:sklearn.exceptions.ConvergenceWarning")

LENGTH, ALPHA = 6, 0.3


def objective(y, columns, alpha=ALPHA):
    """Return the least ``1/2 ||y - B c||^2 + alpha ||c||_1`` for the atoms in the columns of B."""
    lasso = Lasso(alpha / len(y), fit_intercept=False, tol=1e-12, max_iter=100_000)
    c = lasso.fit(columns, y).coef_
    return 0.5 * np.sum((y - columns @ c) ** 2) + alpha * np.abs(c).sum()


def orbit(components):
    """Return component and values of every transformed component, by integer shifts."""
    return [(j, np.roll(a, s)) for j, a in enumerate(components) for s in range(LENGTH)]


def best(y, components, total, of_each):
    """Try all choices of so many atoms, so many of each component at most."""
    values = [0.5 * y @ y]
    for chosen in combinations(orbit(components), total):
        if np.bincount([j for j, _ in chosen]).max() <= of_each:
            values.append(objective(y, np.array([a for _, a in chosen]).T))
    return min(values)


def random_problem(seed, n=12, q=2):
    rng = np.random.default_rng(seed)
    A = rng.standard_normal((q, LENGTH))
    return rng.standard_normal((n, LENGTH)), A / np.linalg.norm(A, axis=1, keepdims=True)


def counts(codes):
    """Return the numbers of atoms, per sample and component."""
    atoms = codes.atoms
    result = np.zeros((len(codes), atoms.n_components), dtype=int)
    np.add.at(result, (atoms.sample, atoms.component), 1)
    return result


def test_one_atom_in_all_is_the_best_of_all():
    X, A = random_problem(0)
    codes = encode(X, A, group=IntegerShift(), alpha=ALPHA, coder=Matching(5, max_atoms=1))
    assert_allclose(codes.objective, [best(y, A, 1, 5) for y in X], rtol=1e-9)
    assert counts(codes).sum(axis=1).max() == 1
    assert (counts(codes).sum(axis=0) > 0).all()  # each component is the best somewhere


@pytest.mark.parametrize(("total", "of_each"), [(2, 1), (2, 2), (3, 2)])
def test_few_atoms_are_mostly_the_best_ones_and_never_better(total, of_each):
    """Greedy choice need not end at the best: it does in most samples, and is near elsewhere."""
    X, A = random_problem(1, q=2 if total == 2 else 3)
    coder = Matching(of_each, max_atoms=total)
    codes = encode(X, A, group=IntegerShift(), alpha=ALPHA, coder=coder)
    least = np.array([best(y, A, total, of_each) for y in X])
    assert (codes.objective >= least * (1 - 1e-9)).all()
    assert np.mean(codes.objective <= least * (1 + 1e-4)) >= 0.5
    assert codes.objective.sum() <= 1.08 * least.sum()
    assert counts(codes).max() <= of_each
    assert counts(codes).sum(axis=1).max() == total


def test_coefficients_are_fitted_together_from_the_first_cycle_on():
    X, A = random_problem(5, q=3)
    coder = Matching(2, max_atoms=3, max_iter=1)
    codes = encode(X, A, group=IntegerShift(), alpha=ALPHA, coder=coder)
    for i, y in enumerate(X):
        rows = codes.to_frame().query(f"sample == {i}").itertuples()
        columns = np.array([np.roll(A[row.component], int(row.shift)) for row in rows]).T
        assert_allclose(codes.objective[i], objective(y, columns), rtol=1e-5)


@pytest.mark.parametrize("total", [1, 2, 4])
def test_among_orthogonal_components_the_largest_are_taken(total):
    rng = np.random.default_rng(2)
    A = np.linalg.qr(rng.standard_normal((LENGTH, LENGTH)))[0]
    X = rng.standard_normal((20, LENGTH))
    codes = encode(X, A, group=Trivial(), alpha=ALPHA, coder=Matching(max_atoms=total))
    c = np.maximum(np.abs(X @ A.T) - ALPHA, 0.0)
    wanted = np.where(c >= np.sort(c, axis=1)[:, [-total]], c, 0.0)
    assert_allclose(codes.invariants(), wanted, atol=1e-9)


def test_components_of_other_norms_are_judged_by_what_they_explain():
    X, A = random_problem(3)
    scale = np.array([[0.1], [20.0]])
    codes = encode(X, scale * A, group=IntegerShift(), alpha=ALPHA, coder=Matching(max_atoms=1))
    atoms = orbit(scale * A)
    wanted = [min(objective(y, a[:, None]) for _, a in atoms) for y in X]
    assert_allclose(codes.objective, wanted, rtol=1e-9)


@pytest.mark.parametrize("name", KINDS)
def test_every_group_keeps_the_limit_and_more_atoms_explain_more(name):
    problem, last = draw(name, q=3, level=0.05), np.inf
    for total in (1, 2, 4):
        codes = problem.code(Matching(2, max_atoms=total))
        assert counts(codes).sum(axis=1).max() <= total
        assert counts(codes).max() <= 2
        assert codes.objective.sum() <= last * (1 + 1e-9)
        last = codes.objective.sum()


@pytest.mark.parametrize("max_atoms", [6, 7, 10**9])
def test_a_limit_that_cannot_be_reached_changes_nothing(max_atoms):
    problem = draw("continuous shift", q=3)
    free, limited = (problem.code(Matching(2, max_atoms=m)) for m in (None, max_atoms))
    assert_array_equal(limited.objective, free.objective)


def test_missing_entries_are_left_out_of_the_choice():
    X, A = random_problem(4)
    seen = np.random.default_rng(0).random(X.shape) < 0.7
    settings = {"group": IntegerShift(), "alpha": ALPHA, "coder": Matching(max_atoms=1)}
    codes = encode(X, A, mask=seen, **settings)
    for y, observed, value in zip(X, seen, codes.objective, strict=True):
        atoms = [objective(y[observed], a[observed, None], ALPHA) for _, a in orbit(A)]
        assert value <= 0.5 * y[observed] @ y[observed] + 1e-12
        assert value >= min(atoms) - 1e-9
    values = [
        encode(X, A, mask=seen, **settings | {"coder": Matching(max_atoms=1, max_iter=k)})
        for k in (1, 2, 100)
    ]
    sums = [codes.objective.sum() for codes in values]
    assert sums[0] >= sums[1] >= sums[2]


def test_known_atoms_beyond_the_limit_are_let_go_the_smallest_first():
    problem = draw("integer shift", q=3, level=0.05)
    many = problem.code(Matching(2)).atoms
    few = Matching(2, max_atoms=2)._limited(2).match
    atoms = few(Problem(problem.rep, problem.Y, problem.A, problem.alpha), many)
    assert np.diff(many.offsets).max() > 2
    assert np.diff(atoms.offsets).max() == 2
    largest = largest_atoms(many, many.sample, 2)
    for own, kept in zip(
        np.split(many.coefficient, many.offsets[1:-1]),
        np.split(largest.coefficient, largest.offsets[1:-1]),
        strict=True,
    ):
        assert_allclose(np.sort(np.abs(kept)), np.sort(np.abs(own))[-2:])


def test_learning_with_a_limit_never_uses_more(tmp_path):
    X = np.random.default_rng(0).standard_normal((30, 12))
    coder = Matching(2, max_atoms=3)
    model = OrbitDictionaryLearning(3, alpha=0.2, coder=coder, max_iter=4, random_state=0).fit(X)
    assert counts(model.encode(X)).sum(axis=1).max() == 3
    objectives = [record.objective for record in model.history_]
    assert (np.diff(objectives) <= 1e-9 * objectives[0]).all()
    model.save(tmp_path / "model")
    assert load(tmp_path / "model").coder == coder


@pytest.mark.parametrize("wrong", [0, -1, 1.5, True, "all"])
def test_a_limit_is_a_whole_number_of_at_least_one(wrong):
    with pytest.raises(ValueError, match="max_atoms of Matching must be an integer of at"):
        Matching(max_atoms=wrong)


@pytest.mark.parametrize("coder", [Matching(2), Matching(2, max_atoms=5)])
def test_files_hold_the_limit(coder):
    description, tensors = describe(coder)
    assert description["settings"]["max_atoms"] == coder.max_atoms
    assert rebuild(Coder, description, tensors) == coder


def test_every_setting_must_be_in_a_file():
    description, _ = describe(Matching())
    del description["settings"]["improvement"]
    with pytest.raises(ValueError, match="lacks the entry 'improvement'"):
        rebuild(Coder, description, {})
