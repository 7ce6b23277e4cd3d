"""``orbitdl fit``: learn components from a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from orbitdl.command import learning_options, options
from orbitdl.command.choices import GroupName, Start, make_group, number_or
from orbitdl.command.display import Screen
from orbitdl.command.failures import guarded
from orbitdl.command.learning_options import LEARNING, WINDOWS, require_one_kind
from orbitdl.command.numbers import integer_from, number_or_auto, positive_number


@guarded
def fit(
    data: options.Data,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="MODEL", help="The model file to write.")
    ],
    line: learning_options.WaveformOptions = learning_options.WINDOWS_ONLY,
    components: Annotated[
        str,
        typer.Option(
            metavar="N|auto",
            parser=number_or_auto,
            help="Number of components (waveforms). auto adds waveforms to those of a recording as "
            "long as their events predict each other; of windows it is 1.",
        ),
    ] = "auto",
    alpha: Annotated[
        str,
        typer.Option(
            metavar="NUMBER|auto",
            help="Regularisation weight: larger means fewer events. In standard deviations of the "
            "background noise with --noise auto, else in the unit of the data. auto is the largest "
            "correlation expected of noise in a recording; in windows half the size of a median "
            "event, or that of noise if it is larger. The value is printed.",
        ),
    ] = "auto",
    group: Annotated[
        GroupName | None,
        typer.Option(
            help="Symmetry group: how components may be transformed.",
            show_default="integer-shift",
            rich_help_panel=WINDOWS,
        ),
    ] = None,
    moving: learning_options.GroupOptions = learning_options.NO_MORE,
    preparing: learning_options.PreprocessingOptions = learning_options.AS_GIVEN,
    reading: options.ReadingOptions = options.AS_FOUND,
    max_iter: Annotated[
        int,
        typer.Option(
            metavar="N",
            parser=integer_from(0),
            help="Iterations at most.",
            rich_help_panel=LEARNING,
        ),
    ] = 50,
    tol: Annotated[
        float,
        typer.Option(
            metavar="FRACTION",
            parser=positive_number,
            help="Stop when an iteration lowers the objective by less; also the certified gap.",
            rich_help_panel=LEARNING,
        ),
    ] = 1e-4,
    restarts: Annotated[
        int,
        typer.Option(
            metavar="N",
            parser=integer_from(1),
            help="Starts; after a few iterations of each the best is continued.",
            rich_help_panel=LEARNING,
        ),
    ] = 5,
    init: Annotated[
        Start, typer.Option(help="Start from data or from noise.", rich_help_panel=LEARNING)
    ] = Start.data,
    seed: learning_options.Seed = 0,
    jobs: options.Jobs = -1,
    workers: options.ClusterOptions = options.LOCAL,
    checkpoint: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Keep the state of the run in this file, and afterwards too. By default it is in "
            "MODEL.checkpoint, and removed once the model is written.",
            rich_help_panel=LEARNING,
        ),
    ] = None,
    restart: learning_options.Restart = False,
    report: Annotated[
        Path | None,
        typer.Option(metavar="PAGE", help="Write an HTML report of the model on these data, too."),
    ] = None,
    overwrite: options.Overwrite = False,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Learn components from a recording or from windows, and write a model file.

    With --length the whole recording becomes a sparse sum of a few waveforms, each at any times;
    it is not split. With --window, or if windows are given, every window becomes a sparse sum of
    transformed copies of a few components. Channels, --time-column, filters and windows are stored
    in the model file, and all is done again by events, complete, denoise and report.

    Examples:
      orbitdl fit mitdb/100 -o ecg.safetensors --length 0.7s --report ecg.html
      orbitdl fit ecg.csv -o m.safetensors --sfreq 360 --length 252 --highpass 0.5
      orbitdl fit log.csv -o m.safetensors --time-column t --length 0.7s
      orbitdl fit mitdb/100 -o part.safetensors --length 0.7 --channel MLII \\
          --from 90s --to 300s
      orbitdl fit walk.csv -o walk.safetensors --sfreq 100 --length 1.2s \\
          --channel x,y,z --restarts 20 --jobs 2
      orbitdl fit heart.wav -o heart.safetensors --window 0.6s --normalize \\
          --group continuous-shift
      orbitdl fit mitdb/100 -o windows.safetensors --window 201 --step 10 \\
          --normalize --channel MLII --components 4 --alpha 0.1 \\
          --group continuous-shift
      orbitdl fit windows.npy -o waves.safetensors --components 3
      orbitdl fit sensors.npy -o event.safetensors --matrices orthogonal

    A run that was stopped, by Ctrl-C or worse, goes on when the same command is given again; with
    --restart it begins anew.
    """
    from orbitdl.command.fitting import Job
    from orbitdl.command.material import Material
    from orbitdl.command.output import MODELS, PAGES, require_writable
    from orbitdl.command.team import cluster_for

    weight = number_or(alpha, "--alpha", "auto")
    require_one_kind(line, preparing, reading, moving, group)
    settings = {
        "n_components": number_of(components, windows=line.length is None),
        "alpha": weight or "auto",
        "max_iter": max_iter,
        "tol": tol,
        "init": init.value,
        "n_restarts": restarts,
        "random_state": seed,
        "n_jobs": jobs,
    }
    screen = Screen(as_json=as_json, quiet=quiet)
    job = Job(data, output, checkpoint, screen, restart=restart)
    moves = make_group(
        group or GroupName.integer_shift,
        moving.subdivisions,
        moving.generators,
        moving.matrices,
    )
    inputs = (data, moving.generators)
    require_writable(output, MODELS, inputs, overwrite=overwrite)
    if report is not None:
        require_writable(report, PAGES, (*inputs, output), overwrite=overwrite)
    require_writable(job.state.path, inputs=inputs, overwrite=True)  # it is resumed from
    material = Material.read(data, line.length, preparing, reading, screen)
    model = material.model(moves, line.flags(), settings)
    with cluster_for(workers) as team:
        job.run(model, material, team, report)


def number_of(components: str, *, windows: bool) -> int | str:
    """Return the argument n_components; for windows "auto" means one component."""
    if components != "auto":
        return int(components)
    return 1 if windows else "auto"
