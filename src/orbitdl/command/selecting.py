"""Implementation of ``orbitdl select``: evaluate candidates and print the choice."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from orbitdl import OrbitDictionaryLearning, WaveformLearning
from orbitdl.command.advice import warn_of_means
from orbitdl.command.display import Screen, program
from orbitdl.command.judging_options import Candidates, ValidationOptions
from orbitdl.command.learning_options import WaveformOptions
from orbitdl.command.material import Material
from orbitdl.command.run_state import RunState
from orbitdl.groups import Group
from orbitdl.selection import Selection, select
from orbitdl.selection.results import KIND
from orbitdl.storage.container import read
from orbitdl.windows import Windows

if TYPE_CHECKING:
    from rich.table import Table

Model = OrbitDictionaryLearning | WaveformLearning


def state_of(named: Path | None, output: Path | None, data: Path) -> RunState:
    """Return the checkpoint: next to the table, or else in the current folder."""
    beside = output or Path(f"{data.name}.selection")
    return RunState.of(named, beside, partial(read, kind=KIND))


def model_and_data(material: Material, line: WaveformOptions, group: Group) -> tuple[Model, Any]:
    """Return the estimator and its data: a recording or windows."""
    model = material.model(group, line.flags(), {})
    if isinstance(material.result, Windows):
        warn_of_means(group, material.result.values)
        return model, material.result.values
    return model, np.asarray(material.result)


@dataclass(frozen=True)
class Search:
    """Candidates, validation and checkpoint of a selection.

    Attributes
    ----------
    tried : Candidates
    groups : list of Group or None
        None: of recordings, which have none to choose.
    judging : Judging
    state : RunState
    screen : Screen
    """

    tried: Candidates
    groups: list[Group] | None
    judging: ValidationOptions
    state: RunState
    screen: Screen

    def run(self, model: Model, X: Any) -> Selection:
        """Select with a progress bar; on Ctrl-C name the checkpoint."""
        with self.state.kept("run was done", lambda: True), self.screen.steps() as show:
            told = list[int]()

            def progress(done: int, total: int) -> None:
                if done and not told:  # before the first run of this process is done
                    self.screen.remark(f"Resuming: {done} of {total} runs were done before.")
                told.append(done)
                show("Selecting", f"{done} of {total} runs", done, total)

            return select(
                model,
                X,
                n_components=self.tried.numbers,
                alphas=self.tried.alphas,
                groups=self.groups,
                rounds=self.judging.rounds,
                share=self.judging.share,
                speckle=self.judging.speckle,
                max_samples=self.judging.samples,
                progress=progress,
                checkpoint=self.state.path,
            )


def place_of(selection: Selection, groups: list[Group]) -> int:
    """Return the index of the chosen group."""
    chosen = selection.estimator.group
    return next(k for k, group in enumerate(groups) if group is chosen)


def fit_command(data: Path, options: list[str], selection: Selection, group: str | None) -> str:
    """Return the command that fits the chosen model to the same data."""
    chosen = selection.choice
    moves = ["--group", group] if group else []
    numbers = ["--components", str(selection.estimator.n_components)]
    if "alpha" in chosen:
        numbers += ["--alpha", f"{chosen['alpha']:.15g}"]
    words = ["fit", str(data), "-o", f"{data.stem}.safetensors", *options, *moves, *numbers]
    return f"{program()} {shlex.join(words)}"


def print_choice(
    selection: Selection, command: str, data: Path, output: Path | None, screen: Screen
) -> None:
    """Print the choice and its reason, as JSON or text."""
    chosen = selection.choice
    facts = {
        "data": str(data),
        "group": chosen.get("group"),
        "components": chosen["n_components"],
        "alpha": chosen.get("alpha"),
        "reason": selection.reason,
        "command": command,
        "table": selection.table.to_dict(orient="records"),
    }
    screen.result(facts | ({"output": str(output)} if output else {}))
    screen.show(short_name(selection))
    screen.say(selection.reason)
    if output:
        screen.say(f"All that was tried: {output}")
    screen.say(f"Next:\n  {command}")


def short_name(selection: Selection) -> Table:
    """Return a table with the best row per number of components, and the choice."""
    from rich.table import Table

    of_recording = isinstance(selection.estimator, WaveformLearning)
    rows = best_rows(selection)
    several = not of_recording and selection.table["group"].nunique() > 1
    per, what = ("length", "agreement") if of_recording else ("window", "alpha")
    names = ["components", what, "held-out error", "over the least", f"atoms per {per}", ""]
    table = Table(*(["group"] if several else []), *names)
    table.columns[0].no_wrap = True
    for column in table.columns[several:]:
        column.justify = "right"
    least = selection.table["error"].min()
    for row in rows.to_dict(orient="records"):
        over, spread = row["error"] - least, row["standard_error"]
        numbers = (
            str(row["n_components"]),
            f"{row[what]:.3g}",
            f"{100 * row['error']:.3g} %",
            f"{100 * over:.2g} ± {100 * spread:.2g} %" if over else "",
            f"{row['atoms']:.2f}",
            "chosen" if row["is_chosen"] else "",
        )
        words = [row["group"], *numbers] if several else numbers
        table.add_row(*words, style="bold" if row["is_chosen"] else None)
    return table


def best_rows(selection: Selection) -> pd.DataFrame:
    """Return the row of least error per number of components, and the chosen one."""
    every, keys = selection.table, list(selection.choice)
    least = every.groupby([k for k in keys if k != "alpha"], sort=False)["error"].idxmin()
    is_chosen = (every[keys] == [selection.choice[key] for key in keys]).all(axis=1)
    shown = every.assign(is_chosen=is_chosen)
    return shown[is_chosen | every.index.isin(least)]
