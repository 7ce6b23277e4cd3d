"""``orbitdl reproduce``: run the experiments of the paper."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from orbitdl.command import options
from orbitdl.command.display import Screen
from orbitdl.command.failures import guarded


@guarded
def reproduce(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="EXPERIMENT",
            help="recovery, ecg, timing, unseen, synchronization; all if left out.",
            show_default=False,
        ),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="At reduced size: a minute or two.")
    ] = False,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FOLDER", help="Where to write the page.")
    ] = Path("out/reproduction"),
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Run the experiments of the paper and write a page with our results beside its claims.

    Examples:
      orbitdl reproduce --quick
      orbitdl reproduce recovery synchronization -o out/two
    """
    from rich.table import Table

    from orbitdl import experiments

    screen = Screen(as_json=as_json, quiet=quiet)
    chosen = tuple(names or experiments.NAMES)
    with screen.steps() as show:
        done = experiments.reproduce(chosen, quick=quick, output=output, report=show)
    rows = [
        {"claim": r.claim.text, "paper": r.claim.said, "here": r.got, "verdict": str(r.verdict)}
        for r in done.rows
    ]
    screen.result({"page": str(done.page), "rows": rows})
    table = Table("what the paper says", "its figure", "here", "verdict", show_lines=True)
    for row in rows:
        table.add_row(*row.values())
    screen.show(table)
    screen.say(f"Page: {done.page}")
