"""What ``orbitdl fit`` does whatever is learned: learn under a progress bar, keep the model."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from orbitdl import OrbitDictionaryLearning, WaveformLearning
from orbitdl.command.display import Screen, this_command
from orbitdl.command.following import Shown
from orbitdl.command.run_state import RunState
from orbitdl.command.team import Team
from orbitdl.learning.restarts import most_iterations
from orbitdl.storage.checkpoint_files import read_checkpoint

Model = OrbitDictionaryLearning | WaveformLearning


@dataclass(frozen=True)
class Job:
    """Say what is learned from, where it goes, and how.

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
    team: Team | None = None
    restart: bool = False

    @property
    def state(self) -> RunState:
        """The file that holds the state of the run."""
        return RunState.of(self.checkpoint, self.output, read_checkpoint)

    def learn(self, model: Model, X: Any) -> None:
        """Fit the model under a progress bar; say on Ctrl-C where the work is."""
        state = self.state
        if self.restart:
            state.discard(self.screen)
        total = most_iterations(model.n_restarts, model.max_iter)
        shown: Shown | None = None
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

    def keep(self, model: Model, preprocessing: dict[str, Any]) -> None:
        """Write the model file; the state of the run is then needed no more."""
        origin = {"data": self.data.name, "command": this_command()}
        model.save(self.output, preprocessing=preprocessing, provenance=origin)
        self.state.finish()

    def tell(self, facts: dict[str, Any], sentences: list[str]) -> None:
        """Print what came of it, for machines or for people."""
        self.screen.result({"model": str(self.output), "data": str(self.data), **facts})
        for sentence in [*sentences, f"Model: {self.output}"]:
            self.screen.say(sentence)


def facts_of_run(model: Model) -> dict[str, Any]:
    """Return the facts of any run, for machines."""
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


def said_of_alpha(facts: dict[str, Any]) -> list[str]:
    """Say which alpha was chosen, if it was, and why."""
    chosen = facts["alpha_chosen"]
    advice = "Halve it for weaker events, double it for fewer."
    return [f"Chose alpha {chosen}. {advice}"] if chosen else []


def said_of_course(facts: dict[str, Any]) -> list[str]:
    """Return whether it went on long enough, and how far apart several starts were."""
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
