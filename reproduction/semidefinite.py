"""Circles by semidefinite programming: the paper's way for continuous shifts, as a reference."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from orbitdl.arrays.optional import install_hint
from orbitdl.coding.atoms import Atoms
from orbitdl.coding.base import TabulatingCoder
from orbitdl.coding.certificate import duality_gap, multiply
from orbitdl.coding.problem import Problem
from orbitdl.dictionaries.statistics import stack_components
from orbitdl.groups.base import Blocks, Combination, Floats, Representation, correlate
from orbitdl.groups.circle import CircleRepresentation
from reproduction.gauges.toeplitz import project, toeplitz, vandermonde

CHECK_EVERY = 25
"""Iterations between two looks at the duality gap."""

SIGNS = np.array([[1.0], [-1.0]])


@dataclass(frozen=True)
class Semidefinite(TabulatingCoder[Floats]):
    """Projected gradient on pairs of positive semidefinite Toeplitz matrices.

    Parameters
    ----------
    tol : float
        Relative duality gap at which a sample is done.
    max_iter : int
        Gradient steps (Algorithm 3 of the paper).
    inner_iter : int
        Dykstra iterations per projection (Algorithm 2 of the paper).
    carry : bool
        Begin each projection with the correction at which the last one ended. False begins with
        zero, as printed: a few inner iterations then stall at a gap of several per cent.
    exact : bool
        Solve the semidefinite program by CVXPY and Clarabel instead; for short signals.

    Notes
    -----
    A positive measure of shifts has the moments ``z_f = sum_k c_k exp(-2 pi i f tau_k / N)``,
    f = 0..F-1, exactly if the Hermitian Toeplitz matrix T(z) with first column z is positive
    semidefinite, and its mass is ``z_0`` (Section 4.3 of the paper). So the problem is

        min  1/2 ||y - sum_j (z+_j - z-_j) a_j||^2 + alpha sum_j (z+_j0 + z-_j0)
        s.t. T(z+_j) >= 0,  T(z-_j) >= 0.

    Gradient and projection use the Frobenius norm of T(z), ``w_0 = F`` and ``w_f = 2 (F - f)``
    on frequencies, and the step is ``3 / (2 L)`` with ``L = 2 max_f ||A_f||^2 / w_f``. With the
    correction carried over, gradient step and one Dykstra iteration together are a primal-dual
    fixed point iteration [1]_, which converges for every step below ``2 / L``.

    Starting values are ignored: these iterations begin at zero.

    References
    ----------
    .. [1] P. Chen, J. Huang, X. Zhang, "A primal-dual fixed point algorithm for convex separable
       minimization with applications to image restoration", Inverse Problems 29 (2013) 025011.

    Examples
    --------
    >>> import numpy as np
    >>> from orbitdl.groups import ContinuousShift
    >>> shifts = ContinuousShift().on((7,))
    >>> a = np.array([[0.0, 0.6, 0.8, 0.0, 0.0, 0.0, 0.0]])
    >>> y = shifts.act(np.array([[1.25]]), 2 * a)
    >>> codes = Semidefinite(tol=1e-6).code(shifts, shifts.analyze(y), shifts.analyze(a), 0.1)
    >>> codes.to_frame().round(3)
       sample  component  coefficient  shift
    0       0          0          1.9   1.25
    """

    tol: float = 1e-4
    max_iter: int = 2000
    inner_iter: int = 1
    carry: bool = True
    exact: bool = False
    largest_batch: ClassVar[int] = 64

    def serves(self, representation: Representation) -> bool:
        return isinstance(representation, CircleRepresentation)

    def tabulate(self, representation: Representation, A: Blocks) -> Floats:
        return step_sizes(A)

    def solve_with(self, tables: Floats, problem: Problem, warm: Atoms | None) -> Atoms:
        representation, Y, A = problem.representation, problem.Y, problem.A
        alpha = problem.alpha

        z = np.zeros((len(Y), len(A), 2, Y.shape[1]), dtype=np.complex128)
        # where no correlation exceeds alpha, zero is optimal
        live = representation.polar(correlate(Y, A)).max(axis=1) > alpha
        if self.exact and live.any():
            z[live] = solve_program(Y[live], A, alpha)
        elif live.any():
            z[live] = self._descend(tables, replace(problem, Y=Y[live]))
        return to_atoms(representation, z, 0.01 * min(self.tol, 1e-4))

    def _descend(self, step: Floats, problem: Problem) -> Blocks:
        """Return the first columns (n, q, 2, F) of the pairs, Algorithm 3."""
        n, n_blocks = problem.Y.shape[:2]
        result = np.zeros((n, len(problem.A), 2, n_blocks), dtype=np.complex128)
        active, z = np.arange(n), result
        correction = np.zeros((*z.shape, n_blocks), dtype=np.complex128)
        for iteration in range(1, self.max_iter + 1):
            start = correction if self.carry else np.zeros_like(correction)
            z, correction = project(z - step * gradient(z, problem), start, self.inner_iter)
            if iteration % CHECK_EVERY == 0 and iteration < self.max_iter:
                going = relative_gap(z, problem) > 0.9 * self.tol
                result[active[~going]] = z[~going]
                active, z, correction = active[going], z[going], correction[going]
                problem = problem.take(going)
            if len(active) == 0:
                break
        result[active] = z
        return result


def gradient(z: Blocks, problem: Problem) -> Blocks:
    """Return ``alpha e_0 +- (sum_l Z_l a_l - y) a_j^H``, shape (n, q, 2, F)."""
    excess = multiply(difference(z), problem.A) - problem.Y
    slope: Blocks = correlate(excess, problem.A)[:, :, None, :, 0, 0] * SIGNS
    slope[..., 0] += problem.alpha
    return slope


def step_sizes(A: Blocks) -> Floats:
    """Return ``3 / (2 L w_f)``, to multiply gradients, shape (F,)."""
    weight = 2.0 * np.arange(A.shape[1], 0, -1)
    weight[0] /= 2
    largest = np.linalg.norm(stack_components(A), ord=2, axis=(1, 2)) ** 2
    lipschitz = 2 * (largest / weight).max()
    result: Floats = 1.5 / (lipschitz * weight)
    return result


def difference(z: Blocks) -> Blocks:
    """Return ``Z = z+ - z-`` as blocks, (n, q, 2, F) to (n, q, F, 1, 1)."""
    return (z[:, :, 0] - z[:, :, 1])[..., None, None]


def relative_gap(z: Blocks, problem: Problem) -> Floats:
    """Return the duality gap of the pairs, made feasible, shape (n,)."""
    z = feasible(z)
    penalty = problem.alpha * z[..., 0].real.sum(axis=(1, 2))
    return duality_gap(problem, multiply(difference(z), problem.A), penalty)[1]


def feasible(z: Blocks) -> Blocks:
    """Subtract from both matrices of a pair their smallest eigenvalue: same Z, both are >= 0."""
    result = z.copy()
    smallest = np.linalg.eigvalsh(toeplitz(z))[..., :1]
    result[..., :1] -= smallest.min(axis=-2, keepdims=True)
    return result


def to_atoms(representation: Representation, z: Blocks, negligible: float) -> Atoms:
    """Decompose all pairs; atoms this much smaller than their sample's largest are left out."""
    n, q = z.shape[:2]
    c, angle = vandermonde(toeplitz(feasible(z)))
    largest = c.max(axis=(1, 2, 3), keepdims=True, initial=0.0)
    sample, component, sign, k = np.nonzero(c > negligible * largest)
    place = sample, component, sign, k
    assert isinstance(representation, CircleRepresentation)
    period = representation.period
    turn = np.mod(-angle[place] * period / (2 * np.pi), period)
    atoms = Combination(sample * q + component, c[place] * SIGNS[sign, 0], turn[:, None])
    return Atoms.of_pairs(atoms, n, q)


def solve_program(Y: Blocks, A: Blocks, alpha: float) -> Blocks:
    """Return the first columns (n, q, 2, F) of optimal pairs, by an interior point method."""
    try:
        import cvxpy as cp
    except ImportError as error:
        raise ImportError(
            install_hint("Semidefinite(exact=True)", "cvxpy clarabel", "reference")
        ) from error
    size = Y.shape[1]
    offset = np.subtract.outer(np.arange(size), np.arange(size)).ravel()
    place = np.where(offset < 0, -offset, size + offset)
    data, weight = cp.Parameter(Y.shape[1::2], complex=True), cp.Parameter(nonneg=True)
    residual, mass, constraints, pairs = data, 0.0, [], []
    for a in A[:, :, 0]:
        plus, minus = pair = [cp.Variable(size, complex=True) for _ in SIGNS]
        for z in pair:
            T = cp.reshape(cp.hstack([cp.conj(z), z])[place], (size, size), order="C")
            constraints += [T >> 0, cp.imag(z[0]) == 0]
            mass = mass + cp.real(z[0])
        residual = residual - cp.multiply(a, cp.reshape(plus - minus, (size, 1), order="C"))
        pairs.append(pair)
    objective = 0.5 * cp.sum_squares(residual) + weight * mass
    problem = cp.Problem(cp.Minimize(objective), constraints)
    result = np.empty((len(Y), len(A), 2, size), dtype=np.complex128)
    for y, columns in zip(Y, result, strict=True):
        scale = np.linalg.norm(y)
        data.value, weight.value = y[:, 0] / scale, alpha / scale
        with warnings.catch_warnings():
            # asked for more than it can always reach; the certificate tells how far it got
            warnings.filterwarnings("ignore", "Solution may be inaccurate", UserWarning)
            problem.solve(solver=cp.CLARABEL, tol_gap_abs=1e-9, tol_gap_rel=1e-9, tol_feas=1e-9)
        columns[:] = [[scale * z.value for z in pair] for pair in pairs]
    return result
