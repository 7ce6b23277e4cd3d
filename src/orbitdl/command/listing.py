"""Implementation of ``orbitdl events``: list events, write them, and print a summary."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import typer

from orbitdl import Codes, OrbitDictionaryLearning, WaveformLearning
from orbitdl.adapters.wfdb import require_symbols
from orbitdl.command.advice import warn_of_empty_codes
from orbitdl.command.display import Screen, at_most, counted, duration, span
from orbitdl.command.lengths import Length, in_samples
from orbitdl.command.output import SymbolMap, is_annotation, write_events
from orbitdl.command.team import WorkerTeam, cluster_notes
from orbitdl.command.waveform_fitting import warn_of_nothing
from orbitdl.io import Recording
from orbitdl.windows import Windows

CHUNK = 2048
"""Windows per batch; progress is shown after each batch."""


@dataclass(frozen=True)
class Listing:
    """A model, and the criteria and the file of a table of events.

    alpha, smallest coefficient, minimum interval, and step of windows: None is as the model says;
    `symbols` are for annotations.
    """

    model: OrbitDictionaryLearning | WaveformLearning
    alpha: float | None
    threshold: float | None
    refractory: Length | None
    step: Length | None
    symbols: SymbolMap
    output: Path

    def require_possible(self) -> None:
        """Raise on options of models of the other kind, and on unknown symbols."""
        if self.symbols:
            require_symbols(self.symbols, len(self.model.components_))
        if isinstance(self.model, WaveformLearning):
            return
        for option, given in (
            ("--threshold", self.threshold),
            ("--refractory", self.refractory),
        ):
            if given is not None:
                raise typer.BadParameter(
                    f"{option} is for models that fit --length wrote, and this one is of windows; "
                    "leave it out."
                )

    def run(self, data: Recording | Windows, screen: Screen, team: WorkerTeam | None) -> None:
        """List and write the events, and print a summary."""
        model = self.model
        if isinstance(model, WaveformLearning):
            assert isinstance(data, Recording)
            facts = self._of_recording(model, data, screen, team)
            lines = sentences(facts)
        else:
            facts = self._of_windows(model, data, screen, team)
            lines = window_sentences(facts)
        screen.result({"output": str(self.output), **facts})
        for sentence in [*lines, f"Events: {self.output}"]:
            screen.say(sentence)
        if isinstance(model, WaveformLearning):
            warn_of_nothing(facts["atoms"], facts["alpha"])

    def _of_recording(
        self, model: WaveformLearning, recording: Recording, screen: Screen, team: WorkerTeam | None
    ) -> dict[str, Any]:
        """List the events of a recording; return the JSON fields."""
        for sentence in cluster_notes(team) if team else []:
            screen.say(sentence)
        with screen.window_progress(recording, "Coding") as done:
            if team is None:
                codes = model.encode(recording, alpha=self.alpha, progress=done)
            else:
                codes = team.encode_recording(model, recording, self.alpha)
        rate = model.sfreq_ or recording.sfreq
        near = in_samples(self.refractory, rate)
        table = model.events(
            recording,
            alpha=self.alpha,
            threshold=self.threshold,
            refractory=near,
            codes=codes,
        )
        self._write(table, rate, recording.sfreq)
        return {
            **_counts(table, len(model.components_)),
            "threshold": table.attrs["threshold"],
            "refractory": near,
            "resolution": table.attrs["resolution"],
            "fdr": table.attrs.get("fdr"),
            "decoys": table.attrs.get("decoys"),
            "atoms": len(codes.atoms.coefficient),
            "samples": len(recording),
            "recording_sfreq": recording.sfreq,
            "sfreq": rate,
            "gap": float(codes.gap.max()),
            "alpha": model.alpha_ if self.alpha is None else self.alpha,
        }

    def _write(self, table: pd.DataFrame, rate: float | None, recorded: float | None) -> None:
        """Write the events; annotations lie at samples of the record, if that was resampled."""
        if is_annotation(self.output) and rate and recorded and rate != recorded:
            table = table.assign(sample=table["sample"] * recorded / rate)
            rate = recorded
        write_events(table, self.output, rate, self.symbols)

    def _of_windows(
        self,
        model: OrbitDictionaryLearning,
        data: Recording | Windows,
        screen: Screen,
        team: WorkerTeam | None,
    ) -> dict[str, Any]:
        """List the events of windows; return the JSON fields."""
        step = in_samples(self.step, model.sfreq_ or data.sfreq)
        windows = model.prepared(data, step, for_events=True).windows
        assert windows is not None
        if is_annotation(self.output) and windows.start is None:
            raise ValueError(
                f"cannot write {self.output}: annotations lie at times of a recording, and the "
                "data are windows; write a table, such as events.csv."
            )
        codes = encode_windows(model, windows, screen, alpha=self.alpha, team=team)
        table = model.events(windows, codes=codes)
        write_events(table, self.output, windows.sfreq, self.symbols)
        warn_of_empty_codes(model, windows.values, len(codes.atoms.coefficient))
        return {
            **_counts(table, len(model.components_)),
            "windows": len(windows),
            "step": windows.step,
            "overlap": windows.overlap,
            "sfreq": windows.sfreq,
            "gap": float(codes.gap.max()),
            "alpha": model.alpha_ if self.alpha is None else self.alpha,
        }


def _counts(table: pd.DataFrame, q: int) -> dict[str, Any]:
    """Return the number of events, and of those of each component."""
    own = [int((table["component"] == j).sum()) for j in range(q)]
    return {"events": len(table), "events_of_component": own}


def encode_windows(
    model: OrbitDictionaryLearning,
    windows: Windows,
    screen: Screen,
    *,
    alpha: float | None = None,
    team: WorkerTeam | None = None,
) -> Codes:
    """Encode all windows in batches with a progress bar, in this process or on a cluster."""
    parts: list[Codes] = []
    with screen.working("Coding", len(windows)) as done:
        if team is not None:
            return team.encode_windows(model, team.chunks(windows.values), done, alpha)
        for k in range(0, len(windows), CHUNK):
            parts.append(model.encode(windows.part(k, k + CHUNK), alpha=alpha))
            done(len(parts[-1]))
    return Codes.concatenate(parts)


def window_sentences(facts: Mapping[str, Any]) -> list[str]:
    """Return the summary of events of windows in sentences."""
    every = f", one every {facts['step']} samples" if facts["overlap"] else ""
    return [
        f"Found {counted(facts['events'], 'event')} in {counted(facts['windows'], 'window')}"
        f"{every}; with these components no other code would lower the objective of any window by "
        f"more than {at_most(facts['gap'])}."
    ]


def sentences(facts: dict[str, Any]) -> list[str]:
    """Return the summary in sentences."""
    sfreq, lasts = facts["sfreq"], duration(facts["samples"], facts["recording_sfreq"])
    found = (
        f"Found {counted(facts['events'], 'event')} in {lasts} of signal. The sparse "
        f"code ({counted(facts['atoms'], 'atom')}) is certified: with these "
        "waveforms no other code of the whole recording would lower its objective by more than "
        f"{at_most(facts['gap'])}."
    )
    if facts["fdr"] is not None:
        return [found, *detection_sentences(facts)]
    rows = zip(facts["events_of_component"], facts["threshold"], facts["resolution"], strict=True)
    return [found] + [
        f"Component {j}: {counted(number, 'event')} with coefficients of at least {least:.3g}"
        f"{_close(width, facts['refractory'], sfreq)}."
        for j, (number, least, width) in enumerate(rows)
    ]


def detection_sentences(facts: dict[str, Any]) -> list[str]:
    """Describe detected events."""
    rows = zip(facts["events_of_component"], facts["threshold"], strict=True)
    share = (
        f"By the noise model at most {100 * facts['fdr']:g} % of the events are false; by decoys, "
        f"which estimate the number of false events without it, about {sum(facts['decoys'])}."
    )
    return [share] + [
        f"Component {j}: {counted(number, 'event')}; in background noise the least amplitude is "
        f"{least:.3g}."
        for j, (number, least) in enumerate(rows)
    ]


def _close(width: float, refractory: int | None, sfreq: float | None) -> str:
    """Describe the merging of close events, if any."""
    if refractory:
        return f"; of those closer than {span(refractory, sfreq)} the strongest is listed"
    return f"; atoms closer than {span(width, sfreq)} are one" if width else ""
