"""Axes, colours and style of all displays."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from orbitdl.arrays.optional import install_hint

QUIET = "0.8"
"""Colour of grid lines."""
DATA = "0.62"
"""Colour of data."""
FIT = "0.1"
"""Colour of the reconstruction."""
WIDEST = 13.7
"""Maximum width of a row of panels in inches."""
SMALL = 9
"""Font size of annotations in points."""
PALETTE = (
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b37a00", "#56b4e9", "#882255", "#999933",
)  # fmt: skip
"""Colours of components, distinguishable with colour vision deficiency; used in reports, too."""
DARK = (
    "#3d9fdb", "#ef7a2a", "#1fbf92", "#d98fb8", "#e69f00", "#8fd0f5", "#c96a9b", "#cccc66",
)  # fmt: skip
"""The same for dark mode."""

Axes = NDArray[Any]


class Display:
    """Base of all displays."""

    figure_: Any

    def __repr__(self) -> str:
        """Return the name of the class only."""
        return f"<{type(self).__name__}>"


def colour_of(component: int) -> str:
    """Return the colour of a component in all plots."""
    return PALETTE[component % len(PALETTE)]


def require_matplotlib() -> Any:
    """Return matplotlib without changing its global state; raise ImportError with a hint."""
    try:
        import matplotlib
        import matplotlib.figure
        import matplotlib.ticker
    except ImportError as error:
        raise ImportError(install_hint("drawing", "matplotlib", "plot")) from error
    return matplotlib


def panels(
    ax: Any,
    rows: int,
    columns: int,
    *,
    size: tuple[float, float],
    sharex: bool = False,
    sharey: bool = False,
    heights: tuple[float, ...] | None = None,
) -> Axes:
    """Return axes (rows, columns).

    Parameters
    ----------
    ax : None, Axes or array of Axes
        None: a new figure. A single one is subdivided; an array must have the required number.
    rows, columns : int
    size : pair of float
        Width and height of a new figure, in inches.
    sharex, sharey : bool
        Whether new axes share scales.
    heights : tuple of float, optional
        Relative heights of the rows.
    """
    require_matplotlib()
    from matplotlib import pyplot

    if ax is None:
        ratios = {"height_ratios": heights}
        _, axes = pyplot.subplots(
            rows, columns, figsize=size, sharex=sharex, sharey=sharey, squeeze=False,
            gridspec_kw=ratios, layout="constrained",
        )  # fmt: skip
        return np.asarray(axes)
    given = np.ravel(np.asarray(ax, dtype=object))
    if len(given) == rows * columns:
        return given.reshape(rows, columns)
    if len(given) == 1 and given[0].get_subplotspec() is not None:
        given[0].set_axis_off()
        inner = given[0].get_subplotspec().subgridspec(rows, columns, height_ratios=heights)
        return np.asarray(inner.subplots(sharex=sharex, sharey=sharey, squeeze=False))
    raise ValueError(
        f"ax must be one of plt.subplots() or {rows * columns} axes, one per panel, not "
        f"{len(given)}."
    )


def tidy(ax: Any, *, left: bool = False) -> None:
    """Remove the spines of an axis except the lower and optionally the left one."""
    ax.spines[["top", "right"]].set_visible(False)
    if not left:
        ax.spines["left"].set_visible(False)
        ax.tick_params(axis="y", length=0)


def switch_off(axes: Axes) -> None:
    """Hide unused panels."""
    for ax in axes:
        ax.set_axis_off()


def plain_ticks(axis: Any, values: Any = None) -> None:
    """Label a logarithmic axis with plain numbers: `values`, or multiples of 1, 2 and 5."""
    ticker = require_matplotlib().ticker
    located = ticker.LogLocator(subs=(1, 2, 5)) if values is None else ticker.FixedLocator(values)
    axis.set_major_locator(located)
    axis.set_major_formatter(lambda value, _: f"{value:g}")
    axis.set_minor_locator(ticker.NullLocator())
