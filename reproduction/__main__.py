"""``python -m reproduction``: run the experiments of the paper."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

import reproduction
from orbitdl.command import options
from orbitdl.command.display import Screen
from orbitdl.command.failures import Interrupted, guarded
from reproduction.running import WRITTEN

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command()
@guarded
def run(
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
    """
    screen = Screen(as_json=as_json, quiet=quiet)
    chosen, ended = tuple(names or reproduction.NAMES), list[str]()
    with screen.steps() as show:

        def report(name: str, what: str, done: int, total: int) -> None:
            ended.extend([name] if what == WRITTEN else [])
            show(name, what, done, total)

        try:
            done = reproduction.reproduce(chosen, quick=quick, output=output, report=report)
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


if __name__ == "__main__":
    app(prog_name="python -m reproduction")
