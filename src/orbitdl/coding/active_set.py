"""The exact lasso on the orbits of a finite group."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from orbitdl.codes import Atoms
from orbitdl.coding.base import Coder
from orbitdl.coding.lasso_kernel import Orbits, solve_all
from orbitdl.coding.parallel import in_chunks
from orbitdl.coding.problem import Problem
from orbitdl.coding.working_set import grow, settle_coefficients
from orbitdl.compiled import say_if_compiling
from orbitdl.groups.base import Blocks, Representation, inner
from orbitdl.groups.finite_base import FiniteRepresentation


@dataclass(frozen=True)
class ActiveSet(Coder):
    """Exact lasso over all moved components of a finite group.

    Parameters
    ----------
    tol : float
        Relative duality gap at which a sample is done.
    max_iter : int
        Rounds of growing the active set, per sample.

    Notes
    -----
    Correlations of all samples with all ``q * |G|`` moved components come from one batched
    transform, or one matrix product with the listed orbits, and the Gram matrix from
    ``<g a_j, h a_l> = <a_j, g^-1 h a_l>``, a table of ``q * q * |G|`` numbers.

    Examples
    --------
    >>> ActiveSet(tol=1e-6)
    ActiveSet(tol=1e-06, max_iter=1000)
    """

    tol: float = 1e-4
    max_iter: int = 1000

    def serves(self, representation: Representation) -> bool:
        return isinstance(representation, FiniteRepresentation)

    @property
    def codes_masked(self) -> bool:
        return True

    def solve(self, problem: Problem, warm: Atoms | None, n_jobs: int | None) -> Atoms:
        if problem.masked is not None:
            tol, rounds = 0.9 * self.tol, self.max_iter
            return grow(problem, warm, settle_coefficients, tol=tol, max_iter=rounds, n_jobs=n_jobs)
        representation, Y, A, alpha, _ = problem
        assert isinstance(representation, FiniteRepresentation)
        say_if_compiling(solve_all)
        orbits = inner_products(representation, A)
        known = warm or Atoms.none(len(Y), len(A), len(representation.parameters))
        number = representation.index(known.element) * len(A) + known.component
        capacity = min(representation.size * len(A), 2 * int(np.prod(representation.block_shape)))

        def solve_chunk(chunk: slice) -> Atoms:
            earlier = known.offsets[chunk.start : chunk.stop + 1], number, known.coefficient
            B = representation.products(Y[chunk], A)
            energy = inner(Y[chunk], Y[chunk])
            counts = np.zeros(len(B), dtype=np.int64)
            atoms, c = np.zeros((len(B), capacity), dtype=np.int64), np.empty((len(B), capacity))
            solve_all(
                B, energy, alpha, 0.9 * self.tol, self.max_iter, orbits, earlier, counts, atoms, c
            )
            g, component = np.divmod(atoms, len(A))
            return Atoms.of_rows(len(A), counts, component, c, representation.elements[g])

        return in_chunks(solve_chunk, len(Y), n_jobs)


def inner_products(representation: FiniteRepresentation, A: Blocks) -> Orbits:
    """Return the inner products of all moved components, which depend on ``g^-1 h`` only."""
    q, size = len(A), representation.size
    table = representation.products(A, A).reshape(q, size, q)
    if representation.quotient is None:
        return Orbits(np.concatenate([table, table], axis=1), np.zeros((0, 0), np.intp), size)
    return Orbits(table, representation.quotient, size)
