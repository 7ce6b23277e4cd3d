"""``orbitdl report``: write an HTML report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from orbitdl.command import options
from orbitdl.command.display import Screen, this_command
from orbitdl.command.failures import guarded


@guarded
def report(
    model: options.Model,
    data: Annotated[
        Path | None,
        typer.Argument(
            metavar="DATA",
            help="What the model shall be shown at work on; without it, the report is about the "
            "model alone. The formats of fit.",
            show_default=False,
        ),
    ] = None,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="PAGE", help="The HTML file to write.")
    ] = Path("report.html"),
    title: Annotated[str | None, typer.Option(metavar="TEXT", help="Title of the page.")] = None,
    unit: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Unit of the data, such as mV.")
    ] = None,
    cutting: options.WindowOptions = options.DEFAULT_WINDOWS,
    jobs: options.Jobs = -1,
    overwrite: options.Overwrite = False,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Write one HTML file that shows what was learned; it needs no network to be read.

    Of waveforms (fit --length): what was learned, and a whole recording as they explain it. Of
    windows: components with a slider for each transformation, how often each is used, windows
    decomposed into atoms, convergence, and remarks on the quality of data and model. Data are split
    as encode splits them, or --step; where windows overlap, an event is counted once. All sizes are
    in the unit of the data, as in the table that encode writes; drift that --highpass subtracted is
    left out.

    Examples:
      orbitdl report ecg.safetensors mitdb/100 -o report.html
      orbitdl report ecg.safetensors mitdb/100 --title "Record 100" --unit mV
      orbitdl report ecg.safetensors mitdb/100 --from 90s --to 300s
      orbitdl report windows.safetensors -o model.html
    """
    from orbitdl import WaveformLearning, load
    from orbitdl.command.applying import encode_windows, windows_for
    from orbitdl.command.output import require_writable
    from orbitdl.command.waveforms import signal_for
    from orbitdl.report import Report

    screen = Screen(as_json=as_json, quiet=quiet)
    require_writable(output, (".html", ".htm"), (model, data), overwrite=overwrite)
    learned = load(model).set_params(n_jobs=jobs)
    fitted = learned.provenance_.get("command")
    command = f"{fitted}\n{this_command()}" if fitted else this_command()
    name = title or (None if data is None else f"{model.stem} on {data.name}")
    labels: dict[str, Any] = {"title": name, "unit": unit, "command": command}
    if data is None:
        Report(learned, sfreq=cutting.sfreq, **labels).write(output)
    elif isinstance(learned, WaveformLearning):
        recording = signal_for(learned, data, cutting, screen).recording
        with screen.window_progress(recording, "Coding") as done:
            Report(learned, recording, progress=done, **labels).write(output)
    else:
        windows = windows_for(learned, data, cutting, screen, for_events=True)
        codes = encode_windows(learned, windows, screen)
        Report(learned, windows, codes=codes, **labels).write(output)
    screen.result({"output": str(output)})
    screen.say(f"Report: {output}")
