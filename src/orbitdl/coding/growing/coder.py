"""Column generation on a Lie group: atoms enter where the certificate exceeds alpha, and move."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from orbitdl.coding.atoms import Atoms
from orbitdl.coding.base import Coder
from orbitdl.coding.growing.refinement import NewtonRefinement
from orbitdl.coding.problem import Problem
from orbitdl.coding.working_set import solve_by_columns
from orbitdl.groups.base import Representation


@dataclass(frozen=True)
class Growing(Coder):
    """Column generation on a Lie group, with Newton steps on coefficients and elements.

    Parameters
    ----------
    tol : float
        Relative duality gap at which a sample is done.
    max_iter : int
        Rounds of adding atoms, per sample.

    Notes
    -----
    In the atomic view the coding problem is

        min over atoms (j_k, g_k, c_k)   1/2 ||M (y - sum_k c_k g_k a_{j_k})||^2 + alpha sum |c_k|.

    New atoms enter at peaks of the certificate ``|<r, g a_j>|`` above alpha (`peaks`). First
    coefficients alone, then coefficients and elements together are brought to a stationary point,
    by Newton's method along the generators of the group (`tangents`, `move`); atoms whose
    coefficient reaches zero are removed. It ends when the certificate nowhere exceeds alpha by more
    than the gap allows. A group of which no element has neighbours needs `peaks` alone. Missing
    entries change nothing: the generators act on signals before they are observed.

    Examples
    --------
    >>> Growing(tol=1e-8)
    Growing(tol=1e-08, max_iter=200)
    """

    tol: float = 1e-4
    max_iter: int = 200
    codes_masked: ClassVar[bool] = True

    def serves(self, representation: Representation) -> bool:
        return representation.has_tangents

    def stricter(self) -> Growing:
        return replace(self, tol=0.3 * self.tol)

    def solve(self, problem: Problem, warm: Atoms | None) -> Atoms:
        return solve_by_columns(
            problem, warm, NewtonRefinement(0.3 * self.tol), 0.8 * self.tol, self.max_iter
        )
