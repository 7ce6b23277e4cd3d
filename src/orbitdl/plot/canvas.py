"""Axes to draw in: new ones, or those that a user gives; and how all of them look."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from orbitdl.arrays.optional import install_hint

QUIET = "0.8"
"""Colour of lines that only guide the eye."""
DATA = "0.62"
"""Colour of what was measured."""
FIT = "0.1"
"""Colour of what approximates it."""
WIDEST = 13.7
"""Inches that a row of panels may take."""
SMALL = 9
"""Size of words beside lines, in points."""
PALETTE = (
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b37a00", "#56b4e9", "#882255", "#999933",
)  # fmt: skip
"""Colours of components, which people who see few colours can tell apart; in reports too."""
DARK = (
    "#3d9fdb", "#ef7a2a", "#1fbf92", "#d98fb8", "#e69f00", "#8fd0f5", "#c96a9b", "#cccc66",
)  # fmt: skip
"""The same on dark paper."""

Axes = NDArray[Any]


class Display:
    """What all displays are: something that was drawn."""

    figure_: Any

    def __repr__(self) -> str:
        """Return a name only: what is drawn says the rest."""
        return f"<{type(self).__name__}>"


def colour_of(component: int) -> str:
    """Return the colour that a component has in all pictures."""
    return PALETTE[component % len(PALETTE)]


def require_matplotlib() -> Any:
    """Return matplotlib, or say how to get it; nothing of its global state is touched."""
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
    """Return axes (rows, columns) to draw in.

    Parameters
    ----------
    ax : None, Axes or array of Axes
        None: a new figure. One is divided into as many as are needed; so many are taken as they
        are, in order.
    rows, columns : int
    size : pair of float
        Width and height of a new figure, in inches.
    sharex, sharey : bool
        Whether all of them have one scale; axes that are given keep their own.
    heights : tuple of float, optional
        Of the rows, relative to each other.
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
        f"ax must be one of plt.subplots() or {rows * columns} axes, for so many panels are drawn, "
        f"not {len(given)}."
    )


def tidy(ax: Any, *, left: bool = False) -> None:
    """Take off the box around an axis, with its left side unless that is asked for."""
    ax.spines[["top", "right"]].set_visible(False)
    if not left:
        ax.spines["left"].set_visible(False)
        ax.tick_params(axis="y", length=0)


def switch_off(axes: Axes) -> None:
    """Leave blank the panels that nothing is drawn in."""
    for ax in axes:
        ax.set_axis_off()


def plain_ticks(axis: Any, values: Any = None) -> None:
    """Label a logarithmic axis with ordinary numbers: the values given, or 1, 2 and 5."""
    ticker = require_matplotlib().ticker
    located = ticker.LogLocator(subs=(1, 2, 5)) if values is None else ticker.FixedLocator(values)
    axis.set_major_locator(located)
    axis.set_major_formatter(lambda value, _: f"{value:g}")
    axis.set_minor_locator(ticker.NullLocator())
