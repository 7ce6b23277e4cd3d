"""What an iteration of learning begins with, and what it ends with."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from orbitdl.codes import Atoms, Codes
from orbitdl.groups.base import Blocks

LOOSEST = 3e-2
"""Gap asked for in the first iteration."""


@dataclass(frozen=True)
class State:
    """All that `learn` carries into an iteration; from here it always goes on the same way.

    Attributes
    ----------
    number : int
        Of the iteration that begins here.
    components : ndarray of shape (q, F, d, m)
        What is coded first: the result of the last step, pushed on.
    atoms : Atoms or None
        Codes of the last iteration, scaled for `stepped`.
    unused : int
        Components that were replaced in the last iteration.
    objective : float
        At the end of the last iteration.
    loosest : float
        From which the gap asked for falls.
    stalled : int
        Iterations without progress.
    stepped : ndarray of shape (q, F, d, m) or None
        The result of the last step as it was.
    streak : int
        Steps since pushes began anew.
    """

    number: int
    components: Blocks
    atoms: Atoms | None = None
    unused: int = 0
    objective: float = np.inf
    loosest: float = LOOSEST
    stalled: int = 0
    stepped: Blocks | None = None
    streak: int = 0

    def __post_init__(self) -> None:
        """Keep arrays in C order: how sums round depends on the order in memory."""
        object.__setattr__(self, "components", np.ascontiguousarray(self.components))
        if self.stepped is not None:
            object.__setattr__(self, "stepped", np.ascontiguousarray(self.stepped))
        if self.atoms is not None:
            element = np.ascontiguousarray(self.atoms.element)
            object.__setattr__(self, "atoms", replace(self.atoms, element=element))


@dataclass(frozen=True)
class Iteration:
    """What one iteration of `learn` ended with.

    Attributes
    ----------
    number : int
        Dictionary steps done so far.
    objective : float
        The learning objective, summed over samples, of these components and codes.
    gap : float
        Largest certified relative gap of a sample.
    atoms : float
        Atoms a sample, on average.
    unused : int
        Components that no sample used and that were replaced in this iteration.
    seconds : float
    components : ndarray of shape (q, F, d, m)
    codes : Codes
    fell_back : bool
        Whether the push was taken back, for it did not pay.
    following : State or None
        Where the next iteration begins; None after the last.
    """

    number: int
    objective: float
    gap: float
    atoms: float
    unused: int
    seconds: float
    components: Blocks
    codes: Codes
    fell_back: bool
    following: State | None

    @classmethod
    def of(
        cls,
        state: State,
        components: Blocks,
        codes: Codes,
        seconds: float,
        fell_back: bool,
        following: State | None,
    ) -> Iteration:
        """Sum up an iteration that began at `state`."""
        return cls(
            number=state.number,
            objective=float(codes.objective.sum()),
            gap=float(codes.gap.max()),
            atoms=len(codes.atoms.coefficient) / len(codes),
            unused=state.unused,
            seconds=seconds,
            components=components,
            codes=codes,
            fell_back=fell_back,
            following=following,
        )
