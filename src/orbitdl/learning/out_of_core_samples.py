"""Data points on disk or on other machines as shards."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orbitdl.arrays.blocks import Floats, Integers
from orbitdl.coding.base import Coder
from orbitdl.dictionaries.base import Dictionary
from orbitdl.dictionaries.statistics import Statistics
from orbitdl.encoding.samples import Samples
from orbitdl.groups.base import Action, Representation
from orbitdl.learning.executor import DataChunk, Executor
from orbitdl.learning.masked_dictionary import is_formed_quickly, on_observed
from orbitdl.learning.out_of_core import Loader, OutOfCoreShards
from orbitdl.learning.sample_shard import SampleShards
from orbitdl.learning.spill import AtomStore


@dataclass(frozen=True, eq=False)
class SampleLoader(Loader):
    """Loads data points of a chunk, ready to be coded."""

    action: Action
    coder: Coder
    alpha: float

    @property
    def space(self) -> Representation:
        return self.action.base

    def open(self, chunk: DataChunk) -> SampleShards:
        samples = Samples.on(self.action, *chunk.data)
        return SampleShards.cut(samples, self.coder, self.alpha)


@dataclass(frozen=True, eq=False)
class Rows:
    """Some data points: their numbers, values, and what of them was observed."""

    numbers: Integers
    values: Floats
    observed: NDArray[np.bool_]

    def __add__(self, other: Rows) -> Rows:
        return Rows(
            np.concatenate([self.numbers, other.numbers]),
            np.concatenate([self.values, other.values]),
            np.concatenate([self.observed, other.observed]),
        )


@dataclass(frozen=True, eq=False)
class TakeRows:
    """Returns the requested data points of a chunk, given by their numbers in order."""

    wanted: Integers

    def __call__(self, chunk: DataChunk, store: AtomStore) -> Rows:
        values, observed = chunk.data
        span = np.searchsorted(self.wanted, [chunk.first, chunk.first + len(values)])
        numbers = self.wanted[slice(*span)]
        own = numbers - chunk.first
        mask = np.ones(values.shape, dtype=bool) if observed is None else observed
        return Rows(numbers, values[own], mask[own])


@dataclass(frozen=True, eq=False)
class OutOfCoreSamples(OutOfCoreShards):
    """Data points in chunks on disk or on other machines."""

    loader: SampleLoader

    @classmethod
    def of(
        cls, executor: Executor, action: Action, coder: Coder, alpha: float, masked: bool
    ) -> OutOfCoreSamples:
        """Return all data points of a executor."""
        loader = SampleLoader(action, coder, alpha)
        return cls(executor, loader, tuple(executor.filled), is_masked=masked)

    @property
    def space(self) -> Representation:
        return self.loader.space

    @property
    def action(self) -> Action:
        """How users' groups act on these data; atoms here are those of copies of components."""
        return self.loader.action

    def at(self, alpha: float) -> OutOfCoreSamples:
        """Return the same data at another weight of sparsity, without codes."""
        return replace(self.starting_from(None), loader=replace(self.loader, alpha=alpha))

    def step(self, dictionary: Dictionary, statistics: Statistics) -> tuple[Any, Dictionary]:
        """Take the step from sums that the last coding left: it reads no data.

        Where entries are missing it is that of data completed by the model, which never leads
        uphill; of few data, which are soon read once more, it is exact.
        """
        A = dictionary.expand()
        if self.is_masked and is_formed_quickly(len(self), self.space, len(A)):
            return self, on_observed(dictionary, self, self.space, statistics)
        return super().step(dictionary, self.majorised_statistics(A))

    def take(self, rows: Integers) -> Samples:
        """Return some data points, in the order given."""
        wanted, order = np.unique(rows, return_inverse=True)
        ends = self.executor.ends
        owners = np.unique(np.searchsorted(ends, wanted, side="right") - 1)
        found = self.executor.total(TakeRows(wanted), [int(k) for k in owners], "take")
        observed = found.observed[order]
        all_seen = None if observed.all() else observed
        return Samples.on(self.action, found.values[order], all_seen)
