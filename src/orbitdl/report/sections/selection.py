"""Selection: how group, number of components and alpha were chosen by cross-validation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from orbitdl.report.charts import Chart, Layer, axis, band, line, marks, row
from orbitdl.report.facts import Facts
from orbitdl.report.section import Content, rendered

TEMPLATE = """
<p>{{ reason }}</p>
{{ chart }}
<p class="small">Held-out error relative to the energy of the held-out data; bands are one standard
error of the difference from the minimum. The ring marks the choice.</p>
"""


def content(facts: Facts) -> Content | None:
    """Return errors of all candidates, and the choice."""
    found = facts.selection
    if found is None:
        return None
    by = "alpha" if "alpha" in found.table else "n_components"
    curves: list[tuple[Any, pd.DataFrame]] = [("error", found.table)]
    if by == "alpha":
        curves = list(found.table.groupby(["group", "n_components"]))
    layers: list[Layer] = []
    for k, (name, table) in enumerate(curves):
        layers += _curve(k, _name(name), table.sort_values(by), by)
    label = "alpha (log scale)" if by == "alpha" else "number of components"
    x = axis(label, "log") if by == "alpha" else axis(label, whole=True)
    rows = [row("held-out error", *layers, _choice(found, by))]
    label = "Held-out error of every candidate, and the choice"
    chart = Chart("selection-errors", label, rows, x, height=280)
    return Content(rendered(TEMPLATE, reason=found.reason, chart=chart), [chart])


def _curve(k: int, name: str, table: pd.DataFrame, by: str) -> list[Layer]:
    x, y, sd = (table[column].to_numpy(dtype=float) for column in (by, "error", "standard_error"))
    own = {"component": k, "name": name}
    return [band(x, y - sd, y + sd, **own), line(x, y, dots=True, **own)]


def _name(key: Any) -> str:
    if isinstance(key, str):
        return key
    group, q = key
    return f"{group}, {q} component{'' if q == 1 else 's'}"


def _choice(found: Any, by: str) -> Layer:
    chosen = np.ones(len(found.table), dtype=bool)
    for name in ("group", "n_components", "alpha"):
        if name in found.table and name in found.choice:
            chosen &= (found.table[name] == found.choice[name]).to_numpy()
    row_of = found.table[chosen].iloc[:1]
    return marks(row_of[by], row_of["error"], colour="ink", ring=[True], name="chosen")
