"""Stored form of the sufficient statistics of online learning."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from orbitdl.dictionaries.statistics import Statistics
from orbitdl.learning.running_sums import BatchSums, Memory
from orbitdl.learning.shards import Shards
from orbitdl.storage.plain import as_complex, as_real, require_moderate


@dataclass(frozen=True, eq=False)
class StoredSums:
    """Sums over data and codes; complex ones as real and imaginary parts on a last axis of two."""

    normal: NDArray[np.float64]
    cross: NDArray[np.float64]
    usage: NDArray[np.float64]

    @classmethod
    def of(cls, statistics: Statistics) -> StoredSums:
        """Return the stored form of sums."""
        return cls(*map(as_real, statistics.arrays))

    def restore(self, like: Statistics) -> Statistics:
        """Return the sums, after validation of their shapes."""
        stored = zip((self.normal, self.cross, self.usage), like.arrays, strict=True)
        names = "normal", "cross", "usage"
        return like.of_arrays(
            *(
                as_complex(require_moderate(array, name, as_real(own).shape), own.dtype)
                for name, (array, own) in zip(names, stored, strict=True)
            )
        )


@dataclass(frozen=True, eq=False)
class StoredBatch:
    """The last sums over a batch, its number, and what was left of the first sums then."""

    batch: int
    left: float
    sums: StoredSums


@dataclass(frozen=True, eq=False)
class StoredMemory:
    """The memory of online learning: the total, and the last sums over every batch."""

    steps: int
    left: float
    total: StoredSums | None
    batch_sums: list[StoredBatch]

    @classmethod
    def of(cls, memory: Memory) -> StoredMemory:
        """Return the stored form of a memory."""
        total = None if memory.total is None else StoredSums.of(memory.total)
        batch_sums = [
            StoredBatch(batch, float(own.left), StoredSums.of(own.statistics))
            for batch, own in memory.batch_sums.items()
        ]
        return cls(memory.steps, float(memory.left), total, batch_sums)

    def restore(self, shards: Shards, q: int) -> Memory:
        """Return the memory of q components of these data, after validation."""
        shares = [self.left, *(own.left for own in self.batch_sums)]
        if self.steps < 0 or not all(0.0 < share <= 1.0 for share in shares):
            raise ValueError("the sums over batches have weights that are none")
        like = shards.no_statistics(q)
        batch_sums = {
            own.batch: BatchSums(own.sums.restore(like), own.left) for own in self.batch_sums
        }
        total = None if self.total is None else self.total.restore(like)
        return Memory(total, batch_sums, self.steps, self.left)
