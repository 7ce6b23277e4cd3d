"""Tables of what to look at: a row moves the strip to its event."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from orbitdl.groups.presentation import NO_BREAK
from orbitdl.report.recording.facts import Facts
from orbitdl.report.words import percent


def least_similar_table(facts: Facts) -> str:
    """Return the events that are least like their waveform, the least first."""
    events = facts.events
    rows = []
    for k in facts.least_similar:
        event = events.loc[k]
        cells = (
            f"{_swatch(event['component'])}{event['component']}",
            f"{event['amplitude']:.3g}".replace("-", "−"),
            f"{event['similarity']:.2f}",
            escape(_in_words(bool(event["overlapping"]), bool(event["truncated"]))),
        )
        rows.append(_row(int(k), facts.clock.time(event["sample"]), cells))
    return _table(("time", "waveform", "amplitude", "similarity", "remark"), rows)


def intervals_table(facts: Facts) -> str:
    """Return the most unusual intervals, those farthest from the median first."""
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


def _in_words(overlapping: bool, truncated: bool) -> str:
    said = (["overlapping"] if overlapping else []) + (
        ["truncated by an end or a gap"] if truncated else []
    )
    return ", ".join(said) or "–"


def _swatch(component: int) -> str:
    return f'<span class="swatch" data-component="{component}" aria-hidden="true"></span>'


def _row(number: int, time: str, cells: Sequence[str]) -> str:
    """Return a row whose first cell is a button."""
    rest = "".join(f"<td>{cell}</td>" for cell in cells)
    button = f'<button type="button" class="go">{escape(time.replace(" ", NO_BREAK))}</button>'
    return f'<tr class="goes" data-event="{number}"><th scope="row">{button}</th>{rest}</tr>'


def _table(names: Sequence[str], rows: Sequence[str]) -> str:
    head = "".join(f'<th scope="col">{name}</th>' for name in names)
    return f"<thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody>"
