"""What a report is about: the model, the data, their codes and events."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from orbitdl.coding.codes import Codes
from orbitdl.groups import Action
from orbitdl.groups.base import Floats, Integers
from orbitdl.groups.default import group_or_default
from orbitdl.groups.presentation import View, view_of_signals
from orbitdl.learning.history import History
from orbitdl.report.clock import Clock
from orbitdl.report.coded_recording import CodedRecording
from orbitdl.report.coded_windows import CodedWindows


@dataclass(frozen=True, eq=False)
class Facts:
    """What the sections of a report are about.

    Attributes
    ----------
    model, title, clock, unit, ch_names, first_sample, command, source, selection
        The estimator and what was passed with it; `source` is the path of the data, and
        `first_sample` the number of samples of the whole recording before them.
    codes : Codes or None
        None for a report of the model alone.
    events : DataFrame or None
        The event table; `sample` counts from the start of the whole recording.
    windows : CodedWindows or None
        Data points, if the model is one of data points.
    recording : CodedRecording or None
        The recording, if the model is one of recordings.
    """

    model: Any
    title: str
    clock: Clock
    unit: str | None = None
    ch_names: tuple[str, ...] = ()
    first_sample: int = 0
    command: str | None = None
    source: str | None = None
    selection: Any = None
    codes: Codes | None = None
    events: pd.DataFrame | None = None
    windows: CodedWindows | None = None
    recording: CodedRecording | None = None

    @property
    def components(self) -> Floats:
        """Components of unit norm, (q, ...)."""
        return np.asarray(self.model.components_)

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of a component."""
        return tuple(self.components.shape[1:])

    @cached_property
    def action(self) -> Action | None:
        """How the group acts on data points; None for a model of recordings."""
        if not hasattr(self.model, "group"):
            return None
        return group_or_default(self.model.group).on(self.shape)

    @property
    def view(self) -> View:
        """How a component is drawn."""
        if self.action is None:
            return view_of_signals(self.shape)
        return self.action.presentation.view

    @property
    def in_time(self) -> bool:
        """Whether events have a position in time."""
        return self.action is None or self.action.presentation.in_time

    @property
    def noun(self) -> str:
        """Noun for a data point."""
        return "recording" if self.action is None else self.action.presentation.noun

    @property
    def channels(self) -> tuple[str, ...]:
        """A name for every line of a component."""
        view, names = self.view, self.ch_names
        if len(names) == view.n_lines and view.across in ("channel", "column", "coordinate"):
            return names
        if view.along == "sample" and view.vectors not in (0, view.n_lines):
            copies = view.n_lines // view.vectors
            return tuple(f"channel {k // copies}, {k % copies}" for k in range(view.n_lines))
        if view.n_lines == 1:
            return ("signal",)
        return tuple(f"{view.across} {k}" for k in range(view.n_lines))

    @property
    def history(self) -> History:
        """One record per iteration; empty if the model has none."""
        return getattr(self.model, "history_", None) or History()

    @property
    def converged(self) -> bool | None:
        """Whether learning converged; None if unknown."""
        return getattr(self.model, "converged_", None)

    @property
    def provenance(self) -> dict[str, Any]:
        """Where the model comes from; empty if unknown."""
        return getattr(self.model, "provenance_", None) or {}

    @property
    def table(self) -> pd.DataFrame:
        """The event table; empty for a report of the model alone."""
        if self.events is None:
            return pd.DataFrame({"component": [], "coefficient": []})
        return self.events

    @property
    def component(self) -> Integers:
        """Component of each event, (n,)."""
        return np.asarray(self.table["component"], dtype=np.intp)

    @property
    def size_name(self) -> str:
        """Column of the sizes of events: `amplitude` where events are refitted."""
        return "amplitude" if "amplitude" in self.table else "coefficient"

    @property
    def size(self) -> Floats:
        """Signed size of each event, (n,)."""
        return np.asarray(self.table[self.size_name], dtype=np.float64)

    def values_of(self, column: str) -> Floats | None:
        """Return a column of the event table as numbers, or None if it has no such column."""
        if column not in self.table:
            return None
        return np.asarray(self.table[column], dtype=np.float64)

    @cached_property
    def counts(self) -> Integers:
        """Number of events of each component, (q,)."""
        return np.bincount(self.component, minlength=len(self.components))

    @cached_property
    def medians(self) -> Floats:
        """Median absolute size of each component's events, (q,), with their usual sign; or NaN."""
        own = ((np.median(np.abs(s)), np.median(s)) for s in map(_known, self.own(self.size)))
        return np.array([size if middle >= 0 else -size for size, middle in own])

    def own(self, values: NDArray[Any]) -> list[NDArray[Any]]:
        """Return values of events, component by component."""
        return [values[self.component == j] for j in range(len(self.components))]

    def named(self, label: str) -> str:
        """Return a label with the unit of the data; amplitudes are norms in it."""
        words = [*(["norm"] if label in ("amplitude", "coefficient") else []), self.unit or ""]
        unit = ", ".join(filter(None, words))
        return f"{label} ({unit})" if unit else label


def _known(values: NDArray[Any]) -> NDArray[Any]:
    """Return values, or NaN if there are none."""
    return values if len(values) else np.array([np.nan])
