"""The page of a recording: words, tables and data for the frame."""

from __future__ import annotations

from html import escape

import numpy as np

from orbitdl.report.frame import figures_of, file, framed, paragraphs_of, rows_of
from orbitdl.report.origin import parameters, time_to_learn, versions
from orbitdl.report.recording.facts import LISTED, Facts
from orbitdl.report.recording.intervals import DEVIATIONS, PART
from orbitdl.report.recording.payload import MOST_EVENTS, payload
from orbitdl.report.recording.summary import (
    figures,
    noise_sentences,
    paragraphs,
    sentence_of_intervals,
)
from orbitdl.report.recording.tables import intervals_table, least_similar_table
from orbitdl.report.words import count, number, percent

HOME = "recording/"
SHARED = ("colours", "figures", "elements")
OWN = ("numbers", "signal", "strip", "steering", "waveforms", "timelines")
LAST = ("script/learning.js", "script/theme.js", f"{HOME}script/page.js")


def page(facts: Facts) -> str:
    """Return the whole report as HTML; every text from outside is escaped."""
    pieces = {
        "summary": paragraphs_of(paragraphs(facts)),
        "figures": figures_of(figures(facts)),
        "first": least_similar_table(facts),
        "resolution": escape(_what_is_kept(facts)),
        "intervals": escape(_what_intervals_say(facts)),
        "any": escape(sentence_of_intervals(facts)),
        "table": intervals_table(facts),
        "noise": escape(noise_sentences(facts)),
        "run": rows_of(run_table(facts)),
    }
    scope = "recording" if len(facts.events) else "recording about-nothing"
    scripts = [f"script/{name}.js" for name in SHARED]
    scripts += [f"{HOME}script/{name}.js" for name in OWN]
    style = file(f"{HOME}page.css")
    return framed(HOME, facts.title, scope, pieces, payload(facts), [*scripts, *LAST], style)


def run_table(facts: Facts) -> list[tuple[str, str]]:
    """Return rows of name and value: parameters, data, versions, date."""
    origin = facts.model.provenance_
    shape = f"{count(len(facts.signal), 'sample')} of {count(facts.signal.channels, 'channel')}"
    rows = [*parameters(facts.model), ("alpha_", f"{facts.model.alpha_:g}")]
    rows += [*time_to_learn(facts.history), ("recording", shape)]
    if facts.clock.sfreq is not None:
        rows.append(("sampling rate", f"{number(facts.clock.sfreq)} Hz"))
    if facts.clock.offset:
        rows.append(("samples before this excerpt", number(facts.clock.offset)))
    if "fingerprint" in origin:
        rows.append(("fingerprint of the data learned from", str(origin["fingerprint"])))
    if "date" in origin:
        rows.append(("learned", f"{origin['date']}, orbitdl {origin.get('orbitdl', '')}"))
    return [*rows, *versions()]


def _what_is_kept(facts: Facts) -> str:
    """Say at which resolution the file holds the recording, and how many of its events."""
    total = len(facts.events)
    few = f" The {number(MOST_EVENTS)} strongest of {number(total)} events are in the file."
    return f"{_resolution(facts)}{few if total > MOST_EVENTS else ''}"


def _resolution(facts: Facts) -> str:
    size = facts.strip.size
    if size == 1:
        return "The file holds every sample."
    kept = sum(len(values) for _, values in facts.strip.detail) / len(facts.signal)
    return (
        f"The file holds the recording's outline, the least and the greatest value of every "
        f"{count(size, 'sample')} ({facts.clock.span(size)}), and {percent(kept)} of it sample by "
        "sample: its beginning and end, around the events listed on this page, and stretches "
        "spread evenly."
    )


def _what_intervals_say(facts: Facts) -> str:
    """Say what is unusual, how many there are, and how many are listed or left out."""
    unusual = facts.intervals.unusual
    short, long = (int(np.count_nonzero(unusual == sign)) for sign in (-1, 1))
    said = (
        f"{number(short)} unusually short and {number(long)} unusually long: more than "
        f"{DEVIATIONS:g} robust standard deviations, and at least {percent(PART)}, from the median."
    )
    if short + long > LISTED:
        said += f" The {LISTED} farthest from it are listed."
    if len(facts.missing):
        said += " Intervals in which half a waveform or more is missing are left out."
    return said
