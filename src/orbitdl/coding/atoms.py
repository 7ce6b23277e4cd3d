"""Atoms: short lists of (component, group element, coefficient) of data points."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from orbitdl.arrays.blocks import Blocks, Combination, Floats, Integers
from orbitdl.groups.base import Action, Representation


@dataclass(frozen=True)
class Atoms:
    """Atoms of n data points in flat arrays, sample by sample.

    Attributes
    ----------
    n_components : int
    offsets : ndarray of shape (n + 1,)
        The atoms of sample i are those from ``offsets[i]`` up to ``offsets[i + 1]``.
    component : ndarray of shape (K,)
    coefficient : ndarray of shape (K,)
    element : ndarray of shape (K, p)
        Parameters of the group elements; of a recording the time at which a waveform begins, in
        samples, negative where it overhangs the start.
    """

    n_components: int
    offsets: Integers
    component: Integers
    coefficient: Floats
    element: Floats

    @classmethod
    def none(cls, n_samples: int, n_components: int, n_parameters: int) -> Atoms:
        """Return the empty code of n samples."""
        none = np.zeros(0, dtype=np.intp)
        offsets = np.zeros(n_samples + 1, dtype=np.intp)
        return cls(n_components, offsets, none, np.zeros(0), np.zeros((0, n_parameters)))

    @classmethod
    def of_pairs(cls, atoms: Combination, n_samples: int, n_components: int) -> Atoms:
        """Build codes from atoms whose rows number the pairs (sample, component)."""
        order = np.argsort(atoms.row, kind="stable")
        sample, component = np.divmod(atoms.row[order], n_components)
        offsets = np.concatenate([[0], np.cumsum(np.bincount(sample, minlength=n_samples))])
        coefficient, element = atoms.coefficient[order], atoms.element[order]
        return cls(n_components, offsets.astype(np.intp), component, coefficient, element)

    @classmethod
    def of_rows(
        cls, n_components: int, counts: Integers, component: Integers, c: Floats, element: Floats
    ) -> Atoms:
        """Build codes from arrays (n, capacity), and (n, capacity, p), filled up to the counts."""
        filled = np.arange(c.shape[1]) < counts[:, None]
        offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.intp)
        return cls(n_components, offsets, component[filled], c[filled], element[filled])

    @classmethod
    def concatenate(cls, parts: list[Atoms]) -> Atoms:
        """Return the samples of all parts, one after the other."""
        counts = np.concatenate([part.counts for part in parts])
        return cls(
            parts[0].n_components,
            np.concatenate([[0], np.cumsum(counts)]).astype(np.intp),
            np.concatenate([part.component for part in parts]),
            np.concatenate([part.coefficient for part in parts]),
            np.concatenate([part.element for part in parts]),
        )

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __repr__(self) -> str:
        return f"Atoms({len(self)} samples, {len(self.coefficient)} atoms)"

    @property
    def sample(self) -> Integers:
        """The sample each atom belongs to, shape (K,)."""
        return np.repeat(np.arange(len(self)), self.counts)

    @property
    def counts(self) -> Integers:
        """Atoms of each sample, shape (n,)."""
        counts: Integers = self.offsets[1:] - self.offsets[:-1]
        return counts

    @property
    def time(self) -> Floats:
        """The first parameter, (K,): the time, where elements are times."""
        return self.element[:, 0]

    @property
    def _pair(self) -> Integers:
        return self.sample * self.n_components + self.component

    @property
    def by_pair(self) -> Combination:
        """The atoms with rows that number the pairs (sample, component)."""
        return Combination(self._pair, self.coefficient, self.element)

    def take(self, samples: slice | Integers | NDArray[np.bool_]) -> Atoms:
        """Return the codes of some samples, in the order given."""
        if isinstance(samples, slice) and samples.step in (None, 1):
            return self._slice(*samples.indices(len(self))[:2])
        chosen = np.arange(len(self))[samples]
        counts = self.counts[chosen]
        offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.intp)
        source = np.arange(offsets[-1]) + np.repeat(self.offsets[chosen] - offsets[:-1], counts)
        columns = self.component[source], self.coefficient[source], self.element[source]
        return Atoms(self.n_components, offsets, *columns)

    def _slice(self, first: int, last: int) -> Atoms:
        """Return copies of the codes of consecutive samples; the cost depends on these only."""
        offsets = self.offsets[first : max(first, last) + 1]
        own = slice(offsets[0], offsets[-1])
        c, g = self.coefficient[own].copy(), self.element[own].copy()
        return Atoms(self.n_components, offsets - offsets[0], self.component[own].copy(), c, g)

    def select(self, chosen: slice | Integers | NDArray[np.bool_]) -> Atoms:
        """Return some atoms, in this order, as those of one data point."""
        component = self.component[chosen]
        offsets = np.array([0, len(component)], dtype=np.intp)
        columns = component, self.coefficient[chosen], self.element[chosen]
        return Atoms(self.n_components, offsets, *columns)

    def only(self, samples: NDArray[np.bool_]) -> Atoms:
        """Empty the codes of all other samples."""
        empty = Atoms.none(int(np.sum(~samples)), self.n_components, self.element.shape[1])
        return self.replace(~samples, empty)

    def replace(self, samples: NDArray[np.bool_], other: Atoms) -> Atoms:
        """Return these codes with `other`, one a chosen sample, in place of the chosen ones."""
        if len(other) == 0:
            return self
        source = np.arange(len(self))
        source[samples] = len(self) + np.arange(len(other))
        return Atoms.concatenate([self, other]).take(source)

    def add(self, atoms: Combination) -> Atoms:
        """Add atoms whose rows number the pairs (sample, component)."""
        both = (np.concatenate(columns) for columns in zip(self.by_pair, atoms, strict=True))
        return Atoms.of_pairs(Combination(*both), len(self), self.n_components)

    def updated(self, coefficient: Floats, element: Floats) -> Atoms:
        """Return the same atoms with other coefficients and elements; those of zero go."""
        nonzero = coefficient != 0
        if nonzero.all():
            return replace(self, coefficient=coefficient, element=element)
        offsets = np.concatenate([[0], np.cumsum(nonzero)])[self.offsets].astype(np.intp)
        columns = self.component[nonzero], coefficient[nonzero], element[nonzero]
        return Atoms(self.n_components, offsets, *columns)

    def scale(self, factors: Floats) -> Atoms:
        """Multiply the coefficients of component j by ``factors[j]``; atoms that vanish go."""
        return self.updated(self.coefficient * factors[self.component], self.element)

    def invariants(self) -> Floats:
        """Return ``sum |c|`` per sample and component, (n, q): the gauges of optimal codes."""
        n, q = len(self), self.n_components
        total = np.bincount(self._pair, np.abs(self.coefficient), n * q)
        return total.astype(np.float64, copy=False).reshape(n, q)

    def usage(self) -> Floats:
        """Return ``sum_i sum |c|`` per component, (q,)."""
        total = np.bincount(self.component, np.abs(self.coefficient), self.n_components)
        return total.astype(np.float64, copy=False)

    def embed(self, representation: Representation) -> Blocks:
        """Return the matrix view ``Z_ij = sum_k c_k rho(g_k)``, shape (n, q, F, d, d)."""
        n, q = len(self), self.n_components
        n_blocks, d, _ = representation.block_shape
        unit = np.broadcast_to(np.eye(d), (1, n_blocks, d, d))
        Z = representation.superpose(self.by_pair, n * q, np.zeros_like(self.component), unit)
        return Z.reshape(n, q, n_blocks, d, d)

    def to_copies(self, action: Action) -> Atoms:
        """Return atoms of components as atoms of their copies, under the base group."""
        component, element = action.to_copies(self.component, self.element)
        count = self.n_components * action.n_copies
        return Atoms(count, self.offsets, component, self.coefficient, element)

    def from_copies(self, action: Action) -> Atoms:
        """Return atoms of copies as atoms of components: the inverse of `to_copies`."""
        component, element = action.from_copies(self.component, self.element)
        count = self.n_components // action.n_copies
        return Atoms(count, self.offsets, component, self.coefficient, element)

    def superpose(self, representation: Action, A: Blocks) -> Blocks:
        """Return ``sum_k c_k rho(g_k) A_k`` for every sample, shape (n, F, d, m)."""
        atoms = Combination(self.sample, self.coefficient, self.element)
        return representation.superpose(atoms, len(self), self.component, A)
