"""Plot of events over time: components, amplitudes and intervals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pandas as pd

from orbitdl.events.intervals import intervals_of
from orbitdl.groups.base import Floats, Integers
from orbitdl.plot.canvas import (
    QUIET,
    SMALL,
    Axes,
    Display,
    colour_of,
    panels,
    require_matplotlib,
    tidy,
)
from orbitdl.plot.sketch import checked
from orbitdl.plot.subject import require_model

MANY = 400
"""Number of events of a row above which stems are omitted."""
UNITS = ((3 * 3600.0, 3600.0, "h"), (600.0, 60.0, "min"))
"""Units of time: minimum duration in seconds, unit in seconds, name."""


@dataclass(eq=False, repr=False)
class EventsDisplay(Display):
    """Plot of events over time, one row per component, and of the intervals between events.

    Parameters
    ----------
    time : ndarray of shape (K,)
        In seconds, or in samples.
    component : ndarray of shape (K,)
    amplitude : ndarray of shape (K,)
    interval : ndarray of shape (K,)
        Time since the previous event of any component; NaN if unknown.
    n_components : int
        Number of rows, some of which may be empty.
    in_seconds : bool
        Whether time is in seconds.
    unit : str or None
        Unit of amplitudes.

    Attributes
    ----------
    axes_ : ndarray of Axes
        One per component, and last that of the intervals between successive events.
    figure_ : Figure

    Examples
    --------
    >>> import pandas as pd
    >>> from orbitdl.plot import EventsDisplay
    >>> events = pd.DataFrame(
    ...     {"onset": [0.5, 1.4, 1.9], "component": [0, 0, 1], "amplitude": [2.0, 2.1, -1.0]}
    ... )
    >>> display = EventsDisplay.from_events(events, unit="mV")
    >>> [ax.get_ylabel() for ax in display.axes_]
    ['component 0\\n(mV)', 'component 1\\n(mV)', 'interval (s)']
    """

    time: Floats
    component: Integers
    amplitude: Floats
    interval: Floats
    n_components: int
    in_seconds: bool
    unit: str | None = None

    @classmethod
    def from_estimator(
        cls,
        model: Any,
        recording: Any,
        *,
        sfreq: float | None = None,
        codes: Any = None,
        unit: str | None = None,
        ax: Any = None,
    ) -> Self:
        """Plot the events of a recording, as returned by ``model.events(recording)``.

        Parameters
        ----------
        model : WaveformLearning, or OrbitDictionaryLearning whose preprocessing makes windows
        recording : array-like of shape (T,) or (T, channels), or Recording
        sfreq : float, optional
            Sampling rate in Hz; then time is in seconds, minutes or hours. By default that of the
            recording.
        codes : Codes, optional
            ``model.encode(recording)``, if available.
        unit : str, optional
            Unit of the recording; by default that of the model.
        ax : Axes or array of Axes, optional
            One axis, which is subdivided, or one per component and one more.
        """
        require_matplotlib()
        model = require_model(model)
        sfreq = checked(sfreq or getattr(recording, "sfreq", None))
        table = model.events(recording, sfreq, codes=codes)
        if isinstance(table, list):
            raise ValueError("these are several recordings; draw one at a time.")
        q, unit = len(model.components_), unit or model.unit_
        return cls.from_events(table, n_components=q, unit=unit, ax=ax)

    @classmethod
    def from_events(
        cls,
        events: pd.DataFrame,
        *,
        n_components: int | None = None,
        unit: str | None = None,
        ax: Any = None,
    ) -> Self:
        """Plot a table of events.

        Parameters
        ----------
        events : DataFrame
            As returned by ``model.events`` or `orbitdl.windows.event_table`: a row per event
            with `component`, `amplitude` or `coefficient`, and `onset` or `sample`.
        n_components, unit, ax
            As above; by default the components that occur.
        """
        require_matplotlib()
        time, in_seconds = _times(events)
        sizes = "amplitude" if "amplitude" in events else "coefficient"
        component = _column(events, "component").astype(np.intp)
        order = np.argsort(time, kind="stable")
        n = int(component.max(initial=0)) + 1 if n_components is None else n_components
        amplitude = _column(events, sizes).astype(np.float64)
        interval = _intervals(events, time, order, in_seconds)
        columns = time[order], component[order], amplitude[order], interval
        return cls(*columns, n, in_seconds, unit).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Plot, in axes or in a new figure."""
        n = self.n_components
        size = 8.0, 1.0 * n + 2.0
        heights = (*[1.0] * n, 1.5)
        self.axes_: Axes = panels(ax, n + 1, 1, size=size, sharex=True, heights=heights)[:, 0]
        self.figure_ = self.axes_[0].figure
        factor, word = self._clock()
        for j, panel in enumerate(self.axes_[:-1]):
            self._draw_row(panel, j, factor)
        self._draw_intervals(self.axes_[-1], factor)
        for panel in self.axes_[:-1]:
            panel.tick_params(labelbottom=False)
        self.axes_[-1].set_xlabel(f"time ({word})" if self.in_seconds else "time (samples)")
        return self

    def _clock(self) -> tuple[float, str]:
        """Return the unit of the horizontal axis in seconds, and its name."""
        longest = float(self.time.max(initial=0.0)) if self.in_seconds else 0.0
        return next(((f, word) for least, f, word in UNITS if longest >= least), (1.0, "s"))

    def _draw_row(self, ax: Any, j: int, factor: float) -> None:
        """Draw the events of a component at their amplitudes, with stems if they are few."""
        own = self.component == j
        time, amplitude = self.time[own] / factor, self.amplitude[own]
        few = len(time) <= MANY
        ax.axhline(0, color=QUIET, lw=0.7, zorder=0)
        if few:
            ax.vlines(time, 0, amplitude, color=colour_of(j), lw=1.0)
        ax.plot(time, amplitude, ls="", marker="o", ms=3 if few else 1.6, color=colour_of(j),
                alpha=1.0 if few else 0.5, mew=0, rasterized=not few)  # fmt: skip
        low, high = float(self.amplitude.min(initial=0.0)), float(self.amplitude.max(initial=0.0))
        pad = 0.08 * (high - low or 1.0)
        ax.set_ylim(low - (pad if low < 0 else 0.0), high + pad)
        name = f"component {j}" + (f"\n({self.unit})" if self.unit else "")
        ax.set_ylabel(name, color=colour_of(j), fontsize=SMALL)
        tidy(ax, left=True)

    def _draw_intervals(self, ax: Any, factor: float) -> None:
        """Draw the interval before every event, in the colour of its component."""
        few = len(self.time) <= MANY * self.n_components
        for j in np.unique(self.component):
            own = self.component == j
            ax.plot(self.time[own] / factor, self.interval[own], ls="", marker="o",
                    ms=3 if few else 1.6, color=colour_of(j), alpha=1.0 if few else 0.5, mew=0,
                    rasterized=not few)  # fmt: skip
        ax.set_ylim(bottom=0)
        ax.set_ylabel("interval (s)" if self.in_seconds else "interval\n(samples)", fontsize=SMALL)
        tidy(ax, left=True)


def _column(events: pd.DataFrame, name: str) -> Any:
    if name not in events:
        raise ValueError(
            f"events must have a column {name!r}, as model.events() returns them; these have "
            f"{', '.join(map(str, events.columns))}."
        )
    return events[name].to_numpy()


def _intervals(events: pd.DataFrame, time: Floats, order: Integers, in_seconds: bool) -> Floats:
    """Return the intervals of a table in order; computed for tables without a column of them."""
    name = "interval_s" if in_seconds else "interval"
    if name in events:
        return np.asarray(_column(events, name)[order], dtype=np.float64)
    return intervals_of(time[order], np.zeros(0))


def _times(events: pd.DataFrame) -> tuple[Floats, bool]:
    """Return the times of events, and whether they are in seconds."""
    if "onset" in events:
        return _column(events, "onset").astype(np.float64), True
    return _column(events, "sample").astype(np.float64), False
