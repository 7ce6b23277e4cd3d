"""The template of every page: style, script and data in one HTML text.

Reports of windows and of recordings share it.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from importlib import resources
from string import Template
from typing import Any

from plotly.offline import get_plotlyjs

from orbitdl.plot.canvas import DARK, PALETTE


def assemble_page(
    folder: str,
    title: str,
    scope: str,
    sections: Mapping[str, str],
    content: Mapping[str, Any],
    scripts: Sequence[str],
    style: str = "",
) -> str:
    """Return the page as HTML.

    Parameters
    ----------
    folder : str
        Folder of the page's own ``page.html`` and ``nav.html`` within this package.
    title : str
        Unescaped.
    scope : str
        Kind of the page; its style may depend on it.
    sections : mapping of str to str
        HTML for the fields of ``page.html``; text from users is escaped already.
    content : JSON
        Data to be drawn.
    scripts : sequence of str
        Files of the page's script, in order.
    style : str
        Additional style of the page.
    """
    code = {"plotly": get_plotlyjs(), "script": "\n".join(file(name) for name in scripts)}
    return Template(file("frame.html")).substitute(
        policy=_policy(code.values()),
        title=escape(title),
        scope=scope,
        style=file("page.css") + style,
        nav=file(f"{folder}nav.html"),
        main=Template(file(f"{folder}page.html")).substitute(sections),
        data=as_json({**content, "palette": {"light": PALETTE, "dark": DARK}}),
        **code,
    )


def file(name: str) -> str:
    """Return the text of a file of this package."""
    return resources.files("orbitdl.report").joinpath(name).read_text(encoding="utf-8")


def as_json(content: Any) -> str:
    """Return JSON for a script element: it can neither open nor close a tag."""
    text = json.dumps(content, allow_nan=False, separators=(",", ":"), ensure_ascii=True)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def paragraphs_of(said: Sequence[str]) -> str:
    """Return sentences as paragraphs."""
    return "".join(f"<p>{escape(paragraph)}</p>" for paragraph in said)


def figures_of(shown: Sequence[tuple[str, str]]) -> str:
    """Return key figures with their captions."""
    return "".join(
        f"<div><dt>{escape(words)}</dt><dd>{escape(value)}</dd></div>" for value, words in shown
    )


def rows_of(rows: Sequence[tuple[str, str]]) -> str:
    """Return rows of a table of names and values."""
    return "".join(
        f'<tr><th scope="row">{escape(name)}</th><td>{escape(value)}</td></tr>'
        for name, value in rows
    )


def _policy(scripts: Iterable[str]) -> str:
    """Return a content security policy: these scripts, inline styles, and no network."""
    digests = (hashlib.sha256(script.encode()).digest() for script in scripts)
    hashes = " ".join(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)
    return (
        f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )
