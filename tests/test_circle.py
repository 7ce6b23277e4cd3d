"""A circle that is no shift in time, defined here: codes against a fine grid of its elements."""

from dataclasses import dataclass

import numpy as np
import pytest
from sklearn.linear_model import Lasso

from orbitdl import encode
from orbitdl.coding import Semidefinite, Sliding
from orbitdl.coding.choice import default_coder
from orbitdl.groups.base import Combination, Group
from orbitdl.groups.circle import CircleRepresentation

TURN = 360.0
FINE = 720
"""Elements of the grid."""


@dataclass(frozen=True)
class Wheels(Group):
    """Turns F coupled wheels: the f-th by f times an angle in degrees."""

    def on(self, shape):
        return WheelsRepresentation(self, shape)


class WheelsRepresentation(CircleRepresentation):
    """Data of 2F numbers are F complex ones, real parts first; the first does not turn.

    Maxima of polynomials are looked for on a grid and climbed by Newton's method.
    """

    parameters = ("angle",)
    dtype = np.complex128
    dimension = 1
    moves_all = True
    counted = False

    def __init__(self, group, shape):
        self.group, self.shape = group, shape
        F = shape[0] // 2
        self.block_shape, self.metric = (F, 1, 1), np.ones(F)
        self.period, self.cells = TURN, 2 * F - 1

    def analyze(self, x):
        F = self.shape[0] // 2
        return (x[..., :F] + 1j * x[..., F:])[..., None, None]

    def synthesize(self, blocks):
        flat = blocks[..., 0, 0]
        return np.concatenate([flat.real, flat.imag], axis=-1)

    def represent(self, element):
        f = np.arange(self.block_shape[0])
        return np.exp(-2j * np.pi / TURN * element * f)[..., None, None]

    def compose(self, left, right):
        return np.mod(left + right, TURN)

    def inverse(self, element):
        return np.mod(-element, TURN)

    def sample(self, rng, n):
        return rng.uniform(0, TURN, (n, 1))

    def values(self, C, angle, order=0):
        """Return ``Re sum_f (i f)^order C_f exp(i f angle)`` for C (n, F) and angles (n,)."""
        f = np.arange(C.shape[-1])
        return np.real(np.sum((1j * f) ** order * C * np.exp(1j * angle[:, None] * f), axis=-1))

    def climb(self, C, angle):
        for _ in range(20):
            bend, slope = self.values(C, angle, 2), self.values(C, angle, 1)
            sign = np.sign(self.values(C, angle))
            step = np.where(sign * bend < 0, -slope / np.where(bend == 0, 1.0, bend), 0.0)
            angle = angle + np.clip(step, -0.01, 0.01)
        return angle

    def peaks(self, correlation, level):
        C = correlation[:, :, 0, 0]
        grid = np.real(C @ np.exp(1j * np.outer(np.arange(C.shape[1]), self.grid())))
        height = np.abs(grid)
        top = (height >= np.roll(height, 1, 1)) & (height > np.roll(height, -1, 1))
        row, k = np.nonzero(top & (height > 0.99 * level))
        angle = self.climb(C[row], self.grid()[k])
        value = self.values(C[row], angle)
        high = np.abs(value) > level
        element = np.mod(np.degrees(angle[high]), TURN)[:, None]
        return Combination(row[high], value[high], element)

    def grid(self):
        return 2 * np.pi * np.arange(FINE) / FINE

    def match(self, correlation):
        shape = correlation.shape[:-3]
        C = correlation[..., 0, 0].reshape(-1, correlation.shape[-3])
        grid = np.real(C @ np.exp(1j * np.outer(np.arange(C.shape[1]), self.grid())))
        angle = self.climb(C, self.grid()[np.abs(grid).argmax(axis=1)])
        element = np.mod(np.degrees(angle), TURN)
        return self.values(C, angle).reshape(shape), element.reshape(*shape, 1)

    def polar(self, correlation):
        return np.abs(self.match(correlation)[0])

    def largest_polar(self, correlation):
        return self.polar(correlation).max(axis=1)

    def decompose(self, Z):
        raise NotImplementedError

    def superpose(self, atoms, n, source, A):
        result = np.zeros((n, *A.shape[1:]), dtype=complex)
        moved = atoms.coefficient[:, None, None, None] * self.represent(atoms.element) @ A[source]
        np.add.at(result, atoms.row, moved)
        return result


def draw(F=9, n=5, q=2, seed=0):
    """Return data, a few wheels turned and noise, and components of unit norm."""
    rng = np.random.default_rng(seed)
    A = rng.standard_normal((q, 2 * F))
    A[:, F] = 0.0  # the first wheel stands: its number is real
    A /= np.linalg.norm(A, axis=1, keepdims=True)
    wheels = Wheels().on((2 * F,))
    X = 0.1 * rng.standard_normal((n, 2 * F))
    for _ in range(3):
        size = rng.uniform(0.5, 2, (n, 1)) * rng.choice([-1, 1], (n, 1))
        X += size * wheels.act(wheels.sample(rng, n), A[rng.integers(q, size=n)])
    return X, A


def on_fine_grid(X, A, alpha):
    """Return the objectives of scikit-learn's lasso on components at every half degree."""
    wheels = Wheels().on(A.shape[1:])
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
    codes = encode(X, A, group=Wheels(), alpha=0.2, coder=Sliding(tol=1e-6))
    assert codes.gap.max() <= 1e-6
    fine = on_fine_grid(X, A, 0.2)
    assert np.all(codes.objective <= fine * (1 + 2e-6))
    np.testing.assert_allclose(codes.objective, fine, rtol=1e-3)
    angle = codes.to_frame()["angle"]
    assert angle.between(0.0, TURN, inclusive="left").all()
    assert angle.max() > 180


def test_a_circle_s_default_coder_slides_and_a_single_turn_is_found():
    _, A = draw(q=1)
    wheels = Wheels().on(A.shape[1:])
    assert isinstance(default_coder(wheels), Sliding)
    X = 2 * wheels.act(np.array([[123.4], [359.95]]), A[[0, 0]])
    codes = encode(X, A, group=Wheels(), alpha=0.1, coder=Sliding(tol=1e-10))
    np.testing.assert_allclose(codes.to_frame()["angle"], [123.4, 359.95], atol=1e-3)
    np.testing.assert_allclose(codes.to_frame()["coefficient"], 1.9, atol=1e-4)


def test_earlier_codes_of_a_circle_are_where_the_next_begin():
    X, A = draw()
    wheels = Wheels().on(A.shape[1:])
    Y, blocks, coder = wheels.analyze(X), wheels.analyze(A), Sliding(tol=1e-6)
    first = coder.code(wheels, Y, blocks, 0.2)
    again = Sliding(tol=1e-6, max_iter=1).code(wheels, Y, blocks, 0.2, first.atoms)
    assert again.gap.max() <= 1e-6
    np.testing.assert_allclose(again.objective, first.objective, rtol=2e-6)


def test_the_semidefinite_program_serves_the_circle_too():
    X, A = draw(F=5)
    exact = encode(X, A, group=Wheels(), alpha=0.2, coder=Semidefinite(tol=1e-6, exact=True))
    slid = encode(X, A, group=Wheels(), alpha=0.2, coder=Sliding(tol=1e-7))
    np.testing.assert_allclose(exact.objective, slid.objective, rtol=1e-5)
