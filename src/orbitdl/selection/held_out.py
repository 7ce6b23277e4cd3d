"""Abstract bases of cross-validation with held-out entries.

In round r of R, some entries of fold r are held out: speckles. Components are learned from the
other entries and predict the held-out ones. After R rounds every fold was scored once, so that
candidates can be compared by paired differences.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orbitdl.arrays.blocks import Blocks, Floats, Integers
from orbitdl.dictionaries.base import Dictionary

Mask = NDArray[np.bool_]

ABOVE, COUNT = 1.4, 8
"""Path of alphas: ratio of the largest to the initial one, and number of alphas."""


@dataclass(frozen=True)
class Speckles:
    """Random masks of held-out entries.

    Attributes
    ----------
    rounds : int
        Number of folds R.
    share : float
        Fraction of held-out entries of a fold.
    size : int
        Neighbouring samples held out together.
    seed : int
    """

    rounds: int
    share: float
    size: int
    seed: int

    def parts(self, count: int) -> Integers:
        """Return the fold of each of `count` units."""
        order = np.random.default_rng(self.seed).permutation(count)
        return order % self.rounds

    def hide(self, shape: tuple[int, ...], number: int) -> Mask:
        """Draw the mask (n, ...) of held-out entries of a round.

        Runs of `size` along the first axis are held out with probability `share`.
        """
        rng = np.random.default_rng([self.seed, number])
        first = int(rng.integers(self.size))
        runs = (np.arange(shape[0]) + first) // self.size
        return (rng.random((runs[-1] + 1, *shape[1:])) < self.share)[runs]


@dataclass(frozen=True, eq=False)
class Judged:
    """Prediction errors of held-out entries in every unit of a fold.

    Attributes
    ----------
    error, energy : ndarray of shape (units,)
        ``sum (x - prediction)^2`` and ``sum x^2`` over the held-out entries of a unit, or those of
        the events of a recording (`orbitdl.selection.recordings`).
    atoms : float
        Atoms per data point, or per waveform length.
    agreement : float
        F1 score of the events with those of components learned from the complete recording; NaN
        for data points.
    """

    error: Floats
    energy: Floats
    atoms: float
    agreement: float = np.nan


class HeldOut(ABC):
    """Training data with held-out entries.

    Attributes
    ----------
    shards : SampleShards
        The data with held-out entries missing.
    """

    shards: Any

    @property
    @abstractmethod
    def energy(self) -> float:
        """``sum x^2`` over held-out entries."""

    @abstractmethod
    def starts(self, q: int, generators: list[np.random.Generator]) -> Sequence[Dictionary]:
        """Return initial dictionaries of q components, one per generator."""

    @abstractmethod
    def judge(self, shards: Any, A: Blocks) -> Judged:
        """Predict held-out entries from the codes with components A.

        Coefficients are refitted by least squares (debiased): the penalty shrinks them.
        """


class Judges(ABC):
    """Data for the cross-validation of candidates.

    Attributes
    ----------
    groups : tuple of str
        Names of the candidate groups.
    fingerprint : str
        Fingerprint of the data.
    """

    groups: tuple[str, ...]
    fingerprint: str

    @abstractmethod
    def hold_out(self, group: int, number: int) -> HeldOut:
        """Return the training data of a round, for one of the groups."""

    @abstractmethod
    def alphas(self, q: int) -> tuple[list[float], float]:
        """Return a decreasing path of alphas, and the initial one."""


def falling(begin: float, least: float) -> list[float]:
    """Return a geometric path of alphas from above the initial one down to the least."""
    return [float(f"{alpha:.3g}") for alpha in np.geomspace(ABOVE * begin, least, COUNT)]
