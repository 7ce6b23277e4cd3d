"""Common part of ``orbitdl fit``: learn with a progress bar and write the model."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from orbitdl import OrbitDictionaryLearning, WaveformLearning
from orbitdl.command.display import Screen, this_command
from orbitdl.command.following import ProgressDisplay
from orbitdl.command.run_state import RunState
from orbitdl.command.team import WorkerTeam
from orbitdl.learning.restarts import most_iterations
from orbitdl.storage.checkpoint_files import read_checkpoint

Model = OrbitDictionaryLearning | WaveformLearning


@dataclass(frozen=True)
class Job:
    """Data, output and options of a run.

    Attributes
    ----------
    data, output : Path
    checkpoint : Path or None
        Where the state of the run stays; None: beside the model, until that is written.
    screen : Screen
    settings : dict
        Parameters that all estimators share, but for the checkpoint.
    team : Team or None
        Workers that code, if not this process does.
    restart : bool
        Whether the state of an earlier run is discarded.
    """

    data: Path
    output: Path
    checkpoint: Path | None
    screen: Screen
    settings: dict[str, Any]
    team: WorkerTeam | None = None
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

    def write_model(self, model: Model, preprocessing: dict[str, Any]) -> None:
        """Write the model file and remove the checkpoint."""
        origin = {"data": self.data.name, "command": this_command()}
        model.save(self.output, preprocessing=preprocessing, provenance=origin)
        self.state.finish()

    def print_result(self, facts: dict[str, Any], sentences: list[str]) -> None:
        """Print the result as JSON or text."""
        self.screen.result({"model": str(self.output), "data": str(self.data), **facts})
        for sentence in [*sentences, f"Model: {self.output}"]:
            self.screen.say(sentence)


def facts_of_run(model: Model) -> dict[str, Any]:
    """Return the JSON fields common to all runs."""
    last = model.history_[-1] if model.history_ else None  # without any waveform
    return {
        "components": len(model.components_),
        "shape": list(model.components_.shape[1:]),
        "alpha": model.alpha_,
        "alpha_chosen": model.provenance_.get("alpha"),
        "iterations": model.n_iter_,
        "converged": bool(model.converged_),
        "starts": model.starts_.tolist(),
        "objective": None if last is None else last.objective,
        "gap": 0.0 if last is None else last.gap,
        "seconds": model.seconds_,
    }


def alpha_sentence(facts: dict[str, Any]) -> list[str]:
    """Describe the automatic choice of alpha."""
    chosen = facts["alpha_chosen"]
    advice = "Halve it for weaker events, double it for fewer."
    return [f"Chose alpha {chosen}. {advice}"] if chosen else []


def history_sentence(facts: dict[str, Any]) -> list[str]:
    """Describe convergence, and the spread of objectives over several starts."""
    sentences = []
    if not facts["converged"]:
        sentences.append(
            "It was still improving when it stopped: a larger --max-iter will go further."
        )
    starts = facts["starts"]
    if len(starts) > 1:
        sentences.append(
            f"{len(starts)} starts came to objectives between {min(starts):.6g} and "
            f"{max(starts):.6g} in a few iterations; the best was continued."
        )
    return sentences
