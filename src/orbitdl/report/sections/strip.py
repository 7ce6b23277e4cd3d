"""Recording: data, reconstruction, events and residual, to pan and zoom."""

from __future__ import annotations

from typing import Any

import numpy as np

from orbitdl.groups.base import Integers
from orbitdl.report.charts import rounded
from orbitdl.report.coded_recording import CodedRecording
from orbitdl.report.facts import Facts
from orbitdl.report.listed import listed_events
from orbitdl.report.phrasing import count, number, percent
from orbitdl.report.section import Content, rendered
from orbitdl.report.trace import as_text

MOST_EVENTS = 150_000
"""Events in the file, the strongest: more than a day of heartbeats, 5 MB as text."""
MOST_MISSING = 2000
"""Segments without data that are shaded, the longest."""
OVERLAPPING, TRUNCATED, LISTED = 1, 2, 4
"""What is known of an event, as bits of one number."""
FLOATS = ("amplitude", "similarity", "sample_sd", "amplitude_sd", "q_value")
KINDS = {"row": "<i4", "sample": "<f8"} | dict.fromkeys(FLOATS, "<f4")
KINDS |= {"component": "<u2", "flags": "<u2"}
TEMPLATE = """
<p>Drag the figure, or use the buttons, or the arrow keys while it has the focus: left and right
move, up and down zoom. {{ resolution }}</p>
<div id="strip" tabindex="0" role="group" aria-label="Strip of the recording: arrow keys left and \
right move, up and down zoom, Home and End go to its ends">
<div class="controls">
<span class="together">
<button type="button" id="earlier" aria-label="Earlier">←</button>
<button type="button" id="later" aria-label="Later">→</button>
</span>
<span class="together">
<button type="button" id="zoom-in" aria-label="Zoom in">+ <span>Zoom in</span></button>
<button type="button" id="zoom-out" aria-label="Zoom out">− <span>Zoom out</span></button>
<button type="button" id="whole" aria-label="Whole recording">⟷ <span>All of it</span></button>
</span>
{% if has_events %}
<span class="together">
<button type="button" id="previous-event" aria-label="Previous event">‹ event</button>
<button type="button" id="next-event" aria-label="Next event">event ›</button>
<button type="button" id="next-listed" aria-label="Next event listed on this page">listed »</button>
</span>
{% endif %}
{% if channels | length > 1 %}
<label>Channel <select id="channel"><option value="all">all</option>
{% for name in channels %}<option value="{{ loop.index0 }}">{{ name }}</option>{% endfor %}
</select></label>
{% endif %}
</div>
<p id="strip-words" aria-live="polite"></p>
<div id="strip-plot" class="plot" role="img" \
aria-label="Data, reconstruction, events and residual"></div>
<p class="small key"><span class="swatch data"></span>data <span class="swatch ink"></span>\
reconstruction: the events on the slow drift{% if channels | length > 1 %}, of all channels in the
colours of their components{% endif %}{% if has_events %} <b class="ring"></b>\
listed on this page{% endif %}</p>
</div>
"""


def content(facts: Facts) -> Content | None:
    """Return the recording with its events."""
    if facts.recording is None:
        return None
    fields = {
        "resolution": _what_is_stored(facts, facts.recording),
        "has_events": len(facts.table) > 0,
        "channels": facts.channels,
    }
    data = {"strip": strip(facts, facts.recording), "events": packed_events(facts)}
    return Content(rendered(TEMPLATE, **fields), (), data, ("signal.mjs", "strip.mjs"))


def strip(facts: Facts, recording: CodedRecording) -> dict[str, Any]:
    """Return the signal, the components that decompose it, and its gaps, for the page."""
    samples = np.moveaxis(recording.waveforms.samples(), 1, 2)
    longest = recording.missing[:, 1] - recording.missing[:, 0]
    chosen = np.sort(np.argsort(-longest, kind="stable")[:MOST_MISSING])
    return recording.trace.as_json() | {
        "first": recording.first_sample,
        "samples": len(recording.signal),
        "length": recording.waveforms.length,
        "channels": list(facts.channels),
        "waveforms": rounded(samples),
        "peaks": np.rint(recording.peaks).astype(int).tolist(),
        "missing": (recording.first_sample + recording.missing[chosen]).tolist(),
    }


def chosen_events(facts: Facts) -> Integers:
    """Return the sorted numbers of the events in the file; they include the listed ones."""
    strength = np.where(listed_events(facts.table), np.inf, np.abs(facts.size))
    return np.sort(np.argsort(-strength, kind="stable")[:MOST_EVENTS])


def packed_events(facts: Facts) -> dict[str, Any]:
    """Return columns of the events as text; unknown values are NaN."""
    chosen, table = chosen_events(facts), facts.table
    flags = LISTED * listed_events(table)
    flags = flags + OVERLAPPING * table["overlapping"] + TRUNCATED * table["truncated"]
    columns = {"row": chosen, "flags": flags.to_numpy()[chosen]}
    for name in ("sample", "component", *FLOATS):
        known = facts.values_of(name)
        columns[name] = np.full(len(chosen), np.nan) if known is None else known[chosen]
    packed = {name: as_text(columns[name], kind) for name, kind in KINDS.items()}
    return {"total": len(table), **packed}


def _what_is_stored(facts: Facts, recording: CodedRecording) -> str:
    """Describe the resolution of the recording in the file, and the number of its events."""
    size, total = recording.trace.size, len(facts.table)
    few = f" The {number(MOST_EVENTS)} strongest of {number(total)} events are in the file."
    few = few if total > MOST_EVENTS else ""
    if size == 1:
        return f"The file holds every sample.{few}"
    stored = sum(len(values) for _, values in recording.trace.detail) / len(recording.signal)
    return (
        f"The file holds the minimum and maximum of every {count(size, 'sample')} "
        f"({facts.clock.span(size)}), and {percent(stored)} of the recording sample by sample: its "
        f"beginning and end, around the events listed on this page, and evenly spaced segments."
        f"{few}"
    )
