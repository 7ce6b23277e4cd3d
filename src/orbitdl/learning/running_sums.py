"""What online learning remembers of the batches it saw: their sums, those of old codes less."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from orbitdl.arrays.blocks import Blocks, Floats
from orbitdl.coding.atoms import Atoms
from orbitdl.dictionaries.base import Dictionary
from orbitdl.dictionaries.statistics import Statistics

FORGETTING = 10.0
"""The exponent rho: the larger, the sooner old codes are forgotten."""
ENOUGH = 15.0
"""Uses per component below which nothing is forgotten: fewer do not determine its shape."""
CAPACITY = 2**28
"""Bytes that the sums of single batches may take to be stored."""
UNUSED = 1e-8
"""A component that is used so much less than the most used one counts as unused."""


@dataclass(frozen=True)
class BatchSums:
    """The sums over one batch, and what was left of the first ones when they were found."""

    statistics: Statistics
    left: float


@dataclass(frozen=True)
class Memory:
    """Weighted sums over the batches of all steps so far.

    Attributes
    ----------
    total : Statistics or None
        ``S_t = w_t S_{t-1} + S_b``, ``w_t = max((1 - 1/t)^rho, 1 - u/U)``: the data of step s
        counts ``(s/t)^rho``, but where components are used u < U times in a batch, `ENOUGH`, the
        last U uses count. Where the last sums over batch b are stored, what is left of them is
        subtracted from S_t: then every batch counts once, by its latest codes.
    batch_sums : mapping of int to BatchSums
        The last sums over every batch so far.
    steps : int
    left : float
        What is left of the first sums: the product of all ``w_t``.

    Notes
    -----
    Forgetting is that of Mairal, Bach, Ponce and Sapiro, *Online dictionary learning for sparse
    coding* (2009), section 3.4.
    """

    total: Statistics | None = None
    batch_sums: Mapping[int, BatchSums] = field(default_factory=dict)
    steps: int = 0
    left: float = 1.0

    @classmethod
    def recalled(cls, like: Statistics, A: Blocks, batches: float) -> Memory:
        """Return what so many batches would have left whose sums are not known, only A from them.

        As if they had codes like these and were explained by components A (q, F, d, m) in full.
        """
        steps = max(1, round(batches))
        weight = float(np.sum((np.arange(1, steps + 1) / steps) ** FORGETTING))
        return cls(like.explained_by(A) * weight, steps=steps)

    def take_in(self, new: Statistics, uses: float) -> Memory:
        """Add the sums over a batch that does not come again, with so many uses a component."""
        t = self.steps + 1
        if self.total is None:
            return replace(self, total=new, steps=t)
        weight = max((1.0 - 1.0 / t) ** FORGETTING, 1.0 - uses / ENOUGH)
        return replace(self, total=self.total * weight + new, steps=t, left=self.left * weight)

    def renew(self, batch: int, new: Statistics, uses: float) -> Memory:
        """Add the sums over a batch in place of those of its former codes, and store them."""
        after, old = self.take_in(new, uses), self.batch_sums.get(batch)
        if old is not None and after.total is not None:
            after = replace(after, total=after.total + old.statistics * -(after.left / old.left))
        return replace(after, batch_sums={**self.batch_sums, batch: BatchSums(new, after.left)})

    def usage(self, dictionary: Dictionary) -> Floats:
        """Return how much each component is used, (q,); zero where rounding may be all there is."""
        assert self.total is not None
        usage = dictionary.usage(self.total)
        return np.where(usage > UNUSED * usage.max(initial=0.0), usage, 0.0)


@dataclass(frozen=True, eq=False)
class PassState:
    """What passes over batches hand to the next one, beside components.

    Attributes
    ----------
    memory : Memory
    atoms : Atoms or None
        Where coding starts, for one batch after the other; None if that is not known here.
    reached : tuple of float
        The objective of every pass so far.
    """

    memory: Memory
    atoms: Atoms | None
    reached: tuple[float, ...]
