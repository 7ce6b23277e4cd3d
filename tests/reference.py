"""Optimal values of the coding problem, written from its definition and solved by CVXPY.

Everything here is in signal space and shares no code with the library: moves are matrices that
act on samples, and continuous shifts use the full discrete Fourier transform. Groups that are not
written down here are listed by what their elements do to unit vectors; of those that cannot be
listed there is no reference.
"""

import warnings
from itertools import permutations, product

import cvxpy as cp
import numpy as np

from orbitdl.groups import (
    ContinuousShift,
    Finite,
    IntegerShift,
    InterpolatedShift,
    Orthogonal,
    Permutation,
    SignedPermutation,
    Trivial,
)
from orbitdl.groups.base import Group
from orbitdl.groups.finite_representation import FiniteRepresentation


def has_reference(group: Group, shape: tuple[int, ...]) -> bool:
    """Tell whether there is a program here for a group: one of its own, or that of listed ones."""
    own = ContinuousShift | Orthogonal | Permutation | SignedPermutation
    return isinstance(group, own) or isinstance(group.on(shape), FiniteRepresentation)


def reference_objective(
    group: Group, X: np.ndarray, components: np.ndarray, alpha: float
) -> np.ndarray:
    """Return ``min_Z 1/2 ||M (y - sum_j Z_j a_j)||^2 + alpha sum_j ||Z_j||_G`` for every y, (n,).

    M keeps the entries of y that are not NaN.
    """
    X, components = np.asarray(X, dtype=float), np.asarray(components, dtype=float)
    if isinstance(group, ContinuousShift):
        return np.array([shift_program(y, components, alpha) for y in X])
    if isinstance(group, Orthogonal):
        return np.array([orthogonal_program(y, components, alpha) for y in X])
    atoms = orbit(group, X, components)
    return np.array([lasso(y.ravel(), atoms, alpha) for y in X])


def reference_norm(group: Group, X: np.ndarray, components: np.ndarray) -> np.ndarray:
    """Return ``min sum |c|  s.t.  M sum_k c_k b_k = M y`` over a finite orbit, (n,)."""
    atoms = orbit(group, X, components)
    values = []
    for y in X:
        seen, c = ~np.isnan(y.ravel()), cp.Variable(atoms.shape[1])
        values.append(minimum(cp.norm1(c), [atoms[seen] @ c == y.ravel()[seen]]))
    return np.array(values)


def orbit(group: Group, X: np.ndarray, components: np.ndarray) -> np.ndarray:
    """Return all transformed components as columns."""
    return np.array([(g @ as_columns(a, g)).ravel() for g in moves(group, X) for a in components]).T


def moves(group: Group, X: np.ndarray) -> list[np.ndarray]:
    """Return the matrices of all elements of a finite group, acting on the first axis."""
    length = X.shape[1]
    match group:
        case Trivial():
            return [np.eye(length)]
        case IntegerShift() | InterpolatedShift(1):
            return [np.roll(np.eye(length), k, axis=0) for k in range(length)]
        case InterpolatedShift(k):
            return [interpolation(length, s / k) for s in range(k * length)]
        case Permutation():
            return [np.eye(length)[list(order)] for order in permutations(range(length))]
        case SignedPermutation():
            orders = moves(Permutation(), X)
            signs = product([1.0, -1.0], repeat=length)
            return [np.diag(sign) @ order for sign in signs for order in orders]
        case Finite():
            return closure(np.asarray(group.generators))
    return listed(group, X.shape[1:])


def listed(group: Group, shape: tuple[int, ...]) -> list[np.ndarray]:
    """Return the matrices of all elements, acting on all entries of a data point."""
    representation, size = group.on(shape), int(np.prod(shape))
    assert isinstance(representation, FiniteRepresentation), f"there is no reference for {group}"
    units = np.eye(size).reshape(size, *shape)
    return [
        representation.act(np.broadcast_to(g, (size, len(g))), units).reshape(size, size).T
        for g in representation.elements
    ]


def interpolation(length: int, shift: float) -> np.ndarray:
    """Return the matrix that takes samples of a trigonometric polynomial to those of its shift."""
    time = np.arange(length)
    lag = time[:, None] - time - shift
    waves = [np.cos(2 * np.pi * f * lag / length) for f in range(1, (length - 1) // 2 + 1)]
    return (1 + 2 * sum(waves, np.zeros((length, length)))) / length


def closure(generators: np.ndarray) -> list[np.ndarray]:
    """Return all products of matrices, or of permutations p that act as ``x -> x[p]``."""
    if generators.ndim == 2:
        generators = np.array([np.eye(len(p))[p] for p in generators])
    found = [np.eye(generators.shape[1])]
    for matrix in found:  # grows while we walk it
        for generator in generators:
            product = generator @ matrix
            if not any(np.allclose(product, known) for known in found):
                found.append(product)
    return found


def as_columns(a: np.ndarray, g: np.ndarray) -> np.ndarray:
    """Return the data point as a matrix that g can multiply from the left."""
    return a.reshape(len(g), -1)


def lasso(y: np.ndarray, atoms: np.ndarray, alpha: float) -> float:
    c, seen = cp.Variable(atoms.shape[1]), ~np.isnan(y)
    return minimum(0.5 * cp.sum_squares(y[seen] - atoms[seen] @ c) + alpha * cp.norm1(c))


def orthogonal_program(y: np.ndarray, components: np.ndarray, alpha: float) -> float:
    y, components = y.reshape(len(y), -1), components.reshape(*components.shape[:2], -1)
    Z = [cp.Variable((len(y), len(y))) for _ in components]
    fit = sum(z @ a for z, a in zip(Z, components, strict=True))
    seen = ~np.isnan(y)
    left = cp.multiply(seen.astype(float), np.where(seen, y, 0.0) - fit)
    return minimum(0.5 * cp.sum_squares(left) + alpha * sum(cp.sigma_max(z) for z in Z))


def shift_program(y: np.ndarray, components: np.ndarray, alpha: float) -> float:
    """Solve the semidefinite program of the paper over the whole spectrum.

    Frequencies -d .. d carry ``(conj(z), z_0, z)`` of every component. The Nyquist term of an
    even length is not moved: what the data has of it remains. The misfit is taken in time.
    """
    length = len(y)
    d = (length - 1) // 2
    frequency = np.arange(-d, d + 1)
    dft = np.exp(-2j * np.pi * np.outer(frequency, np.arange(length)) / length) / np.sqrt(length)
    y = y.reshape(length, -1)
    seen = ~np.isnan(y)
    fit, mass, constraints = 0, 0, []
    for a in components.reshape(len(components), length, -1):
        plus, minus = (cp.Variable(2 * d + 1, complex=True) for _ in range(2))
        for z in (plus, minus):
            T = cp.vstack([z[d - k : 2 * d + 1 - k] for k in range(d + 1)])
            constraints += [T >> 0, z[:d] == cp.conj(z[:d:-1]), cp.imag(z[d]) == 0]
            mass = mass + cp.real(z[d])
        fit = fit + cp.diag(plus - minus) @ (dft @ a)
    in_time = cp.real(dft.conj().T @ fit)
    left = cp.multiply(seen.astype(float), np.where(seen, y, 0.0) - in_time)
    return minimum(0.5 * cp.sum_squares(left) + alpha * mass, constraints)


def minimum(objective: cp.Expression, constraints: list[cp.Constraint] | None = None) -> float:
    """Return the least value, solved to the accuracy of the arithmetic."""
    problem = cp.Problem(cp.Minimize(objective), constraints)
    tight = dict.fromkeys(("tol_gap_abs", "tol_gap_rel", "tol_feas"), 1e-10)
    tight["static_regularization_constant"] = 1e-6  # lets it come a digit closer
    with warnings.catch_warnings():
        # the solver often stops a little short of what is asked here
        warnings.filterwarnings("ignore", "Solution may be inaccurate", UserWarning)
        problem.solve(solver=cp.CLARABEL, **tight)
    return float(problem.value)


def newton_step(objective, size, h=1e-3):
    """Return Newton's step from 0, by central differences of a function of so many variables."""
    units = h * np.eye(size)
    gradient = [(objective(e) - objective(-e)) / (2 * h) for e in units]
    hessian = [
        [objective(e + f) - objective(e - f) - objective(f - e) + objective(-e - f) for f in units]
        for e in units
    ]
    return -np.linalg.solve(np.array(hessian) / (4 * h * h), gradient)
