"""``orbitdl encode``: list the events of a recording."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from orbitdl.command import options
from orbitdl.command.choices import number_or
from orbitdl.command.display import Screen, at_most, counted
from orbitdl.command.failures import guarded


@guarded
def encode(
    model: options.Model,
    data: options.Data,
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", metavar="TABLE", help="The table to write: .csv, .parquet or .json."
        ),
    ],
    alpha: Annotated[
        str,
        typer.Option(
            metavar="NUMBER|model",
            help="Weight of sparsity: a number, or the model's own; larger means fewer events.",
        ),
    ] = "model",
    debias: options.Debias = False,
    cutting: options.Cutting = options.NOTHING_SAID,
    jobs: options.Jobs = -1,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """List where the components of a model occur in data, one row per event.

    The data are treated as those that the model was learned from: channel, window length, step and
    normalisation are in the model file. Where windows adjoin, an event that lies across a border
    may be split. With a smaller --step they overlap, and each lists only the events in its middle:
    that avoids the borders, and an event is listed once.

    Examples:
      orbitdl encode ecg.safetensors mitdb/100 -o events.csv
      orbitdl encode ecg.safetensors mitdb/101 -o events.parquet --step 100
      orbitdl encode waves.safetensors windows.npy -o events.json --json
      orbitdl encode ecg.safetensors mitdb/100 -o sizes.csv --debias
      orbitdl encode ecg.safetensors mitdb/100 -o part.csv --from 90s --to 300s

    Columns of the table:
      window       number of the window, from 0
      component    number of the component, from 0
      coefficient  how strongly it occurs, in the units of the data
      shift        samples it was moved by (other groups: their parameters)
      position     sample where the moved component is largest in absolute value
      time         the same in seconds from the start, if the rate is known

    With --from and --to too, position and time count from the start of the whole recording.

    Where windows are given instead of a recording, position counts from the start of the window.
    """
    from orbitdl import load
    from orbitdl.command.advice import warn_of_empty_codes
    from orbitdl.command.applying import encode_windows, windows_for
    from orbitdl.command.output import TABLES, require_writable, write_table
    from orbitdl.recordings import event_table

    screen = Screen(as_json=as_json, quiet=quiet)
    weight = number_or(alpha, "--alpha", "model")
    require_writable(output, TABLES, (model, data))
    learned = load(model).set_params(n_jobs=jobs)
    windows = windows_for(learned, data, cutting, screen)
    codes = encode_windows(learned, windows, screen, alpha=weight, debias=debias)
    events = event_table(codes, learned.components_, windows)
    write_table(events, output)
    gap = float(codes.gap.max())
    facts = {
        "events": len(events),
        "windows": len(windows),
        "step": windows.step,
        "rate": windows.rate,
        "gap": gap,
        "alpha": learned.alpha_ if weight is None else weight,
        "debiased": debias,
    }
    screen.result({"output": str(output), **facts})
    every = f", one every {windows.step} samples" if windows.overlap else ""
    screen.say(
        f"Found {counted(len(events), 'event')} in {counted(len(windows), 'window')}{every}; with "
        "these components no other code would lower the objective of any window by more than "
        f"{at_most(gap)}."
    )
    if debias:
        screen.say("The coefficients were refitted after that, without the cost of sparsity.")
    screen.say(f"Events: {output}")
    warn_of_empty_codes(learned, windows.values, len(codes.atoms.coefficient))
