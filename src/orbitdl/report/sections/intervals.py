"""Intervals from one event to the next: over time, their distribution, and unusual ones."""

from __future__ import annotations

import numpy as np

from orbitdl.groups.base import Floats
from orbitdl.report.charts import Chart, axis, line, row
from orbitdl.report.facts import Facts
from orbitdl.report.listed import (
    DEVIATIONS,
    INTERVALS,
    PART,
    interval_medians,
    unusual_intervals,
)
from orbitdl.report.phrasing import number, percent
from orbitdl.report.section import Content, rendered
from orbitdl.report.sections.amplitudes import over_time, time_axis
from orbitdl.report.sections.summary import frequency_of
from orbitdl.report.sections.unusual import TABLE, line_of

BINS = 60
SHORT = 0.5
"""Intervals below so many seconds are drawn in milliseconds."""
TEMPLATE = (
    TABLE
    + """
{% if of_any %}
<h3>From one event to the next</h3>
<p>From one event to the next, of any component: {{ overall }}.</p>
{{ of_any }}
{% endif %}
<h3>From one event to the next of the same component</h3>
<p>{{ words }}</p>
<div class="pair">{{ own }}{{ histogram }}</div>
{% if rows %}{{ table("Unusual intervals", names, rows) }}{% endif %}
<p class="small">Choose a mark or a row to see the recording there. An interval is unknown where
half a component or more is missing in between.</p>
"""
)


def content(facts: Facts) -> Content | None:
    """Return the intervals that the event table has, if it has some."""
    own, between = facts.values_of("own_interval"), facts.values_of("interval")
    if own is None or not np.isfinite(own).any():
        return None
    charts = [_over_time(facts, own, "own"), _histogram(facts, own)]
    several = between is not None and len(facts.components) > 1
    of_any = _over_time(facts, between, "any") if between is not None and several else None
    fields = {
        "of_any": of_any,
        "overall": frequency_of(facts, "interval"),
        "words": _what_is_unusual(facts, own),
        "own": charts[0],
        "histogram": charts[1],
        "names": ("up to", "component", "interval", "compared with the median", "as a rate"),
        "rows": _rows(facts, own),
    }
    return Content(rendered(TEMPLATE, **fields), charts + ([of_any] if of_any else []))


def _unit(facts: Facts, values: Floats) -> tuple[float, str]:
    """Return the factor from samples to the unit in which intervals are drawn, and its name."""
    if facts.clock.sfreq is None:
        return 1.0, "samples"
    longest = float(np.nanpercentile(values, 99.5)) / facts.clock.sfreq
    return (1e3 / facts.clock.sfreq, "ms") if longest < SHORT else (1 / facts.clock.sfreq, "s")


def _over_time(facts: Facts, values: Floats, kind: str) -> Chart:
    scale, unit = _unit(facts, values)
    every = np.arange(len(facts.table))
    layers = [
        over_time(facts, scale * values, own, j, None)
        for j, own in enumerate(facts.own(every))
        if len(own)
    ]
    of = "whatever component" if kind == "any" else "the same component"
    return Chart(
        f"interval-{kind}",
        f"Interval before each event, since the previous one of {of}, over time",
        [row(f"interval ({unit})", *layers, zero=True)],
        time_axis(facts),
        "Over time",
    )


def histogram(facts: Facts, values: Floats) -> tuple[Floats, Floats]:
    """Return edges and counts (q, bins) of intervals; outliers are in the outer bins."""
    known = values[np.isfinite(values)]
    low, high = np.quantile(known, [0.005, 0.995])
    margin = 0.25 * (high - low) or 0.1 * high
    edges = np.linspace(max(low - margin, 0.0), high + margin, BINS + 1)
    inside = [np.clip(part[np.isfinite(part)], edges[0], edges[-1]) for part in facts.own(values)]
    return edges, np.stack([np.histogram(part, edges)[0] for part in inside])


def _histogram(facts: Facts, values: Floats) -> Chart:
    scale, unit = _unit(facts, values)
    edges, counts = histogram(facts, values)
    layers = [
        line(scale * edges, [*n, 0], component=j, name=f"component {j}", step=True)
        for j, n in enumerate(counts)
        if n.any()
    ]
    return Chart(
        "interval-distribution",
        "Histogram of intervals",
        [row("intervals", *layers, zero=True)],
        axis(f"interval ({unit}); the outer bins hold all beyond"),
        "Distribution",
    )


def _what_is_unusual(facts: Facts, values: Floats) -> str:
    unusual = unusual_intervals(facts.table)
    median = interval_medians(facts.table, len(facts.components))[facts.component]
    short = int(np.sum(values[unusual] < median[unusual]))
    said = (
        f"{number(short)} unusually short and {number(len(unusual) - short)} unusually long: more "
        f"than {DEVIATIONS:g} robust standard deviations, and at least {percent(PART)}, from the "
        "median."
    )
    return f"{said} The {INTERVALS} farthest are listed." if len(unusual) > INTERVALS else said


def _rows(facts: Facts, values: Floats) -> list[object]:
    median, clock = (
        interval_medians(facts.table, len(facts.components))[facts.component],
        facts.clock,
    )
    rows: list[object] = []
    for k in unusual_intervals(facts.table)[:INTERVALS]:
        ratio = float(values[k] / median[k])
        rate = "" if clock.sfreq is None else clock.frequency(values[k])
        part = f"{'short' if ratio < 1 else 'long'}: {ratio:.3g} times it"
        rows.append(line_of(facts, k, clock.span(values[k]), part, rate))
    return rows
