"""The application with all commands."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Annotated

import typer

import orbitdl
from orbitdl.command.compare import compare
from orbitdl.command.complete import complete
from orbitdl.command.demo import demo
from orbitdl.command.denoise import denoise
from orbitdl.command.events import events
from orbitdl.command.fit import fit
from orbitdl.command.info import info
from orbitdl.command.option_groups import flattened
from orbitdl.command.report import report
from orbitdl.command.select import select

OVERVIEW = """Learn a few waveforms from a recording, and where they occur in it.

The whole recording, or every window of it, becomes a sparse sum of transformed copies of a few
components: heartbeats, calls, steps, spikes. You get the components, a table of events, a report,
and a certificate of how good the codes are. No programming is needed.
"""

EXAMPLES = """From a recording to a table of events and a report:
  orbitdl fit heart.wav -o heart.safetensors --length 0.7s
  orbitdl events heart.safetensors heart.wav -o events.csv
  orbitdl report heart.safetensors heart.wav -o report.html

How many?         orbitdl select heart.wav --length 0.7s
Without data:     orbitdl demo
One command:      orbitdl fit --help
Exit codes:       0 fine, 1 bad input or failure, 2 wrong usage, 130 Ctrl-C
Colours:          on a terminal only; never with NO_COLOR set
"""


def flowing(text: str) -> str:
    """Wrap paragraphs at the width of the terminal, and keep the lines of examples."""
    paragraphs = inspect.cleandoc(text).split("\n\n")
    return "\n\n".join(
        # after \b typer keeps line breaks, and the terminal does not show it
        "\b" + paragraph if "\n " in paragraph else paragraph.replace("\n", " ")
        for paragraph in paragraphs
    )


app = typer.Typer(
    help=flowing(OVERVIEW),
    epilog=EXAMPLES,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)

PANELS: dict[str, tuple[Callable[..., None], ...]] = {
    "Learn": (fit, select),
    "Use a model": (events, complete, denoise),
    "Look at a model": (report, info, compare),
    "See it work": (demo,),
}
for panel, commands in PANELS.items():
    for command in commands:
        help_text = flowing(command.__doc__ or "")
        app.command(rich_help_panel=panel, help=help_text)(flattened(command))


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"orbitdl {orbitdl.__version__}")
        raise typer.Exit


@app.callback()
def overview(
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version.", callback=_print_version, is_eager=True
        ),
    ] = False,
) -> None:
    """Parse global options."""


def main() -> None:
    """Run the command line."""
    app(prog_name="orbitdl")
