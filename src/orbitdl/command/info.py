"""``orbitdl info``: say what a model file holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from orbitdl.command import options
from orbitdl.command.choices import describe_group
from orbitdl.command.display import Screen
from orbitdl.command.failures import guarded

if TYPE_CHECKING:
    from orbitdl import OrbitDictionaryLearning


@guarded
def info(model: options.Model, as_json: options.Json = False) -> None:
    """Say what a model file holds: components, how they were learned, and from what.

    Examples:
      orbitdl info ecg.safetensors
      orbitdl info ecg.safetensors --json
    """
    from rich.table import Table

    from orbitdl import load

    screen = Screen(as_json=as_json)
    facts = facts_of(load(model))
    screen.result({"model": str(model), **facts})
    table = Table(title=str(model), show_header=False, title_justify="left")
    table.add_column()
    table.add_column(overflow="fold")
    for name, value in facts.items():
        if isinstance(value, dict):
            table.add_section()
            for key, entry in value.items():
                table.add_row(f"{name}: {key}", in_words(entry))
        else:
            table.add_row(name, in_words(value))
    screen.show(table)


def facts_of(model: OrbitDictionaryLearning) -> dict[str, Any]:
    """Return what is worth knowing of a model."""
    first, last = model.history_[0], model.history_[-1]
    return {
        "group": describe_group(model.group),
        "components": len(model.components_),
        "shape": list(model.components_.shape[1:]),
        "alpha": model.alpha_,
        "history": {
            "iterations": model.n_iter_,
            "converged": model.converged_,
            "objective at the start": first.objective,
            "objective": last.objective,
            "gap": last.gap,
            "atoms per window": last.atoms,
            "seconds": sum(record.seconds for record in model.history_),
        },
        "preprocessing": model.preprocessing_,
        "provenance": model.provenance_,
    }


def in_words(value: object) -> str:
    """Return a value as people write it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, list):
        return " x ".join(map(str, value))
    return "-" if value is None else str(value)
