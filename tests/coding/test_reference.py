"""The references agree with closed forms and with each other, and exact coders with them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from reference import interpolation, listed, moves, reference_objective
from sklearn.linear_model import Lasso

from orbitdl import encode
from orbitdl.coding import ActiveSet, Proximal
from orbitdl.groups import (
    ContinuousShift,
    Finite,
    IntegerShift,
    InterpolatedShift,
    Orthogonal,
    Trivial,
)

QUARTER_TURNS = Finite([[1, 3, 0, 2]])
TRIANGLE = Finite(
    [
        [[-0.5, -np.sqrt(0.75)], [np.sqrt(0.75), -0.5]],
        [[1.0, 0.0], [0.0, -1.0]],
    ]
)

FINITE = [
    (Trivial(), (5,)),
    (Trivial(), (2, 3)),
    (IntegerShift(), (7,)),
    (IntegerShift(), (8,)),
    (IntegerShift(), (6, 2)),
    (InterpolatedShift(2), (7,)),
    (InterpolatedShift(3), (8,)),
    (InterpolatedShift(2), (6, 3)),
    (QUARTER_TURNS, (2, 2)),
    (TRIANGLE, (2, 4)),
]
ORTHOGONAL = [(Orthogonal(), (3, 5)), (Orthogonal(), (2, 2)), (Orthogonal(), (3,))]
CONTINUOUS = [(ContinuousShift(), (7,)), (ContinuousShift(), (8,)), (ContinuousShift(), (5, 2))]


def named(case: object) -> str:
    return str(case).replace(" ", "") if isinstance(case, tuple) else type(case).__name__


def draw(shape: tuple[int, ...], n: int, q: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return data (n, *shape), and components (q, *shape) of unit norm."""
    rng = np.random.default_rng(seed)
    X, components = rng.standard_normal((n, *shape)), rng.standard_normal((q, *shape))
    norms = np.linalg.norm(components.reshape(q, -1), axis=1)
    return X, components / norms.reshape(-1, *np.ones(len(shape), dtype=int))


@pytest.mark.parametrize(("group", "shape"), FINITE + ORTHOGONAL + CONTINUOUS, ids=named)
def test_one_moved_component_costs_what_the_closed_form_says(group, shape):
    """For y = c g a with |a| = 1 the soft threshold is optimal: alpha |c| - alpha^2 / 2."""
    representation = group.on(shape)
    a = representation.project(draw(shape, 1, 1)[1])
    a /= np.linalg.norm(a)
    g = representation.sample(np.random.default_rng(1), 1)
    y = -1.7 * representation.act(g, a)
    value = reference_objective(group, y, a, alpha=0.3)
    assert_allclose(value, 0.3 * 1.7 - 0.3**2 / 2, rtol=1e-7)


def test_integer_shifts_agree_with_the_lasso_of_scikit_learn():
    X, components = draw((7,), n=3, q=2)
    atoms = np.array([np.roll(a, k) for a in components for k in range(7)]).T
    lasso = Lasso(alpha=0.2 / 7, fit_intercept=False, tol=1e-14, max_iter=100_000)
    codes = np.array([lasso.fit(atoms, y).coef_ for y in X])
    expected = 0.5 * np.sum((X - codes @ atoms.T) ** 2, axis=1) + 0.2 * np.abs(codes).sum(axis=1)
    assert_allclose(reference_objective(IntegerShift(), X, components, 0.2), expected, rtol=1e-7)


def test_cyclic_permutations_are_integer_shifts():
    X, components = draw((6,), n=3, q=2)
    cyclic = Finite([np.roll(np.arange(6), 1)])
    values = reference_objective(cyclic, X, components, 0.2)
    assert_allclose(values, reference_objective(IntegerShift(), X, components, 0.2), rtol=1e-8)


def test_interpolation_samples_the_shifted_polynomial():
    time = np.arange(9)
    matrix = interpolation(9, 2.3)
    for f in range(5):
        wave, moved = (np.cos(2 * np.pi * f * (time - s) / 9 + 0.4) for s in (0, 2.3))
        assert_allclose(matrix @ wave, moved, atol=1e-12)


@pytest.mark.parametrize("shape", [(7,), (8,), (7, 2)])
def test_finer_shifts_approach_continuous_shifts_from_above(shape):
    X, components = draw(shape, n=3, q=1)
    grids = [InterpolatedShift(k) for k in (2, 8, 64)]
    values = [reference_objective(group, X, components, 0.3) for group in grids]
    limit = reference_objective(ContinuousShift(), X, components, 0.3)
    assert np.all(values[0] > values[1])
    assert np.all(values[1] > values[2])
    assert np.all(values[2] > limit * (1 - 1e-8))
    assert_allclose(values[2], limit, rtol=1e-3)


def test_part_that_cannot_move_adds_half_its_energy():
    """The alternating signal is in no transformed component of an even length."""
    X, components = draw((8,), n=2, q=1)
    alternating = 0.5 * (-1.0) ** np.arange(8)
    X -= np.outer(X @ alternating, alternating) / 2
    for group in (ContinuousShift(), InterpolatedShift(2)):
        without = reference_objective(group, X, components, 0.3)
        value = reference_objective(group, X + alternating, components, 0.3)
        assert_allclose(value, without + 1.0, rtol=1e-7)


@pytest.mark.parametrize(("group", "shape"), FINITE, ids=named)
def test_elements_of_a_group_do_to_unit_vectors_what_its_definition_says(group, shape):
    size = int(np.prod(shape))
    expected = [np.kron(g, np.eye(size // len(g))) for g in moves(group, np.zeros((1, *shape)))]
    found = listed(group, shape)
    assert len(found) == len(expected)
    for matrix in expected:
        assert min(np.abs(matrix - other).max() for other in found) < 1e-9


@pytest.mark.parametrize("alpha", [0.05, 0.5])
@pytest.mark.parametrize(("group", "shape"), FINITE, ids=named)
def test_active_set_reaches_the_reference(group, shape, alpha):
    X, components = draw(shape, n=4, q=2)
    codes = encode(X, components, group=group, alpha=alpha, coder=ActiveSet(tol=1e-9))
    expected = reference_objective(group, X, components, alpha)
    assert_allclose(codes.objective, expected, rtol=1e-6)


@pytest.mark.parametrize("alpha", [0.05, 0.5])
@pytest.mark.parametrize(("group", "shape"), ORTHOGONAL, ids=named)
def test_proximal_reaches_the_reference(group, shape, alpha):
    X, components = draw(shape, n=4, q=2)
    codes = encode(X, components, group=group, alpha=alpha, coder=Proximal(tol=1e-7))
    expected = reference_objective(group, X, components, alpha)
    assert_allclose(codes.objective, expected, rtol=1e-6)
