"""Write the report of a recording: validate, collect, render, replace the file atomically."""

from __future__ import annotations

import os
from collections.abc import Sequence
from html import escape
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from orbitdl.estimators.waveform import WaveformLearning
from orbitdl.groups.presentation import NO_BREAK
from orbitdl.io import Recording
from orbitdl.report.frame import assemble_page, figures_of, file, paragraphs_of, rows_of
from orbitdl.report.origin import parameters, time_to_learn, versions
from orbitdl.report.phrasing import count, number, percent
from orbitdl.report.recording.facts import LISTED, RecordingFacts, gather
from orbitdl.report.recording.intervals import DEVIATIONS, PART
from orbitdl.report.recording.payload import MOST_EVENTS, payload
from orbitdl.report.recording.summary import (
    figures,
    noise_sentences,
    paragraphs,
    sentence_of_intervals,
)
from orbitdl.storage.writing import require_target, write_file


def write_recording_report(
    model: WaveformLearning,
    recording: Recording | ArrayLike,
    path: str | os.PathLike[str],
    *,
    title: str | None = None,
    unit: str | None = None,
) -> Path:
    """Write one HTML file that shows the events of a recording, unusual ones first.

    The file needs no network. It has a summary, the events least similar to their waveform, the
    waveforms, the signal with panning and zooming, intervals and amplitudes over time, and the
    history of learning. Its size is bounded: of a long recording it has the outline, and all
    samples around listed events.

    Parameters
    ----------
    model : WaveformLearning
        Fitted.
    recording : Recording, path, or array-like of shape (T,) or (T, channels)
        NaN where a sample is missing. Without a sampling frequency, times are in samples. Times of
        an excerpt count from the start of the recording.
    path : str or path-like
        Output file; an existing file is replaced once the new one is complete.
    title : str, optional
    unit : str, optional
        Unit of the recording, such as "mV".

    Returns
    -------
    Path
        The file written.

    Examples
    --------
    >>> import tempfile
    >>> from orbitdl import WaveformLearning
    >>> from orbitdl.datasets import make_ecg_recording
    >>> heart = make_ecg_recording(duration=20, random_state=0)
    >>> model = WaveformLearning(length=200, random_state=0).fit(heart.signal)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = write_recording_report(model, heart, f"{folder}/heart.html", unit="mV")
    ...     file.stat().st_size < 10e6
    True
    """
    target = require_target(path)
    return write_file(target, page(gather(model, recording, title, unit)))


FOLDER = "recording/"
SHARED = ("colours", "figures", "elements")
OWN = ("numbers", "signal", "strip", "steering", "waveforms", "timelines")
LAST = ("script/learning.js", "script/theme.js", f"{FOLDER}script/page.js")


def page(facts: RecordingFacts) -> str:
    """Return the report as HTML; text from users is escaped."""
    sections = {
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
    scripts += [f"{FOLDER}script/{name}.js" for name in OWN]
    style = file(f"{FOLDER}page.css")
    return assemble_page(
        FOLDER, facts.title, scope, sections, payload(facts), [*scripts, *LAST], style
    )


def run_table(facts: RecordingFacts) -> list[tuple[str, str]]:
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


def _what_is_kept(facts: RecordingFacts) -> str:
    """Describe the resolution of the recording in the file, and the number of its events."""
    total = len(facts.events)
    few = f" The {number(MOST_EVENTS)} strongest of {number(total)} events are in the file."
    return f"{_resolution(facts)}{few if total > MOST_EVENTS else ''}"


def _resolution(facts: RecordingFacts) -> str:
    size = facts.trace.size
    if size == 1:
        return "The file holds every sample."
    kept = sum(len(values) for _, values in facts.trace.detail) / len(facts.signal)
    return (
        f"The file holds the recording's outline, the least and the greatest value of every "
        f"{count(size, 'sample')} ({facts.clock.span(size)}), and {percent(kept)} of it sample by "
        "sample: its beginning and end, around the events listed on this page, and segments "
        "spread evenly."
    )


def _what_intervals_say(facts: RecordingFacts) -> str:
    """Describe unusual intervals: their definition, number, and how many are listed."""
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


def least_similar_table(facts: RecordingFacts) -> str:
    """Return the events with the lowest similarity to their waveform, lowest first."""
    events = facts.events
    rows = []
    for k in facts.least_similar:
        event = events.loc[k]
        cells = (
            f"{_swatch(event['component'])}{event['component']}",
            f"{event['amplitude']:.3g}".replace("-", "−"),
            f"{event['similarity']:.2f}",
            escape(_kind_label(bool(event["overlapping"]), bool(event["truncated"]))),
        )
        rows.append(_row(int(k), facts.clock.time(event["sample"]), cells))
    return _table(("time", "waveform", "amplitude", "similarity", "remark"), rows)


def intervals_table(facts: RecordingFacts) -> str:
    """Return the most unusual intervals, farthest from the median first."""
    intervals, component = facts.intervals, facts.component
    ratio = intervals.ratio(component)
    rows = []
    for k in facts.far_intervals:
        often = "" if facts.clock.sfreq is None else facts.clock.frequency(intervals.before[k])
        cells = (
            f"{_swatch(component[k])}{component[k]}",
            escape(facts.clock.span(intervals.before[k])),
            f"{'short' if intervals.unusual[k] < 0 else 'long'}: {percent(float(ratio[k]))}",
            escape(often),
        )
        rows.append(_row(int(k), facts.clock.time(facts.events["sample"][k]), cells))
    return _table(("up to", "waveform", "interval", "part of the median", "as a rate"), rows)


def _kind_label(overlapping: bool, truncated: bool) -> str:
    said = (["overlapping"] if overlapping else []) + (
        ["truncated by an end or a gap"] if truncated else []
    )
    return ", ".join(said) or "–"


def _swatch(component: int) -> str:
    return f'<span class="swatch" data-component="{component}" aria-hidden="true"></span>'


def _row(event: int, time: str, cells: Sequence[str]) -> str:
    """Return a row whose first cell is a button."""
    rest = "".join(f"<td>{cell}</td>" for cell in cells)
    button = f'<button type="button" class="go">{escape(time.replace(" ", NO_BREAK))}</button>'
    return f'<tr class="goes" data-event="{event}"><th scope="row">{button}</th>{rest}</tr>'


def _table(names: Sequence[str], rows: Sequence[str]) -> str:
    head = "".join(f'<th scope="col">{name}</th>' for name in names)
    return f"<thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody>"
