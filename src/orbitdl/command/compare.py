"""``orbitdl compare``: match the components of two models."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from orbitdl.command import options
from orbitdl.command.display import Screen
from orbitdl.command.failures import guarded


@guarded
def compare(
    first: Annotated[Path, typer.Argument(metavar="MODEL_A", help="A model file.")],
    second: Annotated[Path, typer.Argument(metavar="MODEL_B", help="Another one.")],
    as_json: options.Json = False,
) -> None:
    """Match the components of two models, whatever their order, places and signs.

    The distance of two components of unit norm is min ||a - g b||^2 over group elements g and
    signs: 0 when they are equal up to one, 2 when they have nothing in common. Waveforms
    (fit --length) are shifted in time, and may differ in length; models of windows that have
    different groups are compared by the group of the first one.

    Examples:
      orbitdl compare monday.safetensors tuesday.safetensors
      orbitdl compare a.safetensors b.safetensors --json
    """
    from rich.table import Table

    from orbitdl import load
    from orbitdl.command.pairing import match

    screen = Screen(as_json=as_json)
    a, b = load(first), load(second)
    facts = match(a, b)
    screen.result({"first": str(first), "second": str(second), **facts})
    columns = ("component of A", "of B", "distance", "sign", "alignment of B with A")
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
