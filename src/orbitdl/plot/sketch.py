"""Drawing of a data point: stacked lines, points of a plane, or an image."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from orbitdl.arrays.validation import require_positive
from orbitdl.groups.base import Action, Floats
from orbitdl.groups.presentation import View, view_of_signals
from orbitdl.plot.canvas import QUIET, SMALL, require_matplotlib, tidy

FEW = 30
"""Maximum length of lines with markers, unless they are signals."""
SHORT = 0.1
"""Duration in seconds below which time is in milliseconds."""
TICKS = 6
"""Maximum number of ticks of a horizontal axis."""
NOTHING = 0.01
"""Fraction of the largest value below which a line counts as zero."""
SPACING = 1.15
"""Distance of stacked lines, relative to their range."""


@dataclass(frozen=True)
class Sketch:
    """Style of data points of one shape, from the view of a representation.

    Attributes
    ----------
    view : View
    shape : tuple of int
    sfreq : float or None
        Sampling rate in Hz, for lines along time.
    origin : float
        Sample at time 0: a peak if positive.
    """

    view: View
    shape: tuple[int, ...]
    sfreq: float | None = None
    origin: float = 0.0

    @classmethod
    def of(cls, representation: Action, sfreq: float | None = None) -> Sketch:
        """Return the style of the data points of a representation."""
        return cls(representation.presentation.view, representation.shape, checked(sfreq))

    @classmethod
    def of_waveforms(cls, shape: tuple[int, ...], sfreq: float | None = None) -> Sketch:
        """Return the style of segments (length,) or (length, channels) of a recording."""
        return cls(view_of_signals(shape), shape, checked(sfreq))

    @property
    def in_rows(self) -> bool:
        """Whether data points are lines, so that several can share an axis."""
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
        """Whether data points are images, not many lines drawn as an image."""
        return self.view.kind == "image" and self.view.along == "column"

    @property
    def along(self) -> Floats:
        """Horizontal coordinates of the values of a line, (N,)."""
        factor = 1.0 if self.sfreq is None else self._unit[0] / self.sfreq
        return np.asarray((np.arange(self.view.length) - self.origin) * factor)

    @property
    def _unit(self) -> tuple[float, str]:
        """Units of time per second, and name of the unit."""
        short = self.sfreq is not None and self.view.length < SHORT * self.sfreq
        return (1e3, "ms") if short else (1.0, "s")

    @property
    def label(self) -> str:
        """Label of the horizontal axis."""
        if self.view.along != "sample":
            return self.view.along
        unit = self._unit[1]
        if self.origin > 0:
            return f"time from the peak ({unit})" if self.sfreq else "samples from the peak"
        return f"time ({unit})" if self.sfreq else "sample"

    @property
    def names(self) -> list[str]:
        """Labels of the lines."""
        return [f"{self.view.across} {k}" for k in range(self.view.n_lines)]

    def lines(self, x: Floats) -> Floats:
        """Return a data point as lines (L, N)."""
        return self.view.lines(x, self.shape)

    def spacing(self, several: Floats) -> float:
        """Return the distance of stacked lines of data points (n, ...) without overlap."""
        lines = self.view.lines(several, self.shape)
        extent = np.nanmax(lines, axis=-1, initial=0.0) - np.nanmin(lines, axis=-1, initial=0.0)
        return SPACING * float(np.max(extent, initial=0.0)) or 1.0

    def limits(self, several: Floats) -> tuple[float, float]:
        """Return the horizontal range in which lines of (n, ...) differ from zero."""
        size = np.abs(self.view.lines(several, self.shape)).max(axis=(0, 1))
        there = self.along[size >= NOTHING * largest_value(several)]
        return float(there.min()), float(there.max())

    def draw(
        self, ax: Any, x: Floats, colour: str, *, limit: float, spacing: float, width: float = 1.6
    ) -> None:
        """Draw a data point.

        Parameters
        ----------
        ax : Axes
        x : ndarray of shape (...)
        colour : str
            Colour of lines and points; images use a map from blue to red.
        limit : float
            Largest absolute value in all panels.
        spacing : float
            Distance of stacked lines.
        width : float
            Line width in points.
        """
        lines = self.lines(x)
        if self.view.kind == "image":
            self._draw_image(ax, lines, limit)
        elif self.view.kind == "plane":
            self._draw_points(ax, lines, colour, limit, width)
        else:
            self._draw_lines(ax, lines, colour, spacing, width)

    def draw_bands(self, ax: Any, x: Floats, sd: Floats, colour: str, *, spacing: float) -> None:
        """Draw bands of two standard errors around the lines of a signal."""
        if self.view.kind in ("image", "plane"):
            return
        both = zip(self.lines(x), 2.0 * self.lines(sd), strict=True)
        for level, (line, half) in enumerate(both):
            ends = (line - spacing * level + sign * half for sign in (-1.0, 1.0))
            ax.fill_between(self.along, *ends, color=colour, alpha=0.25, lw=0)

    def _draw_lines(
        self, ax: Any, lines: Floats, colour: str, spacing: float, width: float
    ) -> None:
        levels = -spacing * np.arange(len(lines))
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
        """Label the horizontal axis, with few ticks."""
        numbers = require_matplotlib().ticker.MaxNLocator(
            TICKS, steps=[1, 2, 5, 10], integer=self.sfreq is None
        )
        ax.xaxis.set_major_locator(numbers)
        ax.set_xlabel(self.label)

    def _draw_points(self, ax: Any, lines: Floats, colour: str, limit: float, width: float) -> None:
        alone = lines.shape[1] == 1
        for line in (ax.axhline, ax.axvline):
            line(0, color=QUIET, lw=0.7, zorder=0)
        if alone:
            ax.plot([0, lines[0, 0]], [0, lines[1, 0]], color=colour, lw=width)
        ax.plot(*lines, color=colour, ls="", marker="o", ms=3.2 * width)
        ax.set_xlim(-1.08 * limit, 1.08 * limit)
        ax.set_ylim(-1.08 * limit, 1.08 * limit)
        ax.set_aspect("equal")
        ax.set_xticks([])
        ax.set_yticks([])
        ax.set_xlabel(self.names[0], fontsize=SMALL)
        ax.set_ylabel(self.names[1], fontsize=SMALL)

    def _draw_image(self, ax: Any, lines: Floats, limit: float) -> None:
        shape = "equal" if self.is_picture else "auto"
        ax.imshow(lines, cmap="RdBu_r", vmin=-limit, vmax=limit, aspect=shape,
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
    """Return a validated sampling rate, or None."""
    return None if sfreq is None else require_positive(sfreq, "sfreq")


def largest_value(*several: Floats) -> float:
    """Return the largest absolute value, or 1 if all are zero or missing."""
    return max(float(np.nanmax(np.abs(x), initial=0.0)) for x in several) or 1.0
