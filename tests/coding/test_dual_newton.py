"""Newton's method on the dual problem."""

import numpy as np
import pytest

from orbitdl.coding.dual_newton import Lagrangian, conjugate_gradients, dots
from orbitdl.coding.problem import Masked, Problem
from orbitdl.groups import Orthogonal


def draw(shape, missing, rng):
    """Return a Lagrangian, and two of its arguments."""
    representation, X = Orthogonal().on(shape), rng.standard_normal((2, *shape))
    A = representation.analyze(rng.standard_normal((4, *shape)))
    observed = rng.random(X.shape) >= missing
    masked = Masked(observed * X, observed) if missing else None
    problem = Problem(representation, representation.analyze(observed * X), A, 0.3, masked)
    Z, sigma = rng.standard_normal((2, 4, 1, shape[0], shape[0])), np.array([0.5, 2.0])
    lagrangian = Lagrangian(problem, Z, sigma)
    r, v = (observed * rng.standard_normal(X.shape) for _ in range(2))
    return lagrangian, r.reshape(problem.data.shape), v.reshape(problem.data.shape)


SHAPES = pytest.mark.parametrize("shape", [(3, 5), (4,)])
MISSING = pytest.mark.parametrize("missing", [0.0, 0.3])


@SHAPES
@MISSING
def test_matrices_of_the_hessian_are_those_of_the_function(shape, missing):
    lagrangian, r, v = draw(shape, missing, np.random.default_rng(0))
    expected = lagrangian.hessian(r)(v).reshape(2, -1)
    found = np.vecdot(lagrangian.hessian_matrices(r), v.reshape(2, 1, -1))
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


@SHAPES
@MISSING
def test_gradient_and_hessian_are_the_derivatives_of_the_value(shape, missing):
    lagrangian, r, v = draw(shape, missing, np.random.default_rng(0))
    step, at = 1e-5, lagrangian.at
    slope = (at(r + step * v).value - at(r - step * v).value) / (2 * step)
    np.testing.assert_allclose(dots(at(r).gradient, v), slope, rtol=1e-6)
    change = (at(r + step * v).gradient - at(r - step * v).gradient) / (2 * step)
    np.testing.assert_allclose(lagrangian.hessian(r)(v), change, rtol=1e-5, atol=1e-7)


def test_conjugate_gradients_solve_a_system_in_as_many_steps_as_it_has_unknowns():
    rng, n = np.random.default_rng(0), 8
    X, right = rng.standard_normal((3, n, 2 * n)), rng.standard_normal((3, n))
    H = X @ X.swapaxes(1, 2)
    found, going = conjugate_gradients(lambda v: np.einsum("nij,nj->ni", H, v), right, n + 2, 1e-9)
    assert not going.any()
    expected = np.linalg.solve(H, right[..., None])[..., 0]
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-8)
