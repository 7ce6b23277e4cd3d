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
    """Find the beats in a simulated recording of a heart; write it, a model, report and picture.

    Examples:
      orbitdl demo
      orbitdl demo -o demo-files
    """
    from orbitdl.command.demonstration import RATE, RESTARTS, describe, draw, learn_beats
    from orbitdl.command.output import require_writable, write_array
    from orbitdl.datasets import make_ecg_recording
    from orbitdl.learning.restarts import most_iterations
    from orbitdl.recordings import Preprocessing, Recording
    from orbitdl.report import write_recording_report

    screen = Screen(as_json=as_json, quiet=quiet)
    output.mkdir(parents=True, exist_ok=True)
    names = ("heart.npy", "demo.safetensors", "report.html", "demo.png")
    recording, file, page, picture = (output / name for name in names)
    for path in (recording, file, page, picture):
        require_writable(path)

    heart = make_ecg_recording(duration=600, rate=RATE, random_state=0)
    screen.say("Simulated 10 min of a heart: normal and premature beats, noise, drift.")
    with screen.learning(most_iterations(RESTARTS, 50)) as show:
        model = learn_beats(heart, callback=show)
    codes, events = model.encode(heart.signal), model.events(heart.signal, RATE)
    screen.say(describe(model, codes, events, heart))

    write_array(heart.signal, recording)
    steps = Preprocessing(rate=RATE)
    model.save(file, preprocessing=steps.to_dict(), provenance={"data": "orbitdl demo"})
    title = "The beats of a simulated heart"
    write_recording_report(model, Recording(heart.signal, RATE), page, title=title)
    written = [recording, file, page]
    if find_spec("matplotlib"):
        draw(model, codes, events, heart, picture)
        written.append(picture)
    screen.result({"written": [str(path) for path in written]})
    screen.say(f"Written: {', '.join(map(str, written))}")
    screen.say(f"Look at {page} in a browser, then try:")
    screen.say(f"  {program()} encode {file} {recording} -o {output / 'events.csv'}")
