"""Unusual events: those least similar to their component."""

from __future__ import annotations

import numpy as np

from orbitdl.report.facts import Facts
from orbitdl.report.listed import least_similar
from orbitdl.report.section import Content, rendered

TABLE = """
{% macro table(label, names, rows) %}
<div class="scroll" tabindex="0" role="region" aria-label="{{ label }}"><table class="look">
<thead><tr>{% for name in names %}<th scope="col">{{ name }}</th>{% endfor %}</tr></thead>
<tbody>
{% for event, time, component, cells in rows %}
<tr class="goes" data-event="{{ event }}"><th scope="row">\
<button type="button" class="go">{{ time | nobreak }}</button></th>\
<td data-name="component">{{ swatch(component) }}{{ component }}</td>\
{% for cell in cells %}<td data-name="{{ names[loop.index + 1] }}">{{ cell }}</td>{% endfor %}</tr>
{% endfor %}
</tbody></table></div>
{% endmacro %}
"""
"""A table of events; a row leads to its event."""
TEMPLATE = (
    TABLE
    + """
<p>The events least similar to their component. Similarity is the cosine of the data there, other
events subtracted, and the component: 1 where they have the same shape. Choose a row to see the
recording there.</p>
{{ table("Events least similar to their component", names, rows) }}
"""
)
Line = tuple[int, str, int, tuple[str, ...]]


def content(facts: Facts) -> Content | None:
    """Return the events least similar to their component, lowest first."""
    if facts.recording is None or len(least_similar(facts.table)) == 0:
        return None
    names = ("time", "component", facts.named(facts.size_name), "similarity", "remark")
    similarity = np.asarray(facts.table["similarity"])
    rows = [
        line_of(facts, k, minus(facts.size[k]), f"{similarity[k]:.2f}", remark_on(facts, k))
        for k in least_similar(facts.table)
    ]
    return Content(rendered(TEMPLATE, names=names, rows=rows))


def line_of(facts: Facts, event: int, *cells: str) -> Line:
    """Return a row of a table of events."""
    time = facts.clock.time(float(facts.table["sample"].iloc[event]))
    return int(event), time, int(facts.component[event]), cells


def minus(value: float) -> str:
    """Return a number with three digits and a true minus sign."""
    return f"{value:.3g}".replace("-", "\N{MINUS SIGN}")


def remark_on(facts: Facts, event: int) -> str:
    """Return what the table says of an event: overlapping, truncated."""
    flags = {"overlapping": "overlapping", "truncated": "truncated by an end or a gap"}
    said = [words for name, words in flags.items() if facts.table[name].iloc[event]]
    return ", ".join(said) or "\N{EN DASH}"
