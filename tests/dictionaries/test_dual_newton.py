"""Newton's method on the dual problem."""

import numpy as np
import pytest

from orbitdl.coding.dual_newton import Lagrangian
from orbitdl.coding.problem import Masked, Problem
from orbitdl.groups import Orthogonal


@pytest.mark.parametrize("shape", [(3, 5), (4,)])
@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_matrices_of_the_hessian_are_those_of_the_function(shape, missing):
    rng = np.random.default_rng(0)
    representation, X = Orthogonal().on(shape), rng.standard_normal((2, *shape))
    A = representation.analyze(rng.standard_normal((4, *shape)))
    observed = rng.random(X.shape) >= missing
    masked = Masked(observed * X, observed) if missing else None
    problem = Problem(representation, representation.analyze(observed * X), A, 0.3, masked)
    Z, sigma = rng.standard_normal((2, 4, 1, shape[0], shape[0])), np.array([0.5, 2.0])
    lagrangian = Lagrangian(problem, Z, sigma)
    r, v = (observed * rng.standard_normal(X.shape) for _ in range(2))
    r, v = r.reshape(problem.data.shape), v.reshape(problem.data.shape)
    expected = lagrangian.hessian(r)(v).reshape(2, -1)
    found = np.vecdot(lagrangian.hessian_matrices(r), v.reshape(2, 1, -1))
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)
