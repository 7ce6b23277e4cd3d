"""Data in parts: each is coded on its own, and what learning asks of all of them adds up.

``learn`` sees sums over shards only, never data. Data in memory are shards (`SampleShard`); so can
be parts of a file, or of an array on other machines.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sized
from dataclasses import dataclass, replace
from functools import reduce
from operator import add
from typing import Any, TypeVar

import numpy as np

from orbitdl.codes import Atoms, Codes
from orbitdl.coding.base import Prepared
from orbitdl.coding.parallel import in_threads
from orbitdl.groups.base import Blocks, Floats, Integers
from orbitdl.learning.statistics import Statistics

Sum = TypeVar("Sum", bound=Any)


@dataclass(frozen=True)
class Summary:
    """How well data are coded; the sum of two is that of both parts together.

    Attributes
    ----------
    objective : float
        Summed over samples, with the energy of what no code can reach.
    gap : float
        Largest certified relative gap of a sample.
    samples, atoms : int
        How many there are.
    """

    objective: float
    gap: float
    samples: int
    atoms: int

    def __add__(self, other: Summary) -> Summary:
        return Summary(
            self.objective + other.objective,
            max(self.gap, other.gap),
            self.samples + other.samples,
            self.atoms + other.atoms,
        )


@dataclass(frozen=True)
class Residuals:
    """What is left of some samples: energies (k,) and block coordinates (k, F, d, m)."""

    energy: Floats
    blocks: Blocks

    def __add__(self, other: Residuals) -> Residuals:
        pairs = (self.energy, other.energy), (self.blocks, other.blocks)
        return Residuals(*(np.concatenate(pair) for pair in pairs))

    def largest(self, most: int) -> Residuals:
        """Return so many of the largest, the largest first; of equals, the first."""
        order = np.argsort(-self.energy, kind="stable")[:most]
        return Residuals(self.energy[order], self.blocks[order])


class Shard(ABC, Sized):
    """Some of the data, with the atoms that coding them starts from. It never changes.

    Attributes
    ----------
    atoms : Atoms or None
        Where the next coding starts.
    codes : Codes or None
        What the last coding ended with, unless components were rescaled since.
    has_gaps : bool
        Whether entries are missing, here or in another shard of the same data.
    """

    atoms: Atoms | None
    codes: Codes | None
    has_gaps: bool

    @abstractmethod
    def code(
        self, coder: Prepared, alpha: float, n_jobs: int | None = None
    ) -> tuple[Shard, Summary]:
        """Return this shard with new codes, never worse than `atoms`, and their summary."""

    @abstractmethod
    def statistics(self) -> Statistics:
        """Return the sums over samples and `atoms` that the dictionary step needs."""

    @abstractmethod
    def starting_from(self, atoms: Atoms | None) -> Shard:
        """Return this shard with atoms, one list per sample, to start from."""

    @abstractmethod
    def take(self, samples: Integers) -> Blocks:
        """Return some samples in block coordinates, (n, F, d, m)."""

    @abstractmethod
    def worst_residuals(self, A: Blocks, most: int) -> Residuals:
        """Return the largest residuals that `atoms` leave with components A (q, F, d, m)."""

    @abstractmethod
    def normal_map(self, keep: bool) -> Callable[[Blocks], Blocks]:
        """Return ``V -> sum_i W_i^H M_i W_i V`` for V (q, F, d, m), M_i what was observed.

        ``W_i = [Z_i1 .. Z_iq]`` are kept from one call to the next if `keep` says so.
        """

    @abstractmethod
    def entry_normal(self) -> Floats:
        """Return ``sum_i (M_i W_i)^T (M_i W_i)`` on signals of k entries, shape (q k, q k)."""

    def scale(self, factors: Floats) -> Shard:
        """Return this shard with the coefficients of component j multiplied by ``factors[j]``."""
        return self.starting_from(None if self.atoms is None else self.atoms.scale(factors))


@dataclass(frozen=True, eq=False)
class Shards(Sized):
    """All data, in parts; threads take one at a time, or share the only one."""

    parts: tuple[Shard, ...]
    n_jobs: int | None = None

    def __len__(self) -> int:
        return sum(map(len, self.parts))

    @property
    def has_gaps(self) -> bool:
        """Whether entries are missing."""
        return any(part.has_gaps for part in self.parts)

    @property
    def atoms(self) -> Atoms | None:
        """Where the next coding starts, for all samples."""
        known = [part.atoms for part in self.parts if part.atoms is not None]
        return Atoms.concatenate(known) if len(known) == len(self.parts) else None

    @property
    def codes(self) -> Codes | None:
        """What the last coding ended with, for all samples."""
        known = [part.codes for part in self.parts if part.codes is not None]
        return Codes.concatenate(known) if len(known) == len(self.parts) else None

    def code(self, coder: Prepared, alpha: float) -> tuple[Shards, Summary]:
        """Code every part; return them with their codes, and one summary."""
        within = self.n_jobs if len(self.parts) == 1 else None
        coded = self.each(lambda part: part.code(coder, alpha, within))
        parts, summaries = zip(*coded, strict=True)
        return replace(self, parts=parts), total(summaries)

    def statistics(self) -> Statistics:
        """Return what the dictionary step needs of all data and the last codes."""
        return total(self.each(lambda part: part.statistics()))

    def starting_from(self, atoms: Atoms | None) -> Shards:
        """Return the same data with atoms, one list per sample of all, to start from."""
        if atoms is None:
            return replace(self, parts=tuple(part.starting_from(None) for part in self.parts))
        ends = np.cumsum([0, *map(len, self.parts)])
        own = [atoms.take(slice(*pair)) for pair in zip(ends[:-1], ends[1:], strict=True)]
        pairs = zip(self.parts, own, strict=True)
        return replace(self, parts=tuple(part.starting_from(mine) for part, mine in pairs))

    def scale(self, factors: Floats) -> Shards:
        """Multiply the coefficients of component j by ``factors[j]``."""
        return replace(self, parts=tuple(part.scale(factors) for part in self.parts))

    def take(self, samples: Integers) -> Blocks:
        """Return some samples in block coordinates, in the order given."""
        ends = np.cumsum([0, *map(len, self.parts)])
        owner = np.searchsorted(ends, samples, side="right") - 1
        found = [part.take(samples[owner == k] - ends[k]) for k, part in enumerate(self.parts)]
        order = np.argsort(np.argsort(owner, kind="stable"), kind="stable")
        return np.concatenate(found)[order]

    def worst_residuals(self, A: Blocks, most: int) -> Residuals:
        """Return so many of the largest residuals with components A."""
        return total(self.each(lambda part: part.worst_residuals(A, most))).largest(most)

    def each(self, ask: Callable[[Shard], Sum]) -> list[Sum]:
        """Ask every part, and return the answers in their order."""
        return in_threads(ask, self.parts, self.n_jobs)


def total(parts: Iterable[Sum]) -> Sum:
    """Add up, from the first to the last."""
    return reduce(add, parts)
