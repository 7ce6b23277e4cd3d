"""Amplitudes of events: over time, and their distribution."""

from __future__ import annotations

import numpy as np

from orbitdl.groups.base import Floats
from orbitdl.report.charts import Chart, axis, line, marks, row, thinned
from orbitdl.report.facts import Facts
from orbitdl.report.listed import listed_events
from orbitdl.report.section import Content, rendered

BINS = 40
"""Bins of the histogram of sizes."""
MOST_CURVES = 8
"""Components in a histogram: the most frequent ones."""
FEW = 400
"""Events whose standard errors are drawn, at most."""
TEMPLATE = """
<p>{{ what }} A component has unit norm, and no unit.{% if small %} Small atoms fit noise and
drift.{% endif %}</p>
{{ over_time }}
{{ sizes }}
<p class="small">Choose a mark to see the data there. Rings mark events that are listed on this
page. Of very many marks, the smallest and the largest of every moment are drawn.{% if errors %}
Bars are two standard errors.{% endif %}</p>
"""


def content(facts: Facts) -> Content | None:
    """Return charts of the sizes of events."""
    if not len(facts.table):
        return None
    refitted, sizes = facts.size_name == "amplitude", np.abs(facts.size)
    sd = facts.values_of("amplitude_sd") if len(sizes) <= FEW else None
    edges = np.linspace(0, float(sizes.max()) or 1.0, BINS + 1)
    absolute = f"absolute {facts.named(facts.size_name)}"
    charts = [
        over_time(facts, "amplitude", facts.size, facts.named(facts.size_name), sd),
        distribution(facts, "amplitude", np.abs(facts.size), edges, absolute, kind="counts"),
    ]
    fields = {
        "what": "The amplitude of an event is the factor of its component, refitted without the "
        "penalty."
        if refitted
        else "The coefficient of an event is the factor of its component in the sparse code.",
        "small": not refitted,
        "errors": sd is not None,
    }
    return Content(rendered(TEMPLATE, over_time=charts[0], sizes=charts[1], **fields), charts)


def time_axis(facts: Facts) -> dict[str, object]:
    """Return the axis of all times of the data: in time, or numbers of data points."""
    if facts.recording is not None:
        size = len(facts.recording.signal)
    elif facts.windows is not None and facts.windows.windows.start is not None:
        size = len(facts.windows.windows.source)
    else:
        return axis(f"number of the {facts.noun}")
    return axis("time", "time", range=[facts.first_sample, facts.first_sample + size])


def places(facts: Facts) -> Floats:
    """Return the position of every event on the axis of `time_axis`."""
    sample = np.asarray(facts.table["sample"], dtype=np.float64)
    if facts.windows is None or facts.windows.windows.start is not None:
        return sample
    number = np.asarray(facts.table["window"], dtype=np.float64)
    return number + sample / facts.shape[0] if facts.in_time else number


def over_time(
    facts: Facts, name: str, values: Floats, label: str, sd: Floats | None = None
) -> Chart:
    """Return a chart of values of events over time; listed ones have rings."""
    listed, x, layers = listed_events(facts.table), places(facts), []
    for j, own in enumerate(facts.own(np.arange(len(values)))):
        known = own[np.isfinite(values[own])]
        chosen = known[thinned(values[known], listed[known])]
        look = {"component": j, "name": f"component {j}", "event": chosen.tolist()}
        look |= {"ring": listed[chosen].tolist(), "sy": None if sd is None else 2 * sd[chosen]}
        layers.append(marks(x[chosen], values[chosen], **look))
    what, rows = f"{label}, event by event, over time", [row(label, *layers, zero=True)]
    return Chart(f"{name}-over-time", what, rows, time_axis(facts), "Over time", 230)


def distribution(
    facts: Facts, name: str, values: Floats, edges: Floats, label: str, **look: object
) -> Chart:
    """Return histograms of values of events, component by component."""
    most = np.sort(np.argsort(-facts.counts, kind="stable")[:MOST_CURVES])
    every = facts.own(values)
    layers = [
        line(edges, [*counts, 0], component=int(j), name=f"component {j}", step=True)
        for j in most
        if (counts := np.histogram(every[j], edges)[0]).any()
    ]
    scale = "events (log scale)" if look else "events"
    rows = [row(scale, *layers, **(look or {"zero": True}))]
    what = f"Distribution of {label}, component by component"
    return Chart(f"{name}-distribution", what, rows, axis(label), "Distribution")
