"""How a data point is drawn: its lines below each other, points of a plane, or an image."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from orbitdl.arrays.validation import require_positive
from orbitdl.groups.base import Action, Floats
from orbitdl.groups.views import View, view_of_signals
from orbitdl.plot.canvas import QUIET, SMALL, require_matplotlib, tidy

FEW = 30
"""Values of a line up to which each has a mark, unless they are samples."""
SHORT = 0.1
"""Seconds of a line below which time is in milliseconds."""
TICKS = 6
"""Numbers on a horizontal axis at most."""
NOTHING = 0.01
"""Parts of the largest value below which there is nothing to see."""
ROOM = 1.15
"""Room of a line, where 1 is what its values take."""


@dataclass(frozen=True)
class Sketch:
    """Data points of one shape, as a representation says that they are seen.

    Attributes
    ----------
    view : View
    shape : tuple of int
    sfreq : float or None
        Samples per second, where lines run along time.
    origin : float
        The sample that is called 0: a peak where it is positive; where it is not, samples before.
    """

    view: View
    shape: tuple[int, ...]
    sfreq: float | None = None
    origin: float = 0.0

    @classmethod
    def of(cls, representation: Action, sfreq: float | None = None) -> Sketch:
        """Return how the data points of a representation are drawn."""
        return cls(representation.presentation.view, representation.shape, checked(sfreq))

    @classmethod
    def of_waveforms(cls, shape: tuple[int, ...], sfreq: float | None = None) -> Sketch:
        """Return how stretches (length,) or (length, channels) of a recording are drawn."""
        return cls(view_of_signals(shape), shape, checked(sfreq))

    @property
    def in_rows(self) -> bool:
        """Whether these are lines, so that several data points can share an axis."""
        return self.view.kind == "lines"

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the panel of one data point, in inches."""
        if self.view.kind == "plane":
            return 2.4, 2.5
        if self.is_picture:
            return 1.7 * self.view.side_by_side, 1.95
        if self.view.kind == "image":
            return 3.4, 3.0
        return 3.4, 1.7 + 0.45 * (self.view.n_lines - 1)

    @property
    def is_picture(self) -> bool:
        """Whether these are images, and not so many lines that they are drawn as one."""
        return self.view.kind == "image" and self.view.along == "column"

    @property
    def along(self) -> Floats:
        """Where the values of a line lie on the horizontal axis, (N,)."""
        factor = 1.0 if self.sfreq is None else self._unit[0] / self.sfreq
        return np.asarray((np.arange(self.view.length) - self.origin) * factor)

    @property
    def _unit(self) -> tuple[float, str]:
        """How many of the unit of time a second has, and its name: of short lines milliseconds."""
        short = self.sfreq is not None and self.view.length < SHORT * self.sfreq
        return (1e3, "ms") if short else (1.0, "s")

    @property
    def label(self) -> str:
        """What the horizontal axis says."""
        if self.view.along != "sample":
            return self.view.along
        unit = self._unit[1]
        if self.origin > 0:
            return f"time from the peak ({unit})" if self.sfreq else "samples from the peak"
        return f"time ({unit})" if self.sfreq else "sample"

    @property
    def names(self) -> list[str]:
        """What the lines are called."""
        return [f"{self.view.across} {k}" for k in range(self.view.n_lines)]

    def lines(self, x: Floats) -> Floats:
        """Return a data point as lines (L, N)."""
        return self.view.lines(x, self.shape)

    def apart(self, several: Floats) -> float:
        """Return how far below each other lines are drawn, such that none of (n, ...) meet."""
        lines = self.view.lines(several, self.shape)
        span = np.nanmax(lines, axis=-1, initial=0.0) - np.nanmin(lines, axis=-1, initial=0.0)
        return ROOM * float(np.max(span, initial=0.0)) or 1.0

    def limits(self, several: Floats) -> tuple[float, float]:
        """Return from where to where on the horizontal axis lines of (n, ...) differ from zero."""
        size = np.abs(self.view.lines(several, self.shape)).max(axis=(0, 1))
        there = self.along[size >= NOTHING * reach_of(several)]
        return float(there.min()), float(there.max())

    def draw(
        self, ax: Any, x: Floats, colour: str, *, reach: float, apart: float, width: float = 1.6
    ) -> None:
        """Draw a data point.

        Parameters
        ----------
        ax : Axes
        x : ndarray of shape (...)
        colour : str
            Of lines and points; images have a scale of their own, from blue to red.
        reach : float
            The largest size that a value has in any of the panels.
        apart : float
            From one line to the next.
        width : float
            Of lines, in points.
        """
        lines = self.lines(x)
        if self.view.kind == "image":
            self._draw_image(ax, lines, reach)
        elif self.view.kind == "plane":
            self._draw_points(ax, lines, colour, reach, width)
        else:
            self._draw_lines(ax, lines, colour, apart, width)

    def draw_bands(self, ax: Any, x: Floats, sd: Floats, colour: str, *, apart: float) -> None:
        """Draw twice the standard errors of a signal as bands around its lines."""
        if self.view.kind in ("image", "plane"):
            return
        both = zip(self.lines(x), 2.0 * self.lines(sd), strict=True)
        for level, (line, half) in enumerate(both):
            ends = (line - apart * level + sign * half for sign in (-1.0, 1.0))
            ax.fill_between(self.along, *ends, color=colour, alpha=0.25, lw=0)

    def _draw_lines(self, ax: Any, lines: Floats, colour: str, apart: float, width: float) -> None:
        levels = -apart * np.arange(len(lines))
        few = self.view.along != "sample" and self.view.length <= FEW
        for line, level in zip(lines, levels, strict=True):
            ax.axhline(level, color=QUIET, lw=0.7, zorder=0)
            ax.plot(self.along, line + level, color=colour, lw=width, marker="o" if few else "",
                    ms=2.5 * width)  # fmt: skip
        names = self.names if len(lines) > 1 else []
        ax.set_yticks(levels if names else [], names, fontsize=SMALL)
        self.label_time(ax)
        tidy(ax)

    def label_time(self, ax: Any) -> None:
        """Say what runs along the horizontal axis, with few numbers."""
        numbers = require_matplotlib().ticker.MaxNLocator(
            TICKS, steps=[1, 2, 5, 10], integer=self.sfreq is None
        )
        ax.xaxis.set_major_locator(numbers)
        ax.set_xlabel(self.label)

    def _draw_points(self, ax: Any, lines: Floats, colour: str, reach: float, width: float) -> None:
        alone = lines.shape[1] == 1
        for part in (ax.axhline, ax.axvline):
            part(0, color=QUIET, lw=0.7, zorder=0)
        if alone:
            ax.plot([0, lines[0, 0]], [0, lines[1, 0]], color=colour, lw=width)
        ax.plot(*lines, color=colour, ls="", marker="o", ms=3.2 * width)
        ax.set_xlim(-1.08 * reach, 1.08 * reach)
        ax.set_ylim(-1.08 * reach, 1.08 * reach)
        ax.set_aspect("equal")
        ax.set_xticks([])
        ax.set_yticks([])
        ax.set_xlabel(self.names[0], fontsize=SMALL)
        ax.set_ylabel(self.names[1], fontsize=SMALL)

    def _draw_image(self, ax: Any, lines: Floats, reach: float) -> None:
        shape = "equal" if self.is_picture else "auto"
        ax.imshow(lines, cmap="RdBu_r", vmin=-reach, vmax=reach, aspect=shape,
                  interpolation="nearest")  # fmt: skip
        if self.is_picture:
            ax.set_xticks([])
            ax.set_yticks([])
            width = self.view.length // self.view.side_by_side
            for k in range(1, self.view.side_by_side):
                ax.axvline(k * width - 0.5, color="white", lw=2)
        else:
            ax.set(xlabel=self.view.along, ylabel=self.view.across)


def checked(sfreq: float | None) -> float | None:
    """Return a number of samples per second."""
    return None if sfreq is None else require_positive(sfreq, "sfreq")


def reach_of(*several: Floats) -> float:
    """Return the largest size of a value, or 1 where all are zero or missing."""
    return max(float(np.nanmax(np.abs(x), initial=0.0)) for x in several) or 1.0
