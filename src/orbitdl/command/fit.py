"""``orbitdl fit``: learn components from a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from orbitdl.command import options
from orbitdl.command.choices import GroupName, MatricesName, Start, make_group, number_or
from orbitdl.command.display import Screen
from orbitdl.command.failures import guarded
from orbitdl.command.numbers import positive_number, whole_number
from orbitdl.recordings.layout import Layout

LEARNING = "How it learns"
LINE = "With --length only"
WINDOWS = "With windows only"


@guarded
def fit(
    data: options.Data,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="MODEL", help="The model file to write.")
    ],
    length: options.Span = None,
    components: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            parser=whole_number(1),
            help="How many components (waveforms) to learn; if left out 1 with --length, and 4 "
            "with windows.",
        ),
    ] = None,
    alpha: Annotated[
        str,
        typer.Option(
            metavar="NUMBER|auto",
            help="Weight of sparsity, in the units of the data: larger means fewer events. auto "
            "takes what noise alone is worth in a recording; in windows half the size of a typical "
            "event, or what noise alone is worth if that is more. A few iterations of learning "
            "find it, and what it came to is said.",
        ),
    ] = "auto",
    positive: Annotated[
        bool,
        typer.Option(
            "--positive",
            help="Waveforms occur as they are, never upside down.",
            rich_help_panel=LINE,
        ),
    ] = False,
    whole_samples: Annotated[
        bool,
        typer.Option(
            "--whole-samples",
            help="Waveforms begin at whole samples only.",
            rich_help_panel=LINE,
        ),
    ] = False,
    no_detrend: Annotated[
        bool,
        typer.Option(
            "--no-detrend",
            help="Leave in the recording what is slower than a waveform.",
            rich_help_panel=LINE,
        ),
    ] = False,
    group: Annotated[
        GroupName | None,
        typer.Option(
            help="What may move the components.",
            show_default="continuous-shift",
            rich_help_panel=WINDOWS,
        ),
    ] = None,
    subdivisions: Annotated[
        int | None,
        typer.Option(
            metavar="K",
            parser=whole_number(1),
            help="Interpolated shifts: steps per sample; 2 by default.",
            rich_help_panel=WINDOWS,
        ),
    ] = None,
    matrices: Annotated[
        MatricesName | None,
        typer.Option(
            help="Shifts: what may turn or mix the channels of a window at the same time, as one "
            "vector; azimuth: about the third channel.",
            rich_help_panel=WINDOWS,
        ),
    ] = None,
    generators: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.npy",
            help="Finite group: permutations (k, d) or matrices (k, d, d).",
            rich_help_panel=WINDOWS,
        ),
    ] = None,
    window: options.Window = None,
    normalize: Annotated[
        bool,
        typer.Option(
            "--normalize",
            help="Give every window zero mean and unit norm.",
            rich_help_panel=WINDOWS,
        ),
    ] = False,
    highpass: Annotated[
        float | None,
        typer.Option(
            metavar="HZ",
            parser=positive_number,
            help="Take drift off the recording first: all that is slower than this, in "
            "Hz, or in cycles per sample if the rate is not known. denoise and complete put it "
            "back.",
            rich_help_panel=options.CUTTING,
        ),
    ] = None,
    cutting: options.Cutting = options.NOTHING_SAID,
    max_iter: Annotated[
        int,
        typer.Option(
            metavar="N",
            parser=whole_number(0),
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
            parser=whole_number(1),
            help="Starts; after a few iterations of each the best is continued.",
            rich_help_panel=LEARNING,
        ),
    ] = 5,
    init: Annotated[
        Start, typer.Option(help="Start from data or from noise.", rich_help_panel=LEARNING)
    ] = Start.data,
    seed: Annotated[
        int,
        typer.Option(
            metavar="N",
            parser=whole_number(0),
            help="Seed of all chance.",
            rich_help_panel=LEARNING,
        ),
    ] = 0,
    jobs: options.Jobs = -1,
    workers: options.Workers = options.THIS_PROCESS,
    checkpoint: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Keep the state of the run in this file, and afterwards too. By default it is in "
            "MODEL.checkpoint, and removed once the model is written.",
            rich_help_panel=LEARNING,
        ),
    ] = None,
    restart: Annotated[
        bool,
        typer.Option(
            "--restart",
            help="Discard the state that an earlier run left, and begin anew.",
            rich_help_panel=LEARNING,
        ),
    ] = False,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Learn components from a recording or from windows, and write a model file.

    With --length the whole recording becomes a sparse sum of a few waveforms, each at any times;
    it is not cut. With --window, or if windows are given, every window becomes a sparse sum of
    moved copies of a few components. Channels, --time-column, --highpass and windows are kept in
    the model file, and all is done again by encode, complete, denoise and report.

    Examples:
      orbitdl fit mitdb/100 -o ecg.safetensors --length 0.7s --components 2
      orbitdl fit ecg.csv -o m.safetensors --rate 360 --length 252 --highpass 0.5
      orbitdl fit log.csv -o m.safetensors --time-column t --length 0.7s
      orbitdl fit mitdb/100 -o part.safetensors --length 0.7 --channel MLII \\
          --from 90s --to 300s
      orbitdl fit walk.csv -o walk.safetensors --rate 100 --length 1.2s \\
          --channel x,y,z --restarts 20 --jobs 2
      orbitdl fit heart.wav -o heart.safetensors --window 0.6s --normalize
      orbitdl fit mitdb/100 -o windows.safetensors --window 201 --step 10 \\
          --normalize --channel MLII --components 4 --alpha 0.1
      orbitdl fit windows.npy -o waves.safetensors --group integer-shift
      orbitdl fit sensors.npy -o event.safetensors --matrices orthogonal

    A run that was stopped, by Ctrl-C or worse, goes on when the same command is given again; with
    --restart it begins anew.
    """
    from orbitdl.command.applying import excerpt_of, read_and_tell
    from orbitdl.command.fitting import Job
    from orbitdl.command.lengths import in_samples
    from orbitdl.command.output import require_writable
    from orbitdl.command.team import team_for
    from orbitdl.command.waveform_fitting import fit_waveforms
    from orbitdl.command.window_fitting import fit_windows
    from orbitdl.recordings import Preprocessing

    weight = number_or(alpha, "--alpha", "auto")
    on_line = {"--positive": positive, "--whole-samples": whole_samples, "--no-detrend": no_detrend}
    on_windows = {
        "--window": window,
        "--step": cutting.step,
        "--group": group,
        "--subdivisions": subdivisions,
        "--matrices": matrices,
        "--generators": generators,
        "--normalize": normalize,
        "--layout windows": cutting.layout is Layout.windows,
    }
    require_of_one_kind(on_windows if length else on_line, has_length=length is not None)
    settings = {
        "n_components": components or (1 if length else 4),
        "alpha": weight or "auto",
        "max_iter": max_iter,
        "tol": tol,
        "init": init.value,
        "n_restarts": restarts,
        "random_state": seed,
        "n_jobs": jobs,
    }
    screen = Screen(as_json=as_json, quiet=quiet)
    job = Job(data, output, checkpoint, screen, settings, restart=restart)
    moves = make_group(group or GroupName.continuous_shift, subdivisions, generators, matrices)
    require_writable(output, inputs=(data, generators))
    require_writable(job.state, inputs=(data, generators))
    recording = read_and_tell(data, cutting, job.screen)
    rate = cutting.rate or recording.rate
    cut = in_samples(window, rate)
    step = in_samples(cutting.step, rate) or cut
    channel, time = cutting.channel, cutting.time_column
    steps = Preprocessing(cut, step, normalize, channel, rate, highpass, time)
    excerpt = excerpt_of(recording, cutting, rate)
    flags = {"positive": positive, "whole_samples": whole_samples, "detrend": not no_detrend}
    with team_for(workers) as team:
        job = replace(job, team=team)
        if length is None:
            fit_windows(job, excerpt, steps, cutting.layout, moves)
        else:
            fit_waveforms(job, excerpt, steps, length, flags)


def require_of_one_kind(others: Mapping[str, object], *, has_length: bool) -> None:
    """Refuse options of windows beside --length, and its own without it."""
    given = [option for option, value in others.items() if value]
    if given and has_length:
        raise typer.BadParameter(
            f"--length learns from the whole recording, and {given[0]} is for windows; leave out "
            "one of them."
        )
    if given:
        raise typer.BadParameter(f"{given[0]} belongs to --length, how long a waveform is at most.")
