"""What online learning remembers of the batches it saw: their sums, those of old codes less."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from orbitdl.groups.base import Blocks, Floats
from orbitdl.learning.statistics import Statistics

FORGETTING = 10.0
"""The exponent rho: the larger, the sooner old codes are forgotten."""
ROOM = 2**28
"""Bytes that the sums of single batches may take to be kept."""
UNUSED = 1e-8
"""A component that is used so much less than the most used one counts as unused."""


@dataclass(frozen=True)
class Kept:
    """The sums over one batch, and at which step they were found."""

    statistics: Statistics
    step: int


@dataclass(frozen=True)
class Memory:
    """Weighted sums over the batches of all steps so far.

    Attributes
    ----------
    total : Statistics or None
        ``S_t = (1 - 1/t)^rho S_{t-1} + S_b``: what was seen at step s counts ``(s/t)^rho``. Where
        the last sums over batch b are kept, what is left of them is taken out of S_t: then every
        batch counts once, by its latest codes.
    kept : mapping of int to Kept
        The last sums over every batch that was seen.
    steps : int

    Notes
    -----
    Forgetting is that of Mairal, Bach, Ponce and Sapiro, *Online dictionary learning for sparse
    coding* (2009), section 3.4.
    """

    total: Statistics | None = None
    kept: Mapping[int, Kept] = field(default_factory=dict)
    steps: int = 0

    @classmethod
    def recalled(cls, like: Statistics, A: Blocks, batches: float) -> Memory:
        """Return what so many batches would have left whose sums are not known, only A from them.

        As if they had codes like these and were explained by components A (q, F, d, m) in full.
        """
        steps = max(1, round(batches))
        weight = float(np.sum((np.arange(1, steps + 1) / steps) ** FORGETTING))
        return cls(like.explained_by(A) * weight, steps=steps)

    def take_in(self, new: Statistics) -> Memory:
        """Add the sums over a batch that will not be seen again."""
        t = self.steps + 1
        total = new if self.total is None else self.total * (1.0 - 1.0 / t) ** FORGETTING + new
        return replace(self, total=total, steps=t)

    def renew(self, batch: int, new: Statistics) -> Memory:
        """Add the sums over a batch in place of those of its former codes, and keep them."""
        after, old = self.take_in(new), self.kept.get(batch)
        if old is not None and after.total is not None:
            left = (old.step / after.steps) ** FORGETTING
            after = replace(after, total=after.total + old.statistics * -left)
        return replace(after, kept={**self.kept, batch: Kept(new, after.steps)})

    @property
    def usage(self) -> Floats:
        """How much each component is used, (q,); zero where rounding may be all there is."""
        assert self.total is not None
        usage = self.total.usage
        return np.where(usage > UNUSED * usage.max(initial=0.0), usage, 0.0)
