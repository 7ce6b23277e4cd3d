"""Finitely many moves beside a group: coded by the group alone, with more components."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from orbitdl.arrays.validation import LARGEST_COUNT, require_count
from orbitdl.coding.base import Coder, TabulatingCoder
from orbitdl.coding.codes import Atoms
from orbitdl.coding.direct import direct_coder
from orbitdl.coding.problem import Problem
from orbitdl.groups.base import Blocks, Representation
from orbitdl.groups.folded.representation import FoldedRepresentation


class Unfolded(NamedTuple):
    """All moved copies of components, and what the coder of the group alone looks up of them.

    Attributes
    ----------
    copies : ndarray of shape (q |F|, F, 1, m)
    tables : object
    """

    copies: Blocks
    tables: Any


@dataclass(frozen=True)
class Folding(TabulatingCoder[Unfolded]):
    """Groups with finitely many moves beside, by the default coder of the group without them.

    Parameters
    ----------
    tol : float
        Relative duality gap at which a sample is done.
    max_iter : int or None
        Of that coder; None: as many as it takes by default.

    Notes
    -----
    The orbit of a component a under both is the union of the orbits of its ``|F|`` copies f a
    under the group alone, so that

        min over atoms (j, g, f, c)   1/2 ||y - sum_k c_k g_k f_k a_{j_k}||^2 + alpha sum |c_k|

    is the problem of the group alone with the ``q |F|`` components f a_j. Copy f of component j is
    number ``j |F| + f``, and becomes component j with the element (g, f) again.

    Examples
    --------
    >>> Folding(tol=1e-6)
    Folding(tol=1e-06, max_iter=None)
    """

    tol: float = 1e-4
    max_iter: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.max_iter is not None:
            count = require_count(self.max_iter, "max_iter of Folding")
            object.__setattr__(self, "max_iter", count)

    def serves(self, representation: Representation) -> bool:
        return isinstance(representation, FoldedRepresentation)

    def stricter(self) -> Folding:
        most = None if self.max_iter is None else min(3 * self.max_iter, LARGEST_COUNT)
        return replace(self, tol=0.3 * self.tol, max_iter=most)

    def _alone(self, representation: FoldedRepresentation) -> Coder:
        """Return the coder of the group alone."""
        return direct_coder(representation.base, self.tol, self.max_iter)

    @property
    def codes_masked(self) -> bool:
        return True

    def tabulate(self, representation: Representation, A: Blocks) -> Unfolded:
        assert isinstance(representation, FoldedRepresentation)
        base, copies = representation.base, representation.unfold(A)
        return Unfolded(copies, self._alone(representation).tabulate(base, copies))

    def solve_with(
        self, tables: Unfolded, problem: Problem, warm: Atoms | None, n_jobs: int | None
    ) -> Atoms:
        folded = problem.representation
        assert isinstance(folded, FoldedRepresentation)
        alone = replace(
            problem, representation=folded.base, Y=folded.to_base(problem.Y), A=tables.copies
        )
        known = None if warm is None else unfold_atoms(folded, warm)
        coder = self._alone(folded)
        return fold_atoms(folded, coder.solve_with(tables.tables, alone, known, n_jobs))


def unfold_atoms(folded: FoldedRepresentation, atoms: Atoms) -> Atoms:
    """Return atoms of components as atoms of their moved copies."""
    component, element = folded.unfolded(atoms.component, atoms.element)
    return replace(
        atoms,
        n_components=atoms.n_components * folded.moves.size,
        component=component,
        element=element,
    )


def fold_atoms(folded: FoldedRepresentation, atoms: Atoms) -> Atoms:
    """Return atoms of moved copies as atoms of components: undo `unfold_atoms`."""
    component, element = folded.fold(atoms.component, atoms.element)
    return replace(
        atoms,
        n_components=atoms.n_components // folded.moves.size,
        component=component,
        element=element,
    )
