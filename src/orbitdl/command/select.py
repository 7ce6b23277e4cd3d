"""``orbitdl select``: find out how many components, which alpha, which symmetry."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from orbitdl.command import judging_options, learning_options, options
from orbitdl.command.choices import GroupName, GroupNames, group_names, make_groups
from orbitdl.command.display import Screen
from orbitdl.command.failures import guarded
from orbitdl.command.learning_options import LEARNING, WINDOWS, require_one_kind
from orbitdl.command.option_groups import as_typed


@guarded
def select(
    data: options.Data,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="TABLE",
            help="Write all that was tried to a table: .csv, .parquet or .json.",
        ),
    ] = None,
    line: learning_options.WaveformOptions = learning_options.WINDOWS_ONLY,
    tried: judging_options.Candidates = judging_options.USUAL,
    group: Annotated[
        GroupNames | None,
        typer.Option(
            metavar="LIST",
            parser=group_names,
            help="Symmetry groups: names as in fit --help, the simplest first, with "
            "commas between.",
            show_default="integer-shift",
            rich_help_panel=WINDOWS,
        ),
    ] = None,
    moving: learning_options.GroupOptions = learning_options.NO_MORE,
    preparing: learning_options.PreprocessingOptions = learning_options.AS_GIVEN,
    reading: options.ReadingOptions = options.AS_FOUND,
    judging: judging_options.ValidationOptions = judging_options.AS_USUAL,
    working: judging_options.RunOptions = judging_options.FROM_SEED_0,
    checkpoint: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Keep what is done in this file, and afterwards too. By default it is in "
            "TABLE.checkpoint, or in this folder under the name of DATA, and removed at the end.",
            rich_help_panel=LEARNING,
        ),
    ] = None,
    restart: learning_options.Restart = False,
    overwrite: options.Overwrite = False,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Choose the number of components, and for windows alpha and group, by cross-validation.

    Windows: a share of the entries is hidden, components are learned from all others, and predict
    what is hidden. Recordings, with --length: stretches are held out, components are learned from
    all others, and the events that they find there are judged: how much of the energy above the
    noise they explain, and whether components of the whole recording find them, too. Of all
    candidates within one standard error of the best, the simplest is chosen: fewest components,
    then the first of several groups, then the largest alpha. The choice is printed, the reason, and
    the fit command to run next. Data are passed, read and split as for fit.

    Examples:
      orbitdl select mitdb/100 --length 0.7s --channel MLII
      orbitdl select ecg.csv --sfreq 360 --length 252 --components 1-6 -o tried.csv
      orbitdl select mitdb/100 --window 201 --step 100 --channel MLII \\
          --normalize --samples 200 --rounds 3
      orbitdl select windows.npy --components 2,4,8 --alphas 0.05,0.1,0.2
      orbitdl select windows.npy --group trivial,integer-shift,continuous-shift

    Columns of the table:
      group           what transforms the components (windows)
      n_components    how many there are
      alpha           weight of sparsity (windows)
      error           squared error over hidden entries, as a part of their energy; of recordings
                      the part of the energy above the noise that is left unexplained
      standard_error  that of its difference from the least error
      atoms           per window, or events per length of a waveform
      agreement       F1 score with the events of a model of the whole recording (recordings)

    A run that was stopped, by Ctrl-C or worse, goes on when the same command is given again; with
    --restart it begins anew.
    """
    from orbitdl.command.material import Material
    from orbitdl.command.output import TABLES, require_writable, write_table
    from orbitdl.command.selecting import (
        Search,
        fit_command,
        model_and_data,
        place_of,
        print_choice,
        state_of,
    )

    require_one_kind(line, preparing, reading, moving, group)
    names = group or GroupNames([GroupName.integer_shift])
    groups = make_groups(names, moving.subdivisions, moving.generators, moving.matrices)
    screen, state = Screen(as_json=as_json, quiet=quiet), state_of(checkpoint, output, data)
    inputs = (data, moving.generators)
    if output is not None:
        require_writable(output, TABLES, inputs, overwrite=overwrite)
    require_writable(state.path, inputs=inputs, overwrite=True)  # it is resumed from
    material = Material.read(data, line.length, preparing, reading, screen)
    model, X = model_and_data(material, line, groups[0])
    model.set_params(
        n_components=max(tried.numbers), random_state=working.seed, n_jobs=working.jobs
    )
    if restart:
        state.discard(screen)
    search = Search(tried, None if line.length else groups, judging, state, screen)
    selection = search.run(model, X)
    if output is not None:
        write_table(selection.table, output)
    state.finish()
    name = names[place_of(selection, groups)] if group else None
    said = as_typed(line, preparing, reading, moving.of(name), working)
    command = fit_command(data, said, selection, name)
    print_choice(selection, command, data, output, screen)
