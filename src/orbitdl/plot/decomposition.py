"""One data point, or a stretch of a recording, taken apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from orbitdl.arrays.validation import require_count
from orbitdl.estimators.waveform import WaveformLearning
from orbitdl.groups.base import Floats
from orbitdl.plot.canvas import (
    DATA,
    FIT,
    WIDEST,
    Axes,
    Display,
    colour_of,
    panels,
    require_matplotlib,
    switch_off,
)
from orbitdl.plot.parts import Part, atoms_of, one_of, parts_of
from orbitdl.plot.rows import Curve, Row, draw_rows, height_of
from orbitdl.plot.sketch import Sketch, reach_of
from orbitdl.plot.stretch import stretch_of
from orbitdl.plot.subject import require_model, sketch_of

MOST_TILES = 6
"""Images beside each other."""
MOST_NOTES = 40
"""Atoms of a stretch beside which their coefficients are written."""


@dataclass(eq=False, repr=False)
class DecompositionDisplay(Display):
    """Draw data, their approximation, every atom of it, and what is left.

    Parameters
    ----------
    data, fit : ndarray of shape (...)
        NaN where data are missing.
    parts : list of Part
        What the fit is the sum of. A part has a row of its own, or shares that of its component.
    sketch : Sketch
        How a data point is drawn.

    Attributes
    ----------
    axes_ : ndarray of Axes
        One per channel of a signal; one per image.
    figure_ : Figure

    Examples
    --------
    >>> from orbitdl import OrbitDictionaryLearning
    >>> from orbitdl.datasets import make_ecg_like
    >>> from orbitdl.groups import ContinuousShift
    >>> from orbitdl.plot import DecompositionDisplay
    >>> X = make_ecg_like(n_windows=100, random_state=0).X
    >>> model = OrbitDictionaryLearning(2, ContinuousShift(), random_state=0).fit(X)
    >>> display = DecompositionDisplay.from_estimator(model, X, sample=3)
    >>> [part.component for part in display.parts]
    [1, 1, 1]
    >>> print(display.parts[0].row)
    component 1 × 0.2...
    at ...
    """

    data: Floats
    fit: Floats
    parts: list[Part]
    sketch: Sketch

    @classmethod
    def from_estimator(
        cls,
        model: Any,
        X: Any,
        *,
        sample: int = 0,
        start: float | None = None,
        stop: float | None = None,
        sfreq: float | None = None,
        codes: Any = None,
        ax: Any = None,
    ) -> Self:
        """Take apart one data point, or for `WaveformLearning` a stretch of a recording.

        Parameters
        ----------
        model : OrbitDictionaryLearning or WaveformLearning
        X : array-like of shape (n, ...), or a recording
        sample : int
            The row of X, from 0.
        start, stop : float, optional
            Of a recording: from where to where, in seconds if `sfreq` is given, else in samples.
            The first ten lengths of a waveform if left out.
        sfreq : float, optional
            Samples per second; then time is in seconds. A recording that has one brings it.
        codes : Codes or RecordingCodes, optional
            ``model.encode(X)``, if it is at hand.
        ax : Axes or array of Axes, optional
            Where to draw: one, which is divided if need be, or as many as there are panels.

        Returns
        -------
        DecompositionDisplay
        """
        require_matplotlib()
        model = require_model(model)
        if isinstance(model, WaveformLearning):
            cut = stretch_of(model, X, start, stop, sfreq, codes)
            return cls(cut.data, cut.fit, cut.parts, cut.sketch).plot(ax)
        if start is not None or stop is not None:
            raise ValueError("start and stop are for recordings; a data point is drawn as a whole.")
        number, sketch = require_count(sample, "sample", least=0), sketch_of(model, sfreq)
        data = np.asarray(one_of(X, number), dtype=np.float64)[0]
        fit, parts = parts_of(model, atoms_of(model, X, number, codes), sketch.sfreq)
        return cls(data, fit, parts, sketch).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw, in axes that are given or in a new figure."""
        if self.sketch.in_rows:
            self._plot_rows(ax)
        else:
            self._plot_tiles(ax)
        self.figure_ = self.axes_[0].figure
        return self

    @property
    def residual(self) -> Floats:
        """What the fit leaves of the data; NaN where they are missing."""
        return self.data - self.fit

    def _plot_rows(self, ax: Any) -> None:
        rows, sketch = self._rows(), self.sketch
        n = sketch.view.n_lines
        size = min(WIDEST, 7.0 if n == 1 else 1.6 + 3.0 * n), 0.7 + 1.2 * height_of(rows)
        self.axes_: Axes = panels(ax, 1, n, size=size, sharex=True, sharey=True)[0]
        draw_rows(self.axes_, sketch.along, rows)
        for panel, name in zip(self.axes_, sketch.names, strict=True):
            sketch.label_time(panel)
            panel.set_title(name if n > 1 else "", loc="left", fontsize=10)

    def _rows(self) -> list[Row]:
        lines = self.sketch.lines
        rows = [Row("data, fit", [Curve(lines(self.data), DATA, 2.6), Curve(lines(self.fit), FIT)])]
        noted = len(self.parts) <= MOST_NOTES
        for part in self.parts:
            colour = FIT if part.component is None else colour_of(part.component)
            note = part.note if noted else ""
            curves = [] if part.signal is None else [Curve(lines(part.signal), colour, note=note)]
            if part.row == rows[-1].label:
                rows[-1].curves.extend(curves)
            else:
                rows.append(Row(part.row, curves, colour))
        return [*rows, Row("residual", [Curve(lines(self.residual), DATA, 1.0)])]

    def _plot_tiles(self, ax: Any) -> None:
        drawn = [part for part in self.parts if part.signal is not None]
        tiles = [("data", self.data, FIT), ("fit", self.fit, FIT)]
        for part in drawn:
            colour = FIT if part.component is None else colour_of(part.component)
            assert part.signal is not None
            tiles.append((part.row, part.signal, colour))
        tiles.append(("residual", self.residual, FIT))
        width, height = self.sketch.size
        columns = min(len(tiles), MOST_TILES, max(1, int(WIDEST // width)))
        rows = -(-len(tiles) // columns)
        grid = panels(ax, rows, columns, size=(columns * width, rows * (height + 0.35))).ravel()
        self.axes_ = grid[: len(tiles)]
        switch_off(grid[len(tiles) :])
        scale = {"reach": reach_of(self.data, self.fit, *(x for _, x, _ in tiles)), "apart": 1.0}
        for panel, (title, x, colour) in zip(self.axes_, tiles, strict=True):
            self.sketch.draw(panel, x, colour, **scale)
            panel.set_title(title, loc="left", fontsize=9, color=colour)
        for panel in self.axes_[np.arange(len(tiles)) % columns > 0]:
            panel.set_ylabel("")
