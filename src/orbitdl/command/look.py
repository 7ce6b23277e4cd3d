"""``orbitdl info`` and ``orbitdl compare``: look at models."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

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
            "atoms a window": last.atoms,
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


@guarded
def compare(
    first: Annotated[Path, typer.Argument(metavar="MODEL_A", help="A model file.")],
    second: Annotated[Path, typer.Argument(metavar="MODEL_B", help="Another one.")],
    as_json: options.Json = False,
) -> None:
    """Match the components of two models, whatever their order, places and signs.

    The distance of two components of unit norm is min ||a - g b||^2 over moves g and signs: 0 when
    they are the same up to a move, 2 when they have nothing in common. Models of different groups
    are compared by the moves of the first one.

    Examples:
      orbitdl compare monday.safetensors tuesday.safetensors
      orbitdl compare a.safetensors b.safetensors --json
    """
    from rich.table import Table

    from orbitdl import load
    from orbitdl.command.matching import match

    screen = Screen(as_json=as_json)
    a, b = load(first), load(second)
    facts = match(a, b)
    screen.result({"first": str(first), "second": str(second), **facts})
    columns = ("component of A", "of B", "distance", "sign", "move of B onto A")
    table = Table(*columns, title=f"A: {first}   B: {second}", title_justify="left")
    for pair in facts["pairs"]:
        move = ", ".join(f"{name} {value:.2f}" for name, value in pair["move"].items())
        sign = "+" if pair["sign"] > 0 else "-"
        table.add_row(str(pair["a"]), str(pair["b"]), f"{pair['distance']:.4f}", sign, move)
    screen.show(table)
    for name in ("a", "b"):
        if alone := facts[f"only_in_{name}"]:
            screen.say(f"Without a partner in {name.upper()}: {', '.join(map(str, alone))}")
    screen.say(f"Distance of A's components to B's dictionary: {facts['a_to_b']:.4f} (mean)")
    screen.say(f"Distance of B's components to A's dictionary: {facts['b_to_a']:.4f} (mean)")
