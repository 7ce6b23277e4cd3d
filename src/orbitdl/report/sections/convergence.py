"""Convergence: objective and certified gap of every iteration."""

from __future__ import annotations

import numpy as np

from orbitdl.report.charts import Chart, axis, line, row
from orbitdl.report.facts import Facts
from orbitdl.report.section import Content, rendered
from orbitdl.report.sections.summary import how_learning_ended

TEMPLATE = """
<p>{{ ended }}{% if charts %} Learning lowers the objective: error plus the penalty of the atoms.
The gap bounds how far any code was from the best one for the components of that iteration; early
iterations need not be exact.{% endif %}</p>
<div class="pair">{% for chart in charts %}{{ chart }}{% endfor %}</div>
"""


def content(facts: Facts) -> Content:
    """Return the charts of objective and gap, or say that they are not recorded."""
    history = facts.history
    ended = how_learning_ended(facts)
    number = [record.number for record in history]
    gap = np.array([100 * record.gap if record.gap > 0 else np.nan for record in history])
    look = {"component": 0, "dots": True}
    shown = {
        "Objective": row("objective", line(number, [r.objective for r in history], **look)),
        "Largest certified gap": row("gap (%, log scale)", line(number, gap, **look), kind="log"),
    }
    charts = [
        Chart(
            name=f"convergence-{k}",
            label=f"{caption}, iteration by iteration",
            rows=[rows],
            x=axis("iteration", whole=True),
            caption=caption,
        )
        for k, (caption, rows) in enumerate(shown.items())
        if len(history) > 1
    ]
    return Content(rendered(TEMPLATE, ended=ended, charts=charts), charts)
