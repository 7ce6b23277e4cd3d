"""``orbitdl report``: write an HTML report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from orbitdl.command import options
from orbitdl.command.display import Screen, this_command
from orbitdl.command.failures import guarded

if TYPE_CHECKING:
    from orbitdl import OrbitDictionaryLearning, WaveformLearning
    from orbitdl.io import Recording
    from orbitdl.windows import Windows


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
    reading: options.ReadingOptions = options.AS_FOUND,
    jobs: options.Jobs = -1,
    overwrite: options.Overwrite = False,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Write one HTML file that shows what was learned; it needs no network to be read.

    Of waveforms (fit --length): what was learned, and a whole recording as they explain it. Of
    windows: components with a slider for each transformation, how often each is used, windows
    decomposed into events, the course of the learning, and remarks on the quality of data and
    model. Data are split as events splits them, or --step; where windows overlap, an event is
    counted once. All sizes are in the unit of the data, as in the table that events writes; what
    filters remove is left out.

    Examples:
      orbitdl report ecg.safetensors mitdb/100 -o report.html
      orbitdl report ecg.safetensors mitdb/100 --title "Record 100" --unit mV
      orbitdl report ecg.safetensors mitdb/100 --from 90s --to 300s
      orbitdl report windows.safetensors -o model.html
    """
    from orbitdl import load
    from orbitdl.command.output import PAGES, require_writable
    from orbitdl.command.reading import data_for

    screen = Screen(as_json=as_json, quiet=quiet)
    require_writable(output, PAGES, (model, data), overwrite=overwrite)
    learned = load(model).set_params(n_jobs=jobs)
    found = None if data is None else data_for(learned, data, reading, screen)
    name = title or (None if data is None else f"{model.stem} on {data.name}")
    write_report(learned, found, output, name, screen, unit=unit, reading=reading)
    screen.result({"output": str(output)})
    screen.say(f"Report: {output}")


def write_report(
    model: OrbitDictionaryLearning | WaveformLearning,
    data: Recording | Windows | None,
    output: Path,
    title: str | None,
    screen: Screen,
    *,
    unit: str | None = None,
    reading: options.ReadingOptions = options.AS_FOUND,
) -> None:
    """Write the report of a model, on data if there are any."""
    from orbitdl import WaveformLearning
    from orbitdl.command.lengths import in_samples
    from orbitdl.command.listing import encode_windows
    from orbitdl.io import Recording
    from orbitdl.report import Report

    fitted = model.provenance_.get("command")
    this = this_command()
    command = this if fitted in (None, this) else f"{fitted}\n{this}"
    labels: dict[str, Any] = {"title": title, "unit": unit, "command": command}
    if data is None:
        Report(model, sfreq=reading.sfreq, **labels).write(output)
    elif isinstance(model, WaveformLearning):
        assert isinstance(data, Recording)
        with screen.window_progress(data, "Coding") as done:
            Report(model, data, progress=done, **labels).write(output)
    else:
        step = in_samples(reading.step, model.sfreq_ or data.sfreq)
        windows = model.prepared(data, step, for_events=True).windows
        assert windows is not None
        codes = encode_windows(model, windows, screen)
        Report(model, windows, codes=codes, **labels).write(output)
