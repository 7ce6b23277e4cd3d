"""Plot of convergence: objective, duality gap and starts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from orbitdl.groups.base import Floats, Integers
from orbitdl.plot.canvas import PALETTE, QUIET, Axes, Display, panels, require_matplotlib, tidy
from orbitdl.plot.subject import require_model

COLUMNS = ("number", "objective", "gap")
"""Columns of the history that are plotted."""
LEAST = 1e-7
"""Values below this are rounding errors and not plotted."""


@dataclass(eq=False, repr=False)
class ConvergenceDisplay(Display):
    """Plot of the relative excess of the objective over its last value, duality gap and starts.

    Parameters
    ----------
    iteration : ndarray of shape (n,)
        Number of dictionary steps.
    objective : ndarray of shape (n,)
    gap : ndarray of shape (n,)
        The largest relative duality gap of a data point.
    starts : ndarray of shape (n_starts,)
        Objective of each start when the best was selected; empty for a single start.

    Attributes
    ----------
    axes_ : ndarray of Axes
        Axis of the iterations, and of the starts if there were several.
    figure_ : Figure

    Examples
    --------
    >>> from orbitdl import OrbitDictionaryLearning
    >>> from orbitdl.datasets import make_shift_data
    >>> from orbitdl.plot import ConvergenceDisplay
    >>> X = make_shift_data(n_samples=100, length=20, n_components=2, random_state=0).X
    >>> model = OrbitDictionaryLearning(2, alpha=0.1, random_state=0).fit(X)
    >>> display = ConvergenceDisplay.from_estimator(model)
    >>> len(display.axes_), len(display.starts)
    (2, 5)
    """

    iteration: Integers
    objective: Floats
    gap: Floats
    starts: Floats

    @classmethod
    def from_estimator(cls, model: Any, *, ax: Any = None) -> Self:
        """Plot the convergence of a fitted model.

        Parameters
        ----------
        model : OrbitDictionaryLearning or WaveformLearning
        ax : Axes or array of Axes, optional
            One axis, which is subdivided, or one per panel.
        """
        require_matplotlib()
        model = require_model(model)
        history = getattr(model, "history_", None)
        if not history:
            raise ValueError("this model has no history; pass a model that was fitted.")
        table = history.to_frame()
        starts = np.asarray(getattr(model, "starts_", ()), dtype=np.float64)
        number, objective, gap = (table[name].to_numpy() for name in COLUMNS)
        return cls(number, objective, gap, starts).plot(ax)

    @property
    def above_last(self) -> Floats:
        """``F_k / F_last - 1``: relative excess of the objective over its last value."""
        last = float(self.objective[-1])
        return self.objective / last - 1.0 if last else np.zeros(len(self.objective))

    @property
    def above_best(self) -> Floats:
        """The same for the starts, relative to the best of them."""
        best = float(self.starts.min(initial=np.inf))
        return self.starts / best - 1.0 if best else np.zeros(len(self.starts))

    def plot(self, ax: Any = None) -> Self:
        """Plot, in axes or in a new figure."""
        several = len(self.starts) > 1
        size = (9.0, 3.4) if several else (6.0, 3.4)
        self.axes_: Axes = panels(ax, 1, 1 + several, size=size)[0]
        self.figure_ = self.axes_[0].figure
        self._draw_course(self.axes_[0])
        if several:
            self._draw_starts(self.axes_[1])
        return self

    def _draw_course(self, ax: Any) -> None:
        for values, name, colour, mark in (
            (self.above_last, "objective above its last", PALETTE[0], "o"),
            (self.gap, "certified gap of its codes", PALETTE[1], "s"),
        ):
            shown = np.where(values > 0, values, np.nan)  # the scale is logarithmic
            ax.plot(self.iteration, shown, color=colour, marker=mark, ms=4, lw=1.4, label=name)
        ax.set_yscale("log")
        ax.set_ylim(bottom=max(ax.get_ylim()[0], LEAST))
        ax.set(xlabel="iteration", ylabel="relative to the objective")
        ax.xaxis.get_major_locator().set_params(integer=True)
        ax.grid(axis="y", color=QUIET, lw=0.5)
        ax.legend(frameon=False, fontsize=9)
        tidy(ax, left=True)

    def _draw_starts(self, ax: Any) -> None:
        chosen, above = int(np.argmin(self.starts)), 100 * self.above_best
        colours = [PALETTE[0] if k == chosen else QUIET for k in range(len(above))]
        ax.vlines(np.arange(len(above)), 0, above, color=QUIET, lw=1.4, zorder=1)
        ax.scatter(np.arange(len(above)), above, color=colours, edgecolor="0.3", s=45, zorder=2)
        ax.annotate("went on", (chosen, 0.0), (0, 8), textcoords="offset points", ha="center",
                    fontsize=9, color=PALETTE[0])  # fmt: skip
        ax.set(xlabel="start", ylabel="objective above the best (%)")
        ax.set_xticks(np.arange(len(above)))
        ax.margins(x=0.1, y=0.15)
        tidy(ax, left=True)
