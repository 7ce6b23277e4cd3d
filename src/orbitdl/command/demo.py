"""``orbitdl demo``: the whole way from data to a report, with nothing at hand."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from orbitdl.command import options
from orbitdl.command.display import Screen, program
from orbitdl.command.failures import guarded


@guarded
def demo(
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FOLDER", help="Where to write.")
    ] = Path("out"),
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Learn the beats of a simulated heart; write recording, model, report and picture.

    Examples:
      orbitdl demo
      orbitdl demo -o demo-files
    """
    from orbitdl.command.demonstration import RESTARTS, describe, draw, learn_beats
    from orbitdl.command.output import require_writable, write_array
    from orbitdl.datasets import make_ecg_like
    from orbitdl.recordings import Preprocessing, Recording, prepare
    from orbitdl.report import write_report

    screen = Screen(as_json=as_json, quiet=quiet)
    output.mkdir(parents=True, exist_ok=True)
    names = ("heart.npy", "demo.safetensors", "report.html", "demo.png")
    recording, file, page, picture = (output / name for name in names)
    for path in (recording, file, page, picture):
        require_writable(path)

    data = make_ecg_like(n_windows=400, random_state=0)
    screen.say("Simulated heart recording: normal and premature beats, noise, drift.")
    with screen.learning(RESTARTS * 51) as show:
        model, codes = learn_beats(data.X, callback=show)
    screen.say(describe(model, codes, data))

    length = data.X.shape[1]
    steps = Preprocessing(window=length, step=length, normalize=True, rate=data.rate)
    write_array(data.signal, recording)
    model.save(file, preprocessing=steps.to_dict(), provenance={"data": "orbitdl demo"})
    title = "The beats of a simulated heart"
    command = f"orbitdl demo --output {output}"
    windows = prepare(Recording(data.signal, data.rate), steps)
    write_report(
        model,
        data.X,
        page,
        rate=data.rate,
        title=title,
        command=command,
        step=length,
        codes=codes,
        mean=windows.mean,
        scale=windows.scale,
        samples=len(data.signal),
    )
    written = [recording, file, page]
    if find_spec("matplotlib"):
        draw(model, codes, data.X, picture)
        written.append(picture)
    screen.result({"written": [str(path) for path in written]})
    screen.say(f"Written: {', '.join(map(str, written))}")
    screen.say(f"Look at {page} in a browser, then try:")
    screen.say(f"  {program()} encode {file} {recording} -o {output / 'events.csv'}")
