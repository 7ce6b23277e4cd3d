"""Intervals from one event to the next: over time, their distribution, and unusual ones."""

from __future__ import annotations

import numpy as np

from orbitdl.groups.base import Floats
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
from orbitdl.report.sections.amplitudes import distribution, over_time
from orbitdl.report.sections.summary import frequency_of
from orbitdl.report.sections.unusual import TABLE, line_of

BINS = 60
SHORT = 0.5
"""Intervals below so many seconds are drawn in milliseconds."""
TEMPLATE = (
    TABLE
    + """
{% if charts | length > 2 %}
<h3>From one event to the next</h3>
<p>From one event to the next, of any component: {{ overall }}.</p>
{{ charts[2] }}
{% endif %}
<h3>From one event to the next of the same component</h3>
<p>{{ words }}</p>
<div class="pair">{{ charts[0] }}{{ charts[1] }}</div>
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
    scale, unit = _unit(facts, own)
    edges, clipped = binned(own)
    label, outer = f"interval ({unit})", f"interval ({unit}); the outer bins hold all beyond"
    charts = [
        over_time(facts, "own-interval", scale * own, label),
        distribution(facts, "interval", scale * clipped, scale * edges, outer),
    ]
    if between is not None and len(facts.components) > 1:
        scale, unit = _unit(facts, between)
        charts.append(over_time(facts, "interval", scale * between, f"interval ({unit})"))
    fields = {
        "charts": charts,
        "overall": frequency_of(facts, "interval"),
        "words": _what_is_unusual(facts, own),
        "names": ("up to", "component", "interval", "compared with the median", "as a rate"),
        "rows": _rows(facts, own),
    }
    return Content(rendered(TEMPLATE, **fields), charts)


def _unit(facts: Facts, values: Floats) -> tuple[float, str]:
    """Return the factor from samples to the unit in which intervals are drawn, and its name."""
    if facts.clock.sfreq is None:
        return 1.0, "samples"
    longest = float(np.nanpercentile(values, 99.5)) / facts.clock.sfreq
    return (1e3 / facts.clock.sfreq, "ms") if longest < SHORT else (1 / facts.clock.sfreq, "s")


def binned(values: Floats) -> tuple[Floats, Floats]:
    """Return edges of a histogram of intervals, and the intervals, outliers in the outer bins."""
    low, high = np.nanquantile(values, [0.005, 0.995])
    margin = 0.25 * (high - low) or 0.1 * high
    edges = np.linspace(max(low - margin, 0.0), high + margin, BINS + 1)
    return edges, np.clip(values, edges[0], edges[-1])


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
