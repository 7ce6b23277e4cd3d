"""Abstract base of dictionaries: parameters, components, and the dictionary step."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Self

import numpy as np

from orbitdl.arrays.blocks import Blocks, Floats, Integers, inner
from orbitdl.dictionaries.statistics import Statistics


class Dictionary(ABC):
    """Parameters theta, and the components ``A = expand(theta)`` that data are coded with.

    Immutable. Coders use ``expand()`` only; learning uses the methods below.

    Attributes
    ----------
    copies : int
        Components per set of parameters: q sets expand to ``q * copies`` components, grouped by
        set, the identity copy first.
    is_monotone : bool
        Whether `solve` never increases the surrogate; only then components are extrapolated.

    Notes
    -----
    For fixed codes, the loss of components A is, up to a constant, the surrogate

        S(A) = 1/2 <A, H A> - <R, A>,

    with sufficient statistics H and R (`Statistics`). A subclass is a set of components, and its
    step ``solve(statistics)`` returns a theta that does not increase ``S(expand(theta))``. If
    ``expand`` is linear, ``A = E theta``, the step is that of unconstrained components with
    statistics pulled back to parameters,

        S(E theta) = 1/2 <theta, E^T H E theta> - <E^T R, theta>.

    Every component has norm at most 1, and `normalise` moves the norms into the codes.

    Two dictionaries that fit this interface but are not implemented:

    - *rank one*, ``A_j = v_j u_j^T`` (time course times topography): `expand` is bilinear.
      `parameters` holds both factors, `solve` pulls the statistics back to v and then to u and
      takes an exact step for each, which decreases S; `extrapolate` acts on the factors, `near` is
      a truncated singular value decomposition.
    - *non-negative*: `expand` is linear (from signals to blocks), and the set is the intersection
      of the ball and the non-negative orthant. It is convex: `solve` is projected gradient descent
      (`least_squares.descend`), the projection clips and then normalises, and there is no `ball`.
    """

    copies: int = 1
    is_monotone: bool = True

    def __len__(self) -> int:
        """Return the number q of components."""
        return len(self.parameters)

    @property
    @abstractmethod
    def parameters(self) -> Blocks:
        """Theta, shape (q, ...): what a checkpoint stores."""

    @abstractmethod
    def at(self, parameters: Blocks) -> Self:
        """Return the dictionary with other parameters."""

    @abstractmethod
    def near(self, A: Blocks) -> Self:
        """Project components A (q, F, d, m) onto the dictionaries of this kind."""

    @abstractmethod
    def expand(self) -> Blocks:
        """Return all components, shape (q * copies, F, d, m)."""

    @abstractmethod
    def solve(self, statistics: Statistics, soon: bool = False) -> Self:
        """Return a minimiser of the surrogate, never worse than this dictionary.

        With `soon` the step may be inexact, as in mini-batch learning.
        """

    @abstractmethod
    def replace(self, j: int, residual: Blocks) -> Self:
        """Replace component j by the projection of a residual (F, d, m), at unit norm.

        The component stays if the projection is zero.
        """

    @abstractmethod
    def normalise(self) -> tuple[Self, Floats]:
        """Scale components to unit norm; return also the norms (q * copies,), for the codes."""

    @property
    def ball(self) -> Dictionary | None:
        """The unit balls of theta, for ``A = E theta`` under ``||theta_j|| <= 1`` only.

        None if there are other constraints.
        """
        return None

    @property
    def components(self) -> Blocks:
        """The identity copies, shape (q, F, d, m)."""
        return self.expand()[:: self.copies]

    def extrapolate(self, previous: Self, weight: float) -> Self:
        """Extrapolate from previous parameters (momentum), and normalise."""
        step = self.parameters - previous.parameters
        return self.at(self.parameters + weight * step).normalise()[0]

    def keep(self, unused: Integers, previous: Self) -> Self:
        """Restore some components from a previous dictionary."""
        parameters = self.parameters.copy()
        parameters[unused] = previous.parameters[unused]
        return self.at(parameters)

    def usage(self, statistics: Statistics) -> Floats:
        """Return the usage of each component summed over its copies, (q,)."""
        total: Floats = statistics.usage.reshape(-1, self.copies).sum(axis=1)
        return total

    def distance(self, other: Self) -> float:
        """Return ``max_j ||a_j - b_j||`` over the components of two dictionaries."""
        difference = self.components - other.components
        return float(np.sqrt(inner(difference, difference).max(initial=0.0)))


Kind = Callable[[Blocks], Dictionary]
"""Makes a dictionary of components (q, F, d, m): a class such as `UnitBall`, or a function."""
