"""``orbitdl complete``: fill in missing values."""

from __future__ import annotations

from typing import Annotated

import typer

from orbitdl.command import options
from orbitdl.command.display import Screen
from orbitdl.command.failures import guarded


@guarded
def complete(
    model: options.Model,
    data: options.Data,
    output: options.Array,
    exact: Annotated[
        bool,
        typer.Option(
            "--exact",
            help="Agree exactly with what was observed, by the least sum of coefficients; for data "
            "without noise. Slower.",
        ),
    ] = False,
    debias: options.Debias = False,
    cutting: options.Cutting = options.NOTHING_SAID,
    jobs: options.Jobs = -1,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Fill in missing values (NaN, empty cells); what was observed stays as it is.

    The result has the shape of the data, or of the channel and excerpt that were chosen. A
    recording is cut as the model says, or --step. Where windows overlap, the mean of what they say
    is taken, in which the middle of a window counts most.

    Examples:
      orbitdl complete ecg.safetensors broken.csv -o whole.csv
      orbitdl complete ecg.safetensors broken.npy -o whole.npy --step 50 --debias
      orbitdl complete waves.safetensors windows.npy -o whole.npy --exact
    """
    import numpy as np

    from orbitdl import load
    from orbitdl.command.applying import map_windows, windows_for
    from orbitdl.command.output import ARRAYS, require_writable, write_array

    screen = Screen(as_json=as_json, quiet=quiet)
    require_writable(output, ARRAYS, (model, data))
    learned = load(model).set_params(n_jobs=jobs)
    windows = windows_for(learned, data, cutting, screen)
    missing = np.isnan(windows.source)
    filled = map_windows(
        lambda X: learned.complete(X, exact=exact, debias=debias),
        windows,
        "Filling in",
        screen,
        chosen=windows.has_gaps,
    )
    write_array(np.where(missing, filled, windows.source), output, windows.leads)
    screen.result({"output": str(output), "shape": filled.shape, "filled": int(missing.sum())})
    screen.say(f"Filled in {missing.sum()} of {missing.size} values: {output}")
