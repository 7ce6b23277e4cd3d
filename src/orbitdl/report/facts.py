"""What a report is made from: the fitted model, and the data as it codes them."""

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
from orbitdl.groups.presentation import Presentation, ShiftSlider
from orbitdl.groups.views import View
from orbitdl.learning.history import History
from orbitdl.report.coded import Coded, Scaling


@dataclass(frozen=True)
class Labels:
    """What only the user knows: the words and units of the report.

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
        Length of the recording that windows were cut from; None: unknown.
    offset : int
        Samples before that in a longer recording, from whose start times count.
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
    """All a report knows; everything else is drawn from it.

    Attributes
    ----------
    model : OrbitDictionaryLearning
    group : Group
    representation : Action
    labels : Labels
    history : History
        Empty where the model does not carry one.
    coded : Coded or None
        None when the report is made from the model alone.
    """

    model: OrbitDictionaryLearning
    group: Group
    representation: Action
    labels: Labels
    history: History
    coded: Coded | None

    @property
    def components(self) -> Floats:
        """Components, shape (q, ...)."""
        return np.asarray(self.model.components_)

    @property
    def presentation(self) -> Presentation:
        """How the group says and draws its moves."""
        return self.representation.presentation

    @property
    def view(self) -> View:
        """How data points are drawn."""
        return self.presentation.view

    @property
    def is_shift(self) -> bool:
        """Whether the group shifts signals, so that an atom has a place in its window."""
        return self.presentation.in_time

    @property
    def only_shifts(self) -> bool:
        """Whether a shift says all of a move, so that the page can draw it from the component."""
        sliders = self.presentation.sliders
        return self.is_shift and len(sliders) == 1 and isinstance(sliders[0], ShiftSlider)

    @property
    def noun(self) -> str:
        """What a data point is called: a window of a signal, or just that."""
        return self.presentation.noun

    @property
    def converged(self) -> bool | None:
        """Whether learning stood still at its end; None where that is not known."""
        return getattr(self.model, "converged_", None)

    @property
    def overlap(self) -> bool:
        """Whether windows of a recording are known to overlap."""
        return self.labels.step is not None and self.labels.step < self.representation.shape[0]

    @cached_property
    def peaks(self) -> Floats:
        """Where each component of a group of shifts lies before it is moved, (q,)."""
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
    """Code the data, unless their codes are given, and put together what the report needs."""
    check_is_fitted(model)
    group = group_or_default(model.group)
    representation = group.on(model.components_.shape[1:])
    history = getattr(model, "history_", None) or History()
    facts = Facts(model, group, representation, labels, history, None)
    return facts if X is None else replace(facts, coded=_coded(facts, X, codes, scaling))


def _coded(facts: Facts, X: ArrayLike, codes: Codes | None, scaling: Scaling | None) -> Coded:
    if codes is None:
        codes = facts.model.codes_of(X)
    data = np.asarray(X, dtype=np.float64)
    if data.shape != (len(codes), *facts.components.shape[1:]):
        raise ValueError(
            f"codes of {len(codes)} windows do not belong to X of shape {data.shape}; leave codes "
            "out, or pass what model.encode(X) returned."
        )
    return Coded(
        data,
        codes,
        facts.model.decode(codes),
        facts.components,
        scaling or Scaling.none(data),
        facts.labels.step,
        facts.labels.samples,
        in_time=facts.is_shift,
    )
