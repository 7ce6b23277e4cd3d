"""Data points in memory as shards."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from orbitdl.codes import Atoms, Codes
from orbitdl.coding.base import Coder, Prepared
from orbitdl.coding.certificate import reconstruct
from orbitdl.coding.problem import Problem
from orbitdl.groups.base import Blocks, Integers, Representation, inner
from orbitdl.learning.masked_dictionary import on_observed
from orbitdl.learning.shards import LocalShards, Residuals, Shard, Summary, shuffled
from orbitdl.learning.statistics import Solve, Statistics
from orbitdl.samples import Samples

LARGEST = 2048
"""Samples per shard: so many that what each costs besides its samples does not count."""


class CoderAt(NamedTuple):
    """A coder that is ready for components, and the weight of sparsity."""

    prepared: Prepared
    alpha: float


@dataclass(frozen=True, eq=False)
class SampleShard(Shard):
    """Data points in memory, with the atoms that coding them starts from."""

    samples: Samples
    atoms: Atoms | None = None
    codes: Codes | None = None

    def __len__(self) -> int:
        return len(self.samples)

    def code(self, coder: CoderAt, n_jobs: int | None = None) -> tuple[SampleShard, Summary]:
        samples = self.samples
        codes = coder.prepared.code(
            samples.Y, coder.alpha, self.atoms, masked=samples.masked, n_jobs=n_jobs, warn=False
        )
        summary = Summary(
            objective=float(codes.objective.sum() + samples.unseen.sum()),
            gap=float(codes.gap.max()),
            samples=len(codes),
            atoms=len(codes.atoms.coefficient),
        )
        return replace(self, atoms=codes.atoms, codes=codes), summary

    def statistics(self) -> Statistics:
        return Statistics.of(self.samples.representation, self.samples.Y, self.known_atoms)

    def majorised_statistics(self, A: Blocks) -> Statistics:
        samples, atoms = self.samples, self.known_atoms
        if samples.observed is None:
            return self.statistics()
        representation = samples.representation
        fitted = representation.synthesize(reconstruct(representation, atoms, A))
        missing = representation.analyze(np.where(samples.observed, 0.0, fitted))
        return Statistics.of(representation, samples.Y + missing, atoms)

    def starting_from(self, atoms: Atoms | None) -> SampleShard:
        if atoms is not None:  # how sums round depends on the order in memory
            atoms = replace(atoms, element=np.ascontiguousarray(atoms.element))
        return replace(self, atoms=atoms, codes=None)

    def worst_residuals(self, A: Blocks, most: int) -> Residuals:
        samples, atoms = self.samples, self.known_atoms
        problem = Problem(samples.representation, samples.Y, A, 0.0, samples.masked)
        left = problem.residual(reconstruct(samples.representation, atoms, A))
        return Residuals(inner(left, left), left).largest(most)

    @property
    def known_atoms(self) -> Atoms:
        """The atoms, of data that are coded."""
        if self.atoms is None:
            raise ValueError("these data are not coded yet; call code first.")
        return self.atoms


@dataclass(frozen=True, eq=False)
class SampleShards(LocalShards):
    """All data points, in parts, and what codes them.

    Attributes
    ----------
    parts : tuple of SampleShard
    n_jobs : int or None
    coder : Coder
    alpha : float
    """

    parts: tuple[SampleShard, ...]
    coder: Coder
    alpha: float

    @classmethod
    def cut(
        cls,
        samples: Samples,
        coder: Coder,
        alpha: float,
        n_jobs: int | None = None,
        largest: int = LARGEST,
    ) -> SampleShards:
        """Cut data into parts of about the same size; how many does not depend on n_jobs."""
        count = -(-len(samples) // largest)
        ends = np.linspace(0, len(samples), count + 1).astype(np.intp)
        pairs = zip(ends[:-1], ends[1:], strict=True)
        parts = tuple(SampleShard(samples.take(slice(*pair))) for pair in pairs)
        return cls(parts, n_jobs, coder, alpha)

    @property
    def space(self) -> Representation:
        return self.parts[0].samples.representation

    def prepare(self, A: Blocks, asked: float) -> CoderAt:
        coder: Any = replace(self.coder, tol=asked)  # type: ignore[type-var]
        return CoderAt(coder.prepare(self.space, A), self.alpha)

    def step(self, solve: Solve, statistics: Statistics, A: Blocks) -> tuple[SampleShards, Blocks]:
        if self.parts[0].samples.observed is None:
            return super().step(solve, statistics, A)
        coded = [(part.samples, part.known_atoms) for part in self.parts]
        return self, on_observed(solve, coded, statistics, A, self.n_jobs)

    def batches(self, size: int, rng: np.random.Generator) -> list[SampleShards]:
        """Return the data points in batches, not coded; that copies them."""
        ends = np.cumsum([0, *map(len, self.parts)])
        return [self._gather(ends, chosen) for chosen in shuffled(len(self), size, rng)]

    def _gather(self, ends: Integers, chosen: Integers) -> SampleShards:
        """Return some data points, in increasing order, as data of their own."""
        cuts = np.searchsorted(chosen, ends)
        own = [chosen[a:b] - end for a, b, end in zip(cuts[:-1], cuts[1:], ends, strict=False)]
        pairs = [(part.samples, mine) for part, mine in zip(self.parts, own, strict=True)]
        joined = Samples.concatenate([samples.take(mine) for samples, mine in pairs if len(mine)])
        return SampleShards.cut(joined, self.coder, self.alpha, self.n_jobs)

    def take(self, samples: Integers) -> Blocks:
        """Return some data points in block coordinates (n, F, d, m), in the order given."""
        ends = np.cumsum([0, *map(len, self.parts)])
        owner = np.searchsorted(ends, samples, side="right") - 1
        found = [part.samples.Y[samples[owner == k] - ends[k]] for k, part in enumerate(self.parts)]
        order = np.argsort(np.argsort(owner, kind="stable"), kind="stable")
        return np.concatenate(found)[order]
