"""What a dictionary is: parameters, the components they make, and the best ones for given codes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Self

import numpy as np

from orbitdl.arrays.blocks import Blocks, Floats, Integers, inner
from orbitdl.dictionaries.statistics import Statistics


class Dictionary(ABC):
    """Parameters theta, and the components ``A = expand(theta)`` that data are coded with.

    A frozen value. Coders see ``expand()`` only, and learning the methods below.

    Attributes
    ----------
    copies : int
        Components that share the parameters of one: q sets of parameters make ``q * copies``
        components, those of a set one after the other, the set's own component first.
    is_monotone : bool
        Whether `solve` never raises the surrogate; only then components are extrapolated.

    Notes
    -----
    With the codes held fixed, the loss of components A is, but for a constant, the surrogate

        S(A) = 1/2 <A, H A> - <R, A>,

    whose sums H and R are all that a dictionary sees of data (`Statistics`). A kind of dictionary
    is a set of components, and its step a theta in it with ``S(expand(theta))`` no larger than
    before: ``solve(statistics)``. Where ``expand`` is linear, ``A = E theta``, the step is one of
    plain components with the sums pulled back to parameters,

        S(E theta) = 1/2 <theta, E^T H E theta> - <E^T R, theta>.

    Every component has norm at most 1, and `normalise` moves the norms into the codes.

    Two kinds that fit this interface and are not here yet:

    - *rank one*, ``A_j = v_j u_j^T`` (time course times topography): `expand` is not linear, but it
      is linear in v for fixed u and in u for fixed v. `parameters` holds both, `solve` pulls the
      sums back to v and then to u and takes the exact step twice, each of which lowers S;
      `extrapolate` works on the factors, `near` is a truncated singular value decomposition.
    - *non-negative*: `expand` is linear (from signals to blocks), and the set is the part of the
      ball in the non-negative orthant. It is convex, so that `solve` is projected descent
      (`norm_constraint.descend`), the projection clips first and shortens then, and
      there is no `ball`.
    """

    copies: int = 1
    is_monotone: bool = True

    def __len__(self) -> int:
        """Return the number q of components that users see."""
        return len(self.parameters)

    @property
    @abstractmethod
    def parameters(self) -> Blocks:
        """Theta, shape (q, ...): what a checkpoint stores."""

    @abstractmethod
    def at(self, parameters: Blocks) -> Self:
        """Return the dictionary of this kind with such parameters."""

    @abstractmethod
    def near(self, A: Blocks) -> Self:
        """Return the dictionary of this kind that comes nearest to components A (q, F, d, m)."""

    @abstractmethod
    def expand(self) -> Blocks:
        """Return all components, shape (q * copies, F, d, m)."""

    @abstractmethod
    def solve(self, statistics: Statistics, soon: bool = False) -> Self:
        """Return the best of its kind for these sums, never worse than this one.

        With `soon` it may do less: what pays where the sums change with every batch.
        """

    @abstractmethod
    def replace(self, j: int, residual: Blocks) -> Self:
        """Return it with component j the residual (F, d, m), as nearly as the kind allows.

        Of unit norm; where nothing of the residual is allowed the component stays.
        """

    @abstractmethod
    def normalise(self) -> tuple[Self, Floats]:
        """Give every component unit norm; return also the norms (q * copies,), for the codes."""

    @property
    def ball(self) -> Dictionary | None:
        """The balls of parameters, where ``A = E theta`` with ``||theta_j|| <= 1`` is all there is.

        Then the step is theirs in any coordinates of the data. None: something else is asked, too.
        """
        return None

    @property
    def components(self) -> Blocks:
        """What users see, shape (q, F, d, m): of every set of parameters its own component."""
        return self.expand()[:: self.copies]

    def extrapolate(self, previous: Self, weight: float) -> Self:
        """Return components of unit norm beyond these, on the way from previous ones."""
        step = self.parameters - previous.parameters
        return self.at(self.parameters + weight * step).normalise()[0]

    def keep(self, unused: Integers, previous: Self) -> Self:
        """Return it with some components as they were before."""
        parameters = self.parameters.copy()
        parameters[unused] = previous.parameters[unused]
        return self.at(parameters)

    def usage(self, statistics: Statistics) -> Floats:
        """Return how much each component is used, all its copies together, (q,)."""
        together: Floats = statistics.usage.reshape(-1, self.copies).sum(axis=1)
        return together

    def distance(self, other: Self) -> float:
        """Return ``max_j ||a_j - b_j||`` over the components of two dictionaries of one kind."""
        apart = self.components - other.components
        return float(np.sqrt(inner(apart, apart).max(initial=0.0)))
