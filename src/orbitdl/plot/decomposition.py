"""Plot of the decomposition of a data point, or a segment of a recording, into atoms."""

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
from orbitdl.plot.rows import Curve, Row, draw_rows, height_of
from orbitdl.plot.segment import segment_of
from orbitdl.plot.sketch import Sketch, largest_value
from orbitdl.plot.subject import require_model, sketch_of
from orbitdl.plot.terms import Term, atoms_of, one_of, terms_of

MOST_TILES = 6
"""Images side by side."""
MOST_NOTES = 40
"""Maximum number of atoms with coefficients as annotations."""


@dataclass(eq=False, repr=False)
class DecompositionDisplay(Display):
    """Plot of data, reconstruction, atoms and residual.

    Parameters
    ----------
    data, fit : ndarray of shape (...)
        NaN where data are missing.
    terms : list of Term
        Terms of the reconstruction. Each has a row of its own, or shares that of its component.
    sketch : Sketch
        Style of a data point.

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
    >>> [term.component for term in display.terms]
    [1, 1, 1]
    >>> print(display.terms[0].row)
    component 1 × 0.2...
    at ...
    """

    data: Floats
    fit: Floats
    terms: list[Term]
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
        """Decompose one data point, or for `WaveformLearning` a segment of a recording.

        Parameters
        ----------
        model : OrbitDictionaryLearning or WaveformLearning
        X : array-like of shape (n, ...), or a recording
        sample : int
            The row of X, from 0.
        start, stop : float, optional
            Segment of a recording, in seconds if `sfreq` is known, otherwise in samples, from the
            start of the whole recording. By default the first ten waveform lengths.
        sfreq : float, optional
            Sampling rate in Hz; then time is in seconds. By default that of the recording.
        codes : Codes, optional
            ``model.encode(X)``, if available.
        ax : Axes or array of Axes, optional
            One axis, which is subdivided, or one per panel.

        Returns
        -------
        DecompositionDisplay
        """
        require_matplotlib()
        model = require_model(model)
        if isinstance(model, WaveformLearning):
            segment = segment_of(model, X, start, stop, sfreq, codes)
            return cls(segment.data, segment.fit, segment.terms, segment.sketch).plot(ax)
        if start is not None or stop is not None:
            raise ValueError("start and stop are for recordings; leave them out for data points.")
        number, sketch = require_count(sample, "sample", least=0), sketch_of(model, sfreq)
        data = np.asarray(one_of(X, number), dtype=np.float64)[0]
        fit, terms = terms_of(model, atoms_of(model, X, number, codes), sketch.sfreq)
        return cls(data, fit, terms, sketch).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Plot, in axes or in a new figure."""
        if self.sketch.in_rows:
            self._plot_rows(ax)
        else:
            self._plot_tiles(ax)
        self.figure_ = self.axes_[0].figure
        return self

    @property
    def residual(self) -> Floats:
        """Data minus reconstruction; NaN where missing."""
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
        noted = len(self.terms) <= MOST_NOTES
        for term in self.terms:
            colour = FIT if term.component is None else colour_of(term.component)
            note = term.note if noted else ""
            curves = [] if term.signal is None else [Curve(lines(term.signal), colour, note=note)]
            if term.row == rows[-1].label:
                rows[-1].curves.extend(curves)
            else:
                rows.append(Row(term.row, curves, colour))
        return [*rows, Row("residual", [Curve(lines(self.residual), DATA, 1.0)])]

    def _plot_tiles(self, ax: Any) -> None:
        drawn = [term for term in self.terms if term.signal is not None]
        tiles = [("data", self.data, FIT), ("fit", self.fit, FIT)]
        for term in drawn:
            colour = FIT if term.component is None else colour_of(term.component)
            assert term.signal is not None
            tiles.append((term.row, term.signal, colour))
        tiles.append(("residual", self.residual, FIT))
        width, height = self.sketch.size
        columns = min(len(tiles), MOST_TILES, max(1, int(WIDEST // width)))
        rows = -(-len(tiles) // columns)
        grid = panels(ax, rows, columns, size=(columns * width, rows * (height + 0.35))).ravel()
        self.axes_ = grid[: len(tiles)]
        switch_off(grid[len(tiles) :])
        scale = {
            "limit": largest_value(self.data, self.fit, *(x for _, x, _ in tiles)),
            "spacing": 1.0,
        }
        for panel, (title, x, colour) in zip(self.axes_, tiles, strict=True):
            self.sketch.draw(panel, x, colour, **scale)
            panel.set_title(title, loc="left", fontsize=9, color=colour)
        for panel in self.axes_[np.arange(len(tiles)) % columns > 0]:
            panel.set_ylabel("")
