"""The data of the page, as one JSON document: long lists of numbers are text of few bytes."""

from __future__ import annotations

from typing import Any

import numpy as np

from orbitdl.groups.base import Integers
from orbitdl.report.payload import course_of, rounded
from orbitdl.report.recording.facts import RecordingFacts
from orbitdl.report.recording.packing import as_text

MOST_EVENTS = 150_000
"""Events in the file, the strongest: more than a day of heartbeats, 5 MB as text."""
MOST_MISSING = 2000
"""Stretches without data that are shaded, the longest."""
OVERLAPPING, TRUNCATED, UNUSUAL = 1, 2, 4
"""What is known of an event, as bits of one number."""
FLOATS = ("interval", "own_interval", "amplitude", "similarity")
KINDS = {"sample": "<f8"} | dict.fromkeys(FLOATS, "<f4") | {"component": "<u2", "flags": "<u2"}


def payload(facts: RecordingFacts) -> dict[str, Any]:
    """Return all that the page draws."""
    return {
        "view": _view(facts),
        "names": list(facts.channels),
        "waveforms": [_waveform(facts, j) for j in range(len(facts.waveforms))],
        "strip": facts.trace.as_json() | {"missing": _missing(facts)},
        "events": _events(facts, chosen_events(facts)),
        "histogram": _histogram(facts),
        "noise": _noise(facts),
        "history": course_of(facts.history),
    }


def chosen_events(facts: RecordingFacts) -> Integers:
    """Return the sorted numbers of the events in the file; they include the listed ones."""
    strength = np.abs(facts.events["amplitude"].to_numpy())
    rank = np.where(facts.unusual, np.inf, strength)
    return np.sort(np.argsort(-rank, kind="stable")[:MOST_EVENTS])


def _view(facts: RecordingFacts) -> dict[str, Any]:
    return {
        "sfreq": facts.clock.sfreq,
        "offset": facts.clock.offset,
        "samples": len(facts.signal),
        "length": facts.waveforms.length,
        "along": "sample",
        "unit": facts.unit,
        "channels": list(facts.channels),
        "images": [],
    }


def _waveform(facts: RecordingFacts, j: int) -> dict[str, Any]:
    """Return a waveform of unit norm, and the amplitude of a typical event."""
    typical, lines = facts.amplitudes[j], facts.waveforms.samples()[j].T
    sd = facts.model.components_sd_
    return {
        "lines": rounded(lines),
        "sd": None if sd is None else rounded(sd[j].reshape(lines.T.shape).T),
        "peak": round(float(facts.peaks[j])),
        "events": int(facts.counts[j]),
        "typical": None if np.isnan(typical) else float(typical),
    }


def _noise(facts: RecordingFacts) -> dict[str, list[float]] | None:
    """Return the noise level over time; None if noise is white."""
    if facts.noise is None:
        return None
    position, level = facts.noise
    return {"sample": np.rint(position).tolist(), "level": rounded(level)}


def _missing(facts: RecordingFacts) -> list[list[int]]:
    length = facts.missing[:, 1] - facts.missing[:, 0]
    longest = np.sort(np.argsort(-length, kind="stable")[:MOST_MISSING])
    segments: list[list[int]] = facts.missing[longest].tolist()
    return segments


def _events(facts: RecordingFacts, chosen: Integers) -> dict[str, Any]:
    """Return columns of the events; unknown values are NaN."""
    events = facts.events
    flags = (
        events["overlapping"] * OVERLAPPING
        + events["truncated"] * TRUNCATED
        + facts.unusual * UNUSUAL
    )
    columns = {name: events[name].to_numpy() for name in ("sample", *FLOATS, "component")}
    columns |= {"flags": flags.to_numpy()}
    packed = {name: as_text(columns[name][chosen], kind) for name, kind in KINDS.items()}
    return {"number": indices_in_file(facts, chosen), "total": len(events), **packed}


def indices_in_file(facts: RecordingFacts, chosen: Integers) -> dict[str, int]:
    """Return the indices of the listed events among those in the file."""
    listed = np.flatnonzero(facts.unusual)
    indices = np.searchsorted(chosen, listed)
    return dict(zip(map(str, listed.tolist()), indices.tolist(), strict=True))


def _histogram(facts: RecordingFacts) -> dict[str, Any]:
    edges, counts = facts.intervals.histogram(facts.component)
    return {"edges": edges.tolist(), "counts": counts.tolist()}
