"""Codes of a whole recording: its atoms, and how good they are."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from orbitdl.coding.codes import Status
from orbitdl.domains.time.atoms import LineAtoms
from orbitdl.groups.base import Floats, Integers
from orbitdl.markup.codes import FIRST, codes_in_html
from orbitdl.markup.html import counted

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class RecordingCodes:
    """A recording as a sparse sum of waveforms at any times.

    Attributes
    ----------
    atoms : LineAtoms
        In the order of time; `component`, `time` and `coefficient` are attributes here too.
    objective : float
        ``1/2 ||M (x - sum_k c_k a_{j_k}(. - tau_k))||^2 + alpha sum_k |c_k|``. Where the recording
        has a penalty field p, objective and gap are those of the weighted problem, with
        ``alpha sum_k p_{j_k}(tau_k) |c_k|``.
    gap : float
        Certified relative duality gap of the whole recording: the objective is at most
        ``gap * objective`` above its minimum.
    status : Status
        How the coding ended, in words.
    explained : float
        Share of the energy of the recording, its trend apart, that the atoms explain.
    """

    atoms: LineAtoms
    objective: float
    gap: float
    status: Status
    explained: float = float("nan")

    def __len__(self) -> int:
        return len(self.atoms)

    def __repr__(self) -> str:
        return f"RecordingCodes({len(self)} atoms, gap {self.gap:.1e})"

    def _repr_html_(self) -> str:
        """Return what a notebook shows."""
        return codes_in_html(
            f"Codes of a recording: {counted(len(self), 'atom')}",
            per_component=np.bincount(self.component),
            per_sample=None,
            objective=self.objective,
            gap=np.array([self.gap]),
            status=[self.status],
            first=replace(self, atoms=self.atoms.take(slice(0, FIRST))).to_frame(),
        )

    @property
    def component(self) -> Integers:
        """Which waveform each atom is of, (K,)."""
        return self.atoms.component

    @property
    def time(self) -> Floats:
        """Where each begins, in samples, (K,); negative where it overhangs the start."""
        return self.atoms.time

    @property
    def coefficient(self) -> Floats:
        """How strong each is, (K,)."""
        return self.atoms.coefficient

    def to_frame(self) -> pd.DataFrame:
        """Return one row per atom: time, component, coefficient."""
        import pandas as pd

        return pd.DataFrame(
            {"time": self.time, "component": self.component, "coefficient": self.coefficient}
        )
