"""What was run, with which versions, and how to run it again."""

from __future__ import annotations

import platform
from collections.abc import Callable
from datetime import UTC, datetime
from importlib import metadata
from inspect import signature
from typing import Any

import numpy as np

from orbitdl import __version__
from orbitdl.coding.base import Coder
from orbitdl.groups import Group
from orbitdl.groups.presentation import written_array
from orbitdl.learning.history import History
from orbitdl.report.facts import Facts
from orbitdl.report.phrasing import number, sizes
from orbitdl.storage.provenance import data_fingerprint

LIBRARIES = ("numpy", "scipy", "numba", "scikit-learn", "plotly")
ALWAYS = ("n_components", "alpha")
"""Parameters that are written out even at their defaults."""


def run_table(facts: Facts) -> list[tuple[str, str]]:
    """Return rows of name and value: parameters, data, versions, date."""
    rows = [*parameters(facts.model), *time_to_learn(facts.history)]
    if facts.coded is not None:
        rows.append(("data", f"array of shape {facts.coded.X.shape}"))
        rows.append(("fingerprint of the data", data_fingerprint(facts.coded.X)))
    if facts.labels.sfreq is not None:
        rows.append(("sampling rate", f"{number(facts.labels.sfreq)} Hz"))
    if facts.labels.step is not None:
        rows.append(("step from window to window", f"{facts.labels.step} samples"))
    return [*rows, *versions()]


def parameters(model: Any) -> list[tuple[str, str]]:
    """Return rows of the parameters of a model, and of how its data were prepared."""
    rows = [(name, _shown(value)) for name, value in model.get_params(deep=False).items()]
    steps = ", ".join(map(str, model.preprocessing_))
    prepared = {**({"steps": steps} if steps else {}), **model.acquisition_}
    if prepared:
        rows.append(("preprocessing", ", ".join(f"{k} = {v}" for k, v in prepared.items())))
    return rows


def time_to_learn(history: History) -> list[tuple[str, str]]:
    """Return a row that says how long learning took, where that is known."""
    return [("time to learn", f"{sum(r.seconds for r in history):.1f} s")] if history else []


def versions() -> list[tuple[str, str]]:
    """Return rows of the software in use, and of the date."""
    used = ", ".join(f"{name} {metadata.version(name)}" for name in LIBRARIES)
    return [
        ("versions", f"orbitdl {__version__}, Python {platform.python_version()}, {used}"),
        ("written", datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")),
    ]


def snippet(facts: Facts) -> str:
    """Return Python that fits the same model again."""
    settings = _changed_settings(facts.model)
    group, coder = facts.model.group, facts.model.coder
    imports = ["from orbitdl import OrbitDictionaryLearning"]
    if isinstance(coder, Coder):
        imports.append(_import_of(coder))
    if isinstance(group, Group):
        imports.append(_import_of(group))
    size = sizes(facts.representation.shape, facts.view.along, facts.labels.sfreq)
    lines = [f"    {name}={value}," for name, value in settings.items()]
    call = ["model = OrbitDictionaryLearning(", *lines, ")"]
    data = f"# X: an array of {facts.noun}s {size}, one per row"
    return "\n".join([*imports, "", *call, data, "model.fit(X)", "codes = model.encode(X)"])


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
