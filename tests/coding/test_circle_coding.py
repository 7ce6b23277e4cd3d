"""A circle that is no shift in time, from outside the package, against a fine grid of turns."""

import numpy as np
import pytest
from outsiders import Harmonics
from sklearn.linear_model import Lasso

from orbitdl import encode
from orbitdl.coding import Sliding
from orbitdl.coding.certificate import objectives
from orbitdl.coding.choice import default_coder
from orbitdl.coding.problem import Problem
from reproduction.semidefinite import Semidefinite

TURN = 360.0
FINE = 720
"""Elements of the grid."""


def draw(F=9, n=5, q=2, seed=0):
    """Return data, a few wheels turned and noise, and components of unit norm."""
    rng = np.random.default_rng(seed)
    A = rng.standard_normal((q, 2 * F))
    A /= np.linalg.norm(A, axis=1, keepdims=True)
    wheels = Harmonics().on((2 * F,))
    X = 0.1 * rng.standard_normal((n, 2 * F))
    for _ in range(3):
        size = rng.uniform(0.5, 2, (n, 1)) * rng.choice([-1, 1], (n, 1))
        X += size * wheels.act(wheels.sample(rng, n), A[rng.integers(q, size=n)])
    return X, A


def on_fine_grid(X, A, alpha):
    """Return the objectives of scikit-learn's lasso on components at every half degree."""
    wheels = Harmonics().on(A.shape[1:])
    angles = np.arange(0.0, TURN, TURN / FINE)[:, None]
    D = np.concatenate([wheels.act(angles, np.tile(a, (FINE, 1))) for a in A])
    values = []
    for x in X:
        seen = ~np.isnan(x)
        lasso = Lasso(alpha / seen.sum(), fit_intercept=False, tol=1e-5, max_iter=100_000)
        c = lasso.fit(D[:, seen].T, x[seen]).coef_
        values.append(0.5 * np.sum((x[seen] - c @ D[:, seen]) ** 2) + alpha * np.abs(c).sum())
    return np.array(values)


def holed(X, fraction=0.25):
    X = X.copy()
    X[np.random.default_rng(1).uniform(size=X.shape) < fraction] = np.nan
    return X


@pytest.mark.parametrize("missing", [False, True], ids=["whole", "masked"])
def test_sliding_serves_a_circle_defined_elsewhere(missing):
    X, A = draw()
    X = holed(X) if missing else X
    codes = encode(X, A, group=Harmonics(), alpha=0.2, coder=Sliding(tol=1e-6))
    assert codes.gap.max() <= 1e-6
    fine = on_fine_grid(X, A, 0.2)
    assert np.all(codes.objective <= fine * (1 + 2e-6))
    np.testing.assert_allclose(codes.objective, fine, rtol=1e-3)
    angle = codes.to_frame()["degrees"]
    assert angle.between(0.0, TURN, inclusive="left").all()
    assert angle.max() > 180


def test_a_circle_s_default_coder_slides_and_a_single_turn_is_found():
    _, A = draw(q=1)
    wheels = Harmonics().on(A.shape[1:])
    assert isinstance(default_coder(wheels), Sliding)
    X = 2 * wheels.act(np.array([[123.4], [359.95]]), A[[0, 0]])
    codes = encode(X, A, group=Harmonics(), alpha=0.1, coder=Sliding(tol=1e-10))
    np.testing.assert_allclose(codes.to_frame()["degrees"], [123.4, 359.95], atol=1e-3)
    np.testing.assert_allclose(codes.to_frame()["coefficient"], 1.9, atol=1e-4)


def test_earlier_codes_of_a_circle_are_where_the_next_begin():
    """In one round the search from there ends at the optimum, and from nothing it does not."""
    X, A = draw()
    wheels = Harmonics().on(A.shape[1:])
    problem = Problem(wheels, wheels.analyze(X), wheels.analyze(A), 0.2)
    best = Sliding(tol=1e-6).code(wheels, problem.Y, problem.A, 0.2)
    once = Sliding(tol=1e-6, max_iter=1)
    from_best, from_nothing = (
        objectives(problem, once.solve(problem, warm)) for warm in (best.atoms, None)
    )
    np.testing.assert_allclose(from_best, best.objective, rtol=2e-6)
    assert np.all(from_nothing > 1.01 * best.objective)


def test_the_semidefinite_program_serves_the_circle_too():
    """To what the comparison asks: rounding alone takes the program's gaps from 5e-8 to 2e-6."""
    X, A = draw(F=5)
    exact = encode(X, A, group=Harmonics(), alpha=0.2, coder=Semidefinite(tol=1e-5, exact=True))
    slid = encode(X, A, group=Harmonics(), alpha=0.2, coder=Sliding(tol=1e-7))
    np.testing.assert_allclose(exact.objective, slid.objective, rtol=1e-5)
