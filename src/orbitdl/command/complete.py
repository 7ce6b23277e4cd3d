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
    debias: Annotated[
        bool,
        typer.Option(
            "--debias/--no-debias",
            help="Refit the coefficients, which sparsity shrinks: that mostly fills better.",
        ),
    ] = True,
    cutting: options.WindowOptions = options.DEFAULT_WINDOWS,
    jobs: options.Jobs = -1,
    overwrite: options.Overwrite = False,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Fill in missing values (NaN, empty cells); what was observed stays as it is.

    Gaps as long as a waveform or a window, which may hide whole events, are left missing. The
    result has the shape of the data, or of the channel and excerpt that were chosen. With windows,
    a recording is split as the model says, or --step; where they overlap, the mean of what they say
    is taken, in which the middle of a window counts most.

    Examples:
      orbitdl complete ecg.safetensors broken.csv -o whole.csv
      orbitdl complete windows.safetensors broken.npy -o whole.npy --step 50
      orbitdl complete waves.safetensors windows.npy -o whole.npy --exact
    """
    import numpy as np

    from orbitdl import WaveformLearning, load
    from orbitdl.command.applying import map_windows, windows_for
    from orbitdl.command.output import ARRAYS, require_writable, write_array
    from orbitdl.command.waveforms import refuse, signal_for

    screen = Screen(as_json=as_json, quiet=quiet)
    require_writable(output, ARRAYS, (model, data), overwrite=overwrite)
    learned = load(model).set_params(n_jobs=jobs)
    if isinstance(learned, WaveformLearning):
        refuse({"--exact": exact})
        prepared = signal_for(learned, data, cutting, screen)
        source, ch_names = prepared.source, prepared.recording.ch_names
        with screen.window_progress(prepared.recording, "Filling in") as done:
            filled = learned.complete(prepared.recording, debias=debias, progress=done)
        filled = prepared.restore(filled)
    else:
        windows = windows_for(learned, data, cutting, screen)
        source, ch_names = windows.source, windows.ch_names
        filled = map_windows(
            lambda X: learned.complete(X, exact=exact, debias=debias),
            windows,
            "Filling in",
            screen,
            chosen=windows.has_gaps,
        )
        filled = np.where(windows.unfilled, np.nan, filled)
    missing = np.isnan(source)
    whole = np.asarray(filled)
    np.copyto(whole, source, where=~missing)
    write_array(whole, output, ch_names, missing)
    left = int(np.isnan(whole).sum())
    told = {"filled": int(missing.sum()) - left, "left_missing": left}
    screen.result({"output": str(output), "shape": filled.shape, **told})
    screen.say(f"Filled in {told['filled']} of {missing.sum()} missing values: {output}")
    if left:
        length = learned.components_.shape[1]
        screen.say(
            f"The other {left} are left missing: they lie in gaps of {length} samples or more, as "
            "long as a component, which may hide whole events."
        )
