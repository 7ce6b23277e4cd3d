"""Certainty of events: false discoveries, standard errors, and the doubtful ones."""

from __future__ import annotations

import numpy as np

from orbitdl.groups.base import Floats
from orbitdl.report.charts import Chart, axis, marks, row
from orbitdl.report.facts import Facts
from orbitdl.report.listed import DOUBT, doubtful
from orbitdl.report.phrasing import count, percent
from orbitdl.report.section import Content, rendered
from orbitdl.report.sections.unusual import TABLE, line_of, minus, remark_on

TEMPLATE = (
    TABLE
    + """
<p>{{ words }} Bars are two standard errors, lines the medians of the components.</p>
{{ chart }}
{{ table("Least certain events", names, rows) }}
"""
)


def content(facts: Facts) -> Content | None:
    """Return the certainty of events that a calibrated detector found."""
    if not len(facts.table) or "q_value" not in facts.table:
        return None
    names = ["time", "component", "\N{PLUS-MINUS SIGN} time", facts.named("amplitude")]
    names += ["\N{PLUS-MINUS SIGN} amplitude", "q-value", "explained", "remark"]
    chart = _errors(facts)
    rows = [line_of(facts, k, *_cells(facts, k)) for k in doubtful(facts.table)]
    fields = {"words": sentences(facts), "chart": chart, "names": names, "rows": rows}
    return Content(rendered(TEMPLATE, **fields), [chart])


def sentences(facts: Facts) -> str:
    """Describe the number of false events, and the standard errors."""
    table = facts.table
    time = facts.clock.span(float(table["sample_sd"].median()))
    relative = float((table["amplitude_sd"] / table["amplitude"].abs()).median())
    said = (
        f"Median standard errors of events are {time} in time and {percent(relative)} in amplitude."
    )
    if "fdr" in table.attrs:
        said += f" By the noise model at most {percent(table.attrs['fdr'])} of them are false"
        decoys = table.attrs.get("decoys")
        said += "." if decoys is None else f", by decoys about {count(sum(decoys), 'event')}."
    if (largest := float(table["q_value"].max())) < DOUBT:
        return (
            f"{said} None is doubtful: the largest q-value is {largest:.2g}. Those with the "
            "largest standard error relative to their amplitude are listed."
        )
    return (
        f"{said} Those with the largest q-values are listed; a list that ends with an event has "
        "its q-value as false discovery rate."
    )


def _cells(facts: Facts, k: int) -> tuple[str, ...]:
    event = facts.table.iloc[k]
    return (
        facts.clock.span(float(f"{event['sample_sd']:.2g}")),
        minus(event["amplitude"]),
        f"{event['amplitude_sd']:.2g}",
        f"{event['q_value']:.2g}",
        percent(max(0.0, float(event["explained"]))),
        remark_on(facts, k),
    )


def _errors(facts: Facts) -> Chart:
    """Return the amplitudes of doubtful events beside the median of their components."""
    chosen = doubtful(facts.table)
    sd: Floats = facts.table["amplitude_sd"].to_numpy()[chosen]
    rank = np.arange(1, len(chosen) + 1)
    layers = [
        marks(
            rank[own],
            facts.size[chosen[own]],
            sy=2 * sd[own],
            component=j,
            name=f"component {j}",
            event=chosen[own].tolist(),
        )
        for j in range(len(facts.components))
        if (own := np.flatnonzero(facts.component[chosen] == j)).size
    ]
    present = np.unique(facts.component[chosen])
    typical = [
        {"kind": "level", "y": float(facts.medians[j]), "component": int(j)} for j in present
    ]
    return Chart(
        "doubtful-errors",
        "Amplitudes of the least certain events with two standard errors, and medians",
        [row(facts.named("amplitude"), *typical, *layers, zero=True)],
        axis("event in the table below", whole=True),
    )
