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
    reading: options.ReadingOptions = options.AS_FOUND,
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
    from orbitdl import load
    from orbitdl.command.output import ARRAYS, require_writable, write_array
    from orbitdl.command.reading import data_for
    from orbitdl.command.values import completed, names_of

    screen = Screen(as_json=as_json, quiet=quiet)
    require_writable(output, ARRAYS, (model, data), overwrite=overwrite)
    learned = load(model).set_params(n_jobs=jobs)
    found = data_for(learned, data, reading, screen)
    whole, missing = completed(learned, found, reading, screen, exact=exact, debias=debias)
    write_array(whole, output, names_of(learned, found), missing)
    left = int((whole != whole).sum())
    told = {"filled": int(missing.sum()) - left, "left_missing": left}
    screen.result({"output": str(output), "shape": whole.shape, **told})
    screen.say(f"Filled in {told['filled']} of {missing.sum()} missing values: {output}")
    if left:
        length = learned.components_.shape[1]
        screen.say(
            f"The other {left} are left missing: they lie in gaps of {length} samples or more, as "
            "long as a component, which may hide whole events."
        )
