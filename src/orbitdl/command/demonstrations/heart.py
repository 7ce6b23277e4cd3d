"""The beats in a simulated recording of a heart."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np
import pandas as pd

from orbitdl import WaveformLearning
from orbitdl.coding.codes import Codes
from orbitdl.command.demonstrations import other_simulator
from orbitdl.command.demonstrations.base import ORIGIN, Demonstration, drawing
from orbitdl.command.display import Screen, at_most
from orbitdl.datasets import EcgRecording, make_ecg_recording
from orbitdl.groups.base import Floats
from orbitdl.io import Recording
from orbitdl.learning.state import Iteration
from orbitdl.plot import DecompositionDisplay
from orbitdl.plot.canvas import colour_of
from orbitdl.report import Report

LENGTH = 0.7
"""Seconds that a waveform spans."""
NEAR = 0.05
"""Seconds within which an event tells of a beat."""
RATE = 360.0
"""Samples per second of the recording."""


@dataclass(frozen=True, eq=False)
class Heart(Demonstration):
    """Two waveforms, learned from ten minutes of normal and premature beats."""

    data_file = "heart.npy"
    model_file = "demo.safetensors"
    picture_file = "demo.png"
    title = "The beats of a simulated heart"

    heart: EcgRecording
    model: WaveformLearning
    codes: Codes
    events: pd.DataFrame

    @classmethod
    def run(cls, screen: Screen) -> Self:
        heart = make_ecg_recording(duration=600, sfreq=RATE, random_state=0)
        screen.say("Simulated 10 min of a heart: normal and premature beats, noise, drift.")
        with screen.learning(1) as show:
            model = learn_beats(heart, callback=show)
        return cls(heart, model, model.encode(heart), model.events(heart))

    @property
    def data(self) -> Floats:
        return np.asarray(self.heart)

    @cached_property
    def beats(self) -> pd.DataFrame:
        """The true beats, and what tells of them."""
        return matched(self.events, self.heart)

    @cached_property
    def figures(self) -> dict[str, float]:
        found = int(self.beats["late"].notna().sum())
        return {
            "beats": len(self.beats),
            "found": found,
            "events_that_are_none": len(self.events) - found,
            "error_in_samples": float(self.beats["late"].abs().median()),
            "gap": float(self.codes.gap.max()),
            **self.others,
        }

    @cached_property
    def others(self) -> dict[str, int]:
        """What is found in a recording of another simulator."""
        return other_simulator.figures()

    def describe(self) -> str:
        figures = self.figures
        usual, normal = mostly(self.beats, "normal")
        rare, premature = mostly(self.beats, "premature")
        error = figures["error_in_samples"]
        return "\n".join(
            [
                f"Found waveforms of {LENGTH:g} s in {len(self.data) / RATE / 60:g} min of signal: "
                f"{self.model.provenance_['components']}.",
                f"alpha = {self.model.provenance_['alpha']}.",
                f"Found {figures['found']} of {figures['beats']} true beats, and "
                f"{figures['events_that_are_none']} events that are none.",
                f"Beats are placed to {error:.3f} samples ({1e3 * error / RATE:.2f} ms, median).",
                f"Premature beats stand out: {premature} are waveform {rare}, and {normal} normal "
                f"ones are waveform {usual}.",
                "Certified: with these waveforms, which are a local optimum, no other code of the "
                f"whole recording lowers its objective by more than {at_most(figures['gap'])}.",
                other_simulator.describe(self.others),
            ]
        )

    def write_model(self, path: Path) -> None:
        self.model.save(path, provenance=ORIGIN)

    def write_report(self, path: Path) -> None:
        Report(self.model, Recording(self.data, RATE), title=self.title).write(path)

    def draw(self, path: Path) -> None:
        draw_heart(self.model, self.codes, self.events, self.heart, path)


def learn_beats(
    heart: EcgRecording, callback: Callable[[Iteration], None] | None = None
) -> WaveformLearning:
    """Learn waveforms from a recording; all but their length is chosen automatically."""
    model = WaveformLearning(length=round(LENGTH * RATE), random_state=0)
    model.set_params(callback=callback).fit(heart).set_params(callback=None)
    return model


def matched(events: pd.DataFrame, heart: EcgRecording) -> pd.DataFrame:
    """Return the true beats inside, each with the waveform and the lateness of its event.

    In samples, and NaN where there is none. Where in a waveform its beat lies is a convention: the
    median of a waveform is taken out.
    """
    beats = heart.beats[heart.beats["inside"]].reset_index(drop=True)
    time, true = events["sample"].to_numpy(), beats["position"].to_numpy()
    nearest = np.argmin(np.abs(time - true[:, None]), axis=1)
    waveform, late = events["component"].to_numpy()[nearest], time[nearest] - true
    for j in np.unique(waveform):
        late[waveform == j] -= np.median(late[waveform == j])
    once = np.bincount(nearest, minlength=len(time))[nearest] == 1
    told = once & (np.abs(late) <= NEAR * RATE)
    return beats.assign(waveform=waveform, late=np.where(told, late, np.nan))


def mostly(beats: pd.DataFrame, kind: str) -> tuple[int, str]:
    """Return the waveform that most beats of a kind are told by, and how many in words."""
    own = beats[beats["kind"] == kind]
    counts = np.bincount(own.loc[own["late"].notna(), "waveform"], minlength=1)
    return int(np.argmax(counts)), f"{counts.max()} of {len(own)}"


def draw_heart(
    model: WaveformLearning,
    codes: Codes,
    events: pd.DataFrame,
    heart: EcgRecording,
    path: Path,
) -> None:
    """Draw a stretch of the recording, the waveforms, and the stretch decomposed."""
    rare = int(np.argmin(np.bincount(events["component"])))
    middle = float(events.loc[events["component"] == rare, "sample"].iloc[3])
    shown = np.arange(int(middle - 1.6 * RATE), int(middle + 1.6 * RATE))
    with drawing(path, 13, 4.2) as figure:
        axes = figure.subplots(1, 3, width_ratios=(3, 2, 3))
        draw_segment(axes[0], heart, shown, events)
        draw_waveforms(axes[1], model)
        for axis in axes[:2]:
            axis.set_xlabel("time (s)")
            axis.set_yticks([])
            axis.spines[["top", "right", "left"]].set_visible(False)
        start, stop = shown[0] / RATE, shown[-1] / RATE
        DecompositionDisplay.from_estimator(
            model, heart, start=start, stop=stop, codes=codes, ax=axes[2]
        )
        axes[2].set_title("3  The same decomposed", loc="left")


def draw_segment(axis: Any, heart: EcgRecording, shown: Any, events: pd.DataFrame) -> None:
    """Draw some seconds of the recording, and when which waveform was found."""
    axis.plot(shown / RATE, heart.signal[shown], color="0.25", lw=1)
    top = heart.signal[shown].max()
    inside = events[events["sample"].between(shown[0], shown[-1])]
    for time, j in zip(inside["sample"] / RATE, inside["component"], strict=True):
        axis.plot([time, time], [heart.signal[shown].min(), top], color=colour_of(j), lw=1, ls=":")
        axis.text(time, 1.05 * top, f"{time:.4f}", color=colour_of(j), ha="center", fontsize=8)
    axis.set_ylim(top=1.2 * top)
    axis.set_title("1  A recording, and what was found when", loc="left")


def draw_waveforms(axis: Any, model: WaveformLearning) -> None:
    """Draw the waveforms below each other."""
    t = np.arange(model.length) / RATE
    for j, a in enumerate(model.components_):
        axis.plot(t, a - 0.35 * j, color=colour_of(j), lw=2)
        axis.text(0, 0.06 - 0.35 * j, f"waveform {j}", color=colour_of(j))
    axis.set_title("2  What was learned: two waveforms", loc="left")
