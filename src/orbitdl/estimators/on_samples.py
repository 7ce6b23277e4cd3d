"""What a fitted model makes of coded data points, and how these are opened."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from orbitdl.arrays.validation import as_masked_data
from orbitdl.coding.codes import Codes
from orbitdl.data.base import Part
from orbitdl.data.opening import as_source
from orbitdl.encoding.complete import complete_by, complete_exactly
from orbitdl.encoding.encode import SampleCoder, decode_atoms
from orbitdl.encoding.samples import Samples
from orbitdl.groups.base import Floats, Integers


@dataclass(frozen=True, eq=False)
class InMemory:
    """Data points in memory, as the only chunk.

    Attributes
    ----------
    part : Part
    table : object
        The table that they come from, whose columns have names; None: they come from an array.
    """

    part: Part
    table: Any = None

    @property
    def ends(self) -> Integers:
        """Where it begins and ends."""
        return np.array([0, len(self.part.values)])

    @property
    def shape(self) -> tuple[int, ...]:
        """Of a data point."""
        return self.part.values.shape[1:]

    def __len__(self) -> int:
        return len(self.part.values)

    def read(self, k: int) -> Part:
        """Return all of them."""
        return self.part

    def take(self, rows: Integers) -> Part:
        """Return some of them."""
        values, observed = self.part
        return Part(values[rows], None if observed is None else observed[rows])


def sample_chunks(X: Any, mask: Any) -> Any:
    """Return data points, checked or to be checked when they are read, in chunks."""
    if isinstance(X, InMemory):
        return X
    source = as_source(X, mask)
    if source is not None:
        return source
    return InMemory(Part(*as_masked_data(X, mask)), X if hasattr(X, "columns") else None)


def invariants_of(work: SampleCoder, samples: Samples, codes: Codes) -> Floats:
    """Return ``||Z_ij||_G``, (n, q)."""
    return codes.invariants()


def approximation_of(work: SampleCoder, samples: Samples, codes: Codes) -> Floats:
    """Return the sparse approximations of data points, (n, ...)."""
    return decode_atoms(work.action, codes.atoms, work.A)


def completed_by(work: SampleCoder, samples: Samples, codes: Codes, *, debias: bool) -> Floats:
    """Return data points, their missing entries imputed by the codes."""
    return complete_by(samples, work.A, codes, debias).X


def completed_exactly(work: SampleCoder, samples: Samples, codes: None) -> Floats:
    """Return data points completed by the least dictionary norm."""
    return complete_exactly(samples, work.A, 1e-4).X


def energy_of(work: SampleCoder, samples: Samples, codes: Codes) -> float:
    """Return ``sum_i 1/2 ||M_i y_i||^2``."""
    return 0.5 * float(np.sum(samples.signal**2))
