"""``orbitdl reproduce``: run the experiments of the paper."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from orbitdl.command import options
from orbitdl.command.display import Screen
from orbitdl.command.failures import Interrupted, guarded


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

    The page is written anew whenever an experiment ends.

    Examples:
      orbitdl reproduce --quick
      orbitdl reproduce recovery synchronization -o out/two
    """
    from rich.table import Table

    from orbitdl import experiments
    from orbitdl.experiments.reproduction import WRITTEN

    screen = Screen(as_json=as_json, quiet=quiet)
    chosen, ended = tuple(names or experiments.NAMES), list[str]()
    with screen.steps() as show:

        def report(name: str, what: str, done: int, total: int) -> None:
            ended.extend([name] if what == WRITTEN else [])
            show(name, what, done, total)

        try:
            done = experiments.reproduce(chosen, quick=quick, output=output, report=report)
        except KeyboardInterrupt:
            raise interrupted(ended, output) from None
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


def interrupted(ended: list[str], output: Path) -> Interrupted:
    """Return what is said on Ctrl-C: which experiments are on the page."""
    if not ended:
        return Interrupted("Interrupted before an experiment ended; nothing was written.")
    return Interrupted(f"Interrupted; {output} has the page of {', '.join(ended)}.")
