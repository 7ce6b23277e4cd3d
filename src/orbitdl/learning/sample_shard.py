"""Data points in memory as shards."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from orbitdl.arrays.blocks import Blocks, Floats, Integers, inner
from orbitdl.coding.atoms import Atoms
from orbitdl.coding.base import Coder, Prepared
from orbitdl.coding.certificate import reconstruct
from orbitdl.coding.codes import Codes
from orbitdl.coding.problem import Problem
from orbitdl.dictionaries.base import Dictionary
from orbitdl.dictionaries.statistics import Statistics
from orbitdl.encoding.samples import Samples
from orbitdl.groups.base import Action, Representation
from orbitdl.learning.masked_dictionary import ObservedNormal, entry_normal, on_observed
from orbitdl.learning.shards import LocalShards, Residuals, Shard, Summary, shuffled
from orbitdl.learning.statistics import statistics_of

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
        summary = Summary.of(codes)
        objective = summary.objective + float(samples.unseen.sum())
        return replace(self, atoms=codes.atoms, codes=codes), replace(summary, objective=objective)

    def statistics(self) -> Statistics:
        return statistics_of(self.samples.representation.base, self.samples.Y, self.known_atoms)

    def majorised_statistics(self, A: Blocks) -> Statistics:
        samples, atoms = self.samples, self.known_atoms
        if samples.observed is None:
            return self.statistics()
        representation = samples.representation.base
        fitted = representation.synthesize(reconstruct(representation, atoms, A))
        missing = representation.analyze(np.where(samples.observed, 0.0, fitted))
        return statistics_of(representation, samples.Y + missing, atoms)

    def starting_from(self, atoms: Atoms | None) -> SampleShard:
        if atoms is not None:  # how sums round depends on the order in memory
            atoms = replace(atoms, element=np.ascontiguousarray(atoms.element))
        return replace(self, atoms=atoms, codes=None)

    def worst_residuals(self, A: Blocks, most: int) -> Residuals:
        samples, atoms = self.samples, self.known_atoms
        space = samples.representation.base
        problem = Problem(space, samples.Y, A, 0.0, samples.masked)
        left = problem.residual(reconstruct(space, atoms, A))
        return Residuals(inner(left, left), left).largest(most)

    def entry_normal(self) -> Floats:
        """Return ``sum_i W_i^H M_i W_i`` over observed entries, for components as signals."""
        return entry_normal(self.samples, self.known_atoms)

    def observed_normal(self, keep: bool) -> ObservedNormal:
        """Return the same as what applies it to components; with `keep` it remembers codes."""
        return self._kept_normal if keep else ObservedNormal(self.samples, self.known_atoms, False)

    @cached_property
    def _kept_normal(self) -> ObservedNormal:
        return ObservedNormal(self.samples, self.known_atoms, True)


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
    def codes(self) -> Codes | None:
        """What the last coding ended with; the objective counts what the group cannot move too."""
        known = [(part.samples, part.codes) for part in self.parts if part.codes is not None]
        if len(known) < len(self.parts):
            return None
        return Codes.concatenate(
            [samples.with_unseen(codes, self.coder.tol) for samples, codes in known]
        ).from_copies(self.action)

    @property
    def action(self) -> Action:
        """How users' groups act on these data; atoms here are those of copies of components."""
        return self.parts[0].samples.representation

    @property
    def space(self) -> Representation:
        return self.action.base

    def prepare(self, A: Blocks, target_gap: float) -> CoderAt:
        return CoderAt(self.coder.with_tol(target_gap).prepare(self.space, A), self.alpha)

    def step(
        self, dictionary: Dictionary, statistics: Statistics
    ) -> tuple[SampleShards, Dictionary]:
        if self.parts[0].samples.observed is None:
            return super().step(dictionary, statistics)
        return self, on_observed(dictionary, self, self.space, statistics)

    def at(self, alpha: float) -> SampleShards:
        """Return the same data at another weight of sparsity, without codes."""
        return replace(self.starting_from(None), alpha=alpha)

    def batches(self, size: int, rng: np.random.Generator) -> list[SampleShards]:
        """Return the data points in batches, not coded; that copies them."""
        settings = self.coder, self.alpha, self.n_jobs
        chosen = shuffled(len(self), size, rng)
        return [SampleShards.cut(self.take(rows), *settings) for rows in chosen]

    def take(self, rows: Integers) -> Samples:
        """Return some data points, in the order given."""
        ends = np.cumsum([0, *map(len, self.parts)])
        owner = np.searchsorted(ends, rows, side="right") - 1
        found = [part.samples.take(rows[owner == k] - ends[k]) for k, part in enumerate(self.parts)]
        order = np.argsort(np.argsort(owner, kind="stable"), kind="stable")
        return Samples.concatenate(found).take(order)
