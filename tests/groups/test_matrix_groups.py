"""Rotations, orders and signs of rows, each against what it is by definition."""

from itertools import permutations, product

import cvxpy as cp
import numpy as np
import pytest
from laws import draw_codes
from numpy.testing import assert_allclose, assert_array_equal
from reference import minimum
from sklearn.linear_model import Lasso

from orbitdl import encode
from orbitdl.coding import ActiveSet, Growing
from orbitdl.groups import Finite, Orthogonal, Permutation, SignedPermutation, SpecialOrthogonal
from orbitdl.groups.base import inner
from orbitdl.groups.presentation import NO_BREAK
from orbitdl.groups.vectors.permutation import FEW, best_permutation
from orbitdl.groups.vectors.special_orthogonal import even_signs


def all_permutations(d: int) -> np.ndarray:
    """Return their matrices, (d!, d, d)."""
    return np.eye(d)[list(permutations(range(d)))]


def all_signs(d: int) -> np.ndarray:
    """Return rows of signs, (2^d, d)."""
    return np.array(list(product([1.0, -1.0], repeat=d)))


def all_signed_permutations(d: int) -> np.ndarray:
    """Return their matrices, (2^d d!, d, d)."""
    matrices = all_signs(d)[:, None, :, None] * all_permutations(d)
    return matrices.reshape(-1, d, d)


def hard_correlations(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    """Draw matrices, (n, 1, d, d): any, near rank 1, with equal rows, and nearly zero."""
    X = rng.standard_normal((n, d, d))
    rank_1 = rng.standard_normal((n, d, 1)) @ rng.standard_normal((n, 1, d))
    X[1::4] = rank_1[1::4] + 1e-9 * X[1::4]
    X[2::4, 1:] = X[2::4, :1] + 1e-12 * X[2::4, 1:]
    X[3::4] *= 1e-8
    return X[:, None]


def lightest(matrices: np.ndarray, Z: np.ndarray) -> float:
    """Return ``min sum |c|  s.t.  sum_k c_k matrices_k = Z`` by CVXPY."""
    c = cp.Variable(len(matrices))
    return minimum(cp.norm1(c), [matrices.reshape(len(matrices), -1).T @ c == Z.ravel()])


LISTED = [
    (Permutation(), all_permutations, 2),
    (Permutation(), all_permutations, 5),
    (SignedPermutation(), all_signed_permutations, 2),
    (SignedPermutation(), all_signed_permutations, 4),
]


@pytest.mark.parametrize(("group", "matrices", "d"), LISTED)
def test_the_polar_of_orders_of_rows_is_the_best_of_all(group, matrices, d):
    C = hard_correlations(np.random.default_rng(0), 10_000, d)
    values = np.tensordot(C[:, 0], matrices(d), axes=([1, 2], [1, 2]))
    assert_allclose(group.on((d,)).polar(C), np.abs(values).max(axis=1), rtol=1e-12)


@pytest.mark.parametrize(("group", "matrices", "d"), LISTED)
def test_the_gauge_of_orders_of_rows_is_that_of_a_linear_program(group, matrices, d):
    rows, rng = group.on((d,)), np.random.default_rng(0)
    for k in (2, 6):
        Z, _ = draw_codes(rows, rng, n=2, k=k)
        assert_allclose(rows.gauge(Z), [lightest(matrices(d), z) for z in Z], rtol=1e-6)


def test_many_rows_are_put_in_order_as_few_are(monkeypatch):
    X = np.random.default_rng(0).standard_normal((50, FEW, FEW))
    tried = best_permutation(X)
    monkeypatch.setattr("orbitdl.groups.vectors.permutation.FEW", 1)
    assert_array_equal(best_permutation(X), tried)


@pytest.mark.parametrize("group", [Permutation(), SignedPermutation(), SpecialOrthogonal()])
@pytest.mark.parametrize("d", [1, 2, 6, 8])
def test_decompose_is_exact_in_any_dimension(group, d):
    moves, rng = group.on((d, 2)), np.random.default_rng(0)
    for k in (1, 3, 30):
        Z, _ = draw_codes(moves, rng, n=2, k=k)
        atoms = moves.decompose(Z)
        assert moves.contains(atoms.element)
        assert np.bincount(atoms.row).max() <= 2 * d * d
        unit = np.eye(d)[None, None]
        found = moves.superpose(atoms, 2, np.zeros_like(atoms.row), unit)
        assert_allclose(found, Z, atol=1e-10)
        weight = np.bincount(atoms.row, np.abs(atoms.coefficient))
        assert_allclose(weight, moves.gauge(Z), rtol=1e-10)


def test_matrices_that_are_no_combination_are_refused():
    off = np.diag([1.0, 2.0])[None, None]
    for group, word in ((Permutation(), "different sums"), (SpecialOrthogonal(), "of the plane")):
        moves = group.on((2,))
        for ask in (moves.gauge, moves.decompose):
            with pytest.raises(ValueError, match=word):
                ask(off)


@pytest.mark.parametrize(
    ("group", "elements"),
    [
        (Permutation(), [[0.0, 1.0, 1.0], [0.0, 1.0, 3.0], [0.0, 1.5, 2.0], [0.0, 1.0, np.nan]]),
        (SignedPermutation(), [[0.0, 1.0, 1.0, 1.0, 1.0, 1.0], [2.0, 0.0, 1.0, 1.0, 0.0, 1.0]]),
        (SpecialOrthogonal(), [-np.eye(3).ravel(), 2 * np.eye(3).ravel(), np.full(9, np.nan)]),
    ],
)
def test_what_is_no_element_is_known(group, elements):
    moves = group.on((3,))
    assert moves.contains(moves.sample(np.random.default_rng(0), 5))
    assert not any(moves.contains(np.array(element)) for element in elements)


def test_elements_are_said_in_words():
    cycle = np.eye(3)[[1, 2, 0]].ravel()
    said = [
        (Permutation(), [2.0, 0.0, 1.0], "rows 2, 0, 1"),
        (SignedPermutation(), [2.0, 0.0, 1.0, 1.0, -1.0, 1.0], "rows 2, −0, 1"),
        (SpecialOrthogonal(), cycle, f"rotated by 120.0° about{NO_BREAK}(-0.58, -0.58, -0.58)"),
        (Orthogonal(), -np.eye(3).ravel(), "rotated by 0.0°, and inverted"),
    ]
    for group, element, words in said:
        assert group.on((3, 2)).presentation.label(np.array(element)) == words


# Rotations


@pytest.mark.parametrize("d", [2, 3, 4])
def test_no_rotation_exceeds_the_polar_and_the_best_attains_it(d):
    rotations, rng = SpecialOrthogonal().on((d,)), np.random.default_rng(0)
    C = hard_correlations(rng, 10_000, d)
    value, element = rotations.match(C)
    assert rotations.contains(element)
    scale = np.linalg.norm(C[:, 0], axis=(1, 2))
    assert np.all(np.abs(inner(C, rotations.represent(element)) - value) <= 1e-13 * scale)
    assert_allclose(rotations.polar(C), np.abs(value), rtol=1e-9)
    some = rotations.represent(rotations.sample(rng, 500))[:, 0].reshape(500, -1)
    assert np.all(np.abs(C.reshape(len(C), -1) @ some.T).max(axis=1) <= (1 + 1e-9) * np.abs(value))


def test_rotations_of_space_have_the_gauge_of_all_orthogonal_matrices():
    with_mirrors, rng = Orthogonal().on((3, 2)), np.random.default_rng(0)
    Z, _ = draw_codes(with_mirrors, rng)
    rotations = SpecialOrthogonal().on((3, 2))
    assert rotations.has_prox
    assert_allclose(rotations.gauge(Z), with_mirrors.gauge(Z))
    assert np.all(np.linalg.det(rotations.represent(rotations.decompose(Z).element)[:, 0]) > 0)


def quaternion_products() -> np.ndarray:
    """Return a basis (16, 4, 4) of matrices in which all rotations are ``x -> l x r``."""
    left = [np.eye(4)]
    for i, k, m in ((1, 2, 3), (2, 3, 1), (3, 1, 2)):
        unit = np.zeros((4, 4))
        unit[i, 0], unit[0, i], unit[m, k], unit[k, m] = 1, -1, 1, -1
        left.append(unit)
    mirror = np.diag([1.0, -1.0, -1.0, -1.0])
    right = [mirror @ unit.T @ mirror for unit in left]
    return np.array([one @ other for one in left for other in right]) / 2.0


def test_the_gauge_of_rotations_in_four_dimensions_is_a_nuclear_norm():
    """Products with quaternions l and r of length 1 have coordinates ``2 l r^T`` in that basis."""
    basis, rotations = quaternion_products(), SpecialOrthogonal().on((4,))
    for Z in np.random.default_rng(0).standard_normal((20, 4, 4)):
        coordinates = np.tensordot(basis, Z, 2).reshape(4, 4)
        assert_allclose(rotations.gauge(Z[None]), np.linalg.norm(coordinates, "nuc") / 2.0)
        assert_allclose(rotations.polar(Z[None]), np.linalg.norm(coordinates, 2) * 2.0)


def test_the_gauge_of_rotations_is_that_of_even_signs():
    rng, d = np.random.default_rng(0), 6
    rotations, signs = SpecialOrthogonal().on((d,)), all_signs(d)
    even = signs[signs.prod(axis=1) > 0]
    u, v = rotations.represent(rotations.sample(rng, 2))[:, 0]
    for last in (0.4, -0.4, -0.9):
        s = np.array([1.0, 1.0, 0.9, 0.9, 0.9, last])
        expected = lightest(even, s)
        assert_allclose(rotations.gauge((u * s @ v)[None]), expected, rtol=1e-6)
        weight, found = even_signs(s, expected)
        assert np.all(found.prod(axis=1) > 0)
        assert_allclose(weight @ found, s, atol=1e-6)


# Codes


def test_orders_of_five_rows_are_coded_as_by_all_of_them():
    """Against the lasso over all 120 elements, by scikit-learn and through `Finite`."""
    rng, alpha = np.random.default_rng(0), 0.4
    X, a = rng.standard_normal((4, 5, 2)), rng.standard_normal((1, 5, 2))
    a /= np.linalg.norm(a)
    codes = encode(X, a, group=Permutation(), alpha=alpha, coder=Growing(tol=1e-7))
    group = Finite([[1, 2, 3, 4, 0], [1, 0, 2, 3, 4]])
    listed = encode(X, a, group=group, alpha=alpha, coder=ActiveSet(tol=1e-7))
    assert_allclose(codes.objective, listed.objective, rtol=1e-6)
    orbit = (all_permutations(5) @ a[0]).reshape(120, -1).T
    for y, objective in zip(X.reshape(4, -1), codes.objective, strict=True):
        lasso = Lasso(alpha / len(y), fit_intercept=False, tol=1e-12, max_iter=100_000)
        c = lasso.fit(orbit, y).coef_
        expected = 0.5 * np.sum((y - orbit @ c) ** 2) + alpha * np.abs(c).sum()
        assert_allclose(objective, expected, rtol=1e-6)


def test_codes_of_signed_orders_are_those_of_a_convex_program():
    rng, alpha = np.random.default_rng(0), 1.0
    X, a = rng.standard_normal((3, 4, 3)), rng.standard_normal((4, 3))
    coder = Growing(tol=1e-7)
    codes = encode(X, a[None], group=SignedPermutation(), alpha=alpha, coder=coder)
    for y, objective in zip(X, codes.objective, strict=True):
        Z = cp.Variable((4, 4))
        gauge = cp.maximum(cp.norm(Z, 1), cp.norm(Z, np.inf))
        expected = minimum(0.5 * cp.sum_squares(y - Z @ a) + alpha * gauge, [])
        assert_allclose(objective, expected, rtol=1e-6)


def test_codes_of_rotations_in_four_dimensions_are_those_of_a_convex_program():
    basis, rng, alpha = quaternion_products(), np.random.default_rng(0), 1.0
    X, a = rng.standard_normal((3, 4, 3)), rng.standard_normal((4, 3))
    coder = Growing(tol=1e-7)
    codes = encode(X, a[None], group=SpecialOrthogonal(), alpha=alpha, coder=coder)
    moved = (basis @ a).reshape(16, -1)
    for y, objective in zip(X, codes.objective, strict=True):
        M = cp.Variable((4, 4))
        rest = y.ravel() - moved.T @ cp.vec(M, order="C")
        expected = minimum(0.5 * cp.sum_squares(rest) + 0.5 * alpha * cp.normNuc(M), [])
        assert_allclose(objective, expected, rtol=1e-5)
