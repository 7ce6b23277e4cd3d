"""Codes: atoms of data points of any kind, and how good they are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from orbitdl.arrays.blocks import Blocks, Floats, Integers
from orbitdl.coding.atoms import Atoms
from orbitdl.groups.base import Action
from orbitdl.markup.codes import FIRST, codes_in_html
from orbitdl.markup.html import counted

if TYPE_CHECKING:
    import pandas as pd


NOUNS = {"sample": "data point", "recording": "recording"}
"""What a data point is called in titles, by the name of its column."""


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


@dataclass(frozen=True, eq=False)
class Codes:
    """Coded data: the atoms, and how good they are.

    Attributes
    ----------
    representation : Action or TimeAxis
        What the elements of atoms do; of recordings these are times.
    atoms : Atoms
    objective : ndarray of shape (n,)
        ``1/2 ||y - sum_k c_k g_k a_k||^2 + alpha sum_k |c_k|``, of data points or recordings. Where
        a recording has a penalty field p, objective and gap are those of the weighted problem, with
        ``alpha sum_k p_{j_k}(tau_k) |c_k|``.
    gap : ndarray of shape (n,)
        Certified relative duality gap: the objective is at most ``gap * objective`` above its
        minimum. Of a recording that of all its samples together.
    status : ndarray of shape (n,)
        One `Status` per data point: how its coding ended.
    explained : ndarray of shape (n,) or None
        Of recordings: share of the energy, their trend apart, that the atoms explain.

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

    representation: Any
    atoms: Atoms
    objective: Floats
    gap: Floats
    status: NDArray[Any]
    explained: Floats | None = None

    @classmethod
    def concatenate(cls, parts: list[Codes]) -> Codes:
        """Return the data points of all parts, one after the other."""
        known = [part.explained for part in parts if part.explained is not None]
        return cls(
            parts[0].representation,
            Atoms.concatenate([part.atoms for part in parts]),
            np.concatenate([part.objective for part in parts]),
            np.concatenate([part.gap for part in parts]),
            np.concatenate([part.status for part in parts]),
            np.concatenate(known) if len(known) == len(parts) else None,
        )

    def from_copies(self, action: Action) -> Codes:
        """Return codes of copies as codes of components: see `Atoms.from_copies`."""
        return replace(self, representation=action, atoms=self.atoms.from_copies(action))

    def __len__(self) -> int:
        return len(self.atoms)

    def __getitem__(self, which: int | slice | Integers | NDArray[np.bool_]) -> Codes:
        """Return the codes of some data points, or of one."""
        chosen = np.arange(len(self))[which]
        own = np.atleast_1d(chosen)
        explained = None if self.explained is None else self.explained[own]
        columns = self.objective[own], self.gap[own], self.status[own]
        return Codes(self.representation, self.atoms.take(own), *columns, explained)

    def __iter__(self) -> Iterator[Codes]:
        """Yield the codes of one data point after the other."""
        return (self[k] for k in range(len(self)))

    def __repr__(self) -> str:
        count, gap = len(self.atoms.coefficient), self.gap.max(initial=0.0)
        points = counted(len(self), self.representation.data_point)
        return f"Codes({points}, {counted(count, 'atom')}, largest gap {gap:.1e})"

    def _repr_html_(self) -> str:
        """Return what a notebook shows."""
        few = int(np.searchsorted(self.atoms.offsets, FIRST))
        return codes_in_html(
            f"Codes of {counted(len(self), NOUNS[self.representation.data_point])}",
            per_component=np.bincount(self.atoms.component, minlength=self.atoms.n_components),
            per_sample=self.atoms.counts if len(self) > 1 else None,
            objective=float(self.objective.sum()),
            gap=self.gap,
            status=self.status,
            first=self[:few].to_frame().head(FIRST),
        )

    def to_frame(self) -> pd.DataFrame:
        """Return one row per atom: its data point, component, coefficient and parameters.

        The data point is the column `sample`, of recordings `recording`.
        """
        import pandas as pd

        own = {
            self.representation.data_point: self.atoms.sample,
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
        numbers = {self.representation.data_point: sample, "component": component}
        return pd.DataFrame({**numbers, **columns})

    def invariants(self) -> Floats:
        """Return ``sum |c|`` per sample and component, shape (n, q): invariant features."""
        return self.atoms.invariants()

    def embed(self) -> Blocks:
        """Return the matrix view: blocks Z of shape (n, q, F, d, d).

        For a semidirect product with a finite group: of all copies of components, under the base
        group.
        """
        return self.atoms.to_copies(self.representation).embed(self.representation.base)
