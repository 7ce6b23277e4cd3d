"""What every coder is: frozen settings, a solver, and a certificate it does not compute itself."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any, ClassVar, Generic, Self, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from orbitdl.arrays.blocks import Blocks, Floats
from orbitdl.arrays.validation import require_count, require_positive
from orbitdl.arrays.warnings import warn_user
from orbitdl.coding.atoms import Atoms
from orbitdl.coding.certificate import certify, objectives
from orbitdl.coding.codes import Codes, Status
from orbitdl.coding.memory import BATCH, batch_size, correlation_bytes
from orbitdl.coding.parallel import Once, chunks_of, in_threads
from orbitdl.coding.problem import Components, Masked, Problem, parts_of, rescaled
from orbitdl.dictionaries.tied import dictionary_of
from orbitdl.groups.base import Action, Representation
from orbitdl.kernels.blas import single_threaded_blas

ROUNDING = 1e-13
"""Objectives that differ less, relatively, are the same."""
MAX_RETRIES = 5
"""How often samples above the tolerance go to a stricter coder, if there is one."""
CERTIFICATE_ERROR = 0.02
"""Part of the tolerance by which certified gaps may be too large."""


def require_coder(coder: object) -> Coder | None:
    """Return the coder (None: the default one); raise ValueError for anything else."""
    if coder is not None and not isinstance(coder, Coder):
        raise ValueError(
            "coder must be None or an object from orbitdl.coding such as ActiveSet(), "
            f"not {coder!r}."
        )
    return coder


Solve = Callable[[Problem, Atoms | None], Atoms]
"""Returns atoms for every sample of a problem, starting from others where that helps."""


class Coder(ABC):
    """Solves ``min_Z 1/2 ||M (y - sum_j Z_j a_j)||^2 + alpha sum_j ||Z_j||_G`` for every sample.

    M keeps the observed entries of a sample: all of them, unless data are given as `Masked`.

    Subclasses are frozen dataclasses with a field ``tol``, the target relative duality gap,
    and a `solve` that returns atoms. Everything is in block coordinates: Y of shape (n, F, d, m),
    A of shape (q, F, d, m).

    Files hold the fields of the dataclass.

    A coder declares whether it serves data with missing entries (`codes_masked`) and whether its
    gap is meant to reach `tol` (`is_convex`).

    A thread codes a batch of samples at a time: `largest_batch` at most, more where a round of all
    of them is many short steps, which threads take one after the other, and fewer where they need
    more than `orbitdl.coding.memory.WORKSPACE` bytes.
    """

    tol: float
    codes_masked: ClassVar[bool] = False
    is_convex: ClassVar[bool] = True
    largest_batch: ClassVar[int] = BATCH
    also_stored: ClassVar[Mapping[str, type]] = {}

    @classmethod
    def from_stored(cls, values: dict[str, Any]) -> Self:
        """Build the coder from its settings, as a file holds them."""
        return cls(**values)

    def __post_init__(self) -> None:
        """Check the settings: integers are at least 1, others positive; as plain numbers."""
        for field in fields(self):  # type: ignore[arg-type]
            value, name = getattr(self, field.name), f"{field.name} of {type(self).__name__}"
            kind = type(field.default)
            if kind is int:
                object.__setattr__(self, field.name, require_count(value, name))
            elif kind is float:
                object.__setattr__(self, field.name, require_positive(value, name))

    def with_tol(self, tol: float) -> Self:
        """Return this coder with another tolerance; its settings are not checked again."""
        other = copy(self)
        object.__setattr__(other, "tol", tol)
        return other

    @abstractmethod
    def serves(self, representation: Representation) -> bool:
        """Return whether this coder can code with the given group action."""

    @abstractmethod
    def solve(self, problem: Problem, warm: Atoms | None) -> Atoms:
        """Return atoms for every sample of a batch, starting from `warm` where that helps."""

    def workspace(self, representation: Representation, q: int) -> int:
        """Return how many bytes a sample needs at most while it is coded with q components."""
        return correlation_bytes(representation, q)

    def stricter(self) -> Coder | None:
        """Return a coder for samples whose certified gap is above `tol`; None: no second try."""
        return None

    def code(
        self,
        representation: Action,
        Y: Blocks,
        A: Blocks,
        alpha: float,
        warm: Atoms | None = None,
        *,
        masked: Masked | None = None,
        n_jobs: int | None = None,
        warn: bool = True,
    ) -> Codes:
        """Return codes with objectives, certified gaps and statuses; never worse than `warm`."""
        prepared = self.prepare(representation, A)
        return prepared.code(Y, alpha, warm, masked=masked, n_jobs=n_jobs, warn=warn)

    def prepare(self, action: Action, A: Blocks) -> Prepared:
        """Return this coder, ready to code any data with components A (q, F, d, m).

        Where atoms begin with other maps, data are coded by all copies of components under the base
        group, and codes name the component and map of each copy.
        """
        representation = action.base
        if not self.serves(representation):
            raise ValueError(
                f"the coder {type(self).__name__} does not serve {action.group.name}; "
                "leave coder=None to get one that does."
            )
        components = Components.of(dictionary_of(action, A).expand())
        tables = self.tabulate(representation, components.scaled)
        return Prepared(self, action, components, tables)

    def tabulate(self, representation: Representation, A: Blocks) -> Any:
        """Return tables of components A that serve all data; here, none."""
        return None

    def solve_with(self, tables: Any, problem: Problem, warm: Atoms | None) -> Atoms:
        """Do as `solve`, given what `tabulate` returned for the components of the problem."""
        return self.solve(problem, warm)

    def warn_unless_converged(self, gap: Floats) -> None:
        """Give one warning if some of these gaps (n,) are above the tolerance and need not be."""
        unconverged = int(np.sum(gap > self.tol))
        who, largest = f"{unconverged} of {len(gap)} samples", float(gap.max(initial=0.0))
        self.warn_if(unconverged > 0, who, largest)

    def warn_if(self, unconverged: bool, who: str, largest: float) -> None:
        """Warn, if it is so, that some samples stopped above the tolerance and need not have."""
        if unconverged and self.is_convex:
            warn_user(
                f"{who} stopped above the gap tolerance {self.tol:.1e} "
                f"(largest gap {largest:.1e}); raise the coder's max_iter or its tol.",
                ConvergenceWarning,
            )


Tabulated = TypeVar("Tabulated")
Stricter = Once["Prepared | None"]
"""The coder for samples whose certified gap is above the tolerance, ready when first needed."""


class TabulatingCoder(Coder, Generic[Tabulated]):
    """A coder that looks up what it can: of components, once for all data coded with them.

    Several threads may use the same tables at once, and coders that differ in their settings only.
    """

    @abstractmethod
    def tabulate(self, representation: Representation, A: Blocks) -> Tabulated:
        """Return what can be looked up of components A (q, F, d, m), or what makes it on demand."""

    @abstractmethod
    def solve_with(self, tables: Tabulated, problem: Problem, warm: Atoms | None) -> Atoms:
        """Return atoms for every sample, as `solve` does."""

    def solve(self, problem: Problem, warm: Atoms | None) -> Atoms:
        tables = self.tabulate(problem.representation, problem.A)
        return self.solve_with(tables, problem, warm)


@dataclass(frozen=True, eq=False)
class Prepared:
    """A coder and the components it codes with; what it tabulates of them serves all data.

    Several threads may code with one at the same time. Codes do not depend on how data are divided
    into calls.

    Attributes
    ----------
    coder : Coder
    action : Action
    components : Components
        All copies.
    tables : object
        What the coder tabulates of the scaled ones.
    """

    coder: Coder
    action: Action
    components: Components
    tables: Any

    @single_threaded_blas()
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
        """Return codes with objectives, certified gaps and statuses; never worse than `warm`."""
        if masked is not None and not self.coder.codes_masked:
            raise ValueError(
                f"the coder {type(self.coder).__name__} does not code data with missing entries; "
                "leave coder=None to get one that does."
            )
        action, A = self.action, self.components.original
        problem = Problem(action.base, Y, A, alpha, masked, action.n_copies)
        start = None if warm is None else warm.to_copies(action)
        largest = batch_size(self.coder.workspace(action.base, len(A)), self.coder.largest_batch)
        work = partial(self._solve_batch, problem, start, Once(self._stricter))
        parts = in_threads(work, chunks_of(len(Y), largest), n_jobs)
        codes = Codes.concatenate(parts).from_copies(action)
        if warn:
            self.coder.warn_unless_converged(codes.gap)
        return codes

    def _solve_batch(
        self, problem: Problem, warm: Atoms | None, stricter: Stricter, batch: slice
    ) -> Codes:
        """Solve and certify; send samples above the tolerance to a stricter coder, if any."""
        problem, warm = problem.take(batch), None if warm is None else warm.take(batch)
        atoms, objective, gap = attempt(*self._solver, problem, warm)
        for _ in range(MAX_RETRIES):
            unconverged = gap > self.coder.tol
            if not unconverged.any() or (other := stricter()) is None:
                break
            remaining = problem.take(unconverged)
            begun = remaining.with_best_match(atoms.take(unconverged))
            retried = attempt(*other._solver, remaining, begun)
            atoms = atoms.replace(unconverged, retried[0])
            objective[unconverged], gap[unconverged] = retried[1:]
        status = status_of(problem, gap > self.coder.tol, self.coder.is_convex)
        return Codes(problem.representation, atoms, objective, gap, status)

    @property
    def _solver(self) -> tuple[Solve, Components, float]:
        """What solves, the components, and by how much gaps may be too large."""
        solve = partial(self.coder.solve_with, self.tables)
        return solve, self.components, CERTIFICATE_ERROR * self.coder.tol

    def _stricter(self) -> Prepared | None:
        coder = self.coder.stricter()
        if coder is None or type(coder) is type(self.coder):
            return None if coder is None else replace(self, coder=coder)
        return coder.prepare(self.action.base, self.components.original)


def attempt(
    solve: Solve, components: Components, eps: float, problem: Problem, warm: Atoms | None
) -> tuple[Atoms, Floats, Floats]:
    """Solve once; return atoms that are not worse than `warm`, their objectives and gaps.

    The gaps may be too large by eps.
    """
    scaled, factors = rescaled(components, problem)
    start, warm_objective = None, np.full(len(problem.Y), np.inf)
    if warm is not None:
        warm_objective = objectives(problem, warm)
        start = warm.only(warm_objective <= 0.5 * problem.energy()).scale(1.0 / factors)
    atoms = Atoms.none(len(problem.Y), len(problem.A), len(problem.representation.parameters))
    for chosen, part in parts_of(scaled):
        begun = start if start is None or chosen is None else start.take(chosen)
        solved = solve(part, begun)
        atoms = solved if chosen is None else atoms.replace(chosen, solved)
    atoms = atoms.scale(factors)
    objective, gap = certify(problem, atoms, eps)
    if warm is not None and (worse := ~(objective <= (1.0 + ROUNDING) * warm_objective)).any():
        atoms = atoms.replace(worse, warm.take(worse))
        objective[worse], gap[worse] = certify(problem.take(worse), warm.take(worse), eps)
    return atoms, objective, gap


def status_of(problem: Problem, unconverged: NDArray[np.bool_], is_convex: bool) -> NDArray[Any]:
    """Return the `Status` of every sample, given whether its gap is above the tolerance, (n,)."""
    status = np.full(len(unconverged), Status.CONVERGED, dtype=object)
    status[unconverged] = Status.STOPPED_EARLY if is_convex else Status.LOCAL_SOLUTION
    status[problem.is_zero()] = Status.ZERO_DATA
    if problem.masked is not None:
        status[problem.masked.empty] = Status.NOTHING_OBSERVED
    return status
