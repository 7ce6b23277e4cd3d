"""The page: sections, style, scripts and data in one HTML text that needs no network."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Sequence
from typing import Any

from markupsafe import Markup

from orbitdl.plot.canvas import DARK, PALETTE
from orbitdl.report.facts import Facts
from orbitdl.report.section import Content, Section, file, rendered

SCRIPTS = ("scripts/numbers.mjs", "scripts/chart.mjs", "scripts/page.mjs")
"""Modules of every page, in the order in which they depend on each other."""
START = "scripts/start.mjs"
"""The module that draws the page, the last."""


def page(facts: Facts, sections: Sequence[Section]) -> str:
    """Return the report as HTML."""
    shown = [(one, content) for one in sections if (content := one.show(facts)) is not None]
    contents = [content for _, content in shown]
    script = bundled([*SCRIPTS, *own_scripts(contents), START])
    anchors = _distinct([one.anchor for one, _ in shown])
    return rendered(
        file("page.html"),
        title=facts.title,
        policy=_policy(script),
        style=Markup(palette() + file("page.css")),
        sections=[
            (anchor, one.title, Markup(content.html))
            for anchor, (one, content) in zip(anchors, shown, strict=True)
        ],
        data=Markup(as_json(data_of(facts, contents))),
        script=Markup(script),
    )


def data_of(facts: Facts, contents: Sequence[Content]) -> dict[str, Any]:
    """Return the data that the page draws."""
    data: dict[str, Any] = {
        "sfreq": facts.clock.sfreq,
        "unit": facts.unit,
        "charts": {chart.name: chart.spec() for one in contents for chart in one.charts},
    }
    for content in contents:
        data |= content.data
    return data


def own_scripts(contents: Sequence[Content]) -> list[str]:
    """Return the scripts of sections, each once."""
    return list(dict.fromkeys(f"sections/{name}" for one in contents for name in one.scripts))


def bundled(names: Sequence[str]) -> str:
    """Return modules as one script: without their imports and exports."""
    code = "\n".join(file(name) for name in names)
    code = re.sub(r'^import .*? from ".*?";\n', "", code, flags=re.MULTILINE)
    return '"use strict";\n' + re.sub(r"^export ", "", code, flags=re.MULTILINE)


LIGHT = {
    "paper": "#ffffff", "sheet": "#f6f7f9", "ink": "#1c2126", "soft": "#59636e", "line": "#d9dee4",
    "accent": "#005a8d", "check": "#b34700", "know": "#005a8d", "fine": "#00694d",
    "data": "#9aa4ae", "ghost": "#c3cad2", "plain": "#ffffff",
}  # fmt: skip
"""Colours of the page by their names in its style."""
NIGHT = {
    "paper": "#14181c", "sheet": "#1d2329", "ink": "#e6e9ec", "soft": "#a3adb8", "line": "#343c45",
    "accent": "#6fb8ea", "check": "#f0a35e", "know": "#6fb8ea", "fine": "#4cc9a0",
    "data": "#7d8893", "ghost": "#4d5862", "plain": "#14181c",
}  # fmt: skip
"""The same in dark mode."""


def palette() -> str:
    """Return the colours of page and components as style: light, dark, and light on paper."""
    light, dark = (
        "".join(f"--{name}:{colour};" for name, colour in colours.items())
        for colours in (LIGHT | _numbered(PALETTE), NIGHT | _numbered(DARK))
    )
    swatches = "".join(f".c{k}{{color:var(--c{k})}}" for k in range(len(PALETTE)))
    return (
        f":root{{color-scheme:light;{light}}}@media screen{{:root[data-theme=dark]{{"
        f"color-scheme:dark;{dark}}}@media (prefers-color-scheme:dark){{"
        f":root:not([data-theme=light]){{color-scheme:dark;{dark}}}}}}}{swatches}"
    )


def _numbered(colours: Sequence[str]) -> dict[str, str]:
    return {f"c{k}": colour for k, colour in enumerate(colours)}


def as_json(content: Any) -> str:
    """Return JSON for a script element: it can neither open nor close a tag."""
    text = json.dumps(content, allow_nan=False, separators=(",", ":"), ensure_ascii=True)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _distinct(names: Sequence[str]) -> list[str]:
    """Return names with a number where one occurs again."""
    return [f"{n}-{k}" if (k := names[:i].count(n)) else n for i, n in enumerate(names)]


def _policy(script: str) -> str:
    """Return a content security policy: this script, inline styles, and no network."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
