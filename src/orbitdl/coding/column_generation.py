"""Programs over infinitely many atoms, solved over a few of them at a time.

Solve on the current atoms, evaluate the certificate, add atoms where it is too high: until it
nowhere is. The kernels of `orbit_lasso` and `sliding.search` do the same for one sample at a time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from orbitdl.coding.atoms import Atoms
from orbitdl.groups.base import Combination


class ColumnRound(NamedTuple):
    """The result of one round, of n samples.

    Attributes
    ----------
    atoms : Atoms
        Optimal among the known atoms.
    unconverged : bool ndarray of shape (n,)
        Who is not done.
    candidates : Combination
        Atoms where the certificate is too high; rows number the pairs (sample, component).
    """

    atoms: Atoms
    unconverged: NDArray[np.bool_]
    candidates: Combination

    @classmethod
    def concatenate(cls, rounds: list[ColumnRound]) -> ColumnRound:
        """Return the rounds of samples one after the other; rows number all their pairs."""
        atoms, unconverged, candidates = zip(*rounds, strict=True)
        columns = (np.concatenate(column) for column in zip(*candidates, strict=True))
        return cls(
            Atoms.concatenate(list(atoms)), np.concatenate(unconverged), Combination(*columns)
        )


MakeRound = Callable[[NDArray[np.bool_], Atoms], ColumnRound]
"""Makes a round of the chosen samples (n,), of which the atoms are known."""


def generate_columns(make_round: MakeRound, atoms: Atoms, max_rounds: int) -> Atoms:
    """Return atoms that are optimal among all, or as good as so many rounds make them.

    `atoms` are those of every sample to begin with. A sample that is not converged, but has no atom
    to add, stays as it is.
    """
    result, active = atoms, np.ones(len(atoms), dtype=np.bool_)
    for _ in range(max_rounds):
        solved, unconverged, candidates = make_round(active, atoms)
        result = result.replace(active, solved)
        has_candidates = (
            np.bincount(candidates.row // atoms.n_components, minlength=len(solved)) > 0
        )
        continuing = unconverged & has_candidates
        if not continuing.any():
            break
        active[active] = continuing
        atoms = solved.add(candidates).take(continuing)
    return result
