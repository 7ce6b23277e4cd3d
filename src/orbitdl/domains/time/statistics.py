"""Sufficient statistics of recordings, and recentring of supports.

At every dictionary step, waveforms are recentred in their supports. A waveform that is off-centre,
or drifts, is truncated at one end of its support. Sums over events for supports longer by K on
either side give the decrease of the loss for every shift s of a support, with the other waveforms
fixed: with the rows I(s) of the shifted support,

    gain_j(s) = 1/2 <b, N[I(s), I(s)]^-1 b>,      b = R[I(s)] - sum_{l != j} N[I(s), I_l(0)] u_l.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from orbitdl.arrays.blocks import Blocks, Floats, Integers
from orbitdl.dictionaries.base import Dictionary
from orbitdl.dictionaries.statistics import Statistics
from orbitdl.domains.time.coordinates import from_blocks, statistics_in_blocks, to_blocks
from orbitdl.domains.time.sums import Sums

POSITIONS = 4
"""Shifts tried on either side, up to a quarter of the support."""
BETTER = 1e-3
"""Relative increase of the gain required for a shift."""
RIDGE = 1e-10
"""Relative ridge that keeps coefficients finite which no event determines."""


def max_shift_of(width: int) -> int:
    """Return the maximum shift K of a support in samples: a quarter of its length."""
    return width // 4


def best_positions(longer: Sums, u: Floats) -> Integers:
    """Return the best shift of each support, (q,).

    The sums are those for supports of ``W + 2 K``, u (q, W, channels) are the waveforms.
    """
    q, width, _ = u.shape
    max_shift = max_shift_of(width)
    tried = np.unique(np.linspace(-max_shift, max_shift, 2 * POSITIONS + 1).round().astype(np.intp))
    shifts = np.zeros(q, dtype=np.intp)
    for j in range(q):
        gains = np.array([_gain(longer, u, j, int(s)) for s in tried])
        best = int(np.argmax(gains))
        if gains[best] > (1.0 + BETTER) * gains[tried == 0][0]:
            shifts[j] = tried[best]
    return shifts


def rows_of(shifts: Integers, width: int) -> Integers:
    """Return the rows of shifted supports in the sums for longer ones, (q W,)."""
    max_shift = max_shift_of(width)
    first = np.arange(len(shifts)) * (width + 2 * max_shift) + max_shift + shifts
    return np.asarray((first[:, None] + np.arange(width)).ravel())


def shifted_coefficients(u: Floats, shifts: Integers) -> Floats:
    """Return the coefficients of waveforms in shifted supports, (q, W, channels)."""
    width, max_shift = u.shape[1], max_shift_of(u.shape[1])
    padded = np.pad(u, [(0, 0), (max_shift, max_shift), (0, 0)])
    return np.stack(
        [padded[j, max_shift + s : max_shift + s + width] for j, s in enumerate(shifts)]
    )


def _gain(longer: Sums, u: Floats, j: int, move: int) -> float:
    normal, cross = longer.normal, longer.cross
    q, width, _ = u.shape
    first = rows_of(np.zeros(q, dtype=np.intp), width)[::width]
    own = slice(first[j] + move, first[j] + move + width)
    right = cross[own].copy()
    for l in np.delete(np.arange(q), j):  # noqa: E741
        right -= normal[own, first[l] : first[l] + width] @ u[l]
    matrix = normal[own, own].copy()
    diagonal = np.einsum("ii->i", matrix)
    diagonal += RIDGE * float(diagonal.max(initial=0.0)) or 1.0
    solved = cho_solve(cho_factor(matrix, overwrite_a=True, check_finite=False), right)
    return 0.5 * float(np.sum(right * solved))


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
