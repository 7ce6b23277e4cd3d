"""The dictionary step: least squares over all components together, with and without the ball."""

import cvxpy as cp
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from registry import ALONE, action

from orbitdl.coding.atoms import Atoms
from orbitdl.coding.certificate import reconstruct
from orbitdl.dictionaries.least_squares import (
    constrained_least_squares,
    least_squares,
    normalise,
    triangular_inverse,
)
from orbitdl.dictionaries.statistics import Statistics
from orbitdl.dictionaries.unit_ball import MANY, UnitBall
from orbitdl.groups import Representation
from orbitdl.groups.base import Blocks, Floats, as_real, inner
from orbitdl.learning import statistics
from orbitdl.learning.alternation import replace_unused
from orbitdl.learning.shards import Residuals
from orbitdl.learning.starts import start_from_noise
from orbitdl.learning.statistics import statistics_of

Q = 3


def draw(
    name: str, *, n: int = 60, size: float = 1.0, seed: int = 0
) -> tuple[Representation, Blocks, Atoms]:
    """Draw an action, data and codes of three atoms a sample that do not fit them."""
    rep, rng = action(name), np.random.default_rng(seed)
    Y = rep.analyze(size * rng.standard_normal((n, *rep.shape)))
    component, coefficient = rng.integers(Q, size=3 * n), rng.standard_normal(3 * n)
    atoms = Atoms(Q, 3 * np.arange(n + 1), component, coefficient, rep.sample(rng, 3 * n))
    return rep, Y, atoms


def signals(rep: Representation, Y: Blocks, atoms: Atoms) -> tuple[Floats, Floats]:
    """Return data (n * D,) and the matrix (n * D, q * D) that takes components to codings."""
    size = int(np.prod(rep.shape))
    unit = np.eye(size).reshape(size, *rep.shape)
    matrix = np.zeros((len(Y), size, Q, size))
    for i, j, c, g in zip(
        atoms.sample, atoms.component, atoms.coefficient, atoms.element, strict=True
    ):
        moved = rep.act(np.broadcast_to(g, (size, len(g))), unit).reshape(size, size)
        matrix[i, :, j] += c * moved.T
    return rep.synthesize(Y).ravel(), matrix.reshape(len(Y) * size, Q * size)


def start(rep: Representation, seed: int = 9) -> Blocks:
    """Draw components of unit norm to begin from."""
    return start_from_noise(rep, Q, np.random.default_rng(seed))


def norms(A: Blocks) -> Floats:
    return np.sqrt(inner(A, A))


def loss(rep: Representation, Y: Blocks, atoms: Atoms, A: Blocks) -> float:
    R = Y - reconstruct(rep, atoms, A)
    return 0.5 * float(inner(R, R).sum())


# Statistics


@pytest.mark.parametrize("name", ALONE)
def test_statistics_add_up_over_a_split(name):
    rep, Y, atoms = draw(name)
    whole = statistics_of(rep, Y, atoms)
    parts = [statistics_of(rep, Y[k], atoms.take(k)) for k in (slice(0, 7), slice(7, None))]
    total = parts[0] + parts[1]
    assert_allclose(total.normal, whole.normal, atol=1e-12)
    assert_allclose(total.cross, whole.cross, atol=1e-12)
    assert_allclose(total.usage, whole.usage)


def test_statistics_of_many_samples_are_the_sum_over_chunks():
    rep, Y, atoms = draw("integer shift", n=1100)
    whole = statistics_of(rep, Y, atoms)
    one_by_one = [
        statistics_of(rep, Y[i : i + 1], atoms.take(slice(i, i + 1))) for i in range(1100)
    ]
    assert_allclose(whole.normal, sum(part.normal for part in one_by_one), atol=1e-9)
    assert_allclose(whole.cross, sum(part.cross for part in one_by_one), atol=1e-9)


@pytest.mark.parametrize("name", ["permutations", "square on images"])
def test_statistics_of_few_transformed_components_of_many_are_the_same(name, monkeypatch):
    rep, Y, atoms = draw(name)
    expected = statistics_of(rep, Y, atoms)
    monkeypatch.setattr(statistics, "FEW", 3)
    found = statistics_of(rep, Y, atoms)
    assert_allclose(found.normal, expected.normal, atol=1e-12)
    assert_allclose(found.cross, expected.cross, atol=1e-12)


def test_a_residual_of_zero_leaves_its_component():
    A = np.random.default_rng(0).standard_normal((2, 1, 3, 2))
    assert_array_equal(UnitBall(A).replace(1, np.zeros((1, 3, 2))).A, A)


def test_usage_is_the_weight_of_each_component():
    rep, Y, atoms = draw("orthogonal")
    expected = [np.abs(atoms.coefficient[atoms.component == j]).sum() for j in range(Q)]
    assert_allclose(statistics_of(rep, Y, atoms).usage, expected)


# The paper's step


@pytest.mark.parametrize("name", ALONE)
def test_least_squares_is_that_of_the_signals(name):
    rep, Y, atoms = draw(name)
    A = least_squares(statistics_of(rep, Y, atoms), start(rep))
    y, matrix = signals(rep, Y, atoms)
    best = np.linalg.lstsq(matrix, y, rcond=None)[0]
    ours = rep.synthesize(A).ravel()
    assert_allclose(matrix @ ours, matrix @ best, atol=1e-8)
    assert_allclose(matrix.T @ (y - matrix @ ours), np.zeros(len(ours)), atol=1e-8)


# The default step: the same under ||a_j|| <= 1


def assert_optimal(rep: Representation, Y: Blocks, atoms: Atoms, A: Blocks) -> None:
    """Check stationarity, signs and slackness of the multipliers, in signal space.

    At the optimum ``W'(y - W a) = mu_j a_j`` on every component, with mu_j >= 0, and mu_j > 0
    only where ``||a_j|| = 1``.
    """
    y, matrix = signals(rep, Y, atoms)
    a = rep.synthesize(A).reshape(Q, -1)
    pull = (matrix.T @ (y - matrix @ a.ravel())).reshape(Q, -1)
    scale = np.abs(matrix.T @ y).max()
    mu = np.sum(pull * a, axis=1) / np.maximum(np.sum(a * a, axis=1), 1e-300)
    length = np.linalg.norm(a, axis=1)
    assert np.all(length <= 1 + 1e-9)
    assert np.all(mu >= -1e-9 * scale)
    assert_allclose(mu * (1 - length), np.zeros(Q), atol=1e-8 * scale)
    assert_allclose(pull, mu[:, None] * a, atol=1e-8 * scale)


@pytest.mark.parametrize("name", ALONE)
@pytest.mark.parametrize("size", [0.1, 1.0, 3.0, 30.0])
def test_constrained_step_satisfies_its_optimality_conditions(name, size):
    rep, Y, atoms = draw(name, size=size)
    A = constrained_least_squares(statistics_of(rep, Y, atoms), start(rep))
    assert_optimal(rep, Y, atoms, A)


@pytest.mark.parametrize("name", ["integer shift", "orthogonal", "trivial", "continuous shift"])
def test_constraints_bind_for_large_data_and_not_for_small(name):
    for size, binding in ((0.02, False), (30.0, True)):
        rep, Y, atoms = draw(name, size=size)
        statistics = statistics_of(rep, Y, atoms)
        A = constrained_least_squares(statistics, start(rep))
        if binding:
            assert_allclose(norms(A), np.ones(Q), rtol=1e-9)
        else:
            assert norms(A).max() < 0.9
            assert_allclose(A, least_squares(statistics, start(rep)), atol=1e-9)


def test_constrained_step_is_optimal_for_components_that_go_together():
    """Multipliers then rise and fall again on the way, some back to zero."""
    rep = action("trivial", 3)
    for seed in range(40):
        rng = np.random.default_rng(seed)
        common = rng.standard_normal((30, 1))
        c = common + 0.3 * rng.standard_normal((30, Q))
        Y = rng.standard_normal((30, 3)) * rng.choice([0.5, 1.0, 3.0])
        Y += common * rng.standard_normal((1, 3)) * rng.choice([1.0, 3.0])
        blocks = rep.analyze(Y)
        atoms = Atoms(
            Q, Q * np.arange(31), np.tile(np.arange(Q), 30), c.ravel(), np.zeros((30 * Q, 0))
        )
        A = constrained_least_squares(statistics_of(rep, blocks, atoms), start(rep))
        assert_optimal(rep, blocks, atoms, A)


@pytest.mark.parametrize("name", ["integer shift of channels", "orthogonal", "trivial", "hexagon"])
@pytest.mark.parametrize("seed", [0, 1])
def test_constrained_step_agrees_with_cvxpy(name, seed):
    rep, Y, atoms = draw(name, n=8, size=1.5, seed=seed)
    A = constrained_least_squares(statistics_of(rep, Y, atoms), start(rep))
    y, matrix = signals(rep, Y, atoms)
    size = matrix.shape[1] // Q
    a = cp.Variable(Q * size)
    ball = [cp.norm(a[j * size : (j + 1) * size]) <= 1 for j in range(Q)]
    problem = cp.Problem(cp.Minimize(0.5 * cp.sum_squares(y - matrix @ a)), ball)
    problem.solve(solver=cp.CLARABEL)
    assert loss(rep, Y, atoms, A) == pytest.approx(problem.value, rel=1e-7)


@pytest.mark.parametrize("name", ALONE)
def test_constrained_step_is_never_worse_than_any_components_of_unit_norm(name):
    rep, Y, atoms = draw(name, size=2.0)
    rng = np.random.default_rng(1)
    new = constrained_least_squares(statistics_of(rep, Y, atoms), start(rep))
    for _ in range(10):
        A = rep.analyze(rng.standard_normal((Q, *rep.shape)))
        A /= norms(A)[:, None, None, None]
        assert loss(rep, Y, atoms, new) <= loss(rep, Y, atoms, A)


@pytest.mark.parametrize("name", ["integer shift", "orthogonal", "trivial"])
@pytest.mark.parametrize("size", [0.1, 1.0, 30.0])
def test_the_step_ends_at_the_same_place_wherever_it_begins(name, size):
    rep, Y, atoms = draw(name, size=size)
    statistics = statistics_of(rep, Y, atoms)
    first = constrained_least_squares(statistics, start(rep))
    for A in (start(rep, 10), np.zeros_like(first), first, 100.0 * first):
        assert_allclose(constrained_least_squares(statistics, A), first, atol=1e-8)


@pytest.mark.parametrize("scale", [1e-90, 1e90])
@pytest.mark.parametrize("seed", range(3))
def test_no_unit_of_the_data_is_too_large_or_small_for_codes_that_determine_little(scale, seed):
    rng = np.random.default_rng(seed)
    W = scale * rng.standard_normal((21, 33)) * 10.0 ** rng.uniform(-2, 0, size=33)
    A = rng.standard_normal((33, 1, 1, 4))
    A /= norms(A)[:, None, None, None]
    Y = W @ A[:, 0, 0]
    statistics = Statistics((W.T @ W)[None], (W.T @ Y)[None], np.abs(W).sum(axis=0))
    new = constrained_least_squares(statistics, A)
    assert norms(new).max() <= 1 + 1e-8
    assert np.sum((Y - W @ new[:, 0, 0]) ** 2) <= 1e-12 * np.sum(Y**2)


@pytest.mark.parametrize("m", [1, 4])
@pytest.mark.parametrize("exact", [True, False])
def test_codes_that_do_not_determine_components_keep_them_in_the_ball(exact, m):
    """More components than samples: multipliers are lost in rounding."""
    q, n = 33, 21
    for seed in range(5):
        rng = np.random.default_rng(seed)
        W = rng.standard_normal((n, q)) * 10.0 ** rng.uniform(-2, 0, size=q)
        A = rng.standard_normal((q, 1, 1, m))
        A /= norms(A)[:, None, None, None]
        Y = W @ A[:, 0, 0] if exact else rng.standard_normal((n, m))
        statistics = Statistics((W.T @ W)[None], (W.T @ Y)[None], np.abs(W).sum(axis=0))
        new = constrained_least_squares(statistics, A)
        assert norms(new).max() <= 1 + 1e-8
        before, after = (np.sum((Y - W @ a[:, 0, 0]) ** 2) for a in (A, new))
        assert after <= before + 1e-12 * np.sum(Y**2)


@pytest.mark.parametrize("unit", [1e-90, 1.0, 1e90])
def test_a_step_of_many_components_without_blocks_gains_nearly_all_there_is(unit):
    q, rng = MANY + 8, np.random.default_rng(0)
    W = rng.standard_normal((400, q)) * (rng.random((400, q)) < 0.1)
    A, truth = (rng.standard_normal((q, 1, 1, 20)) for _ in range(2))
    A, truth = (V / norms(V)[:, None, None, None] for V in (A, truth))
    Y = W @ truth[:, 0, 0] + 0.1 * rng.standard_normal((400, 20))
    statistics = Statistics((W.T @ W)[None], (W.T @ Y)[None], np.abs(W).sum(axis=0)) * unit**2
    soon, exact = UnitBall(A).solve(statistics).A, constrained_least_squares(statistics, A)
    losses = [np.sum((Y - W @ V[:, 0, 0]) ** 2) for V in (A, soon, exact)]
    assert norms(soon).max() <= 1 + 1e-12
    assert losses[0] - losses[1] >= 0.95 * (losses[0] - losses[2])


@pytest.mark.parametrize("n", [1, 32, 33, 100])
@pytest.mark.parametrize("imaginary", [0.0, 1j])
def test_triangular_matrices_are_inverted(n, imaginary):
    rng = np.random.default_rng(n)
    L = rng.standard_normal((3, n, n)) + imaginary * rng.standard_normal((3, n, n))
    L = np.tril(L / np.sqrt(n)) + 3 * np.eye(n)
    assert_allclose(triangular_inverse(L) @ L, np.broadcast_to(np.eye(n), L.shape), atol=1e-12)


def test_a_component_that_is_not_used_stays_zero_and_disturbs_nothing():
    rep, Y, atoms = draw("integer shift", size=5.0)
    atoms = atoms.scale(np.array([1.0, 0.0, 1.0]))
    statistics = statistics_of(rep, Y, atoms)
    for solve in (constrained_least_squares, least_squares):
        A = solve(statistics, start(rep))
        assert np.isfinite(A).all()
        assert_allclose(A[1], np.zeros_like(A[1]), atol=1e-12)


def test_codes_of_nothing_give_finite_components():
    rep, Y, atoms = draw("continuous shift")
    statistics = statistics_of(rep, Y, atoms.scale(np.zeros(Q)))
    for solve in (constrained_least_squares, least_squares):
        assert_array_equal(solve(statistics, start(rep)), 0.0)


def test_two_components_with_the_same_codes_are_no_trouble():
    rep, Y, atoms = draw("trivial", size=3.0)
    # component 1 is always used together with component 0, with the same coefficient
    n = len(Y)
    c = np.random.default_rng(1).standard_normal(n).repeat(2)
    twins = Atoms(Q, 2 * np.arange(n + 1), np.tile([0, 1], n), c, np.zeros((2 * n, 0)))
    A = constrained_least_squares(statistics_of(rep, Y, twins), start(rep))
    assert_optimal(rep, Y, twins, A)


@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_the_step_does_not_depend_on_the_unit_of_the_data(scale):
    rep, Y, atoms = draw("orthogonal", size=2.0)
    factors = np.full(Q, scale)
    A = constrained_least_squares(statistics_of(rep, Y, atoms), start(rep))
    statistics = statistics_of(rep, Y * scale, atoms.scale(factors))
    scaled = constrained_least_squares(statistics, start(rep))
    assert_allclose(scaled, A, atol=1e-8)


# Norms, and components nobody uses


@pytest.mark.parametrize("name", ALONE)
def test_normalise_moves_the_norm_into_the_codes(name):
    rep, _, atoms = draw(name)
    A = rep.analyze(np.random.default_rng(1).standard_normal((Q, *rep.shape)))
    unit, factors = normalise(A)
    scaled = atoms.scale(factors)
    assert_allclose(norms(unit), np.ones(Q))
    assert_allclose(reconstruct(rep, scaled, unit), reconstruct(rep, atoms, A), atol=1e-12)


def test_normalise_of_a_zero_component_leaves_it_and_drops_its_atoms():
    rep, _, atoms = draw("integer shift")
    A = rep.analyze(np.random.default_rng(1).standard_normal((Q, *rep.shape)))
    A[1] = 0.0
    unit, factors = normalise(A)
    scaled = atoms.scale(factors)
    assert np.isfinite(unit).all()
    assert not np.any(scaled.component == 1)
    assert_allclose(reconstruct(rep, scaled, unit), reconstruct(rep, atoms, A), atol=1e-12)


def test_unused_components_become_the_worst_residuals():
    rep, R, _ = draw("integer shift", n=5)
    R *= np.array([1.0, 5.0, 2.0, 4.0, 3.0])[:, None, None, None] / norms(R)[:, None, None, None]
    A = rep.analyze(np.random.default_rng(1).standard_normal((Q, *rep.shape)))
    kept = A.copy()
    worst = Residuals(norms(R) ** 2, R).largest(2)
    new = replace_unused(UnitBall(A), np.array([0, 2]), worst).A
    assert_array_equal(A, kept)
    assert_array_equal(new[1], A[1])
    assert_allclose(new[0], R[1] / 5.0)
    assert_allclose(new[2], R[3] / 4.0)


def test_unused_components_stay_where_nothing_is_left_to_explain():
    rep, R, _ = draw("integer shift", n=5)
    A = rep.analyze(np.random.default_rng(1).standard_normal((Q, *rep.shape)))
    worst = Residuals(np.zeros(5), 0.0 * R).largest(Q)
    new = replace_unused(UnitBall(A), np.arange(Q), worst).A
    assert_array_equal(new, A)


def test_more_unused_components_than_samples_are_no_trouble():
    rep, R, _ = draw("integer shift", n=1)
    A = rep.analyze(np.random.default_rng(1).standard_normal((Q, *rep.shape)))
    worst = Residuals(norms(R) ** 2, R).largest(Q)
    new = replace_unused(UnitBall(A), np.arange(Q), worst).A
    assert_allclose(as_real(new[:1]), as_real(R / norms(R)[:, None, None, None]))
    assert_array_equal(new[1:], A[1:])
