"""Data of which some entries are hidden, and how well they are predicted.

In round r of R, one part of the data in R has some of its entries hidden: speckles. Components are
learned from all that is left, and predict what is hidden. After R rounds every part was judged
once, so that candidates can be compared part by part.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orbitdl.dictionaries.base import Dictionary
from orbitdl.groups.base import Blocks, Floats, Integers

Mask = NDArray[np.bool_]

ABOVE, COUNT = 1.4, 8
"""Weights of sparsity to try: the largest, over the one to begin with; and how many."""


@dataclass(frozen=True)
class Speckles:
    """How entries are hidden.

    Attributes
    ----------
    rounds : int
        R: parts of the data, each judged once.
    share : float
        Of the entries of a part that are hidden when it is judged.
    size : int
        Neighbouring samples that are hidden together.
    seed : int
    """

    rounds: int
    share: float
    size: int
    seed: int

    def parts(self, count: int) -> Integers:
        """Return for every one of so many units in which round it is judged, (count,)."""
        order = np.random.default_rng(self.seed).permutation(count)
        return order % self.rounds

    def hide(self, shape: tuple[int, ...], number: int) -> Mask:
        """Draw which entries (n, ...) are hidden in a round, if their part is judged in it.

        Along the first axis they are hidden in runs of `size`, each with probability `share`.
        """
        rng = np.random.default_rng([self.seed, number])
        first = int(rng.integers(self.size))
        runs = (np.arange(shape[0]) + first) // self.size
        return (rng.random((runs[-1] + 1, *shape[1:])) < self.share)[runs]


@dataclass(frozen=True, eq=False)
class Judged:
    """How well hidden entries are predicted, in every unit of the part that is judged.

    Attributes
    ----------
    error, energy : ndarray of shape (units,)
        ``sum (x - prediction)^2`` and ``sum x^2`` over the hidden entries of a unit, or those of
        the events of a recording (`orbitdl.selection.recordings`).
    atoms : float
        Atoms per data point, or per length of a waveform.
    agreement : float
        F1 score of the events found with those of components learned from the whole recording; NaN
        of data points.
    """

    error: Floats
    energy: Floats
    atoms: float
    agreement: float = np.nan


class HeldOut(ABC):
    """Data with hidden entries, to be learned from.

    Attributes
    ----------
    shards : SampleShards
        The data, in which hidden entries are missing.
    """

    shards: Any

    @property
    @abstractmethod
    def energy(self) -> float:
        """``sum x^2`` over hidden entries."""

    @abstractmethod
    def starts(self, q: int, generators: list[np.random.Generator]) -> Sequence[Dictionary]:
        """Return q components to start from for every generator."""

    @abstractmethod
    def judge(self, shards: Any, A: Blocks) -> Judged:
        """Predict hidden entries from data that are coded with components A.

        Atoms are fitted to what is known once more, by least squares: the penalty has shrunk them.
        """


class Judges(ABC):
    """Data that candidates are judged on.

    Attributes
    ----------
    groups : tuple of str
        Names of the symmetries that are candidates.
    fingerprint : str
        Of the data.
    """

    groups: tuple[str, ...]
    fingerprint: str

    @abstractmethod
    def hold_out(self, group: int, number: int) -> HeldOut:
        """Return the data of a round, for one of the groups."""

    @abstractmethod
    def alphas(self, q: int) -> tuple[list[float], float]:
        """Return weights to try, from the largest to the smallest, and the one to begin with."""


def falling(begin: float, least: float) -> list[float]:
    """Return weights to try, from somewhat above the one to begin with down to the least."""
    return [float(f"{alpha:.3g}") for alpha in np.geomspace(ABOVE * begin, least, COUNT)]
