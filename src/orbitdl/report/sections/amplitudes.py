"""Amplitudes of events: over time, and their distribution."""

from __future__ import annotations

import numpy as np

from orbitdl.groups.base import Floats, Integers
from orbitdl.report.charts import Chart, Layer, axis, line, marks, row, thinned
from orbitdl.report.facts import Facts
from orbitdl.report.listed import listed_events
from orbitdl.report.section import Content, rendered

BINS = 40
"""Bins of the histogram of sizes."""
MOST_CURVES = 8
"""Components in the histogram: the most frequent ones."""
FEW = 400
"""Events whose standard errors are drawn, at most."""
TEMPLATE = """
<p>{{ what }} A component has unit norm, and no unit.{% if small %} Small atoms fit noise and
drift.{% endif %}</p>
{{ over_time }}
{{ sizes }}
<p class="small">Choose a mark to see the data there. Rings mark events that are listed on this
page.{% if many %} Where there are very many marks, the smallest and the largest of every moment are
drawn.{% endif %}{% if errors %} Bars are two standard errors.{% endif %}</p>
"""


def content(facts: Facts) -> Content | None:
    """Return charts of the sizes of events."""
    if not facts.has_events:
        return None
    refitted = facts.size_name == "amplitude"
    what = (
        "The amplitude of an event is the factor of its component, refitted without the penalty."
        if refitted
        else "The coefficient of an event is the factor of its component in the sparse code."
    )
    charts = [_over_time(facts), _distribution(facts)]
    fields = {
        "small": not refitted,
        "many": len(facts.table) > sum(len(layer["x"]) for layer in charts[0].rows[0]["layers"]),
        "errors": any(layer.get("sy") for layer in charts[0].rows[0]["layers"]),
    }
    html = rendered(TEMPLATE, what=what, over_time=charts[0], sizes=charts[1], **fields)
    return Content(html, charts)


def time_axis(facts: Facts) -> dict[str, object]:
    """Return the axis of all times of the data: in time, or numbers of data points."""
    if facts.recording is not None:
        first = facts.recording.first_sample
        return axis("time", "time", range=[first, first + len(facts.recording.signal)])
    if facts.windows is not None and facts.windows.windows.start is not None:
        first = facts.windows.windows.offset
        return axis("time", "time", range=[first, first + len(facts.windows.windows.source)])
    return axis(f"number of the {facts.noun}")


def places(facts: Facts) -> Floats:
    """Return the position of every event on the axis of `time_axis`."""
    table, windows = facts.table, facts.windows
    if windows is None or windows.windows.start is not None:
        return np.asarray(table["sample"], dtype=np.float64)
    number = np.asarray(table["window"], dtype=np.float64)
    if not facts.in_time:
        return number
    return number + np.asarray(table["sample"], dtype=np.float64) / facts.shape[0]


def over_time(facts: Facts, values: Floats, own: Integers, j: int, sd: Floats | None) -> Layer:
    """Return marks of the events of component j."""
    listed = listed_events(facts.table)
    known = own[np.isfinite(values[own])]
    chosen = known[thinned(values[known], listed[known])]
    return marks(
        places(facts)[chosen],
        values[chosen],
        component=j,
        name=f"component {j}",
        event=chosen.tolist(),
        ring=listed[chosen].tolist(),
        sy=None if sd is None else 2 * sd[chosen],
    )


def _over_time(facts: Facts) -> Chart:
    sd = facts.values_of("amplitude_sd") if len(facts.table) <= FEW else None
    every = np.arange(len(facts.table))
    layers = [
        over_time(facts, facts.size, own, j, sd)
        for j, own in enumerate(facts.own(every))
        if len(own)
    ]
    rows = [row(facts.named(facts.size_name), *layers, zero=True)]
    label = f"{facts.size_name.capitalize()} of each event, over time"
    return Chart("amplitude-over-time", label, rows, time_axis(facts), "Over time", 230)


def _distribution(facts: Facts) -> Chart:
    size = np.abs(facts.size)
    edges = np.linspace(0, float(size.max(initial=0.0)) or 1.0, BINS + 1)
    most = np.sort(np.argsort(-facts.counts, kind="stable")[:MOST_CURVES])
    own = facts.own(size)
    layers = [
        line(
            edges,
            [*np.histogram(own[j], edges)[0], 0],
            component=int(j),
            name=f"component {j}",
            step=True,
        )
        for j in most
        if len(own[j])
    ]
    rows = [row("events (log scale)", *layers, kind="counts")]
    x = axis(f"absolute {facts.named(facts.size_name)}")
    label = f"Distribution of the sizes of events, component by component: {facts.size_name}"
    return Chart("amplitude-distribution", label, rows, x, "Distribution")
