"""The coder of any group against independent programs, and against the coders of some groups."""

import cvxpy as cp
import numpy as np
import pytest
from numpy.testing import assert_allclose
from reference import minimum, newton_step
from sklearn.linear_model import Lasso

from orbitdl import encode
from orbitdl.arrays.blocks import as_real_rows
from orbitdl.coding import Growing, Proximal, Sliding
from orbitdl.coding.atoms import Atoms
from orbitdl.coding.choice import default_coder
from orbitdl.coding.codes import Status
from orbitdl.coding.growing.newton import Step
from orbitdl.coding.growing.refinement import (
    Iterate,
    merge_coinciding,
    refinement_step,
    step_along,
)
from orbitdl.coding.problem import Problem
from orbitdl.dictionaries.least_squares import unit_norm
from orbitdl.groups import (
    Azimuth,
    ContinuousShift,
    ImageRotation,
    IntegerShift,
    Orthogonal,
    Permutation,
    Product,
    Translation,
)
from orbitdl.groups.base import correlate
from orbitdl.kernels import allocating
from orbitdl.kernels.linear_algebra import cholesky


def draw(group, shape, n=4, q=1, level=0.2, seed=0):
    """Return data, components, and an alpha that leaves a few atoms."""
    rep, rng = group.on(shape), np.random.default_rng(seed)
    A = rep.synthesize(unit_norm(rep.analyze(rng.standard_normal((q, *shape)))))
    X = rng.standard_normal((n, *shape))
    alpha = level * float(rep.polar(correlate(rep.analyze(X), rep.analyze(A))).max())
    return X, A, alpha


def test_it_is_the_coder_of_groups_that_no_other_codes_exactly():
    cases = [
        (Product(ContinuousShift(), Orthogonal()), (7, 3)),
        (Translation(), (5, 5)),
        (Permutation(), (6, 2)),
    ]
    for group, shape in cases:
        assert isinstance(default_coder(group.on(shape)), Growing)


@pytest.mark.parametrize(
    ("group", "shape", "coder"),
    [
        (ContinuousShift(), (41, 2), Sliding(tol=1e-10)),
        (ImageRotation(), (9, 9), Sliding(tol=1e-10)),
        (Orthogonal(), (3, 5), Proximal(tol=1e-10)),
    ],
)
@pytest.mark.parametrize("level", [0.3, 0.05])
def test_it_agrees_with_the_coders_of_one_kind_of_group(group, shape, coder, level):
    X, A, alpha = draw(group, shape, n=20, q=2, level=level)
    settings = {"group": group, "alpha": alpha}
    ours = encode(X, A, coder=Growing(tol=1e-10), **settings)
    assert ours.gap.max() <= 1e-10
    assert_allclose(ours.objective, encode(X, A, coder=coder, **settings).objective, rtol=1e-9)


# Shifts with turns of space: exact semidefinite programs


def rotation_forms() -> np.ndarray:
    """Return symmetric S_ij (3, 3, 4, 4) with ``R_ij(q) = q' S_ij q`` for unit quaternions q."""

    def rotation(q):
        w, x, y, z = q
        return np.array(
            [
                [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
                [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
                [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
            ]
        )

    S, basis = np.empty((3, 3, 4, 4)), np.eye(4)
    for a in range(4):
        for b in range(4):
            both, left, right = (rotation(q) for q in (basis[a] + basis[b], basis[a], basis[b]))
            S[:, :, a, b] = left if a == b else 0.5 * (both - left - right)
    return S


def exact_objective(Y, A, alpha):
    """Return ``max <y, p> - ||p||^2 / 2`` over p of which no orthogonal match exceeds alpha.

    The largest match of X with a rotation is the largest eigenvalue of ``sum X_ij S_ij``, and with
    any orthogonal matrix its largest absolute one. So ``alpha - sum X_ij(t) S_ij`` and ``alpha +
    ...`` are positive at all times t: by the theorem of Fejer and Riesz each is
    ``v(t)^H Q v(t)`` with Q positive and ``v = [1, e^it, ..]``.
    """
    (n_blocks, d, _), S = Y.shape, rotation_forms()
    p = cp.Variable((n_blocks, d), complex=True)
    constraints = [cp.imag(p[0]) == 0]
    forms = S.reshape(9, 16)
    for sign in (1.0, -1.0):
        Q = cp.Variable((4 * n_blocks, 4 * n_blocks), hermitian=True)
        constraints.append(Q >> 0)
        for k in range(n_blocks):
            C = cp.reshape(p[k], (d, 1), order="C") @ A[k].conj().T
            X = cp.reshape(C, (1, 9), order="C") * (1.0 if k == 0 else 0.5)
            wanted = -sign * cp.reshape(X @ forms, (4, 4), order="C")
            if k == 0:
                wanted = wanted + alpha * np.eye(4)
            found = sum(
                Q[4 * a : 4 * a + 4, 4 * (a + k) : 4 * (a + k) + 4] for a in range(n_blocks - k)
            )
            constraints.append(found == wanted)
    y = Y[..., 0]
    product = cp.sum(cp.real(cp.multiply(y.conj(), p)))
    return -minimum(0.5 * cp.sum_squares(cp.abs(p)) - product, constraints)


@pytest.mark.parametrize("level", [0.4, 0.1])
def test_shifts_and_turns_of_space_reach_the_optimum_of_a_semidefinite_program(level):
    group = Product(ContinuousShift(), Orthogonal())
    X, A, alpha = draw(group, (7, 3), n=3, level=level)
    rep = group.on((7, 3))
    codes = encode(X, A, group=group, alpha=alpha, coder=Growing(tol=1e-9))
    expected = [exact_objective(y, rep.analyze(A)[0], alpha) for y in rep.analyze(X)]
    assert_allclose(codes.objective, expected, rtol=2e-6)


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_whole_shifts_and_turns_reach_the_optimum_with_entries_missing(missing):
    """Codes of a component are one d x d matrix per shift, weighed by its spectral norm."""
    group, length, d = Product(IntegerShift(), Orthogonal()), 5, 2
    X, A, alpha = draw(group, (length, d), n=3, q=2, level=0.1)
    point = np.random.default_rng(1).uniform(size=X.shape) >= missing
    codes = encode(X, A, group=group, alpha=alpha, coder=Growing(tol=1e-8), mask=point)
    for x, mask, objective in zip(X, point, codes.objective, strict=True):
        Z = [[cp.Variable((d, d)) for _ in range(length)] for _ in A]
        fit = sum(np.roll(a, t, axis=0) @ Z[j][t].T for j, a in enumerate(A) for t in range(length))
        weight = sum(cp.sigma_max(z) for row in Z for z in row)
        misfit = cp.sum_squares(cp.multiply(mask.astype(float), fit - x))
        assert_allclose(objective, minimum(0.5 * misfit + alpha * weight), rtol=1e-5)


# Groups without an exact program: never above a lasso on a grid of elements


@pytest.mark.parametrize(
    ("group", "shape", "axes"),
    [
        (Product(ContinuousShift(), Azimuth()), (7, 3), (np.r_[0:7:0.25], np.r_[0:360:10.0])),
        (Translation(), (5, 5), (np.r_[0:5:0.2], np.r_[0:5:0.2])),
    ],
)
def test_objectives_are_just_below_those_of_a_grid(group, shape, axes):
    X, A, alpha = draw(group, shape, n=3, level=0.15)
    rep = group.on(shape)
    elements = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 2)
    transformed = rep.act(elements, np.broadcast_to(A[0], (len(elements), *shape)))
    rows = transformed.reshape(len(elements), -1)
    codes = encode(X, A, group=group, alpha=alpha, coder=Growing(tol=1e-8))
    for x, objective in zip(X.reshape(len(X), -1), codes.objective, strict=True):
        lasso = Lasso(alpha / len(x), fit_intercept=False, tol=1e-10, max_iter=100_000)
        c = lasso.fit(rows.T, x).coef_
        grid = 0.5 * np.sum((x - c @ rows) ** 2) + alpha * np.abs(c).sum()
        assert objective <= grid * (1 + 1e-7)
        assert objective >= 0.98 * grid


# Odd data


@pytest.mark.parametrize("scale", [1e-90, 1e90])
def test_units_do_not_matter(scale):
    group = Product(ContinuousShift(), Orthogonal())
    X, A, alpha = draw(group, (9, 3), n=3)
    codes = encode(X * scale, A, group=group, alpha=alpha * scale)
    expected = encode(X, A, group=group, alpha=alpha)
    total = codes.invariants().sum(axis=1) / scale
    assert_allclose(total, expected.invariants().sum(axis=1), rtol=1e-3)


def test_data_that_are_a_moved_component_get_one_atom_there():
    group = Product(ContinuousShift(), Orthogonal())
    _, A, _ = draw(group, (15, 3))
    rep = group.on((15, 3))
    element = rep.sample(np.random.default_rng(3), 1)
    codes = encode(2.0 * rep.act(element, A), A, group=group, alpha=0.1)
    assert_allclose(codes.atoms.coefficient, [1.9], rtol=1e-4)
    assert_allclose(codes.atoms.element, element, atol=1e-3)


def test_a_component_that_the_group_hardly_moves_is_coded():
    """All turns about its own axis leave it as it is: such moves must not lead astray."""
    group = Product(ContinuousShift(), Orthogonal())
    component = np.zeros((1, 15, 3))
    component[0, :, 0] = np.exp(-0.5 * ((np.arange(15) - 7) / 1.5) ** 2)
    X = np.random.default_rng(0).standard_normal((20, 15, 3))
    codes = encode(X, component, group=group, alpha=0.3, coder=Growing(tol=1e-7))
    assert set(codes.status) == {Status.CONVERGED}


# Newton's steps


@allocating
def factor(H):
    """Return the Cholesky factor, its diagonal inverted, and whether H is positive."""
    L = H.copy()
    return L, cholesky(L, L, 0, len(H), 0.0, 0.0)


@pytest.mark.parametrize("size", [1, 3, 4, 5, 11])
def test_matrices_of_any_size_are_factored_and_those_that_are_not_positive_refused(size):
    X = np.random.default_rng(0).standard_normal((size, 2 * size))
    H = X @ X.T
    L, positive = factor(H)
    assert positive
    L[np.diag_indices(size)] **= -1
    assert_allclose(np.tril(L), np.linalg.cholesky(H), rtol=1e-9, atol=1e-12)
    for k in range(size):
        worse = H.copy()
        worse[k, k] = -1e-3
        assert not factor(worse)[1]


def test_the_move_of_an_atom_that_shrinks_changes_its_signal_as_the_step_says():
    """The step says ``c B + u X B``, with the coefficient c that is left."""
    group = Product(ContinuousShift(), Azimuth())
    X, A, alpha = draw(group, (9, 3), n=1)
    rep, c, u = group.on((9, 3)), np.array([0.1]), np.array([[1e-6, 2e-6]])
    component, element = np.zeros(1, np.intp), rep.sample(np.random.default_rng(1), 1)
    problem = Problem(rep, rep.analyze(X), rep.analyze(A), alpha)
    point = Iterate.of(problem, Atoms(1, np.array([0, 1]), component, np.array([1.0]), element))
    one, none, yes = np.ones(1), np.full(1, -1), np.ones(1, np.bool_)
    step = Step(c - 1.0, u, one, none, one, yes, np.full(1, 1e-6))
    changed = Iterate.of(problem, step_along(point, step, one)).residual - point.residual
    moves = np.einsum("ka,ka...->k...", u, rep.tangents(point.transformed))
    expected = as_real_rows((1.0 - c[0]) * point.transformed - moves, 3)
    assert_allclose(changed, expected, atol=1e-9)


def stationary(group, shape):
    """Return data with two atoms each that are nearly, but not quite, where they belong."""
    X, A, alpha = draw(group, shape, n=1, level=0.5, seed=1)
    rep = group.on(shape)
    problem = Problem(rep, rep.analyze(X), rep.analyze(A), alpha)
    atoms = encode(X, A, group=group, alpha=alpha, coder=Growing(tol=1e-9)).atoms
    rng = np.random.default_rng(1)
    by = 1e-3 * rng.standard_normal((len(atoms.coefficient), rep.dimension))
    c = atoms.coefficient * (1 + 1e-3 * rng.standard_normal(len(by)))
    return Iterate.of(problem, atoms.updated(c, rep.retract(atoms.element, by)))


@pytest.mark.parametrize(
    ("group", "shape"),
    [(Product(ContinuousShift(), Azimuth()), (9, 3)), (Translation(), (5, 5))],
)
def test_a_step_is_that_of_newton_on_coefficients_and_moves(group, shape):
    """With moves u over the coefficient c that is left: by differences of the objective."""
    point = stationary(group, shape)
    atoms, rep, K = point.atoms, group.on(shape), len(point.atoms.coefficient)
    assert K >= 2
    assert np.abs(atoms.coefficient).min() > 0.1

    def objective(x):
        c, u = atoms.coefficient + x[:K], x[K:].reshape(K, rep.dimension)
        element = rep.retract(atoms.element, u / c[:, None])
        return Iterate.of(point.problem, atoms.updated(c, element)).objective[0]

    expected, step = newton_step(objective, K * (1 + rep.dimension)), refinement_step(point)
    assert step.newton.all()
    scale = np.abs(expected).max()
    assert_allclose(np.concatenate([step.c, step.u.ravel()]), expected, atol=0.02 * scale)


def test_atoms_that_coincide_become_one_with_the_sum_of_their_coefficients():
    group, shape = Product(ContinuousShift(), Azimuth()), (9, 3)
    X, A, alpha = draw(group, shape, n=1)
    rep = group.on(shape)
    element = np.repeat(rep.sample(np.random.default_rng(1), 2), 2, axis=0)
    c, none = np.array([1.0, 2.0, 1.0, -2.0]), np.zeros(4, np.intp)
    problem = Problem(rep, rep.analyze(X), rep.analyze(A), alpha)
    point = Iterate.of(problem, Atoms(1, np.array([0, 4]), none, c, element))
    merged = merge_coinciding(point)
    assert merged.atoms.coefficient.tolist() == [3.0, 1.0, -2.0]  # opposite signs stay
    assert_allclose(merged.objective, point.objective)
