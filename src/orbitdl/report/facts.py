"""What a report is made from: the fitted model, and the data as it codes them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from orbitdl.codes import Codes
from orbitdl.estimator import OrbitDictionaryLearning
from orbitdl.groups import Group, IntegerShift, Representation
from orbitdl.groups.base import Floats
from orbitdl.groups.fourier import FourierBlocks
from orbitdl.history import History
from orbitdl.report.views import View, view_of


@dataclass(frozen=True)
class Labels:
    """What only the user knows: the words and units of the report.

    Attributes
    ----------
    title : str
    rate : float or None
        Samples a second.
    step : int or None
        Samples from the start of one window to the start of the next; None: unknown.
    unit : str or None
        Unit of the data.
    channels : tuple of str
        Names of the channels; empty: numbered.
    """

    title: str
    rate: float | None = None
    step: int | None = None
    unit: str | None = None
    channels: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Coded:
    """Data and what the model makes of them.

    Attributes
    ----------
    X : ndarray of shape (n, ...)
        NaN where missing.
    codes : Codes
    approximation : ndarray of shape (n, ...)
    energy, left : ndarray of shape (n,)
        Sums of squares of the observed values, and of what the codes leave of them.
    """

    X: Floats
    codes: Codes
    approximation: Floats
    energy: Floats
    left: Floats

    @classmethod
    def of(cls, X: Floats, codes: Codes, approximation: Floats) -> Coded:
        """Compare data with their approximation where they are observed."""
        rows = tuple(range(1, X.ndim))
        energy, left = np.nansum(X**2, axis=rows), np.nansum((X - approximation) ** 2, axis=rows)
        return cls(X, codes, approximation, energy, left)

    @property
    def explained(self) -> Floats:
        """Share of each window's energy that its code explains, (n,); NaN where there is none."""
        share = np.full(len(self.energy), np.nan)
        np.divide(self.left, self.energy, out=share, where=self.energy > 0)
        return 1.0 - share

    @property
    def explained_in_all(self) -> float:
        """Share of all energy that the codes explain."""
        total = float(self.energy.sum())
        return 1.0 - float(self.left.sum()) / total if total > 0 else 0.0

    @property
    def missing(self) -> float:
        """Share of values that are missing."""
        return float(np.isnan(self.X).mean())

    @cached_property
    def atoms_a_window(self) -> NDArray[np.intp]:
        """Number of atoms of each window, (n,)."""
        return np.diff(self.codes.atoms.offsets)


@dataclass(frozen=True, eq=False)
class Facts:
    """All a report knows; everything else is drawn from it.

    Attributes
    ----------
    model : OrbitDictionaryLearning
    group : Group
    representation : Representation
    view : View
    labels : Labels
    history : History
        Empty where the model does not carry one.
    coded : Coded or None
        None when the report is made from the model alone.
    """

    model: OrbitDictionaryLearning
    group: Group
    representation: Representation
    view: View
    labels: Labels
    history: History
    coded: Coded | None

    @property
    def components(self) -> Floats:
        """Components, shape (q, ...)."""
        return np.asarray(self.model.components_)

    @property
    def is_shift(self) -> bool:
        """Whether the group shifts signals, so that an atom has a place in its window."""
        return isinstance(self.representation, FourierBlocks)

    @property
    def noun(self) -> str:
        """What a data point is called: a window of a signal, or just that."""
        return "window" if self.is_shift else "data point"

    @property
    def converged(self) -> bool | None:
        """Whether learning stood still at its end; None where that is not known."""
        return getattr(self.model, "converged_", None)

    @cached_property
    def peaks(self) -> NDArray[np.intp]:
        """Sample at which each component is largest, all channels together, (q,)."""
        lines = self.view.lines(self.components, self.representation.shape)
        return np.asarray(np.argmax(np.sum(lines**2, axis=1), axis=1))

    def places(self, component: NDArray[np.intp], element: Floats) -> Floats:
        """Return where in the window the highest points of shifted components lie, in samples."""
        return np.mod(element[:, 0] + self.peaks[component], self.representation.shape[0])


def gather(
    model: OrbitDictionaryLearning, X: ArrayLike | None, labels: Labels, codes: Codes | None = None
) -> Facts:
    """Code the data, unless their codes are given, and put together what the report needs."""
    check_is_fitted(model)
    group = IntegerShift() if model.group is None else model.group
    representation = group.on(model.components_.shape[1:])
    view, history = view_of(representation), getattr(model, "history_", None) or History()
    facts = Facts(model, group, representation, view, labels, history, None)
    return facts if X is None else replace(facts, coded=_coded(model, X, codes))


def _coded(model: OrbitDictionaryLearning, X: ArrayLike, codes: Codes | None) -> Coded:
    if codes is None:
        codes = model.encode(X)
    data = np.asarray(X, dtype=np.float64)
    if data.shape != (len(codes), *model.components_.shape[1:]):
        raise ValueError(
            f"codes of {len(codes)} windows do not belong to X of shape {data.shape}; leave codes "
            "out, or pass what model.encode(X) returned."
        )
    return Coded.of(data, codes, model.decode(codes))
