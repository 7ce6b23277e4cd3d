"""Programs over infinitely many atoms, solved over a few of them at a time.

Solve on the atoms at hand, look at the certificate, add atoms where it is too high: until it
nowhere is. The kernels of `lasso_kernel` and `sliding.search` do the same for one sample at a time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from orbitdl.coding.codes import Atoms
from orbitdl.groups.base import Combination


class Round(NamedTuple):
    """What is known after one round, of n samples.

    Attributes
    ----------
    atoms : Atoms
        Optimal among the atoms that were at hand.
    late : bool ndarray of shape (n,)
        Who is not done.
    fresh : Combination
        Atoms where the certificate is too high; rows number the pairs (sample, component).
    """

    atoms: Atoms
    late: NDArray[np.bool_]
    fresh: Combination

    @classmethod
    def concatenate(cls, rounds: list[Round]) -> Round:
        """Return the rounds of samples one after the other; rows number all their pairs."""
        atoms, late, fresh = zip(*rounds, strict=True)
        columns = (np.concatenate(column) for column in zip(*fresh, strict=True))
        return cls(Atoms.concatenate(list(atoms)), np.concatenate(late), Combination(*columns))


SolveAndLook = Callable[[NDArray[np.bool_], Atoms], Round]
"""Makes a round of the chosen samples (n,), of which the atoms at hand are given."""


def generate(solve_and_look: SolveAndLook, atoms: Atoms, max_rounds: int) -> Atoms:
    """Return atoms that are optimal among all, as far as so many rounds reach.

    `atoms` are those of every sample to begin with. A sample that is late, but for which nothing is
    left to add, stays as it is.
    """
    result, active = atoms, np.ones(len(atoms), dtype=np.bool_)
    for _ in range(max_rounds):
        solved, late, fresh = solve_and_look(active, atoms)
        result = result.replace(active, solved)
        growing = np.bincount(fresh.row // atoms.n_components, minlength=len(solved)) > 0
        going = late & growing
        if not going.any():
            break
        active[active] = going
        atoms = solved.add(fresh).take(going)
    return result
