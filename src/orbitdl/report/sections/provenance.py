"""Provenance: parameters, data, versions, and how to run it again."""

from __future__ import annotations

import platform
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from importlib import metadata
from inspect import signature
from typing import Any

import numpy as np

from orbitdl import __version__
from orbitdl.coding.base import Coder
from orbitdl.groups import Group
from orbitdl.groups.presentation import written_array
from orbitdl.report.facts import Facts
from orbitdl.report.phrasing import count, number, sizes
from orbitdl.report.section import Content, rendered
from orbitdl.storage.provenance import data_fingerprint

LIBRARIES = ("numpy", "scipy", "numba", "scikit-learn")
ALWAYS = ("n_components", "alpha", "length")
"""Parameters that are written out even at their defaults."""
TEMPLATE = """
<table class="run"><tbody>
{% for name, value in rows %}
<tr><th scope="row">{{ name }}</th><td>{{ value }}</td></tr>
{% endfor %}
</tbody></table>
{% if command %}<h3>On the command line</h3><pre><code>{{ command }}</code></pre>{% endif %}
<h3>In Python</h3>
<pre><code>{{ snippet }}</code></pre>
"""


def content(facts: Facts) -> Content:
    """Return what was run, and how to run it again."""
    fields = {"rows": run_table(facts), "command": facts.command, "snippet": snippet(facts)}
    return Content(rendered(TEMPLATE, **fields))


def run_table(facts: Facts) -> list[tuple[str, str]]:
    """Return rows of name and value: parameters, data, versions, date."""
    model, origin = facts.model, facts.provenance
    rows = [(name, _shown(value)) for name, value in model.get_params(deep=False).items()]
    if not isinstance(model.alpha, float):
        rows.append(("alpha_", f"{model.alpha_:g}"))
    if facts.history:
        rows.append(("time to learn", f"{sum(r.seconds for r in facts.history):.1f} s"))
    if "fingerprint" in origin:
        rows.append(("fingerprint of the training data", str(origin["fingerprint"])))
    if "date" in origin:
        rows.append(("learned", f"{origin['date']}, orbitdl {origin.get('orbitdl', '')}"))
    used = ", ".join(f"{name} {metadata.version(name)}" for name in LIBRARIES)
    return [
        *rows,
        *_data(facts),
        ("versions", f"orbitdl {__version__}, Python {platform.python_version()}, {used}"),
        ("written", datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")),
    ]


def _data(facts: Facts) -> list[tuple[str, str]]:
    """Return rows that describe the data of the report."""
    rows = []
    if facts.source is not None:
        rows.append(("file", facts.source))
    if facts.windows is not None:
        rows.append(("data", f"array of shape {facts.windows.X.shape}"))
        rows.append(("fingerprint of the data", data_fingerprint(facts.windows.X)))
        if facts.windows.windows.step is not None:
            rows.append(("step from window to window", f"{facts.windows.windows.step} samples"))
    if facts.recording is not None:
        signal = facts.recording.signal
        size = f"{count(len(signal), 'sample')} of {count(signal.channels, 'channel')}"
        rows.append(("recording", size))
    if facts.clock.sfreq is not None:
        rows.append(("sampling rate", f"{number(facts.clock.sfreq)} Hz"))
    if facts.first_sample:
        rows.append(("samples before this excerpt", number(facts.first_sample)))
    return rows


def snippet(facts: Facts) -> str:
    """Return Python that fits the same model again, and writes the report."""
    model = facts.model
    parts = list(model.get_params(deep=False).values())
    imports = [f"from orbitdl import {type(model).__name__}", "from orbitdl.report import Report"]
    imports += sorted({_import_of(p) for p in parts if isinstance(p, Group | Coder)})
    settings = [f"    {name}={value}," for name, value in _changed_settings(model).items()]
    data = "X" if facts.recording is None and facts.action is not None else "recording"
    return "\n".join(
        [
            *imports,
            "",
            _line_of_data(facts, data),
            f"model = {type(model).__name__}(",
            *settings,
            ")",
            f"model.fit({data})",
            f"codes = model.encode({data})",
            f"Report(model, {data}{_labels(facts)}).write('report.html')",
        ]
    )


def _line_of_data(facts: Facts, name: str) -> str:
    if facts.source is not None and name == "recording":
        return f"recording = {facts.source!r}  # or an array, or a Recording"
    if name == "recording":
        return "# recording: an array of shape (samples,) or (samples, channels), or a Recording"
    size = sizes(facts.shape, facts.view.along, facts.clock.sfreq)
    return f"# X: an array of {facts.noun}s {size}, one per row"


def _labels(facts: Facts) -> str:
    given: Mapping[str, object] = {"title": facts.title, "sfreq": facts.clock.sfreq}
    given = {**given, "unit": facts.unit}
    return "".join(f", {name}={value!r}" for name, value in given.items() if value is not None)


def _import_of(thing: Group | Coder) -> str:
    """Return the line that imports a group or coder, from where this library exports its own."""
    home, name = type(thing).__module__, type(thing).__name__
    ours = (f"orbitdl.{package}" for package in ("groups", "coding"))
    home = next((package for package in ours if home.startswith(f"{package}.")), home)
    return f"from {home} import {name}"


def _changed_settings(model: Any) -> dict[str, str]:
    """Return the parameters that differ from their defaults, as Python."""
    defaults = {name: p.default for name, p in signature(type(model)).parameters.items()}
    return {
        name: _shown(value)
        for name, default in defaults.items()
        if repr(value := getattr(model, name)) != repr(default) or name in ALWAYS
    }


def _shown(value: object) -> str:
    """Return a parameter as Python code, or a description where it is long or has none."""
    if isinstance(value, Group):
        return value.as_code()
    if isinstance(value, np.ndarray | list | tuple):
        return written_array(np.asarray(value))
    if isinstance(value, Callable):  # type: ignore[arg-type]
        return str(getattr(value, "__name__", type(value).__name__))
    return repr(value)
