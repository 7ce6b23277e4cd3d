"""What every coder is: frozen settings, a solver, and a certificate it does not compute itself."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from orbitdl.codes import Atoms, Codes, Status
from orbitdl.coding.certificate import certify, objectives
from orbitdl.coding.problem import Masked, Problem
from orbitdl.groups.base import Blocks, Floats, Representation, inner
from orbitdl.validation import LARGEST, SMALLEST, require_count, require_positive


def require_coder(coder: object) -> Coder | None:
    """Return the coder (None: choose one), or say how to make one."""
    if coder is not None and not isinstance(coder, Coder):
        raise ValueError(
            "coder must be None or an object from orbitdl.coding such as ActiveSet(), "
            f"not {coder!r}."
        )
    return coder


TRIES = 5
"""How often samples above the tolerance go to a stricter coder, if there is one."""

ROUNDING = 1e-13
"""Objectives that differ less, relatively, are the same."""


def _nearest_power_of_two(size: float) -> float:
    """Return a power of two to measure in: 1 for what is 1 but for rounding, and for nothing."""
    return float(np.ldexp(1.0, round(np.log2(size)))) if size > 0 else 1.0


class Coder(ABC):
    """Solves ``min_Z 1/2 ||M (y - sum_j Z_j a_j)||^2 + alpha sum_j ||Z_j||_G`` for every sample.

    M keeps the observed entries of a sample: all of them, unless data are given as `Masked`.

    Subclasses are frozen dataclasses with a field ``tol``, the relative duality gap asked for,
    and a `solve` that returns atoms. Everything is in block coordinates: Y of shape (n, F, d, m),
    A of shape (q, F, d, m).
    """

    tol: float

    def __post_init__(self) -> None:
        """Check the settings: whole numbers are at least 1, others positive; as plain numbers."""
        for field in fields(self):  # type: ignore[arg-type]
            value, name = getattr(self, field.name), f"{field.name} of {type(self).__name__}"
            kind = type(field.default)
            if kind is int:
                object.__setattr__(self, field.name, require_count(value, name))
            elif kind is float:
                object.__setattr__(self, field.name, require_positive(value, name))

    @abstractmethod
    def serves(self, representation: Representation) -> bool:
        """Tell whether this coder can code with the given group action."""

    @abstractmethod
    def solve(self, problem: Problem, warm: Atoms | None, n_jobs: int | None) -> Atoms:
        """Return atoms for every sample, starting from `warm` where that helps."""

    @property
    def codes_masked(self) -> bool:
        """Whether `solve` serves data with missing entries."""
        return False

    @property
    def is_convex(self) -> bool:
        """Whether the gap of this coder is meant to reach `tol`."""
        return True

    def stricter(self) -> Coder | None:
        """Return a coder for samples whose certified gap is above `tol`; None: no second try."""
        return None

    def code(
        self,
        representation: Representation,
        Y: Blocks,
        A: Blocks,
        alpha: float,
        warm: Atoms | None = None,
        *,
        masked: Masked | None = None,
        n_jobs: int | None = None,
        warn: bool = True,
    ) -> Codes:
        """Solve, certify, and say in words how it went; never worse than `warm`."""
        prepared = self.prepare(representation, A)
        return prepared.code(Y, alpha, warm, masked=masked, n_jobs=n_jobs, warn=warn)

    def prepare(self, representation: Representation, A: Blocks) -> Prepared:
        """Return this coder, ready to code any data with components A (q, F, d, m)."""
        return Prepared(self, representation, A)

    def _code(self, problem: Problem, warm: Atoms | None, n_jobs: int | None, warn: bool) -> Codes:
        self._require_served(problem)
        atoms, objective, gap = self._try(problem, warm, n_jobs)
        for _ in range(TRIES):
            late, stricter = gap > self.tol, self.stricter()
            if stricter is None or not late.any():
                break
            rest = problem.take(late)
            start = rest.with_best_match(atoms.take(late))
            again, objective[late], gap[late] = stricter._try(rest, start, None)
            atoms = atoms.replace(late, again)
        if warn:
            self.warn_unless_converged(gap)
        status = self._describe(gap, problem)
        return Codes(problem.representation, atoms, objective, gap, status)

    def _try(
        self, problem: Problem, warm: Atoms | None, n_jobs: int | None
    ) -> tuple[Atoms, Floats, Floats]:
        """Solve once; return atoms that are not worse than `warm`, their objectives and gaps."""
        if warm is None:
            atoms = self._solve_scaled(problem, None, n_jobs)
            return atoms, *certify(problem, atoms)
        before = objectives(problem, warm)
        helpful = warm.only(before <= 0.5 * problem.energy())
        atoms = self._solve_scaled(problem, helpful, n_jobs)
        objective, gap = certify(problem, atoms)
        if (worse := ~(objective <= (1.0 + ROUNDING) * before)).any():
            atoms = atoms.replace(worse, warm.take(worse))
            objective[worse], gap[worse] = certify(problem.take(worse), warm.take(worse))
        return atoms, objective, gap

    def _require_served(self, problem: Problem) -> None:
        name = type(self).__name__
        if not self.serves(problem.representation):
            raise ValueError(
                f"the coder {name} does not serve {problem.representation.group.name}; "
                "leave coder=None to get one that does."
            )
        if problem.masked is not None and not self.codes_masked:
            raise ValueError(
                f"the coder {name} does not code data with missing entries; leave coder=None to "
                "get one that does."
            )

    def _solve_scaled(self, problem: Problem, warm: Atoms | None, n_jobs: int | None) -> Atoms:
        """Solve in units, powers of two, in which data and the norms of components are about 1.

        ``y/u = sum_k (c_k v/u) g_k a_k/v``: coefficients are measured in u/v, and alpha in u v.
        """
        unit = float(np.ldexp(1.0, np.frexp(np.abs(problem.Y).max())[1]))
        size = _nearest_power_of_two(float(np.sqrt(inner(problem.A, problem.A).max())))
        scaled = problem.in_units_of(unit)
        alpha = min(max(scaled.alpha / size, SMALLEST), LARGEST)  # what is beyond codes the same
        scaled = replace(scaled, A=problem.A / size, alpha=alpha)
        factors = np.full(len(problem.A), unit / size)
        known = None if warm is None else warm.scale(1.0 / factors)
        return self._solve_apart(scaled, known, n_jobs).scale(factors)

    def _solve_apart(self, problem: Problem, warm: Atoms | None, n_jobs: int | None) -> Atoms:
        """Solve for the samples without missing entries as if there were no others."""
        if problem.masked is None or not (whole := problem.masked.whole).any():
            return self.solve(problem, warm, n_jobs)
        result = Atoms.none(len(whole), len(problem.A), len(problem.representation.parameters))
        for chosen, part in (
            (whole, replace(problem.take(whole), masked=None)),
            (~whole, problem.take(~whole)),
        ):
            if chosen.any():
                known = None if warm is None else warm.take(chosen)
                result = result.replace(chosen, self.solve(part, known, n_jobs))
        return result

    def _describe(self, gap: Floats, problem: Problem) -> NDArray[Any]:
        status = np.full(len(gap), Status.CONVERGED, dtype=object)
        late = Status.STOPPED_EARLY if self.is_convex else Status.LOCAL_SOLUTION
        status[gap > self.tol] = late
        status[problem.is_zero()] = Status.ZERO_DATA
        if problem.masked is not None:
            status[problem.masked.empty] = Status.NOTHING_OBSERVED
        return status

    def warn_unless_converged(self, gap: Floats, stacklevel: int = 3) -> None:
        """Give one warning if some of these gaps (n,) are above the tolerance and need not be."""
        late = int(np.sum(gap > self.tol))
        if late and self.is_convex:
            warnings.warn(
                f"{late} of {len(gap)} samples stopped above the gap tolerance {self.tol:.1e} "
                f"(largest gap {gap.max():.1e}); raise the coder's max_iter or its tol.",
                ConvergenceWarning,
                stacklevel=stacklevel,
            )


@dataclass(frozen=True, eq=False)
class Prepared:
    """A coder and the components it codes with; what it tabulates of them serves all data."""

    coder: Coder
    representation: Representation
    A: Blocks

    def code(
        self,
        Y: Blocks,
        alpha: float,
        warm: Atoms | None = None,
        *,
        masked: Masked | None = None,
        n_jobs: int | None = None,
        warn: bool = True,
    ) -> Codes:
        """Solve, certify, and say in words how it went; never worse than `warm`."""
        problem = Problem(self.representation, Y, self.A, alpha, masked)
        return self.coder._code(problem, warm, n_jobs, warn)
