"""``orbitdl demo``: the whole way from data to a report, with nothing at hand."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from orbitdl.command import options
from orbitdl.command.choices import DemoName
from orbitdl.command.display import Screen, program
from orbitdl.command.failures import guarded


@guarded
def demo(
    of: Annotated[DemoName, typer.Option("--of", help="What to show.")] = DemoName.heart,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FOLDER", help="Where to write.")
    ] = Path("out"),
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Learn from built-in data; write them, a model, a report and a picture.

    heart: find the beats in a simulated recording. sensors: an earthquake in much noise, recorded
    by sensors of unknown orientation. images: handwritten digits that lie in any direction. The
    last two are learned with turns and without, for comparison.

    Examples:
      orbitdl demo
      orbitdl demo --of sensors
      orbitdl demo --of images -o demo-files
    """
    from orbitdl.command.demonstrations import DEMONSTRATIONS
    from orbitdl.command.output import is_own, require_writable, write_array

    screen, demonstration = Screen(as_json=as_json, quiet=quiet), DEMONSTRATIONS[of]
    output.mkdir(parents=True, exist_ok=True)
    data, file = output / demonstration.data_file, output / demonstration.model_file
    page, picture = output / "report.html", output / demonstration.picture_file
    overwrite = is_own(file)  # then the folder holds an earlier demonstration
    for path in (data, file, page, picture):
        require_writable(path, overwrite=overwrite)

    shown = demonstration.run(screen)
    screen.say(shown.describe())

    write_array(shown.data, data)
    shown.write_model(file)
    shown.write_report(page)
    written = [data, file, page]
    if find_spec("matplotlib"):
        shown.draw(picture)
        written.append(picture)
    screen.result({"written": [str(path) for path in written], **shown.figures})
    screen.say(f"Written: {', '.join(map(str, written))}")
    screen.say(f"Look at {page} in a browser, then try:")
    screen.say(f"  {program()} events {file} {data} -o {output / 'events.csv'}")
