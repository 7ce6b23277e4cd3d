"""Find the beats of a simulated heart, say and draw what was found: see ``orbitdl demo``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from orbitdl import WaveformLearning
from orbitdl.command.display import at_most
from orbitdl.datasets import EcgRecording
from orbitdl.learning.iteration import Iteration
from orbitdl.line.codes import RecordingCodes

COLOURS = ("#0072b2", "#d55e00")
RESTARTS = 3
RATE = 360.0
"""Samples per second of the recording."""
LENGTH = 0.7
"""Seconds that a waveform spans."""
NEAR = 0.05
"""Seconds within which an event tells of a beat."""


def learn_beats(
    heart: EcgRecording, callback: Callable[[Iteration], None] | None = None
) -> WaveformLearning:
    """Learn two waveforms from a recording; all else is chosen automatically."""
    model = WaveformLearning(
        n_components=2, length=round(LENGTH * RATE), n_restarts=RESTARTS, random_state=0
    )
    model.set_params(callback=callback).fit(heart.signal).set_params(callback=None)
    return model


def describe(
    model: WaveformLearning, codes: RecordingCodes, events: pd.DataFrame, heart: EcgRecording
) -> str:
    """Return what was found, in a few lines."""
    beats = matched(events, heart)
    found, error = int(beats["late"].notna().sum()), float(beats["late"].abs().median())
    usual, normal = mostly(beats, "normal")
    rare, premature = mostly(beats, "premature")
    return "\n".join(
        [
            f"Learned {len(model.components_)} waveforms of {LENGTH:g} s from "
            f"{len(heart.signal) / RATE / 60:g} min of signal in {model.n_iter_} iterations.",
            f"Chose alpha {model.provenance_['alpha']}.",
            f"Found {found} of {len(beats)} true beats, and {len(events) - found} events that are "
            "none.",
            f"Beats are placed to {error:.3f} samples ({1e3 * error / RATE:.2f} ms, median).",
            f"Premature beats stand out: {premature} are waveform {rare}, and {normal} normal ones "
            f"are waveform {usual}.",
            "Certified: with these waveforms, which are a local optimum, no other code of the "
            f"whole recording lowers its objective by more than {at_most(codes.gap)}.",
        ]
    )


def matched(events: pd.DataFrame, heart: EcgRecording) -> pd.DataFrame:
    """Return the true beats inside, each with the waveform and the lateness of its event.

    In samples, and NaN where there is none. Where in a waveform its beat lies is a convention: the
    median of a waveform is taken out.
    """
    beats = heart.beats[heart.beats["inside"]].reset_index(drop=True)
    time, true = events["time"].to_numpy(), beats["position"].to_numpy()
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


def draw(
    model: WaveformLearning,
    codes: RecordingCodes,
    events: pd.DataFrame,
    heart: EcgRecording,
    path: Path,
) -> None:
    """Draw a stretch of the recording, the waveforms, and the stretch taken apart."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(
        1, 3, figsize=(13, 4.2), width_ratios=(3, 2, 3), layout="constrained"
    )
    rare = int(np.argmin(np.bincount(events["component"])))
    middle = float(events.loc[events["component"] == rare, "time"].iloc[3])
    shown = np.arange(int(middle - 1.6 * RATE), int(middle + 1.6 * RATE))
    draw_stretch(axes[0], heart, shown, events)
    draw_waveforms(axes[1], model)
    draw_apart(axes[2], model, codes, heart, shown)
    for axis in axes:
        axis.set_xlabel("time (s)")
        axis.set_yticks([])
        axis.spines[["top", "right", "left"]].set_visible(False)
    figure.savefig(path, dpi=130)
    plt.close(figure)


def draw_stretch(axis: Any, heart: EcgRecording, shown: Any, events: pd.DataFrame) -> None:
    """Draw some seconds of the recording, and when which waveform was found."""
    axis.plot(shown / RATE, heart.signal[shown], color="0.25", lw=1)
    top = heart.signal[shown].max()
    inside = events[events["time"].between(shown[0], shown[-1])]
    for time, j in zip(inside["time"] / RATE, inside["component"], strict=True):
        axis.plot([time, time], [heart.signal[shown].min(), top], color=COLOURS[j], lw=1, ls=":")
        axis.text(time, 1.05 * top, f"{time:.4f}", color=COLOURS[j], ha="center", fontsize=8)
    axis.set_ylim(top=1.2 * top)
    axis.set_title("1  A recording, and what was found when", loc="left")


def draw_waveforms(axis: Any, model: WaveformLearning) -> None:
    """Draw the waveforms below each other."""
    t = np.arange(model.length) / RATE
    for j, a in enumerate(model.components_):
        axis.plot(t, a - 0.35 * j, color=COLOURS[j], lw=2)
        axis.text(0, 0.06 - 0.35 * j, f"waveform {j}", color=COLOURS[j])
    axis.set_title("2  What was learned: two waveforms", loc="left")


def draw_apart(
    axis: Any, model: WaveformLearning, codes: RecordingCodes, heart: EcgRecording, shown: Any
) -> None:
    """Draw the same seconds, their approximation, and below them the waveforms it is the sum of."""
    t, first = shown / RATE, int(shown[0])
    axis.plot(t, heart.signal[shown], color="0.6", lw=3)
    axis.plot(t, model.reconstruct(heart.signal)[shown], color="k", lw=1)
    near = (codes.time > first - model.length) & (codes.time < shown[-1])
    largest = np.flatnonzero(near)[np.argsort(-np.abs(codes.coefficient[near]))][:6]
    for row, k in enumerate(np.sort(largest), start=1):
        alone = type(codes)(codes.atoms.take(np.array([k])), 0.0, 0.0, codes.status)
        line = model.decode(alone, len(heart.signal))[shown] - 0.55 * row - 0.3
        axis.plot(t, line, color=COLOURS[codes.component[k]], lw=1.5)
    axis.set_title("3  The same taken apart", loc="left")
