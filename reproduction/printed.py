"""The paper's algorithms as printed: a few crude steps, then least squares, then normalise."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from orbitdl.coding.atoms import Atoms
from orbitdl.coding.base import Coder
from orbitdl.coding.certificate import multiply
from orbitdl.coding.problem import Problem
from orbitdl.dictionaries.base import Dictionary
from orbitdl.dictionaries.unit_ball import UnitBall
from orbitdl.groups.base import Blocks, Combination, Floats, Representation, correlate, inner
from orbitdl.groups.finite_representation import FiniteRepresentation
from orbitdl.learning.alternation import put_in_use
from orbitdl.learning.sample_shard import SampleShards
from reproduction.semidefinite import Semidefinite


@dataclass(frozen=True)
class FewSteps(Coder):
    """Proximal gradient steps with a line search, from zero, on all moved components.

    Notes
    -----
    With coefficients ``c`` over all group elements and components, and residual r,

        c <- soft(c + t <r, g a_j>, t alpha),

    where t is halved until the loss lies below its quadratic model. The paper takes five.
    """

    tol: float = 1e-4
    n_steps: int = 5

    def serves(self, representation: Representation) -> bool:
        return isinstance(representation, FiniteRepresentation)

    def solve(self, problem: Problem, warm: Atoms | None) -> Atoms:
        representation, Y, A = problem.representation, problem.Y, problem.A
        assert isinstance(representation, FiniteRepresentation)
        elements = representation.elements
        rho = representation.represent(elements)

        c, R = np.zeros((len(Y), len(A), len(elements))), Y
        for _ in range(self.n_steps):
            slope = representation.correlations(correlate(R, A))
            c, R = proximal_step(Y, A, rho, problem.alpha, c, R, slope)
        row, number = np.nonzero(c.reshape(-1, len(elements)))
        values = c.reshape(-1, len(elements))[row, number]
        return Atoms.of_pairs(Combination(row, values, elements[number]), len(c), len(A))


def proximal_step(
    Y: Blocks, A: Blocks, rho: Blocks, alpha: float, c: Floats, R: Blocks, slope: Floats
) -> tuple[Floats, Blocks]:
    """Take one step of every sample; return coefficients and residuals."""
    c, R, t, going = c.copy(), R.copy(), np.ones(len(c)), np.arange(len(c))
    start, loss = c.copy(), 0.5 * inner(R, R)
    for _ in range(40):
        size = t[going, None, None]
        moved = start[going] + size * slope[going]
        c[going] = np.sign(moved) * np.maximum(np.abs(moved) - size * alpha, 0.0)
        R[going] = Y[going] - multiply(np.tensordot(c[going], rho, 1), A)
        change = c[going] - start[going]
        model = np.sum(change**2, axis=(1, 2)) / (2 * t[going])
        model += loss[going] - np.sum(slope[going] * change, axis=(1, 2))
        going = going[0.5 * inner(R[going], R[going]) > model + 1e-12]
        if len(going) == 0:
            break
        t[going] /= 2
    return c, R


@dataclass(frozen=True)
class FewSpectralSteps(Coder):
    """Proximal gradient steps from zero, with the proximal map of the spectral norm as printed.

    Notes
    -----
    Section 4.5 replaces the largest singular value s by ``max(0, s - alpha)`` and clips the others
    there. The true proximal map lowers the clipping level until what is cut off adds up to alpha.
    """

    tol: float = 1e-4
    n_steps: int = 5

    def serves(self, representation: Representation) -> bool:
        return has_spectral_gauge(representation)

    def solve(self, problem: Problem, warm: Atoms | None) -> Atoms:
        representation, Y, A = problem.representation, problem.Y, problem.A
        d = representation.block_shape[1]
        t = 1.0 / np.linalg.norm(np.concatenate(list(A[:, 0])), ord=2) ** 2
        Z = np.zeros((len(Y), len(A), 1, d, d))
        for _ in range(self.n_steps):
            U, s, V = np.linalg.svd(Z + t * correlate(Y - multiply(Z, A), A))
            s = np.minimum(s, np.maximum(s[..., :1] - t * problem.alpha, 0.0))
            Z = (U * s[..., None, :]) @ V
        atoms = representation.decompose(Z.reshape(-1, 1, d, d))
        return Atoms.of_pairs(atoms, len(Y), len(A))


SEMIDEFINITE = Semidefinite(max_iter=5, inner_iter=1, carry=False)
"""Algorithms 2 and 3 with the paper's 5 outer iterations and 1 inner iteration."""


def crude_coder(representation: Representation) -> Coder:
    """Return the paper's coder for a group."""
    if isinstance(representation, FiniteRepresentation):
        return FewSteps()
    return FewSpectralSteps() if has_spectral_gauge(representation) else SEMIDEFINITE


def has_spectral_gauge(representation: Representation) -> bool:
    """Tell whether elements are all orthogonal matrices of one block, by counting dimensions."""
    n_blocks, d, _ = representation.block_shape
    return n_blocks == 1 and representation.dimension == d * (d - 1) // 2


def alternate(shards: SampleShards, A: Blocks, iterations: int) -> Iterator[Blocks]:
    """Yield the start and the components after every iteration of Algorithm 1 as printed.

    In synchronisation the paper also gives all columns of a component the same norm.

    Parameters
    ----------
    shards : SampleShards
        Data that are not coded yet, with the paper's coder: every iteration starts codes anew.
    A : ndarray of shape (q, F, d, m)
        Components to start from.
    iterations : int
    """
    yield A
    dictionary: Dictionary = UnitBall(A, normalize_after=True)
    for _ in range(iterations):
        coded, _ = shards.code(dictionary.expand(), shards.coder.tol)
        statistics = coded.statistics()
        new, norms = dictionary.solve(statistics).normalise()
        dictionary, _ = put_in_use(new, dictionary, statistics.usage, coded.scale(norms))
        if isinstance(shards.coder, FewSpectralSteps):
            A = dictionary.expand()
            dictionary, _ = dictionary.at(A / np.linalg.norm(A, axis=2, keepdims=True)).normalise()
        yield dictionary.expand()
