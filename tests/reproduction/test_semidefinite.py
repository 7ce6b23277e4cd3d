"""Semidefinite coding: projections, iterations, decomposition, and the optimum they reach."""

import sys

import cvxpy as cp
import numpy as np
import pytest
from numpy.testing import assert_allclose
from numpy.typing import ArrayLike
from reference import minimum, reference_objective
from sklearn.exceptions import ConvergenceWarning

from orbitdl import encode
from orbitdl.groups import ContinuousShift, IntegerShift
from reproduction import semidefinite
from reproduction.gauges.toeplitz import average_diagonals, project, toeplitz, vandermonde
from reproduction.semidefinite import Semidefinite

SHIFTS = ContinuousShift()
SHAPES = [(9,), (10,), (7, 2), (8, 3)]


def hermitian(size: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    M = rng.standard_normal((size, size)) + 1j * rng.standard_normal((size, size))
    return M + M.conj().T


def moments(c: np.ndarray, angle: ArrayLike, size: int) -> np.ndarray:
    """Return the first column of ``sum_k c_k v_k v_k^H``."""
    return np.exp(1j * np.outer(np.arange(size), angle)) @ c


def draw(shape: tuple[int, ...], n: int, q: int) -> tuple[np.ndarray, np.ndarray]:
    """Return sums of atoms with noise (n, *shape), and the components (q, *shape)."""
    rng = np.random.default_rng(len(shape) * shape[0])
    shifts = SHIFTS.on(shape)
    components = rng.standard_normal((q, *shape))
    components /= np.sqrt(
        np.sum(components**2, axis=tuple(range(1, components.ndim)), keepdims=True)
    )
    amplitude = rng.uniform(0.5, 2.0, (n, q, *np.ones(len(shape), dtype=int)))
    moved = shifts.act(shifts.sample(rng, n * q).reshape(n, q, 1), amplitude * components)
    return moved.sum(axis=1) + 0.1 * rng.standard_normal((n, *shape)), components


# The projection


def test_averaging_diagonals_gives_the_nearest_toeplitz_matrix():
    M = hermitian(5, seed=0)
    rest = M - toeplitz(average_diagonals(M))
    for k in range(5):
        assert_allclose(np.trace(rest, offset=k), 0, atol=1e-12)
    z = average_diagonals(hermitian(5, seed=1))
    assert_allclose(average_diagonals(toeplitz(z)), z, atol=1e-12)


@pytest.mark.parametrize("size", [2, 4, 5])
def test_long_dykstra_run_finds_the_nearest_semidefinite_toeplitz_matrix(size):
    M = hermitian(size, seed=size)
    z, _ = project(average_diagonals(M), np.zeros_like(M), 3000)
    T = cp.Variable((size, size), hermitian=True)
    least = minimum(cp.sum_squares(T - M), [T >> 0, T[1:, 1:] == T[:-1, :-1]])
    assert np.linalg.eigvalsh(toeplitz(z))[0] > -1e-7
    assert_allclose(np.linalg.norm(toeplitz(z) - M) ** 2, least, rtol=1e-7)


# The decomposition


@pytest.mark.parametrize("planted_angle", [(-2.0, 0.3, 0.9), (-0.5, 0.5, 2.0)])
def test_vandermonde_finds_the_atoms_of_a_planted_measure(planted_angle):
    planted_c = np.array([2.0, 0.5, 1.0])
    c, angle = vandermonde(toeplitz(moments(planted_c, planted_angle, 8)))
    heavy = np.flatnonzero(c > 1e-9)
    order = heavy[np.argsort(angle[heavy])]
    assert_allclose(angle[order], planted_angle, atol=1e-7)
    assert_allclose(c[order], planted_c, rtol=1e-7)


@pytest.mark.parametrize("size", [1, 2, 7])
def test_vandermonde_adds_up_to_matrices_of_full_rank(size):
    z = np.stack([average_diagonals(hermitian(size, seed)) for seed in range(3)])
    z[:, 0] += 0.1 - np.linalg.eigvalsh(toeplitz(z))[:, 0]
    c, angle = vandermonde(toeplitz(z))
    assert np.all(c >= 0)
    for k in range(3):
        assert_allclose(moments(c[k], angle[k], size), z[k], atol=1e-9)


# The iterations


def test_crude_iterations_lower_the_objective():
    X, components = draw((21,), n=6, q=2)
    values = [0.5 * np.sum(X**2, axis=1)]
    for max_iter in (5, 20, 80):
        coder = Semidefinite(tol=1.0, max_iter=max_iter)
        values.append(encode(X, components, group=SHIFTS, alpha=0.2, coder=coder).objective)
    assert np.all(np.diff(values, axis=0) < 0)


def test_as_many_iterations_run_as_are_asked_for_and_no_certificates(monkeypatch):
    X, components = draw((9,), n=3, q=1)
    calls = []
    whole = semidefinite.project

    def counted(z, correction, n_iter):
        calls.append(n_iter)
        return whole(z, correction, n_iter)

    monkeypatch.setattr(semidefinite, "project", counted)
    monkeypatch.setattr(semidefinite, "relative_gap", None)
    coder = Semidefinite(tol=1.0, max_iter=5, inner_iter=2)
    encode(X, components, group=SHIFTS, alpha=0.2, coder=coder)
    assert calls == [2] * 5


def test_correction_from_zero_stalls_where_a_carried_one_converges():
    X, components = draw((9,), n=4, q=1)
    carried = Semidefinite(max_iter=1000)
    assert encode(X, components, group=SHIFTS, alpha=0.2, coder=carried).gap.max() <= 1e-4
    with pytest.warns(ConvergenceWarning, match="stopped above the gap tolerance"):
        printed = encode(
            X,
            components,
            group=SHIFTS,
            alpha=0.2,
            coder=Semidefinite(max_iter=1000, carry=False),
        )
    assert printed.gap.min() > 1e-2


def test_samples_do_not_influence_each_other():
    X, components = draw((8,), n=66, q=1)
    coder = Semidefinite(tol=1e-3)
    together = encode(X, components, group=SHIFTS, alpha=0.3, coder=coder)
    for i in (0, 63, 65):
        alone = encode(X[i : i + 1], components, group=SHIFTS, alpha=0.3, coder=coder)
        assert_allclose(alone.objective, together.objective[i], rtol=1e-10)


# The optimum


@pytest.mark.parametrize("alpha", [0.1, 0.4])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_iterations_reach_the_reference(shape, alpha):
    X, components = draw(shape, n=4, q=2)
    coder = Semidefinite(tol=1e-6, max_iter=20_000)
    codes = encode(X, components, group=SHIFTS, alpha=alpha, coder=coder)
    expected = reference_objective(SHIFTS, X, components, alpha)
    assert codes.gap.max() <= 1e-6
    assert_allclose(codes.objective, expected, rtol=2e-6)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_exact_program_reaches_the_reference(shape):
    X, components = draw(shape, n=4, q=2)
    coder = Semidefinite(tol=1e-5, exact=True)
    codes = encode(X, components, group=SHIFTS, alpha=0.2, coder=coder)
    assert codes.gap.max() <= 1e-5
    assert_allclose(codes.objective, reference_objective(SHIFTS, X, components, 0.2), rtol=1e-5)


@pytest.mark.parametrize("scale", [1e-4, 1e4])
def test_exact_program_does_not_depend_on_units(scale):
    X, components = draw((9,), n=2, q=1)
    coder = Semidefinite(tol=1e-5, exact=True)
    codes = encode(scale * X, components, group=SHIFTS, alpha=scale * 0.2, coder=coder)
    assert codes.gap.max() <= 1e-5


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_zero_data_and_large_alpha_give_no_atoms(shape, exact):
    X, components = draw(shape, n=3, q=2)
    X[0] = 0
    shifts = SHIFTS.on(shape)
    Y, A = shifts.analyze(X), shifts.analyze(components)
    alpha = 1.001 * shifts.polar(semidefinite.correlate(Y, A)).max()
    coder = Semidefinite(exact=exact)
    codes = encode(X, components, group=SHIFTS, alpha=alpha, coder=coder)
    assert len(codes.to_frame()) == 0
    assert_allclose(codes.objective, 0.5 * np.sum(X.reshape(3, -1) ** 2, axis=1))
    assert np.all(codes.gap <= 1e-12)


@pytest.mark.parametrize("length", [1, 2])
def test_signals_with_a_mean_only_are_soft_thresholded(length):
    X, a = np.full((1, length), 2.0), np.ones((1, length)) / np.sqrt(length)
    for exact in (False, True):
        codes = encode(X, a, group=SHIFTS, alpha=0.5, coder=Semidefinite(exact=exact))
        assert_allclose(codes.atoms.coefficient, 2 * np.sqrt(length) - 0.5, rtol=1e-4)


# Refusals


def test_other_groups_are_refused():
    with pytest.raises(ValueError, match="does not serve IntegerShift"):
        encode(np.eye(3), np.eye(3)[:1], group=IntegerShift(), alpha=0.1, coder=Semidefinite())


def test_exact_program_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "cvxpy", None)
    with pytest.raises(ImportError, match=r"\.\[reference\]"):
        encode(np.eye(3), np.eye(3)[:1], group=SHIFTS, alpha=0.1, coder=Semidefinite(exact=True))
