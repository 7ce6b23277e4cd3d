"""Content of a report: the fitted model, the data and their codes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from orbitdl.coding.codes import Codes
from orbitdl.estimators.orbit import OrbitDictionaryLearning
from orbitdl.groups import Action, Group
from orbitdl.groups.base import Floats
from orbitdl.groups.default import group_or_default
from orbitdl.groups.presentation import Presentation, ShiftSlider, View
from orbitdl.learning.history import History
from orbitdl.report.coded import CodedWindows, Scaling


@dataclass(frozen=True)
class Labels:
    """Labels and units given by the user.

    Attributes
    ----------
    title : str
    sfreq : float or None
        Samples per second.
    step : int or None
        Samples from the start of one window to the start of the next; None: unknown.
    unit : str or None
        Unit of the data.
    channels : tuple of str
        Names of the channels; empty: numbered.
    samples : int or None
        Length of the recording that was split into windows; None: unknown.
    offset : int
        Samples of the recording before the first window; times count from its start.
    """

    title: str
    sfreq: float | None = None
    step: int | None = None
    unit: str | None = None
    channels: tuple[str, ...] = ()
    samples: int | None = None
    offset: int = 0


@dataclass(frozen=True, eq=False)
class Facts:
    """Content of a report.

    Attributes
    ----------
    model : OrbitDictionaryLearning
    group : Group
    representation : Action
    labels : Labels
    history : History
        Empty if the model has none.
    coded : CodedWindows or None
        None for a report without data.
    """

    model: OrbitDictionaryLearning
    group: Group
    representation: Action
    labels: Labels
    history: History
    coded: CodedWindows | None

    @property
    def components(self) -> Floats:
        """Components, shape (q, ...)."""
        return np.asarray(self.model.components_)

    @property
    def presentation(self) -> Presentation:
        """How the group describes and draws its elements."""
        return self.representation.presentation

    @property
    def view(self) -> View:
        """How data points are drawn."""
        return self.presentation.view

    @property
    def is_shift(self) -> bool:
        """Whether the group shifts signals, so that an atom has a position in its window."""
        return self.presentation.in_time

    @property
    def only_shifts(self) -> bool:
        """Whether an element is a shift alone, so that the page can draw it from the component."""
        sliders = self.presentation.sliders
        return self.is_shift and len(sliders) == 1 and isinstance(sliders[0], ShiftSlider)

    @property
    def noun(self) -> str:
        """Noun for a data point: window or data point."""
        return self.presentation.noun

    @property
    def converged(self) -> bool | None:
        """Whether learning converged; None if unknown."""
        return getattr(self.model, "converged_", None)

    @property
    def overlap(self) -> bool:
        """Whether windows of a recording are known to overlap."""
        return self.labels.step is not None and self.labels.step < self.representation.shape[0]

    @cached_property
    def peaks(self) -> Floats:
        """Peak position of each component of a group of shifts, (q,)."""
        every = np.arange(len(self.components))
        unmoved = np.zeros((len(every), len(self.representation.parameters)))
        return self.representation.locate(unmoved, every, self.components)


def gather(
    model: OrbitDictionaryLearning,
    X: ArrayLike | None,
    labels: Labels,
    codes: Codes | None = None,
    scaling: Scaling | None = None,
) -> Facts:
    """Collect the content of a report; encode the data unless their codes are given."""
    if not isinstance(model, OrbitDictionaryLearning):
        raise ValueError(
            f"write_report is for models of data points, not {type(model).__name__}; use "
            "write_recording_report."
        )
    check_is_fitted(model)
    group = group_or_default(model.group)
    representation = group.on(model.components_.shape[1:])
    history = getattr(model, "history_", None) or History()
    facts = Facts(model, group, representation, labels, history, None)
    return facts if X is None else replace(facts, coded=_coded(facts, X, codes, scaling))


def _coded(
    facts: Facts, X: ArrayLike, codes: Codes | None, scaling: Scaling | None
) -> CodedWindows:
    if codes is None:
        codes = facts.model.codes_of(X)
    data = np.asarray(X, dtype=np.float64)
    if data.shape != (len(codes), *facts.components.shape[1:]):
        raise ValueError(
            f"codes of {len(codes)} windows do not belong to X of shape {data.shape}; leave codes "
            "out, or pass what model.encode(X) returned."
        )
    return CodedWindows(
        data,
        codes,
        facts.model.decode(codes),
        facts.components,
        scaling or Scaling.none(data),
        facts.labels.step,
        facts.labels.samples,
        in_time=facts.is_shift,
    )
