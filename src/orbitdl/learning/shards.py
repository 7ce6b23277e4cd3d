"""Data in parts: each is coded on its own, and what learning asks of all of them adds up.

``learn`` sees sums over shards only, never data. Data points in memory are shards (`SampleShards`);
so can be parts of a file, or of an array on other machines.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence, Sized
from dataclasses import dataclass, replace
from functools import reduce
from operator import add
from typing import Any, Protocol, Self, TypeVar

import numpy as np

from orbitdl.arrays.blocks import Blocks, Floats, Integers
from orbitdl.coding.atoms import Atoms
from orbitdl.coding.codes import Codes
from orbitdl.coding.parallel import in_threads
from orbitdl.dictionaries.base import Dictionary
from orbitdl.dictionaries.statistics import Statistics

AT_ONCE = 16
"""Parts whose answers are in memory at a time, before they are added up."""
Sum = TypeVar("Sum", bound=Any)
Part = TypeVar("Part", "Shard", "Shards")


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

    @classmethod
    def of(cls, codes: Codes) -> Summary:
        """Return that of codes."""
        gap, atoms = float(codes.gap.max()), len(codes.atoms.coefficient)
        return cls(float(codes.objective.sum()), gap, len(codes), atoms)

    def __add__(self, other: Summary) -> Summary:
        return Summary(
            self.objective + other.objective,
            max(self.gap, other.gap),
            self.samples + other.samples,
            self.atoms + other.atoms,
        )


@dataclass(frozen=True)
class Residuals:
    """The residuals of some samples: energies (k,) and block coordinates (k, F, d, m)."""

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
    """

    atoms: Atoms | None
    codes: Codes | None

    @property
    def known_atoms(self) -> Atoms:
        """The atoms, of data that are coded."""
        assert self.atoms is not None, "call code first"
        return self.atoms

    @abstractmethod
    def code(self, coder: Any, n_jobs: int | None = None) -> tuple[Self, Summary]:
        """Return this shard with new codes, never worse than `atoms`, and their summary.

        The coder is what `Shards.prepare` returned.
        """

    @abstractmethod
    def statistics(self) -> Statistics:
        """Return the sums over samples and `atoms` that the dictionary step needs."""

    def majorised_statistics(self, A: Blocks) -> Statistics:
        """Return sums that say all: those of data completed by `atoms` and components A.

        Their loss is no less than that on observed entries, and the same at A.
        """
        return self.statistics()

    @abstractmethod
    def starting_from(self, atoms: Atoms | None) -> Self:
        """Return this shard with atoms, one list per sample, to start from."""

    @abstractmethod
    def worst_residuals(self, A: Blocks, most: int) -> Residuals:
        """Return the largest residuals that `atoms` leave with components A (q, F, d, m)."""

    def scale(self, factors: Floats) -> Self:
        """Return this shard with the coefficients of component j multiplied by ``factors[j]``."""
        return self.starting_from(None if self.atoms is None else self.atoms.scale(factors))


class Space(Protocol):
    """In what coordinates components and group elements are; a `Representation` is one."""

    @property
    def block_shape(self) -> tuple[int, int, int]:
        """Shape of a component: blocks, rows and columns of each."""

    @property
    def dtype(self) -> type:
        """Of components."""

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names of the parameters of an element."""

    def contains(self, element: Floats) -> bool:
        """Return whether elements (K, p) may be those of atoms."""


class Shards(ABC, Sized):
    """All data, in parts, and how they are coded: what `learn` sees of them. They never change."""

    @property
    @abstractmethod
    def space(self) -> Space:
        """What components and atoms of these data look like."""

    @property
    @abstractmethod
    def atoms(self) -> Atoms | None:
        """Where the next coding starts, for all samples; None if that is not known here."""

    @property
    @abstractmethod
    def codes(self) -> Any:
        """What the last coding ended with, for all samples; None if that is not known here."""

    @abstractmethod
    def code(self, A: Blocks, target_gap: float) -> tuple[Self, Summary]:
        """Code every part with components A (q, F, d, m) to a target gap.

        Returns them with their codes, and one summary.
        """

    def step(self, dictionary: Dictionary, statistics: Statistics) -> tuple[Self, Dictionary]:
        """Return the dictionary that fits best with the last codes, found from this one.

        The data come with the atoms that belong to its components.
        """
        best, shifts = self.best(dictionary, statistics)
        return self.recentred(shifts), best

    def best(
        self, dictionary: Dictionary, statistics: Statistics, soon: bool = False
    ) -> tuple[Dictionary, Integers | None]:
        """Return the dictionary that fits best with some sums over such data.

        Also by how much each component was shifted within its atoms, (q,), where that can be; None:
        not at all.
        """
        return dictionary.solve(statistics, soon), None

    def recentred(self, shifts: Integers | None) -> Self:
        """Return the same data after components were shifted within their atoms, if they can be."""
        assert shifts is None
        return self

    @abstractmethod
    def starting_from(self, atoms: Atoms | None) -> Self:
        """Return the same data with atoms, one list per sample of all, to start from."""

    @abstractmethod
    def scale(self, factors: Floats) -> Self:
        """Multiply the coefficients of component j by ``factors[j]``."""

    @abstractmethod
    def batches(self, size: int, rng: np.random.Generator) -> list[Self]:
        """Return the data in batches of so many samples, drawn at random so that they are alike."""

    def nearest_batch(self, size: int) -> int:
        """Return how many samples batches have when so many are requested."""
        return size

    @abstractmethod
    def sum_of(self, ask: Callable[[Any], Sum]) -> Sum:
        """Add up the answers of all parts, of which few are in memory at a time."""

    def no_statistics(self, q: int) -> Statistics:
        """Return the sums over no data, for q components."""
        n_blocks, d, m = self.space.block_shape
        normal: Blocks = np.zeros((n_blocks, q * d, q * d), self.space.dtype)
        return Statistics(normal, np.zeros((n_blocks, q * d, m), self.space.dtype), np.zeros(q))

    def statistics(self) -> Statistics:
        """Return what the dictionary step needs of all data and the last codes."""
        summed: Statistics = self.sum_of(lambda part: part.statistics())
        return summed

    def majorised_statistics(self, A: Blocks) -> Statistics:
        """Return the same where nothing is missing; else of data completed with components A."""
        summed: Statistics = self.sum_of(lambda part: part.majorised_statistics(A))
        return summed

    def worst_residuals(self, A: Blocks, most: int) -> Residuals:
        """Return so many of the largest residuals with components A."""
        found: Residuals = self.sum_of(lambda part: part.worst_residuals(A, most))
        return found.largest(most)


@dataclass(frozen=True, eq=False)
class LocalShards(Shards):
    """All data in this process; threads take a part at a time, or share the only one."""

    parts: tuple[Shard, ...]
    n_jobs: int | None

    @abstractmethod
    def prepare(self, A: Blocks, target_gap: float) -> Any:
        """Return what codes every part with components A (q, F, d, m) to a target gap."""

    def __len__(self) -> int:
        return sum(map(len, self.parts))

    @property
    def atoms(self) -> Atoms | None:
        return concatenated_atoms(self.parts)

    def code(self, A: Blocks, target_gap: float) -> tuple[Self, Summary]:
        coder = self.prepare(A, target_gap)
        within = self.n_jobs if len(self.parts) == 1 else None
        work = in_threads(lambda part: part.code(coder, within), self.parts, self.n_jobs)
        parts, summaries = zip(*work, strict=True)
        return replace(self, parts=parts), total(summaries)

    def starting_from(self, atoms: Atoms | None) -> Self:
        if atoms is None:
            return replace(self, parts=tuple(part.starting_from(None) for part in self.parts))
        return replace(self, parts=tuple(with_atoms(self.parts, atoms)))

    def scale(self, factors: Floats) -> Self:
        return replace(self, parts=tuple(part.scale(factors) for part in self.parts))

    def sum_of(self, ask: Callable[[Any], Sum]) -> Sum:
        batches = (self.parts[k : k + AT_ONCE] for k in range(0, len(self.parts), AT_ONCE))
        return total(one for batch in batches for one in in_threads(ask, batch, self.n_jobs))


def concatenated_atoms(parts: Sequence[Shard] | Sequence[Shards]) -> Atoms | None:
    """Return the atoms of one part after the other; None if those of one are not known."""
    known = [part.atoms for part in parts if part.atoms is not None]
    return Atoms.concatenate(known) if len(known) == len(parts) else None


def with_atoms(parts: Sequence[Part], atoms: Atoms) -> list[Part]:
    """Return every part with its own of atoms that are listed for one part after the other."""
    ends = np.cumsum([0, *map(len, parts)])
    own = (atoms.take(slice(*pair)) for pair in zip(ends[:-1], ends[1:], strict=True))
    return [part.starting_from(mine) for part, mine in zip(parts, own, strict=True)]


def shuffled(count: int, size: int, rng: np.random.Generator) -> list[Integers]:
    """Return numbers below `count` in random order, in groups of about `size`, each sorted."""
    groups = np.array_split(rng.permutation(count), max(1, round(count / size)))
    return [np.sort(group) for group in groups]


def total(parts: Iterable[Sum]) -> Sum:
    """Add up, from the first to the last."""
    return reduce(add, parts)
