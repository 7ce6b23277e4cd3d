"""``orbitdl info``: say what a model file holds."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from orbitdl.command import options
from orbitdl.command.choices import describe_group
from orbitdl.command.display import Screen
from orbitdl.command.failures import guarded

if TYPE_CHECKING:
    from orbitdl import OrbitDictionaryLearning, WaveformLearning


@guarded
def info(
    model: options.Model,
    components: Annotated[
        Path | None,
        typer.Option(
            metavar="TABLE",
            help="Write the components too: .csv, .parquet or .json, one column per component, "
            "or per component and channel, and the time in seconds if the rate is known.",
        ),
    ] = None,
    overwrite: options.Overwrite = False,
    as_json: options.Json = False,
) -> None:
    """Describe a model file: components, how they were learned, and from what.

    Examples:
      orbitdl info ecg.safetensors
      orbitdl info ecg.safetensors --json
      orbitdl info ecg.safetensors --components waves.csv
    """
    from rich.table import Table

    from orbitdl import load
    from orbitdl.command.output import TABLES, require_writable, write_table
    from orbitdl.io import waveform_table

    screen = Screen(as_json=as_json)
    if components is not None:
        require_writable(components, TABLES, (model,), overwrite=overwrite)
    learned = load(model)
    facts = facts_of(learned)
    if components is not None:
        write_table(waveform_table(learned.components_, learned.sfreq_), components)
        facts["table"] = str(components)
    screen.result({"model": str(model), **facts})
    table = Table(title=str(model), show_header=False, title_justify="left")
    table.add_column()
    table.add_column(overflow="fold")
    for name, value in facts.items():
        if isinstance(value, dict):
            table.add_section()
            for key, entry in value.items():
                table.add_row(f"{name}: {key}", value_text(entry))
        else:
            table.add_row(name, value_text(value))
    screen.show(table)


def facts_of(model: OrbitDictionaryLearning | WaveformLearning) -> dict[str, Any]:
    """Return the JSON fields of a model."""
    from orbitdl import WaveformLearning

    is_line = isinstance(model, WaveformLearning)
    first, last = model.history_[0], model.history_[-1]
    return {
        **(_of_waveforms(model) if is_line else {"group": describe_group(model.group)}),
        "components": len(model.components_),
        "shape": list(model.components_.shape[1:]),
        "alpha": model.alpha_,
        "history": {
            "iterations": model.n_iter_,
            "converged": model.converged_,
            "objective at the start": first.objective,
            "objective": last.objective,
            "gap": last.gap,
            f"atoms per {'recording' if is_line else 'window'}": last.atoms,
            "seconds": sum(record.seconds for record in model.history_),
        },
        "preprocessing": [str(step) for step in model.preprocessing_],
        "acquisition": model.acquisition_,
        "provenance": model.provenance_,
    }


def _of_waveforms(model: WaveformLearning) -> dict[str, Any]:
    """Return the additional fields of waveform models."""
    sfreq = model.sfreq_
    return {
        "group": "any time of a recording",
        "length": model.length,
        "length in seconds": model.length / sfreq if sfreq else None,
        "positive": bool(model.positive),
        "integer shifts": bool(model.integer_shifts),
        "detrend": bool(model.detrend),
    }


def value_text(value: object) -> str:
    """Format a value as text."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, list):
        return (" x " if all(isinstance(one, int) for one in value) else ", ").join(map(str, value))
    return "-" if value is None else str(value)
