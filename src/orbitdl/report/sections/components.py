"""Components: their shapes, how many there are and why, and how each is used."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orbitdl.groups.base import Floats
from orbitdl.report.charts import Chart, Row, axis, band, line, rounded, row
from orbitdl.report.coded_recording import peaks
from orbitdl.report.facts import Facts
from orbitdl.report.listed import interval_medians
from orbitdl.report.phrasing import count, number, percent
from orbitdl.report.section import Content, rendered
from orbitdl.report.sliders import listed_elements, sliders, starts_of_sliders

MOST_COMPONENTS = 24
"""Maximum number of components drawn; the most used are chosen."""
FEW_ROWS = 3
"""Channels that have axes of their own; more are small multiples of one scale."""
TEMPLATE = """
<p>The shapes that were learned, numbered from 0{% if charts %}, as large as their median event.
Time counts from the peak, which is the time of an event{% endif %}.
{% if why %}Their number was found: {{ why }}.{% endif %}
<span id="how-to-move"></span> {{ shown }}</p>
{% if charts %}
<div class="cards{{ ' wide' if wide }}">
{% for j, words, chart in charts %}
<article class="card"><h3>{{ swatch(j) }}Component {{ j }}</h3><p class="small">{{ words }}</p>
{{ chart }}</article>
{% endfor %}
</div>
{% if bands %}<p class="small">Bands: two standard errors.</p>{% endif %}
{% else %}
<div id="component-cards" class="cards"></div>
{% endif %}
{% if rows %}
<div class="scroll" tabindex="0" role="region" aria-label="Use of components">
<table class="numbers"><caption>Events of each component</caption><thead><tr>
{% for name in names %}<th scope="col">{{ name }}</th>{% endfor %}</tr></thead><tbody>
{% for j, cells in rows %}
<tr><th scope="row">{{ swatch(j) }}{{ j }}</th>
{% for cell in cells %}<td data-name="{{ names[loop.index] }}">{{ cell }}</td>{% endfor %}</tr>
{% endfor %}
</tbody></table></div>
<p class="small">Share: of the sum of all sizes. From … to: nine of ten sizes.</p>
{% endif %}
"""


def content(facts: Facts) -> Content | None:
    """Return the components and a table of their events."""
    if not len(facts.components):
        return None
    shown, fixed = shown_components(facts), facts.action is None
    numbers = shown.tolist()
    charts = [component_chart(facts, j) for j in numbers] if fixed else []
    few = f"The {len(shown)} most used of {len(facts.components)} are drawn."
    fields = {
        "why": facts.provenance.get("components"),
        "shown": few if len(shown) < len(facts.components) else "",
        "charts": [(j, _caption(facts, j), c) for j, c in zip(numbers, charts, strict=False)],
        "wide": len(facts.channels) > FEW_ROWS,
        "bands": getattr(facts.model, "components_sd_", None) is not None,
        "names": _columns(facts),
        "rows": [] if facts.events is None else [(j, _cells(facts, j)) for j in _every(facts)],
    }
    if fixed:
        return Content(rendered(TEMPLATE, **fields), charts)
    data = {"components": payload(facts, shown)}
    scripts = ("transforms.mjs", "components.mjs")
    return Content(rendered(TEMPLATE, **fields), (), data, scripts)


def shown_components(facts: Facts) -> NDArray[np.intp]:
    """Return the sorted numbers of the components drawn: the most used ones."""
    share = _shares(facts)
    return np.sort(np.argsort(-share, kind="stable")[:MOST_COMPONENTS])


def component_chart(facts: Facts, j: int) -> Chart:
    """Return a component at the size of its median event, with two standard errors."""
    typical = facts.medians[j] if facts.events is not None else np.nan
    size = 1.0 if np.isnan(typical) else float(typical)
    lines = size * facts.view.lines(facts.components[j], facts.shape)
    sd = getattr(facts.model, "components_sd_", None)
    error = None if sd is None else 2 * abs(size) * facts.view.lines(sd[j], facts.shape)
    rate = facts.clock.sfreq
    x = (np.arange(lines.shape[1]) - float(peaks(facts.model)[j])) * (1e3 / rate if rate else 1.0)
    rows, several = [], len(lines) > FEW_ROWS
    for c, y in enumerate(lines):
        layers = [line(x, y, component=j, name=facts.channels[c])]
        if error is not None:
            layers.insert(0, band(x, y - error[c], y + error[c], component=j))
        name = facts.channels[c] if len(lines) > 1 else "signal"
        rows.append(row(name if several else facts.named(name), *layers, base=True))
    label = "time (ms)" if rate else "time (samples)"
    if several:
        _same_scale(rows, lines)
        label += "; all channels at one scale"
    height = 210 if len(lines) == 1 else 110 * len(lines)
    x_axis, name = axis(label, unit=facts.unit), f"component-{j}"
    return Chart(name, f"Shape of component {j}", rows, x_axis, height=height, grid=several)


def _same_scale(rows: Sequence[Row], lines: Floats) -> None:
    """Give all rows the range of all lines."""
    low, high = min(0.0, float(lines.min())), max(0.0, float(lines.max()))
    room = 0.06 * (high - low) or 1.0
    for one in rows:
        one["range"] = rounded([low - room, high + room])


def _every(facts: Facts) -> range:
    return range(len(facts.components))


def _shares(facts: Facts) -> Floats:
    """Return the fraction of the sum of all sizes that each component has, (q,)."""
    if facts.events is None:
        return np.zeros(len(facts.components))
    total = np.array([np.abs(own).sum() for own in facts.own(facts.size)])
    return np.asarray(total / (total.sum() or 1.0))


def _caption(facts: Facts, j: int) -> str:
    if facts.events is None:
        return ""
    if not facts.counts[j]:
        return "no events"
    typical = f"{abs(facts.medians[j]):.3g} {facts.unit or ''}".rstrip()
    return f"{count(int(facts.counts[j]), 'event')}, median {_size(facts)} {typical}"


def _size(facts: Facts) -> str:
    """Return what the sizes of events are called: absolute ones if there are both signs."""
    return f"{'absolute ' if np.any(facts.size < 0) else ''}{facts.size_name}"


def _columns(facts: Facts) -> list[str]:
    second = "median interval" if facts.recording is not None else f"{facts.noun}s with it"
    size = facts.named(f"median {_size(facts)}")
    return ["component", "events", second, "share", size, "from … to"]


def _cells(facts: Facts, j: int) -> list[str]:
    own = facts.component == j
    size = np.abs(facts.size[own])
    low, middle, high = np.quantile(size, [0.05, 0.5, 0.95]) if own.any() else [np.nan] * 3
    second = "–"
    if facts.recording is None:
        second = number(int(facts.table.loc[own, "window"].nunique()))
    elif not np.isnan(median := interval_medians(facts.table, len(facts.components))[j]):
        second = facts.clock.span(median)
    return [
        number(int(own.sum())),
        second,
        percent(float(_shares(facts)[j])),
        f"{middle:.3g}" if own.any() else "–",
        f"{low:.3g} … {high:.3g}" if own.any() else "–",
    ]


def payload(facts: Facts, shown: NDArray[np.intp]) -> dict[str, Any]:
    """Return components and the sliders that transform them, for the page."""
    elements = listed_elements(facts, len(shown))
    drawn = set(shown.tolist())
    return {
        "view": view_of(facts),
        "sliders": sliders(facts, elements),
        "shapes": [_shape(facts, j, elements if j in drawn else None) for j in _every(facts)],
        "shown": shown.tolist(),
        "captions": [_caption(facts, j) for j in _every(facts)],
    }


def view_of(facts: Facts) -> dict[str, Any]:
    """Return how the page draws a data point. Signals of many channels are lines too."""
    view, names = facts.view, getattr(facts.model, "feature_names_in_", None)
    n, is_signal = view.side_by_side, view.along == "sample"
    images = facts.ch_names if len(facts.ch_names) == n else [f"channel {k}" for k in range(n)]
    return {
        "kind": "lines" if is_signal and view.across == "channel" else view.kind,
        "lines": view.n_lines,
        "length": view.length,
        "vectors": view.vectors,
        "images": list(images),
        "along": view.along,
        "across": view.across,
        "noun": facts.noun,
        "sfreq": facts.clock.sfreq if is_signal else None,
        "unit": facts.unit,
        "channels": list(facts.channels),
        "entries": None if names is None or is_signal else [str(n) for n in names],
    }


def _shape(facts: Facts, j: int, elements: Floats | None) -> dict[str, Any]:
    shape, a = facts.shape, facts.components[j]
    drawn = {"lines": rounded(facts.view.lines(a, shape), 7), "start": starts_of_sliders(facts, j)}
    if elements is not None:
        assert facts.action is not None
        copies = facts.action.act(elements, a[None])
        drawn["copies"] = rounded(facts.view.lines(copies, shape))
    return drawn
