"""Plot of the components of a model."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from orbitdl.coding.codes import Codes
from orbitdl.estimators.waveform import WaveformLearning
from orbitdl.groups.base import Floats
from orbitdl.plot.canvas import (
    WIDEST,
    Axes,
    Display,
    colour_of,
    panels,
    require_matplotlib,
    switch_off,
)
from orbitdl.plot.sketch import Sketch, largest_value
from orbitdl.plot.subject import centred, representation_of, require_model, shares_of, sketch_of


@dataclass(eq=False, repr=False)
class ComponentsDisplay(Display):
    """Plot of components with a common scale.

    Signals are lines with stacked channels, points of a plane are points, and images have red
    positive and blue negative values.

    Parameters
    ----------
    components : ndarray of shape (q, ...)
    sketch : Sketch
        Style of one component.
    shares : ndarray of shape (q,) or None
        Usage: share of each component in the sum of absolute coefficients.
    sd : ndarray of shape (q, ...) or None
        Standard errors of components; bands of two standard errors are drawn around signals.

    Attributes
    ----------
    axes_ : ndarray of Axes
        A panel per component, in the order of components.
    figure_ : Figure

    Examples
    --------
    >>> from orbitdl import OrbitDictionaryLearning
    >>> from orbitdl.datasets import make_ecg_like
    >>> from orbitdl.groups import ContinuousShift
    >>> from orbitdl.plot import ComponentsDisplay
    >>> X = make_ecg_like(n_windows=100, random_state=0).X
    >>> model = OrbitDictionaryLearning(2, ContinuousShift(), random_state=0).fit(X)
    >>> display = ComponentsDisplay.from_estimator(model, sfreq=64.0)
    >>> display.axes_[0].get_title(loc="left"), display.axes_[0].get_xlabel()
    ('component 0, ... % of use', 'time from the peak (s)')
    """

    components: Floats
    sketch: Sketch
    shares: Floats | None = None
    sd: Floats | None = None

    @classmethod
    def from_estimator(
        cls, model: Any, *, sfreq: float | None = None, codes: Codes | None = None, ax: Any = None
    ) -> Self:
        """Draw the components of a fitted model.

        Parameters
        ----------
        model : OrbitDictionaryLearning or WaveformLearning
            Components of groups of shifts are centred at their peaks.
        sfreq : float, optional
            Sampling rate in Hz; then time is in seconds.
        codes : Codes, optional
            Codes from which usage is computed; by default those of `fit`.
        ax : Axes or array of Axes, optional
            One axis, which is subdivided, or one per component.

        Returns
        -------
        ComponentsDisplay
        """
        require_matplotlib()
        model = require_model(model)
        components, sketch = np.asarray(model.components_), sketch_of(model, sfreq)
        if (
            not isinstance(model, WaveformLearning)
            and representation_of(model).presentation.in_time
        ):
            components = centred(components)
            sketch = replace(sketch, origin=components.shape[1] // 2)
        used = getattr(model, "codes_", None) if codes is None else codes
        sd = getattr(model, "components_sd_", None)
        return cls(components, sketch, shares_of(used, len(components)), sd).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Plot, in axes or in a new figure."""
        q, (width, height) = len(self.components), self.sketch.size
        columns = min(q, max(1, int(WIDEST // width)))
        rows = -(-q // columns)
        columns = -(-q // rows)
        size = max(columns * width, 4.0), rows * height + 0.2
        grid = panels(ax, rows, columns, size=size, sharex=True, sharey=True)
        self.axes_: Axes = grid.ravel()[:q]
        self.figure_ = self.axes_[0].figure
        switch_off(grid.ravel()[q:])
        scale = {
            "limit": largest_value(self.components),
            "spacing": self.sketch.spacing(self.components),
        }
        for j, (panel, a) in enumerate(zip(self.axes_, self.components, strict=True)):
            self.sketch.draw(panel, a, colour_of(j), **scale)
            if self.sd is not None:
                self.sketch.draw_bands(panel, a, self.sd[j], colour_of(j), spacing=scale["spacing"])
            panel.set_title(self._title(j), loc="left", fontsize=10, color=colour_of(j))
        self._label_outside(grid)
        return self

    def _title(self, j: int) -> str:
        if self.shares is None:
            return f"component {j}"
        compact = self.sketch.size[0] < 3
        return f"component {j}{':' if compact else ','} {100 * self.shares[j]:.0f} %" + (
            "" if compact else " of use"
        )

    def _label_outside(self, grid: Axes) -> None:
        """Keep axis labels of outer panels only."""
        below = len(self.components) - grid.shape[1]
        for k, panel in enumerate(self.axes_):
            if k < below:
                panel.set_xlabel("")
                panel.tick_params(labelbottom=False)
            elif k < (len(grid) - 1) * grid.shape[1]:
                panel.tick_params(labelbottom=True)
            if k % grid.shape[1]:
                panel.set_ylabel("")
