"""The picture of the heart: seconds of a recording, its waveforms, and the seconds taken apart."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from orbitdl import WaveformLearning
from orbitdl.command.demonstrations.base import drawing
from orbitdl.datasets import EcgRecording
from orbitdl.domains.time.codes import RecordingCodes
from orbitdl.plot import DecompositionDisplay
from orbitdl.plot.canvas import colour_of

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
        axes[2].set_title("3  The same taken apart", loc="left")


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
