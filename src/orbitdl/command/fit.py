"""``orbitdl fit``: learn components from a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from orbitdl.command import options
from orbitdl.command.choices import GroupName, Start, make_group, number_or
from orbitdl.command.display import Screen, this_command
from orbitdl.command.failures import guarded

LEARNING = "How it learns"


@guarded
def fit(
    data: options.Data,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="MODEL", help="The model file to write.")
    ],
    group: Annotated[
        GroupName, typer.Option(help="What may move the components.")
    ] = GroupName.continuous_shift,
    components: Annotated[
        int, typer.Option(metavar="N", min=1, help="How many components to learn.")
    ] = 4,
    alpha: Annotated[
        str,
        typer.Option(
            metavar="NUMBER|auto",
            help="Weight of sparsity, in the units of the data: larger means fewer events. auto "
            "takes half the size of a typical event, which a few iterations of learning find, and "
            "says what that came to.",
        ),
    ] = "auto",
    subdivisions: Annotated[
        int | None,
        typer.Option(
            metavar="K", min=1, help="Interpolated shifts: steps per sample; 2 by default."
        ),
    ] = None,
    generators: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.npy", help="Finite group: permutations (k, d) or matrices (k, d, d)."
        ),
    ] = None,
    window: options.Window = None,
    normalize: Annotated[
        bool,
        typer.Option(
            "--normalize",
            help="Give every window zero mean and unit norm.",
            rich_help_panel=options.CUTTING,
        ),
    ] = False,
    highpass: Annotated[
        float | None,
        typer.Option(
            metavar="HZ",
            min=1e-12,
            help="Take drift off the recording before it is cut: all that is slower than this, in "
            "Hz, or in cycles per sample if the rate is not known. denoise and complete put it "
            "back.",
            rich_help_panel=options.CUTTING,
        ),
    ] = None,
    cutting: options.Cutting = options.NOTHING_SAID,
    max_iter: Annotated[
        int,
        typer.Option(metavar="N", min=0, help="Iterations at most.", rich_help_panel=LEARNING),
    ] = 50,
    tol: Annotated[
        float,
        typer.Option(
            metavar="FRACTION",
            callback=options.require_positive,
            help="Stop when an iteration lowers the objective by less; also the certified gap.",
            rich_help_panel=LEARNING,
        ),
    ] = 1e-4,
    restarts: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=1,
            help="Starts; after a few iterations of each the best is continued.",
            rich_help_panel=LEARNING,
        ),
    ] = 5,
    init: Annotated[
        Start, typer.Option(help="Start from data or from noise.", rich_help_panel=LEARNING)
    ] = Start.data,
    seed: Annotated[
        int,
        typer.Option(metavar="N", min=0, help="Seed of all chance.", rich_help_panel=LEARNING),
    ] = 0,
    jobs: options.Jobs = -1,
    checkpoint: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Keep the state of the run in this file, and afterwards too. By default it is in "
            "MODEL.checkpoint, and removed once the model is written.",
            rich_help_panel=LEARNING,
        ),
    ] = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Learn components from a recording or from windows, and write a model file.

    Every window becomes a sparse sum of moved copies of a few components. A recording is cut with
    --window, and --step where windows shall overlap; all of this is kept in the model file and
    done again by encode, complete, denoise and report.

    Examples:
      orbitdl fit heart.wav -o heart.safetensors --window 0.6s --normalize
      orbitdl fit mitdb/100 -o ecg.safetensors --window 201 --step 10 \\
          --normalize --channel MLII --components 4 --alpha 0.1
      orbitdl fit mitdb/100 -o part.safetensors --window 0.6s --from 90s --to 300s
      orbitdl fit ecg.csv -o ecg.safetensors --rate 360 --window 0.6s --highpass 0.5
      orbitdl fit windows.npy -o waves.safetensors --group integer-shift
      orbitdl fit walk.csv -o walk.safetensors --rate 100 --window 128 \\
          --channel x,y,z --restarts 20 --alpha auto --jobs 2

    A run that was stopped, by Ctrl-C or worse, goes on when the same command is given again.
    """
    from orbitdl import OrbitDictionaryLearning
    from orbitdl.command.advice import warn_of_constants, warn_of_empty_codes
    from orbitdl.command.applying import excerpt_of, read_and_tell
    from orbitdl.command.fitting import learn, summary, tell
    from orbitdl.command.lengths import in_samples
    from orbitdl.command.output import require_writable
    from orbitdl.recordings import Preprocessing, prepare

    screen = Screen(as_json=as_json, quiet=quiet)
    weight = number_or(alpha, "--alpha", "auto")
    moves = make_group(group, subdivisions, generators)
    state = checkpoint or output.with_name(output.name + ".checkpoint")
    require_writable(output, inputs=(data, generators))
    require_writable(state, inputs=(data, generators))
    recording = read_and_tell(data, cutting, screen)
    rate = cutting.rate or recording.rate
    length = in_samples(window, rate)
    step = in_samples(cutting.step, rate) or length
    preprocessing = Preprocessing(length, step, normalize, cutting.channel, rate, highpass)
    excerpt = excerpt_of(recording, cutting, rate)
    windows = prepare(excerpt, preprocessing, layout=cutting.layout)
    model = OrbitDictionaryLearning(
        n_components=components,
        group=moves,
        alpha=weight or "auto",
        max_iter=max_iter,
        tol=tol,
        init=init.value,
        n_restarts=restarts,
        random_state=seed,
        n_jobs=jobs,
        checkpoint=state,
    )
    learn(model, windows, screen, state)
    origin = {"data": data.name, "command": this_command()}
    model.save(output, preprocessing=preprocessing.to_dict(), provenance=origin)
    if checkpoint is None:
        state.unlink(missing_ok=True)
    facts = summary(model, windows)
    screen.result({"model": str(output), "data": str(data), **facts})
    tell(facts, output, screen)
    warn_of_empty_codes(model, windows.values, facts["atoms_a_window"])
    warn_of_constants(model, windows.values)
