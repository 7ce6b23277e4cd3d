"""Any group of turns, such as shifts, together with finitely many other moves."""

from __future__ import annotations

from dataclasses import dataclass

from orbitdl.groups.base import Group, require_group
from orbitdl.groups.folded.representation import FoldedRepresentation


@dataclass(frozen=True)
class WithFinite(Group):
    """A group and a finite one that goes with it: first a move of the finite one, then the group's.

    Parameters
    ----------
    group : Group
        One that multiplies complex blocks by phases: shifts of signals, say.
    moves : Group
        One whose elements can be listed, such as `Reversal` or `Finite`. They must map moved copies
        to moved copies: a shift run backwards is a shift of what runs backwards.

    Notes
    -----
    Elements (g, f) act as ``rho(g) sigma(f)``, and ``(g, f) (h, e) = (g f h f^-1, f e)``. The orbit
    of a component under both is the union of the orbits of its moved copies under the group, so
    that codes are those of the group with several times as many components.

    Examples
    --------
    Waveforms at any time, forwards or backwards:

    >>> import numpy as np
    >>> from orbitdl.groups import ContinuousShift, Reversal
    >>> moves = WithFinite(ContinuousShift(), Reversal()).on((5,))
    >>> moves.parameters
    ('shift', 'reversed')
    >>> moves.act(np.array([1.0, 1.0]), np.array([1.0, 2.0, 3.0, 4.0, 5.0])).round(12)
    array([1., 5., 4., 3., 2.])
    """

    group: Group
    moves: Group

    def __post_init__(self) -> None:
        require_group(self.group)
        require_group(self.moves)

    def in_short(self) -> str:
        return f"WithFinite({self.group.in_short()}, {self.moves.in_short()})"

    def as_code(self) -> str:
        return f"WithFinite({self.group.as_code()}, {self.moves.as_code()})"

    def on(self, shape: tuple[int, ...]) -> FoldedRepresentation:
        return FoldedRepresentation(self, self.group.on(shape), self.moves.on(shape))
