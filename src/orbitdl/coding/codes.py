"""The atomic view of coded data: short lists of (component, group element, coefficient)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from orbitdl.groups.base import (
    Action,
    Blocks,
    Combination,
    Floats,
    Integers,
    Representation,
)
from orbitdl.markup.codes import FIRST, codes_in_html
from orbitdl.markup.html import counted

if TYPE_CHECKING:
    import pandas as pd


class Status(Enum):
    """How coding a data point ended; a member is its own description.

    Examples
    --------
    >>> print(Status.CONVERGED)
    converged: gap within the tolerance
    >>> Status.STOPPED_EARLY.is_settled
    False
    """

    CONVERGED = "converged: gap within the tolerance"
    STOPPED_EARLY = "stopped early: gap above the tolerance"
    LOCAL_SOLUTION = "local solution: gap above the tolerance"
    ZERO_DATA = "zero data: nothing to code"
    NOTHING_OBSERVED = "nothing observed: nothing to code"

    def __str__(self) -> str:
        return self.value

    def __repr__(self) -> str:
        """Read as words in an array too."""
        return repr(self.value)

    @property
    def is_settled(self) -> bool:
        """Whether the gap is within the tolerance, so that nothing is left to do."""
        return self not in (Status.STOPPED_EARLY, Status.LOCAL_SOLUTION)


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
        Parameters of the group elements.
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


@dataclass(frozen=True)
class Codes:
    """Coded data: the atoms, and how good they are.

    Attributes
    ----------
    representation : Action
    atoms : Atoms
    objective : ndarray of shape (n,)
        ``1/2 ||y - sum_k c_k g_k a_k||^2 + alpha sum_k |c_k|``.
    gap : ndarray of shape (n,)
        Certified relative duality gap: the objective is at most ``gap * objective`` above its
        minimum.
    status : ndarray of shape (n,)
        One `Status` per sample: how its coding ended.

    Examples
    --------
    >>> import numpy as np
    >>> from orbitdl import encode
    >>> from orbitdl.groups import IntegerShift
    >>> wave = np.array([0.6, 0.8, 0.0, 0.0, 0.0])
    >>> codes = encode(3 * np.roll(wave, 2)[None], wave[None], group=IntegerShift(), alpha=0.3)
    >>> codes.to_frame().round(6)
       sample  component  coefficient  shift
    0       0          0          2.7    2.0
    """

    representation: Action
    atoms: Atoms
    objective: Floats
    gap: Floats
    status: NDArray[Any]

    @classmethod
    def concatenate(cls, parts: list[Codes]) -> Codes:
        """Return the samples of all parts, one after the other."""
        return cls(
            parts[0].representation,
            Atoms.concatenate([part.atoms for part in parts]),
            np.concatenate([part.objective for part in parts]),
            np.concatenate([part.gap for part in parts]),
            np.concatenate([part.status for part in parts]),
        )

    def from_copies(self, action: Action) -> Codes:
        """Return codes of copies as codes of components: see `Atoms.from_copies`."""
        return replace(self, representation=action, atoms=self.atoms.from_copies(action))

    def __len__(self) -> int:
        return len(self.atoms)

    def __repr__(self) -> str:
        count, gap = len(self.atoms.coefficient), self.gap.max(initial=0.0)
        return f"Codes({len(self)} samples, {count} atoms, largest gap {gap:.1e})"

    def _repr_html_(self) -> str:
        """Return what a notebook shows."""
        few = int(np.searchsorted(self.atoms.offsets, FIRST))
        first = replace(self, atoms=self.atoms.take(slice(0, few)))
        return codes_in_html(
            f"Codes of {counted(len(self), 'data point')}",
            per_component=np.bincount(self.atoms.component, minlength=self.atoms.n_components),
            per_sample=self.atoms.counts,
            objective=float(self.objective.sum()),
            gap=self.gap,
            status=self.status,
            first=first.to_frame().head(FIRST),
        )

    def to_frame(self) -> pd.DataFrame:
        """Return one row per atom: sample, component, coefficient and the group's parameters."""
        import pandas as pd

        own = {
            "sample": self.atoms.sample,
            "component": self.atoms.component,
            "coefficient": self.atoms.coefficient,
        }
        return pd.DataFrame({**own, **self.representation.describe(self.atoms.element)})

    def to_events(self, within: float = 0.25) -> pd.DataFrame:
        """Return one row per event: atoms of one component at almost one time, put together.

        Parameters
        ----------
        within : float
            Atoms this close in time, in samples, belong to one event; so does a chain of them.

        Returns
        -------
        DataFrame
            Where vector signals are shifted and rotated (`orbitdl.groups.Product`), with columns

            - `sample` and `component`;
            - `amplitude`: the sum of the sizes of the coefficients; negative where the component
              is reflected and the group has no reflection;
            - `shift`, in samples: their mean, weighted likewise;
            - what is done with the vectors: `angle` in degrees, the axis and whether they are
              `mirrored` for `Orthogonal` in two and three dimensions; `azimuth` in degrees for
              `Azimuth`; otherwise the parameters of the matrix;
            - `n_atoms`, and `minor_share`: which part of the amplitude is not the largest atom's.

            For all other groups it is what `to_frame` returns.

        Notes
        -----
        Sums ``M = sum_k c_k h_k`` of orthogonal matrices fill a ball, so that an optimal code may
        need several of them at one time. The matrix that is described is the one in the group
        nearest to M; where `minor_share` is small, it is that of the largest atom.
        """
        import pandas as pd

        if not within >= 0:
            raise ValueError(f"within must be a number of samples, 0 or more, not {within!r}.")
        row, columns = self.representation.events(self.atoms.by_pair, within)
        sample, component = np.divmod(row, self.atoms.n_components)
        return pd.DataFrame({"sample": sample, "component": component, **columns})

    def invariants(self) -> Floats:
        """Return ``sum |c|`` per sample and component, shape (n, q): invariant features."""
        return self.atoms.invariants()

    def embed(self) -> Blocks:
        """Return the matrix view: blocks Z of shape (n, q, F, d, d).

        For a semidirect product with a finite group: of all copies of components, under the base
        group.
        """
        return self.atoms.to_copies(self.representation).embed(self.representation.base)
