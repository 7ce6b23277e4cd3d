"""The picture of the heart: seconds of a recording, its waveforms, and the seconds taken apart."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from orbitdl import WaveformLearning
from orbitdl.command.demonstrations.base import drawing
from orbitdl.datasets import EcgRecording
from orbitdl.line.codes import RecordingCodes

COLOURS = ("#0072b2", "#d55e00")
RATE = 360.0
"""Samples per second of the recording."""


def draw_heart(
    model: WaveformLearning,
    codes: RecordingCodes,
    events: pd.DataFrame,
    heart: EcgRecording,
    path: Path,
) -> None:
    """Draw a stretch of the recording, the waveforms, and the stretch taken apart."""
    rare = int(np.argmin(np.bincount(events["component"])))
    middle = float(events.loc[events["component"] == rare, "time"].iloc[3])
    shown = np.arange(int(middle - 1.6 * RATE), int(middle + 1.6 * RATE))
    with drawing(path, 13, 4.2) as figure:
        axes = figure.subplots(1, 3, width_ratios=(3, 2, 3))
        draw_stretch(axes[0], heart, shown, events)
        draw_waveforms(axes[1], model)
        draw_apart(axes[2], model, codes, heart, shown)
        for axis in axes:
            axis.set_xlabel("time (s)")
            axis.set_yticks([])
            axis.spines[["top", "right", "left"]].set_visible(False)


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
