"""The outcome in one line a row: held or missed, the figure, and what it was to be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from benchmarks.harness import LIMIT, Row, Section

WORDS = {True: "held", False: "missed", None: "no target"}
"""Rows without a target are told, not judged."""


def line(row: Row) -> str:
    """Return the verdict on a row, its figure and its target."""
    return f"{WORDS[row.holds]:<10}{row.work}: {figure(row)}{aim(row)}"


def figure(row: Row) -> str:
    """Write the ratio, and of what; or the seconds, where there is nothing but a limit."""
    if row.competitor == LIMIT:
        return f"{number(row.ours)} s"
    kind = " times as fast as" if row.at_least else " times"
    return f"{number(row.ratio)}{kind} {row.competitor}"


def aim(row: Row) -> str:
    """Write the target, if there is one."""
    if row.target is None:
        return ""
    if row.competitor == LIMIT:
        return f" (limit {number(row.target * row.theirs)} s)"
    return f" (target {'>=' if row.at_least else '<='} {number(row.target)})"


def number(value: float) -> str:
    """Write a number with three digits, large ones in full."""
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def count(rows: Iterable[Row]) -> str:
    """Say how many targets were held and missed, and how many rows have none."""
    found = Counter(row.holds for row in rows)
    judged = found[True] + found[False]
    parts = [f"{found[True]} of {judged} targets held", f"{found[False]} missed"]
    parts += [f"without a target: {found[None]}"] if found[None] else []
    return ", ".join(parts)


def summary(sections: list[Section], quick: bool) -> str:
    """Return the last line: all counts, what could not be run, and what a miss means."""
    parts = [count(row for section in sections for row in section.rows)]
    parts += [f"{section.title} left out" for section in sections if section.left_out]
    parts += [f"{section.title} FAILED" for section in sections if section.failed]
    words = "; ".join(parts) + "."
    words += " A missed target is told and fails nothing." if "0 missed" not in parts[0] else ""
    return words + (" Quick version: targets are only hinted at." if quick else "")
