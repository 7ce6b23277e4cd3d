"""``orbitdl denoise``: take the noise out of data."""

from __future__ import annotations

from typing import Annotated

import typer

from orbitdl.command import options
from orbitdl.command.choices import number_or
from orbitdl.command.display import Screen
from orbitdl.command.failures import guarded


@guarded
def denoise(
    model: options.Model,
    data: options.Data,
    output: options.Array,
    alpha: Annotated[
        str,
        typer.Option(
            metavar="NUMBER|model|noise",
            help="Weight of sparsity: a number, the model's own, or from the noise in the data.",
        ),
    ] = "model",
    debias: options.Debias = False,
    cutting: options.Cutting = options.NOTHING_SAID,
    jobs: options.Jobs = -1,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Replace every window by the sum of moved components that explains it; missing values too.

    The result has the shape of the data, or of the channel and excerpt that were chosen. A
    recording is cut as the model says, or --step. Where windows overlap, the mean of what they say
    is taken, in which the middle of a window counts most: that is smoother.

    Examples:
      orbitdl denoise ecg.safetensors mitdb/100 -o clean.npy
      orbitdl denoise ecg.safetensors noisy.csv -o clean.csv --step 50
      orbitdl denoise ecg.safetensors mitdb/100 -o part.npy --from 90s --to 300s
      orbitdl denoise waves.safetensors windows.npy -o clean.npy --alpha noise
    """
    from orbitdl import load
    from orbitdl.command.applying import map_windows, windows_for
    from orbitdl.command.output import ARRAYS, require_writable, write_array

    screen = Screen(as_json=as_json, quiet=quiet)
    weight = "noise" if alpha == "noise" else number_or(alpha, "--alpha", "model", "noise")
    require_writable(output, ARRAYS, (model, data))
    learned = load(model).set_params(n_jobs=jobs)
    windows = windows_for(learned, data, cutting, screen)
    cleaned = map_windows(
        lambda X: learned.denoise(X, alpha=weight, debias=debias),
        windows,
        "Denoising",
        screen,
        at_once=weight == "noise",
    )
    write_array(cleaned, output, windows.leads)
    screen.result({"output": str(output), "shape": cleaned.shape, "windows": len(windows)})
    screen.say(f"Denoised {len(windows)} windows: {output}")
