"""Plot of the held-out error against alpha or, for recordings, the number of components."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import fill
from typing import Any, Self

import pandas as pd

from orbitdl.plot.canvas import (
    QUIET,
    Display,
    colour_of,
    panels,
    plain_ticks,
    require_matplotlib,
    tidy,
)

COLUMNS = ("n_components", "error", "standard_error")
WIDE = 5.0
"""Ratio of the largest to the smallest error above which the scale is logarithmic."""
FEW = 4
"""Number of curves above which the legend is outside the axes."""
LETTERS = 85
"""Characters in a line of the title."""


@dataclass(eq=False, repr=False)
class SelectionDisplay(Display):
    """Plot of held-out errors with bands of one standard error, and the choice.

    Parameters
    ----------
    table : DataFrame
        A row per candidate: `n_components`, `error` and `standard_error`; for data points also
        `group` and `alpha`.
    choice : mapping
        `n_components`, `group` and `alpha` of the selected candidate.
    reason : str
        Reason of the choice.

    Attributes
    ----------
    ax_ : Axes
    figure_ : Figure

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> import pandas as pd
    >>> from orbitdl.plot import SelectionDisplay
    >>> table = pd.DataFrame({"group": "IntegerShift()", "n_components": [1, 1, 2, 2],
    ...     "alpha": [0.1, 0.2, 0.1, 0.2], "error": [3.0, 3.1, 2.0, 2.2], "standard_error": 0.1,
    ...     "atoms": 2.0})
    >>> found = SimpleNamespace(table=table, choice=table.iloc[2], reason="It has the least error.")
    >>> display = SelectionDisplay.from_selection(found)
    >>> [text.get_text() for text in display.ax_.get_legend().get_texts()]
    ['1 component', '2 components', 'chosen']
    """

    table: pd.DataFrame
    choice: Any
    reason: str = ""

    @classmethod
    def from_selection(cls, selection: Any, *, ax: Any = None) -> Self:
        """Plot candidates and choice.

        Parameters
        ----------
        selection : object
            With a `table`, a `choice` and a `reason`.
        ax : Axes, optional
        """
        require_matplotlib()
        table = getattr(selection, "table", pd.DataFrame())
        missing = [name for name in COLUMNS if name not in table]
        if missing:
            raise ValueError(
                f"selection must have a table with columns {', '.join(COLUMNS)}; it lacks "
                f"{', '.join(missing)}."
            )
        return cls(table, selection.choice, str(getattr(selection, "reason", ""))).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Plot, in an axis or in a new figure."""
        self.ax_ = panels(ax, 1, 1, size=(7.0, 4.2))[0, 0]
        self.figure_ = self.ax_.figure
        if "alpha" in self.table:
            count, across = self._draw_paths(), "alpha, the regularisation weight"
            self.ax_.set_xscale("log")
            plain_ticks(self.ax_.xaxis)
        else:
            count, across = 1, "number of components"
            self._draw_curve(self.table, "n_components", "held-out events", colour_of(0), "-")
            self.ax_.set_xticks(self.table["n_components"])
        self._mark_choice()
        if self.table["error"].max() > WIDE * self.table["error"].min() > 0:
            self.ax_.set_yscale("log")
            plain_ticks(self.ax_.yaxis)
        self.ax_.set(xlabel=across, ylabel="held-out error (relative)")
        self.ax_.set_title(fill(self.reason, LETTERS), loc="left", fontsize=9)
        self.ax_.grid(color=QUIET, lw=0.4)
        outside = {"loc": "upper left", "bbox_to_anchor": (1.0, 1.0)} if count > FEW else {}
        self.ax_.legend(frameon=False, fontsize=9, **outside)
        tidy(self.ax_, left=True)
        return self

    def _draw_paths(self) -> int:
        """Draw a curve over alpha for every group and number of components; return their number."""
        groups = list(dict.fromkeys(self.table["group"]))
        curves = self.table.groupby(["group", "n_components"], sort=False)
        numbers = sorted(set(self.table["n_components"]))
        for _, curve in curves:
            group, n = curve["group"].iloc[0], int(curve["n_components"].iloc[0])
            style = ("-", "--", ":", "-.")[groups.index(group) % 4]
            name = self._name(group, n, several=len(groups) > 1)
            colour = colour_of(numbers.index(n))
            self._draw_curve(curve.sort_values("alpha"), "alpha", name, colour, style)
        return len(curves)

    def _draw_curve(
        self, curve: pd.DataFrame, across: str, name: str, colour: str, style: str
    ) -> None:
        x, error = curve[across].to_numpy(), curve["error"].to_numpy()
        spread = curve["standard_error"].to_numpy()
        self.ax_.fill_between(x, error - spread, error + spread, color=colour, alpha=0.15, lw=0)
        self.ax_.plot(x, error, color=colour, ls=style, marker="o", ms=4, label=name)

    def _mark_choice(self) -> None:
        keys = [name for name in ("group", "n_components", "alpha") if name in self.table]
        row = self.table[(self.table[keys] == [self.choice[key] for key in keys]).all(axis=1)]
        x = row["alpha" if "alpha" in row else "n_components"]
        self.ax_.plot(x, row["error"], ls="", marker="o", ms=13, mfc="none", mec="black", mew=1.6,
                      label="chosen")  # fmt: skip

    @staticmethod
    def _name(group: str, n: int, *, several: bool) -> str:
        counted = f"{n} component" + ("" if n == 1 else "s")
        return f"{group}, {counted}" if several else counted
