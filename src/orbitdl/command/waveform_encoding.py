"""``orbitdl encode`` with waveforms: the events of a whole recording."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from orbitdl import WaveformLearning
from orbitdl.coding.codes import Codes
from orbitdl.command.display import Screen, at_most, counted, duration, span
from orbitdl.command.lengths import Length, in_samples
from orbitdl.command.output import SymbolMap, write_events
from orbitdl.command.team import WorkerTeam, cluster_notes
from orbitdl.command.waveform_fitting import warn_of_nothing
from orbitdl.domains.time.acquisition import compare_with
from orbitdl.io import PreparedSignal, Recording


@dataclass(frozen=True)
class Listing:
    """Criteria of event tables: alpha, smallest coefficient, minimum interval, annotation codes.

    None is as the model says; `symbols` are for annotations.
    """

    alpha: float | None
    threshold: float | None
    refractory: Length | None
    symbols: SymbolMap


def list_events(
    model: WaveformLearning,
    prepared: PreparedSignal,
    listing: Listing,
    output: Path,
    screen: Screen,
    team: WorkerTeam | None = None,
) -> None:
    """Encode a recording, write its events, and print a summary."""
    recording = prepared.recording
    codes, events = code(model, recording, listing, screen, team)
    write_events(events, output, recording.sfreq, listing.symbols)
    facts = summary(model, recording, listing, codes, events)
    screen.result({"output": str(output), **facts})
    for sentence in sentences(facts):
        screen.say(sentence)
    screen.say(f"Events: {output}")
    warn_of_nothing(facts["atoms"], facts["alpha"])


def code(
    model: WaveformLearning,
    recording: Recording,
    listing: Listing,
    screen: Screen,
    team: WorkerTeam | None = None,
) -> tuple[Codes, pd.DataFrame]:
    """Return codes and events, with times from the start of the recording."""
    sfreq = recording.sfreq
    for sentence in cluster_notes(team) if team else []:
        screen.say(sentence)
    with screen.window_progress(recording, "Coding") as done:
        if team is None:
            codes = model.encode(recording, alpha=listing.alpha, progress=done)
        else:
            compare_with(model.preprocessing_, recording)
            codes = team.encode_recording(model, recording, listing.alpha)
    near = in_samples(listing.refractory, sfreq)
    events = model.events(
        recording,
        sfreq,
        alpha=listing.alpha,
        threshold=listing.threshold,
        refractory=near,
        codes=codes,
    )
    return codes, events


def summary(
    model: WaveformLearning,
    recording: Recording,
    listing: Listing,
    codes: Codes,
    events: pd.DataFrame,
) -> dict[str, Any]:
    """Return the JSON fields."""
    return {
        "events": len(events),
        "events_of_component": [
            int((events["component"] == j).sum()) for j in range(len(model.components_))
        ],
        "threshold": events.attrs["threshold"],
        "refractory": in_samples(listing.refractory, recording.sfreq),
        "resolution": events.attrs["resolution"],
        "fdr": events.attrs.get("fdr"),
        "decoys": events.attrs.get("decoys"),
        "atoms": len(codes.atoms.coefficient),
        "samples": len(recording.signal),
        "sfreq": recording.sfreq,
        "gap": float(codes.gap.max()),
        "alpha": model.alpha_ if listing.alpha is None else listing.alpha,
    }


def sentences(facts: dict[str, Any]) -> list[str]:
    """Return the summary in sentences."""
    sfreq = facts["sfreq"]
    found = (
        f"Found {counted(facts['events'], 'event')} in {duration(facts['samples'], sfreq)} of "
        f"signal. The sparse code ({counted(facts['atoms'], 'atom')}) is certified: with these "
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
