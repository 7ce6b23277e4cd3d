"""Atoms of a recording: which waveform, when, how strong."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from orbitdl.coding.codes import Atoms
from orbitdl.groups.base import Floats, Integers


@dataclass(frozen=True, eq=False)
class LineAtoms:
    """Hold atoms ``c_k a_{j_k}(t - tau_k)``.

    Attributes
    ----------
    component : ndarray of shape (K,)
    time : ndarray of shape (K,)
        Where a waveform begins, in samples; negative where it overhangs the start.
    coefficient : ndarray of shape (K,)
    """

    component: Integers
    time: Floats
    coefficient: Floats

    @classmethod
    def none(cls) -> LineAtoms:
        """Return no atoms."""
        return cls(np.zeros(0, dtype=np.intp), np.zeros(0), np.zeros(0))

    @classmethod
    def of(cls, atoms: Atoms | None) -> LineAtoms:
        """Return those of data points whose elements are times."""
        if atoms is None:
            return cls.none()
        return cls(atoms.component, np.ascontiguousarray(atoms.element[:, 0]), atoms.coefficient)

    @classmethod
    def concatenate(cls, parts: list[LineAtoms]) -> LineAtoms:
        """Return all of them, one part after the other."""
        return cls(
            np.concatenate([part.component for part in parts]),
            np.concatenate([part.time for part in parts]),
            np.concatenate([part.coefficient for part in parts]),
        )

    def __len__(self) -> int:
        return len(self.time)

    def as_atoms(self, n_components: int) -> Atoms:
        """Return them as those of one data point."""
        offsets = np.array([0, len(self)], dtype=np.intp)
        component = self.component.astype(np.intp)
        return Atoms(n_components, offsets, component, self.coefficient, self.time[:, None])

    def take(self, chosen: NDArray[np.bool_] | Integers | slice) -> LineAtoms:
        """Return some of them."""
        return LineAtoms(self.component[chosen], self.time[chosen], self.coefficient[chosen])

    def between(self, first: float, last: float) -> LineAtoms:
        """Return those that begin from `first` up to `last`."""
        return self.take((self.time >= first) & (self.time < last))

    def outside(self, first: float, last: float) -> LineAtoms:
        """Return the others."""
        return self.take((self.time < first) | (self.time >= last))

    def stretch(self, first: float, last: float) -> slice:
        """Return where those are that begin from `first` up to `last`, of atoms in their order."""
        begin, end = np.searchsorted(self.time, [first, last])
        return slice(int(begin), int(end))

    def later(self, by: float) -> LineAtoms:
        """Return the same atoms, later by so many samples."""
        return replace(self, time=self.time + by)

    def in_order(self) -> LineAtoms:
        """Return them in the order of time."""
        return self.take(np.argsort(self.time, kind="stable"))
