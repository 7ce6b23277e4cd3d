"""Common part of ``orbitdl fit``: learn with a progress bar and write the model."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from orbitdl import WaveformLearning
from orbitdl.command import waveform_fitting, window_fitting
from orbitdl.command.display import Screen, this_command
from orbitdl.command.following import ProgressDisplay
from orbitdl.command.material import Material, Model
from orbitdl.command.report import write_report
from orbitdl.command.run_state import RunState
from orbitdl.command.team import WorkerTeam
from orbitdl.learning.restarts import most_iterations
from orbitdl.storage.checkpoint_files import read_checkpoint


@dataclass(frozen=True)
class Job:
    """Data, output and options of a run.

    Attributes
    ----------
    data, output : Path
    checkpoint : Path or None
        Where the state of the run stays; None: beside the model, until that is written.
    screen : Screen
    restart : bool
        Whether the state of an earlier run is discarded.
    """

    data: Path
    output: Path
    checkpoint: Path | None
    screen: Screen
    restart: bool = False

    @property
    def state(self) -> RunState:
        """The checkpoint file."""
        return RunState.of(self.checkpoint, self.output, read_checkpoint)

    def learn(self, model: Model, X: Any) -> None:
        """Fit the model with a progress bar; on Ctrl-C name the checkpoint."""
        state = self.state
        if self.restart:
            state.discard(self.screen)
        total = most_iterations(model.n_restarts, model.max_iter)
        shown: ProgressDisplay | None = None
        try:
            with (
                state.kept("iteration", lambda: shown is not None and shown.has_begun),
                self.screen.learning(total) as shown,
                warnings.catch_warnings(),
            ):
                warnings.filterwarnings("ignore", "max_iter=")  # it is said of the option instead
                warnings.filterwarnings("ignore", "Sending large graph")  # data, on purpose
                model.set_params(callback=shown, checkpoint=state.path).fit(X)
        finally:
            model.set_params(callback=None, n_jobs=None)

    def run(
        self, model: Model, material: Material, team: WorkerTeam | None, report: Path | None
    ) -> None:
        """Learn, write the model, and a report if there is to be one, and print a summary."""
        kind = waveform_fitting if isinstance(model, WaveformLearning) else window_fitting
        for sentence in kind.cluster_notes(team) if team else []:
            self.screen.say(sentence)
        self.learn(model, kind.data_of(material, team, self.data))
        material.hold(model)
        model.provenance_ |= {"data": self.data.name, "command": this_command()}
        model.save(self.output)
        self.state.finish()
        facts = kind.summary(model, material)
        if report is not None:
            write_report(
                model, material.recording or material.result, report, self.data.stem, self.screen
            )
            facts["report"] = str(report)
        self.print_result(facts, kind.sentences(facts))
        kind.warn(model, material, facts)

    def print_result(self, facts: dict[str, Any], sentences: list[str]) -> None:
        """Print the result as JSON or text."""
        self.screen.result({"model": str(self.output), "data": str(self.data), **facts})
        report = [f"Report: {facts['report']}"] if "report" in facts else []
        for sentence in [*sentences, f"Model: {self.output}", *report]:
            self.screen.say(sentence)
