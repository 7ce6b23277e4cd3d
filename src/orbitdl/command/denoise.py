"""``orbitdl denoise``: take the noise out of data."""

from __future__ import annotations

from typing import Annotated

import typer

from orbitdl.command import options
from orbitdl.command.choices import number_or
from orbitdl.command.display import Screen, counted, duration
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
            help="Regularisation weight: a number, the model's own, or from the noise in the data.",
        ),
    ] = "model",
    debias: options.Debias = False,
    reading: options.ReadingOptions = options.AS_FOUND,
    jobs: options.Jobs = -1,
    overwrite: options.Overwrite = False,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Replace a recording, or every window, by the sum of transformed components that explains it.

    Missing values too. The result has the shape of the data, or of the channel and excerpt that
    were chosen; what --highpass subtracted is added again. With windows, a recording is split as
    the model says, or --step; where they overlap, their weighted mean is taken, in which the middle
    of a window counts most: that is smoother.

    Examples:
      orbitdl denoise ecg.safetensors mitdb/100 -o clean.npy
      orbitdl denoise ecg.safetensors noisy.csv -o clean.csv --debias
      orbitdl denoise ecg.safetensors mitdb/100 -o part.npy --from 90s --to 300s
      orbitdl denoise windows.safetensors noisy.csv -o clean.csv --step 50
      orbitdl denoise waves.safetensors windows.npy -o clean.npy --alpha noise
    """
    from orbitdl import WaveformLearning, load
    from orbitdl.command.output import ARRAYS, require_writable, write_array
    from orbitdl.command.reading import data_for, reject
    from orbitdl.command.values import map_windows, names_of, prepared_for
    from orbitdl.io import Recording

    screen = Screen(as_json=as_json, quiet=quiet)
    number = number_or(alpha, "--alpha", "model", "noise")
    require_writable(output, ARRAYS, (model, data), overwrite=overwrite)
    learned = load(model).set_params(n_jobs=jobs)
    found = data_for(learned, data, reading, screen)
    if isinstance(learned, WaveformLearning) and isinstance(found, Recording):
        reject({"--alpha noise": alpha == "noise"})
        with screen.window_progress(found, "Denoising") as done:
            cleaned = learned.denoise(found, alpha=number, debias=debias, progress=done)
        told, of_what = f"{duration(len(found), found.sfreq)} of signal", {"samples": len(found)}
    else:
        assert not isinstance(learned, WaveformLearning)
        weight = "noise" if alpha == "noise" else number
        prepared, windows = prepared_for(learned, found, reading)
        cleaned = map_windows(
            lambda X: learned.denoise(X, alpha=weight, debias=debias),
            windows,
            "Denoising",
            screen,
            at_once=weight == "noise",
        )
        cleaned = prepared.restored(cleaned)
        told, of_what = counted(len(windows), "window"), {"windows": len(windows)}
    write_array(cleaned, output, names_of(learned, found))
    screen.result({"output": str(output), "shape": cleaned.shape, **of_what})
    screen.say(f"Denoised {told}: {output}")
