"""Sufficient statistics of recordings, and recentring of supports."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from orbitdl.arrays.blocks import Blocks, Floats, Integers
from orbitdl.dictionaries.base import Dictionary
from orbitdl.dictionaries.statistics import Statistics
from orbitdl.domains.time.coordinates import from_blocks, statistics_in_blocks, to_blocks
from orbitdl.domains.time.recentring import (
    best_positions,
    max_shift_of,
    rows_of,
    shifted_coefficients,
)
from orbitdl.domains.time.sums import Sums


class EventStatistics(Statistics):
    """Sums over events of recordings, for supports extended on either side.

    They cover all shifts of a support. `normal` and `cross` are those of the current supports,
    computed on demand.

    Attributes
    ----------
    longer : Sums
        For supports of ``width + 2 K`` samples, ``K = max_shift_of(width)``.
    usage : ndarray of shape (q,)
    width : int
        Length of a waveform in samples.
    """

    def __init__(self, longer: Sums, usage: Floats, width: int) -> None:
        vars(self).update(longer=longer, usage=usage, width=width)

    longer: Sums
    width: int

    @cached_property
    def here(self) -> Statistics:
        """The sums for the current supports."""
        return self.at(np.zeros(len(self.usage), dtype=np.intp))

    @property
    def normal(self) -> Blocks:
        return self.here.normal

    @property
    def cross(self) -> Blocks:
        return self.here.cross

    def __add__(self, other: Statistics) -> EventStatistics:
        assert isinstance(other, EventStatistics)
        longer, usage = self.longer + other.longer, self.usage + other.usage
        return EventStatistics(longer, usage, self.width)

    def __mul__(self, weight: float) -> EventStatistics:
        return EventStatistics(self.longer * weight, self.usage * weight, self.width)

    def explained_by(self, A: Blocks) -> EventStatistics:
        u = from_blocks(A)
        still = rows_of(np.zeros(len(u), dtype=np.intp), self.width)
        cross = self.longer.normal[:, still] @ u.reshape(len(still), -1)
        return EventStatistics(Sums(self.longer.normal, cross), self.usage, self.width)

    @property
    def arrays(self) -> tuple[Blocks, Blocks, Floats]:
        return self.longer.normal, self.longer.cross, self.usage

    def of_arrays(self, normal: Blocks, cross: Blocks, usage: Floats) -> EventStatistics:
        return EventStatistics(Sums(normal, cross), usage, self.width)

    @classmethod
    def none(cls, width: int, channels: int, q: int) -> EventStatistics:
        """Return the sums over no events of q waveforms."""
        side = q * (width + 2 * max_shift_of(width))
        return cls(Sums(np.zeros((side, side)), np.zeros((side, channels))), np.zeros(q), width)

    def at(self, shifts: Integers) -> Statistics:
        """Return the sums for shifted supports."""
        rows = rows_of(shifts, self.width)
        sums = Sums(self.longer.normal[np.ix_(rows, rows)], self.longer.cross[rows])
        return statistics_in_blocks(sums, self.usage)

    def best(
        self, dictionary: Dictionary, soon: bool = False
    ) -> tuple[Dictionary, Integers | None]:
        """Solve for waveforms in the current supports, and in shifted ones with a larger gain.

        Return also the shifts in samples; None: no shift. Supports of tied copies are not shifted:
        a reversed copy would have to shift in the other direction.
        """
        here, u = dictionary.solve(self.here, soon), from_blocks(dictionary.components)
        shifts = best_positions(self.longer, u) if dictionary.copies == 1 else None
        if shifts is None or not shifts.any():
            return here, None
        moved = self.at(shifts)
        there = dictionary.near(to_blocks(shifted_coefficients(u, shifts))).solve(moved, soon)
        if moved.misfit(there.expand()) >= self.here.misfit(here.expand()):
            return here, None
        return there, shifts
