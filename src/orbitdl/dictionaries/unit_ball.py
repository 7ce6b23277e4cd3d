"""Components in the unit ball: the default dictionary."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from orbitdl.arrays.blocks import Blocks, Floats, inner
from orbitdl.dictionaries.base import Dictionary
from orbitdl.dictionaries.least_squares import (
    constrained_least_squares,
    coordinate_step,
    least_squares,
    normalise,
    project_to_ball,
)
from orbitdl.dictionaries.statistics import Statistics

MANY = 32
"""Number of components above which coordinate descent decreases the loss faster than the exact
step."""
SWEEPS = 2
"""Sweeps of coordinate descent per step; more gain little before codes are updated."""


@dataclass(frozen=True, eq=False)
class UnitBall(Dictionary):
    """Components A with ``||a_j|| <= 1``: the parameters are the components.

    Attributes
    ----------
    A : ndarray of shape (q, F, d, m)
        Stored in C order, on which the rounding of sums depends.
    normalize_after : bool
        Use the paper's step, unconstrained least squares followed by normalisation, which may
        increase the objective.

    Notes
    -----
    The step minimises ``1/2 <A, H A> - <R, A>`` over the balls (`least_squares`), at the cost of a
    few inverses of H (q x q). For many components with a single block, as in regular dictionary
    learning, block coordinate descent is faster (`coordinate_step`).

    Examples
    --------
    >>> H, R = np.array([[[4.0]]]), np.array([[[2.0, 1.0]]])
    >>> found = UnitBall(np.zeros((1, 1, 1, 2))).solve(Statistics(H, R, np.ones(1)))
    >>> found.expand().round(9)
    array([[[[0.5 , 0.25]]]])
    """

    A: Blocks
    normalize_after: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "A", np.ascontiguousarray(self.A))

    @property
    def is_monotone(self) -> bool:  # type: ignore[override]
        return not self.normalize_after

    @property
    def ball(self) -> UnitBall:
        return self

    @property
    def parameters(self) -> Blocks:
        return self.A

    def at(self, parameters: Blocks) -> UnitBall:
        return replace(self, A=parameters)

    def near(self, A: Blocks) -> UnitBall:
        return self.at(project_to_ball(A))

    def expand(self) -> Blocks:
        return self.A

    def solve(self, statistics: Statistics, soon: bool = False) -> UnitBall:
        if self.normalize_after:
            return self.at(least_squares(statistics, self.A))
        if len(self.A) <= MANY or not (soon or self.A.shape[1:3] == (1, 1)):
            return self.at(constrained_least_squares(statistics, self.A))
        A = self.A
        for _ in range(1 if soon else SWEEPS):
            A = coordinate_step(statistics, A)
        return self.at(A)

    def replace(self, j: int, residual: Blocks) -> UnitBall:
        norm = float(np.sqrt(inner(residual, residual)))
        if norm == 0.0:
            return self
        A = self.A.copy()
        A[j] = residual / norm
        return self.at(A)

    def normalise(self) -> tuple[UnitBall, Floats]:
        A, norms = normalise(self.A)
        return self.at(A), norms
