"""Sections of a report: a title, and a function that returns what the section shows."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Any

from jinja2 import Environment, StrictUndefined, Template

from orbitdl.groups.presentation import NO_BREAK
from orbitdl.report.charts import Chart
from orbitdl.report.facts import Facts


@dataclass(frozen=True, eq=False)
class Content:
    """What a section shows.

    Attributes
    ----------
    html : str
        Inserted as it is: text in it is escaped, as templates do.
    charts : sequence of Chart
        Those in the HTML.
    data : mapping
        JSON for the section's own script, merged into the data of the page.
    scripts : sequence of str
        Own scripts, by the names of their files in ``report/sections``.
    """

    html: str
    charts: Sequence[Chart] = ()
    data: Mapping[str, Any] = field(default_factory=dict)
    scripts: Sequence[str] = ()


@dataclass(frozen=True)
class Section:
    """A section of a report.

    Attributes
    ----------
    title : str
    content : callable
        Takes `Facts`; returns `Content`, HTML, or None if the section does not apply.

    Examples
    --------
    >>> Section("Patient", lambda facts: "<p>Number 208</p>").anchor
    'patient'
    """

    title: str
    content: Callable[[Facts], Content | str | None]

    @property
    def anchor(self) -> str:
        """Name of the section in addresses."""
        return re.sub(r"[^a-z0-9]+", "-", self.title.lower()).strip("-") or "section"

    def show(self, facts: Facts) -> Content | None:
        """Return the content, or None if the section does not apply."""
        found = self.content(facts)
        return Content(found) if isinstance(found, str) else found


def rendered(template: str, **fields: Any) -> str:
    """Return HTML from a Jinja template; text is escaped, charts are places to draw."""
    return _compiled(template).render(fields)


@cache
def _compiled(template: str) -> Template:
    places = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    places.globals["swatch"] = Swatch
    places.filters["nobreak"] = lambda text: str(text).replace(" ", NO_BREAK)
    return places.from_string(template)


@dataclass(frozen=True)
class Swatch:
    """The line in the colour of a component, as a template inserts it."""

    component: int

    def __html__(self) -> str:
        classes = f"swatch c{self.component % 8} d{self.component // 8 % 4}"
        return f'<span class="{classes}" aria-hidden="true"></span>'


def file(name: str) -> str:
    """Return the text of a file of this package."""
    return resources.files("orbitdl.report").joinpath(name).read_text(encoding="utf-8")
