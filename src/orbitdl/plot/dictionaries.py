"""Comparison of two dictionaries, aligned by a group."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from orbitdl.arrays.validation import as_components
from orbitdl.encoding.metrics import align, dictionary_distance
from orbitdl.estimators.comparison import comparable
from orbitdl.groups.base import Floats, Group, require_group
from orbitdl.plot.canvas import QUIET, Axes, Display, colour_of, panels, require_matplotlib
from orbitdl.plot.sketch import Sketch, largest_value
from orbitdl.plot.subject import centred, require_model


@dataclass(eq=False, repr=False)
class DictionariesDisplay(Display):
    """Plot of the components of one dictionary, and below them the matching ones of another.

    Parameters
    ----------
    first, second : ndarray of shape (q, ...)
        The second aligned to the first, row by row.
    distances : ndarray of shape (q,)
        ``||a_j - b_j||^2`` of every pair: 0 if equal, 2 if orthogonal.
    distance : float
        `orbitdl.dictionary_distance` of both.
    sketch : Sketch
        Style of a component.
    names : pair of str
        Names of the dictionaries.

    Attributes
    ----------
    axes_ : ndarray of Axes of shape (2, q)
    figure_ : Figure

    Examples
    --------
    >>> import numpy as np
    >>> from orbitdl.groups import IntegerShift
    >>> from orbitdl.plot import DictionariesDisplay
    >>> wave = np.sin(np.arange(12))[None] / np.linalg.norm(np.sin(np.arange(12)))
    >>> shifted = -np.roll(wave, 5, axis=1)
    >>> display = DictionariesDisplay.from_components(wave, shifted, group=IntegerShift())
    >>> display.axes_[1, 0].get_title(loc="left")
    'distance 0.0000'
    """

    first: Floats
    second: Floats
    distances: Floats
    distance: float
    sketch: Sketch
    names: tuple[str, str] = ("first", "second")

    @classmethod
    def from_components(
        cls,
        first: ArrayLike,
        second: ArrayLike,
        *,
        group: Group,
        names: tuple[str, str] = ("first", "second"),
        sfreq: float | None = None,
        ax: Any = None,
    ) -> Self:
        """Align one dictionary to another, and plot both.

        Parameters
        ----------
        first, second : array-like of shape (q, ...)
            Equally many components of one shape.
        group : Group
            Group of the alignment. For shifts the first is centred at its peaks.
        names : pair of str
        sfreq : float, optional
            Sampling rate in Hz; then time is in seconds.
        ax : Axes or array of Axes, optional
            One axis, which is subdivided, or 2 q of them.
        """
        require_matplotlib()
        a = as_components(first, "first")
        space = require_group(group).on(a.shape[1:])
        sketch = Sketch.of(space, sfreq)
        if space.presentation.in_time:
            a, sketch = centred(a), replace(sketch, origin=a.shape[1] // 2)
        b = align(a, second, group)
        distances = np.sum((a - b).reshape(len(a), -1) ** 2, axis=1)
        total = dictionary_distance(a, b, group)
        return cls(a, b, distances, total, sketch, names).plot(ax)

    @classmethod
    def from_estimators(
        cls,
        model: Any,
        other: Any,
        *,
        names: tuple[str, str] = ("first", "second"),
        sfreq: float | None = None,
        ax: Any = None,
    ) -> Self:
        """Plot the components of two fitted models, aligned by the group of the first.

        Waveforms of recordings are shifted in time, and may differ in length.
        """
        require_matplotlib()
        a, b, group = comparable(require_model(model), require_model(other))
        return cls.from_components(a, b, group=group, names=names, sfreq=sfreq, ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """Plot, in axes or in a new figure."""
        q, (width, height) = len(self.first), self.sketch.size
        size = max(5.0, min(14.0, q * width + 0.8)), 2 * height + 0.7
        self.axes_: Axes = panels(ax, 2, q, size=size, sharex=True, sharey=True)
        self.figure_ = self.axes_[0, 0].figure
        both = np.concatenate([self.first, self.second])
        scale = {"limit": largest_value(both), "spacing": self.sketch.spacing(both)}
        for j, (upper, lower) in enumerate(self.axes_.T):
            self.sketch.draw(upper, self.first[j], colour_of(j), **scale)
            if self.sketch.view.kind != "image":  # behind the second, to see where they differ
                self.sketch.draw(lower, self.first[j], QUIET, width=4.0, **scale)
            self.sketch.draw(lower, self.second[j], colour_of(j), **scale)
            upper.set_title(f"component {j}", loc="left", fontsize=10, color=colour_of(j))
            lower.set_title(f"distance {self.distances[j]:.4f}", loc="left", fontsize=9)
            upper.set_xlabel("")
            if j > 0:
                upper.set_ylabel("")
                lower.set_ylabel("")
        if self.sketch.in_rows:
            self.axes_[0, 0].set_xlim(*self.sketch.limits(both))
        self.axes_[0, 0].set_ylabel(self.names[0])
        self.axes_[1, 0].set_ylabel(f"{self.names[1]}\nmean distance {self.distance:.4f}")
        return self
