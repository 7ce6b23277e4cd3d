"""What every coder is: frozen settings, a solver, and a certificate it does not compute itself."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from orbitdl.codes import Atoms, Codes
from orbitdl.coding.certificate import certify, objectives
from orbitdl.groups.base import Blocks, Floats, Representation


class Coder(ABC):
    """Solves ``min_Z 1/2 ||y - sum_j Z_j a_j||^2 + alpha sum_j ||Z_j||_G`` for every sample.

    Subclasses are frozen dataclasses with a field ``tol``, the relative duality gap asked for,
    and a `solve` that returns atoms. Everything is in block coordinates: Y of shape (n, F, d, m),
    A of shape (q, F, d, m).
    """

    tol: float

    @abstractmethod
    def serves(self, representation: Representation) -> bool:
        """Tell whether this coder can code with the given group action."""

    @abstractmethod
    def solve(
        self,
        representation: Representation,
        Y: Blocks,
        A: Blocks,
        alpha: float,
        warm: Atoms | None,
        n_jobs: int | None,
    ) -> Atoms:
        """Return atoms for every sample, starting from `warm` where that helps."""

    @property
    def is_convex(self) -> bool:
        """Whether the gap of this coder is meant to reach `tol`."""
        return True

    def code(
        self,
        representation: Representation,
        Y: Blocks,
        A: Blocks,
        alpha: float,
        warm: Atoms | None = None,
        *,
        n_jobs: int | None = None,
        warn: bool = True,
    ) -> Codes:
        """Solve, certify, and say in words how it went; never worse than `warm`."""
        if not self.serves(representation):
            raise ValueError(
                f"the coder {type(self).__name__} does not serve {representation.group.name}; "
                "leave coder=None to get one that does."
            )
        atoms = self.solve(representation, Y, A, alpha, warm, n_jobs)
        if warm is not None:
            atoms = _better(representation, Y, A, alpha, atoms, warm)
        objective, gap = certify(representation, Y, A, alpha, atoms)
        if warn:
            self._warn(gap)
        return Codes(representation, atoms, objective, gap, self._describe(gap, objective))

    def _describe(self, gap: Floats, objective: Floats) -> NDArray[Any]:
        status = np.full(len(gap), f"converged: gap within {self.tol:.1e}", dtype=object)
        if self.is_convex:
            status[gap > self.tol] = f"stopped early: gap above {self.tol:.1e}"
        else:
            status[gap > self.tol] = f"local solution: gap above {self.tol:.1e}"
        status[objective == 0] = "zero data: nothing to code"
        return status

    def _warn(self, gap: Floats) -> None:
        late = int(np.sum(gap > self.tol))
        if late and self.is_convex:
            warnings.warn(
                f"{late} of {len(gap)} samples stopped above the gap tolerance {self.tol:.1e} "
                f"(largest gap {gap.max():.1e}); raise the coder's max_iter or its tol.",
                ConvergenceWarning,
                stacklevel=3,
            )


def _better(
    representation: Representation, Y: Blocks, A: Blocks, alpha: float, atoms: Atoms, warm: Atoms
) -> Atoms:
    """Return, sample by sample, the codes of lower objective."""
    value = objectives(representation, Y, A, alpha, atoms)
    worse = value > objectives(representation, Y, A, alpha, warm)
    if not worse.any():
        return atoms
    both = Atoms.concatenate([atoms, warm])
    return both.take(np.arange(len(atoms)) + np.where(worse, len(atoms), 0))
