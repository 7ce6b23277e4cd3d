"""Components that are a linear function of parameters: statistics are pulled back."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from orbitdl.arrays.blocks import Blocks, Floats, inner
from orbitdl.dictionaries.base import Dictionary
from orbitdl.dictionaries.statistics import Statistics

NOTHING = 1e-24
"""Relative energy of a projected residual below which it is a rounding error."""


@dataclass(frozen=True, eq=False)
class Embedded(Dictionary):
    """Components ``A = E theta``, with theta in another dictionary and E linear over the reals.

    E is an isometry onto every copy of a component.

    Attributes
    ----------
    inner : Dictionary
        The dictionary of theta.

    Notes
    -----
    With ``N = E^T H E`` and ``r = E^T R`` the surrogate is ``1/2 <theta, N theta> - <r, theta>``:
    the best A is E applied to the best theta for the statistics (N, r), under any constraint.
    """

    inner: Dictionary

    @abstractmethod
    def embed(self, theta: Blocks) -> Blocks:
        """Return ``E theta``, all copies of all components (q * copies, F, d, m)."""

    @abstractmethod
    def restrict(self, A: Blocks) -> Blocks:
        """Return the theta whose identity copies are nearest to A (q, F, d, m)."""

    @abstractmethod
    def pull(self, statistics: Statistics) -> Statistics:
        """Return ``E^T H E`` and ``E^T R``."""

    @property
    def is_monotone(self) -> bool:  # type: ignore[override]
        return self.inner.is_monotone

    @property
    def ball(self) -> Dictionary | None:
        return self.inner.ball

    @property
    def parameters(self) -> Blocks:
        return self.inner.parameters

    def _with(self, inner: Dictionary) -> Self:
        return replace(self, inner=inner)

    def at(self, parameters: Blocks) -> Self:
        return self._with(self.inner.at(parameters))

    def near(self, A: Blocks) -> Self:
        return self._with(self.inner.near(self.restrict(A)))

    def expand(self) -> Blocks:
        return self.embed(self.inner.expand())

    def solve(self, statistics: Statistics, soon: bool = False) -> Self:
        return self._with(self.inner.solve(self.pull(statistics), soon))

    def replace(self, j: int, residual: Blocks) -> Self:
        theta = self.restrict(np.broadcast_to(residual, (len(self), *residual.shape)))[j]
        if inner(theta, theta) <= NOTHING * inner(residual, residual):
            return self
        return self._with(self.inner.replace(j, theta))

    def normalise(self) -> tuple[Self, Floats]:
        theta, norms = self.inner.normalise()
        return self._with(theta), np.repeat(norms, self.copies)
