"""``orbitdl complete`` and ``orbitdl denoise``: data in, better data out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from orbitdl.command import options
from orbitdl.command.choices import number_or
from orbitdl.command.display import Screen
from orbitdl.command.failures import guarded

Output = Annotated[
    Path,
    typer.Option("--output", "-o", metavar="ARRAY", help="The array to write: .npy or .csv."),
]


@guarded
def complete(
    model: options.Model,
    data: options.Data,
    output: Output,
    exact: Annotated[
        bool,
        typer.Option(
            "--exact",
            help="Agree exactly with what was observed, by the least sum of coefficients; for data "
            "without noise. Slower.",
        ),
    ] = False,
    debias: Annotated[
        bool,
        typer.Option("--debias", help="Refit the coefficients, which sparsity shrinks."),
    ] = False,
    step: options.Step = None,
    channel: options.Channel = None,
    rate: options.Rate = None,
    layout: options.LayoutOption = options.Layout.auto,
    key: options.Key = None,
    separator: options.ColumnSeparator = None,
    decimal: options.DecimalMark = None,
    jobs: options.Jobs = -1,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Fill in missing values (NaN, empty cells); what was observed stays as it is.

    The result has the shape of the data, or of the channel that was chosen. A recording is cut as
    the model says, or --step. Where windows overlap, the mean of what they say is taken, in which
    the middle of a window counts most.

    Examples:
      orbitdl complete ecg.safetensors broken.csv -o whole.csv
      orbitdl complete ecg.safetensors broken.npy -o whole.npy --step 50 --debias
      orbitdl complete waves.safetensors windows.npy -o whole.npy --exact
    """
    import numpy as np

    from orbitdl import load
    from orbitdl.command.applying import map_windows, windows_for
    from orbitdl.command.output import ARRAYS, require_writable, write_array
    from orbitdl.recordings.dialect import Dialect

    screen = Screen(as_json=as_json, quiet=quiet)
    require_writable(output, ARRAYS, (model, data))
    learned = load(model).set_params(n_jobs=jobs)
    windows = windows_for(
        learned,
        data,
        screen,
        key=key,
        written=Dialect(separator, decimal),
        layout=layout,
        channel=channel,
        rate=rate,
        step=step,
    )
    missing = np.isnan(windows.source)
    filled = map_windows(
        lambda X: learned.complete(X, exact=exact, debias=debias),
        windows,
        "Filling in",
        screen,
        chosen=windows.has_gaps,
    )
    write_array(np.where(missing, filled, windows.source), output, windows.names)
    screen.result({"output": str(output), "shape": filled.shape, "filled": int(missing.sum())})
    screen.say(f"Filled in {missing.sum()} of {missing.size} values: {output}")


@guarded
def denoise(
    model: options.Model,
    data: options.Data,
    output: Output,
    alpha: Annotated[
        str,
        typer.Option(
            metavar="NUMBER|model|noise",
            help="Weight of sparsity: a number, the model's own, or from the noise in the data.",
        ),
    ] = "model",
    debias: Annotated[
        bool,
        typer.Option("--debias", help="Refit the coefficients, which sparsity shrinks."),
    ] = False,
    step: options.Step = None,
    channel: options.Channel = None,
    rate: options.Rate = None,
    layout: options.LayoutOption = options.Layout.auto,
    key: options.Key = None,
    separator: options.ColumnSeparator = None,
    decimal: options.DecimalMark = None,
    jobs: options.Jobs = -1,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Replace every window by the sum of moved components that explains it; missing values too.

    The result has the shape of the data, or of the channel that was chosen. A recording is cut as
    the model says, or --step. Where windows overlap, the mean of what they say is taken, in which
    the middle of a window counts most: that is smoother.

    Examples:
      orbitdl denoise ecg.safetensors mitdb/100 -o clean.npy
      orbitdl denoise ecg.safetensors noisy.csv -o clean.csv --step 50
      orbitdl denoise waves.safetensors windows.npy -o clean.npy --alpha noise
    """
    from orbitdl import load
    from orbitdl.command.applying import map_windows, windows_for
    from orbitdl.command.output import ARRAYS, require_writable, write_array
    from orbitdl.recordings.dialect import Dialect

    screen = Screen(as_json=as_json, quiet=quiet)
    weight = "noise" if alpha == "noise" else number_or(alpha, "--alpha", "model", "noise")
    require_writable(output, ARRAYS, (model, data))
    learned = load(model).set_params(n_jobs=jobs)
    windows = windows_for(
        learned,
        data,
        screen,
        key=key,
        written=Dialect(separator, decimal),
        layout=layout,
        channel=channel,
        rate=rate,
        step=step,
    )
    cleaned = map_windows(
        lambda X: learned.denoise(X, alpha=weight, debias=debias),
        windows,
        "Denoising",
        screen,
        at_once=weight == "noise",
    )
    write_array(cleaned, output, windows.names)
    screen.result({"output": str(output), "shape": cleaned.shape, "windows": len(windows)})
    screen.say(f"Denoised {len(windows)} windows: {output}")
