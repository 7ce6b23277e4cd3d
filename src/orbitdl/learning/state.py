"""One iteration of learning: where it begins, its record, and what it ends with."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from orbitdl.arrays.blocks import Blocks
from orbitdl.dictionaries.base import Dictionary
from orbitdl.learning.running_sums import PassState
from orbitdl.learning.shards import Shards

LOOSEST = 3e-2
"""Target gap of the first iteration."""


@dataclass(frozen=True)
class Record:
    """What is remembered of an iteration.

    Attributes
    ----------
    number : int
        Dictionary steps done so far.
    objective : float
        The learning objective, summed over samples, of its components and codes.
    gap : float
        Largest certified relative gap of a sample.
    atoms : float
        Atoms per sample, on average.
    unused : int
        Components that no sample used and that were replaced before this iteration.
    seconds : float
    """

    number: int
    objective: float
    gap: float
    atoms: float
    unused: int
    seconds: float

    def __str__(self) -> str:
        return (
            f"iteration {self.number:3d}   objective {self.objective:.6g}   gap {self.gap:.1e}   "
            f"atoms per sample {self.atoms:.2f}   unused {self.unused}   {self.seconds:.2f} s"
        )


@dataclass(frozen=True, eq=False)
class State:
    """All that `learn` carries into an iteration; from here it always goes on the same way.

    Attributes
    ----------
    shards : Shards
        The data, with the codes of the last iteration scaled for `stepped`.
    dictionary : Dictionary
        What is coded with first: the result of the last step, extrapolated on.
    last : Record or None
        Of the iteration before; None: this is the first.
    unused : int
        Components that the last step replaced.
    loosest : float
        Target gap of the first iteration.
    stalled : int
        Iterations without progress.
    stepped : Dictionary or None
        The result of the last step as it was.
    momentum_count : int
        Steps since momentum began or restarted.
    passed : PassState or None
        What passes over mini-batches remember; None: there were none, or steps of all data follow.
    """

    shards: Shards
    dictionary: Dictionary
    last: Record | None = None
    unused: int = 0
    loosest: float = LOOSEST
    stalled: int = 0
    stepped: Dictionary | None = None
    momentum_count: int = 0
    passed: PassState | None = None

    @property
    def number(self) -> int:
        """Of the iteration that begins here."""
        return 0 if self.last is None else self.last.number + 1

    @property
    def objective(self) -> float:
        """At the end of the iteration before."""
        return np.inf if self.last is None else self.last.objective


@dataclass(frozen=True, eq=False)
class Iteration:
    """What one iteration of `learn` ended with.

    Attributes
    ----------
    record : Record
        Its number, objective, gap, atoms, unused and seconds, which are attributes here too.
    dictionary : Dictionary
    shards : Shards
        The data with the codes that its components gave.
    restarted : bool
        Whether momentum restarted, because extrapolation raised the objective.
    following : State or None
        Where the next iteration begins; None after the last.
    """

    record: Record
    dictionary: Dictionary
    shards: Shards
    restarted: bool
    following: State | None

    @property
    def components(self) -> Blocks:
        """What the dictionary holds for users, in block coordinates (q, F, d, m)."""
        return self.dictionary.components

    @property
    def number(self) -> int:
        """Dictionary steps done so far."""
        return self.record.number

    @property
    def objective(self) -> float:
        """The learning objective, summed over samples."""
        return self.record.objective

    @property
    def gap(self) -> float:
        """Largest certified relative gap of a sample."""
        return self.record.gap

    @property
    def atoms(self) -> float:
        """Atoms per sample, on average."""
        return self.record.atoms

    @property
    def unused(self) -> int:
        """Components that were replaced before this iteration, for no sample used them."""
        return self.record.unused

    @property
    def seconds(self) -> float:
        """How long it took."""
        return self.record.seconds

    @cached_property
    def codes(self) -> Any:
        """The codes of all samples; None where they stay with data that are somewhere else."""
        return self.shards.codes
