"""Charts: what the page draws, as data. `scripts/chart.mjs` draws them as SVG."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from orbitdl.groups.base import Floats, Integers

DIGITS = 4
"""Significant digits of drawn values, relative to the largest."""
MOMENTS = 700
"""Number of moments whose smallest and largest value is drawn, where marks are very many."""

Layer = dict[str, Any]
Row = dict[str, Any]


@dataclass(frozen=True, eq=False)
class Chart:
    """A chart with a shared horizontal axis. In a template it is the place where it is drawn.

    Attributes
    ----------
    name : str
        Unique on the page; letters, digits and hyphens.
    label : str
        What the chart shows, for screen readers.
    rows : sequence of Row
        Panels below each other, see `row`.
    x : mapping
        Of the horizontal axis: `label`, `kind` ("linear", "log" or "time"), `range`.
    caption : str
    height : int
        Of all rows, in CSS pixels.
    grid : bool
        Whether rows are small multiples of one scale, side by side.

    Examples
    --------
    >>> chart = Chart("counts", "Bar chart", [row("events", bars([0, 1], [5, 3]))], axis("j"))
    >>> "role=\\"img\\"" in chart.__html__()
    True
    """

    name: str
    label: str
    rows: Sequence[Row]
    x: Mapping[str, Any] = field(default_factory=dict)
    caption: str = ""
    height: int = 210
    grid: bool = False

    def __html__(self) -> str:
        """Return the element of the chart; text is escaped."""
        caption = f"<figcaption>{escape(self.caption)}</figcaption>" if self.caption else ""
        label = escape(self.label, quote=True)
        return (
            f'<figure>{caption}<div class="plot" id="{self.name}" role="img" '
            f'aria-label="{label}"></div></figure>'
        )

    def spec(self) -> dict[str, Any]:
        """Return what the page draws."""
        return {"rows": list(self.rows), "x": self.x, "height": self.height, "grid": self.grid}


def axis(label: str, kind: str = "linear", **look: Any) -> dict[str, Any]:
    """Return a horizontal axis; `range` and `ticks` may be given."""
    return {"label": label, "kind": kind, **look}


def row(label: str, *layers: Layer, **look: Any) -> Row:
    """Return a panel; `kind` ("log"), `range`, `zero` (include it) and `weight` may be given."""
    return {"label": label, "layers": list(layers), **look}


def line(x: ArrayLike, y: ArrayLike, **look: Any) -> Layer:
    """Return a line, interrupted at NaN; `component` or `colour`, `name`, `step`, `dots`."""
    return {"kind": "line", "x": rounded(x, 7), "y": rounded(y), **look}


def band(x: ArrayLike, low: ArrayLike, high: ArrayLike, **look: Any) -> Layer:
    """Return the area between two lines."""
    return {"kind": "band", "x": rounded(x, 7), "low": rounded(low), "high": rounded(high), **look}


def bars(x: ArrayLike, y: ArrayLike, **look: Any) -> Layer:
    """Return bars from zero."""
    return {"kind": "bars", "x": rounded(x, 7), "y": rounded(y), **look}


def marks(x: ArrayLike, y: ArrayLike, **look: Any) -> Layer:
    """Return marks, with errors `sx` and `sy`; `event`: rows of the table, `ring`: unusual ones."""
    for name in ("sx", "sy"):
        if look.get(name) is not None:
            look[name] = rounded(look[name])
    return {"kind": "marks", "x": rounded(x, 9), "y": rounded(y), **look}


def rounded(values: ArrayLike, digits: int = DIGITS, base: Floats | float = 0.0) -> Any:
    """Return nested lists, rounded to `digits` digits of the largest deviation from the base.

    NaN becomes None.

    Examples
    --------
    >>> rounded([1.23456, float("nan"), 2e-7])
    [1.2346, None, 0.0]
    """
    numbers = np.asarray(values, dtype=np.float64)
    largest = float(np.nanmax(np.abs(numbers - base), initial=0.0))
    places = digits - int(np.floor(np.log10(largest))) if largest > 0 else 0
    return _without_nan(np.round(numbers, places).tolist())


def _without_nan(values: Any) -> Any:
    if isinstance(values, list):
        return [_without_nan(value) for value in values]
    return None if values != values else values


def thinned(values: Floats, unusual: NDArray[np.bool_]) -> Integers:
    """Return the sorted indices of values to draw: all of them if they are few.

    Otherwise the smallest and the largest of every moment, and all unusual ones.

    Examples
    --------
    >>> len(thinned(np.sin(np.arange(1e5)), np.zeros(100_000, dtype=bool)))
    1400
    """
    if len(values) <= 2 * MOMENTS:
        return np.arange(len(values))
    starts = np.linspace(0, len(values), MOMENTS + 1).astype(int)
    parts = [values[a:b] for a, b in zip(starts[:-1], starts[1:], strict=True)]
    ends = [(a + p.argmin(), a + p.argmax()) for a, p in zip(starts[:-1], parts, strict=True)]
    return np.union1d(np.flatnonzero(unusual), np.ravel(ends)).astype(np.intp)
