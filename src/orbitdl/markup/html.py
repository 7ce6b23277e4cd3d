"""HTML tables for notebooks, which adapt to light and dark mode."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

LINE = "1px solid rgba(128,128,128,.35)"
CELL = "padding:.15em .9em .15em 0;text-align:left;vertical-align:top;background:none;border:0"
NUMBER = "padding:.1em .9em .1em 0;text-align:right;background:none;border:0"
QUIET = "opacity:.7;font-weight:normal"


def box(title: str, *parts: str) -> str:
    """Return a frame with a title around HTML fragments.

    Examples
    --------
    >>> "1 &lt; 2" in box("1 < 2")
    True
    """
    inside = "".join(parts)
    return (
        f'<div class="orbitdl" style="color:inherit;border:{LINE};border-radius:.4em;'
        'padding:.6em .9em;margin:.3em 0;max-width:60em;overflow-x:auto;line-height:1.45">'
        f"<div><strong>{escape(title)}</strong></div>{inside}</div>"
    )


def facts_table(facts: Mapping[str, str]) -> str:
    """Return named facts as a table; empty ones are omitted."""
    rows = (
        f'<tr style="background:none"><th scope="row" style="{CELL};{QUIET};white-space:nowrap">'
        f"{escape(name)}</th>"
        f'<td style="{CELL}">{escape(said)}</td></tr>'
        for name, said in facts.items()
        if said
    )
    return f'<table style="{_TABLE}"><tbody>{"".join(rows)}</tbody></table>'


def rows_table(frame: pd.DataFrame, caption: str) -> str:
    """Return a short table with a caption."""
    head = "".join(
        f'<th scope="col" style="{NUMBER};{QUIET}">{escape(str(name))}</th>' for name in frame
    )
    body = "".join(
        '<tr style="background:none">'
        + "".join(f'<td style="{NUMBER}">{escape(_written(value))}</td>' for value in row)
        + "</tr>"
        for row in frame.itertuples(index=False)
    )
    return (
        f'<table style="{_TABLE}"><caption style="caption-side:top;text-align:left;color:inherit;'
        f'padding:0;{QUIET}">{escape(caption)}</caption><thead><tr style="background:none">{head}'
        f"</tr></thead><tbody>{body}</tbody></table>"
    )


def folded(summary: str, inside: str) -> str:
    """Return collapsible HTML with a summary."""
    return (
        f'<details style="margin-top:.4em"><summary style="cursor:pointer;{QUIET}">'
        f"{escape(summary)}</summary>{inside}</details>"
    )


def counted(n: int, one: str, several: str = "") -> str:
    """Return a number with its noun.

    Examples
    --------
    >>> counted(1, "atom"), counted(345, "atom")
    ('1 atom', '345 atoms')
    """
    noun = one if n == 1 else several or f"{one}s"
    return f"{n:,} {noun}".replace(",", "\N{NO-BREAK SPACE}")


_TABLE = "border-collapse:collapse;border:0;color:inherit;margin:.4em 0;font-size:inherit"


def _written(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
