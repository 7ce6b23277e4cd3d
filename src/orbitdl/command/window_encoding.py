"""``orbitdl encode`` with components of windows."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import typer

from orbitdl import OrbitDictionaryLearning
from orbitdl.command.advice import warn_of_empty_codes
from orbitdl.command.applying import encode_windows, windows_for
from orbitdl.command.display import Screen, at_most, counted
from orbitdl.command.options import WindowOptions
from orbitdl.command.output import SymbolMap, is_annotation, write_events
from orbitdl.command.team import WorkerTeam
from orbitdl.io import Windows, event_table


def list_events_of_windows(
    model: OrbitDictionaryLearning,
    data: Path,
    cutting: WindowOptions,
    output: Path,
    screen: Screen,
    *,
    alpha: float | None,
    debias: bool,
    symbols: SymbolMap,
    team: WorkerTeam | None = None,
) -> None:
    """Encode windows, write their events, and print a summary."""
    windows = windows_for(model, data, cutting, screen, for_events=True)
    _require_times(windows, output)
    codes = encode_windows(model, windows, screen, alpha=alpha, debias=debias, team=team)
    events = event_table(codes, model.components_, windows)
    write_events(events, output, windows.sfreq, symbols)
    gap = float(codes.gap.max())
    facts = {
        "events": len(events),
        "windows": len(windows),
        "step": windows.step,
        "sfreq": windows.sfreq,
        "gap": gap,
        "alpha": model.alpha_ if alpha is None else alpha,
        "debiased": debias,
    }
    screen.result({"output": str(output), **facts})
    every = f", one every {windows.step} samples" if windows.overlap else ""
    screen.say(
        f"Found {counted(len(events), 'event')} in {counted(len(windows), 'window')}{every}; with "
        "these components no other code would lower the objective of any window by more than "
        f"{at_most(gap)}."
    )
    if debias:
        screen.say("The coefficients were refitted after that, without the cost of sparsity.")
    screen.say(f"Events: {output}")
    warn_of_empty_codes(model, windows.values, len(codes.atoms.coefficient))


def reject_waveform_options(options: Mapping[str, object]) -> None:
    """Raise on options of waveform models."""
    for option, given in options.items():
        if given is not None:
            raise typer.BadParameter(
                f"{option} is for models that fit --length wrote, and this one is of windows; "
                "leave it out."
            )


def _require_times(windows: Windows, output: Path) -> None:
    if is_annotation(output) and windows.start is None:
        raise ValueError(
            f"cannot write {output}: annotations lie at times of a recording, and the data are "
            "windows; write a table, such as events.csv."
        )
