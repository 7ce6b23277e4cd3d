"""Data points in memory as shards."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from orbitdl.codes import Atoms, Codes
from orbitdl.coding.base import Prepared
from orbitdl.coding.certificate import reconstruct
from orbitdl.coding.problem import Problem
from orbitdl.groups.base import Blocks, Floats, Integers, inner
from orbitdl.learning.observed import ObservedNormal, entry_normal
from orbitdl.learning.shards import Residuals, Shard, Shards, Summary
from orbitdl.learning.statistics import Statistics
from orbitdl.samples import Samples

LARGEST = 2048
"""Samples per shard: so many that what each costs besides its samples does not count."""


def cut(samples: Samples, n_jobs: int | None = None, largest: int = LARGEST) -> Shards:
    """Cut data into shards of about the same size; how many does not depend on n_jobs."""
    count = -(-len(samples) // largest)
    ends = np.linspace(0, len(samples), count + 1).astype(np.intp)
    pairs = zip(ends[:-1], ends[1:], strict=True)
    return Shards(tuple(SampleShard(samples.take(slice(*pair))) for pair in pairs), n_jobs)


@dataclass(frozen=True, eq=False)
class SampleShard(Shard):
    """Data points in memory, with the atoms that coding them starts from."""

    samples: Samples
    atoms: Atoms | None = None
    codes: Codes | None = None

    def __len__(self) -> int:
        return len(self.samples)

    @property
    def has_gaps(self) -> bool:  # type: ignore[override]
        return self.samples.observed is not None

    def code(
        self, coder: Prepared, alpha: float, n_jobs: int | None = None
    ) -> tuple[SampleShard, Summary]:
        samples = self.samples
        codes = coder.code(
            samples.Y, alpha, self.atoms, masked=samples.masked, n_jobs=n_jobs, warn=False
        )
        summary = Summary(
            objective=float(codes.objective.sum() + samples.unseen.sum()),
            gap=float(codes.gap.max()),
            samples=len(codes),
            atoms=len(codes.atoms.coefficient),
        )
        return replace(self, atoms=codes.atoms, codes=codes), summary

    def statistics(self) -> Statistics:
        return Statistics.of(self.samples.representation, self.samples.Y, self._known_atoms)

    def starting_from(self, atoms: Atoms | None) -> SampleShard:
        if atoms is not None:  # how sums round depends on the order in memory
            atoms = replace(atoms, element=np.ascontiguousarray(atoms.element))
        return replace(self, atoms=atoms, codes=None)

    def take(self, samples: Integers) -> Blocks:
        return np.asarray(self.samples.Y[samples])

    def worst_residuals(self, A: Blocks, most: int) -> Residuals:
        samples, atoms = self.samples, self._known_atoms
        problem = Problem(samples.representation, samples.Y, A, 0.0, samples.masked)
        left = problem.residual(reconstruct(samples.representation, atoms, A))
        return Residuals(inner(left, left), left).largest(most)

    def normal_map(self, keep: bool) -> Callable[[Blocks], Blocks]:
        return ObservedNormal(self.samples, self._known_atoms, keep).apply

    def entry_normal(self) -> Floats:
        return entry_normal(self.samples, self._known_atoms)

    @property
    def _known_atoms(self) -> Atoms:
        if self.atoms is None:
            raise ValueError("these data are not coded yet; call code first.")
        return self.atoms
