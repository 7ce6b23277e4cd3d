"""Application of waveform models to whole recordings."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import typer

from orbitdl import WaveformLearning
from orbitdl.command.applying import excerpt_of, read_data, require_no_time
from orbitdl.command.display import Screen
from orbitdl.command.options import WindowOptions
from orbitdl.io import Layout, PreparedSignal, Preprocessing, prepare_signal_for
from orbitdl.io.new_data import common_rate


def signal_for(
    model: WaveformLearning, data: Path, cutting: WindowOptions, screen: Screen
) -> PreparedSignal:
    """Read a recording and preprocess it as for the model; options take precedence."""
    refuse({"--step": cutting.step, "--layout windows": cutting.layout is Layout.windows})
    kept = Preprocessing.of(model.preprocessing_)
    recording = read_data(data, cutting, screen, kept)
    require_no_time(recording, cutting.channel or kept.channel)
    sfreq = common_rate(model, recording, cutting.sfreq)
    excerpt = excerpt_of(recording, cutting, sfreq)
    return prepare_signal_for(model, excerpt, channel=cutting.channel, sfreq=sfreq)


def refuse(options: Mapping[str, object]) -> None:
    """Raise on options of window models."""
    for option, given in options.items():
        if given:
            raise typer.BadParameter(
                f"{option} is for models of windows, and this one codes a recording as a whole; "
                "leave it out."
            )
