"""Reading data, and applying a model to their windows under a progress bar."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from orbitdl import Codes, OrbitDictionaryLearning
from orbitdl.command.display import Screen
from orbitdl.command.lengths import in_samples
from orbitdl.command.options import Cutting
from orbitdl.command.team import Team
from orbitdl.groups.base import Floats
from orbitdl.recordings import Recording, Windows, prepare_for, read
from orbitdl.recordings.new_data import common_rate

CHUNK = 2048
"""Windows handled at a time: progress is shown after each."""


def read_and_tell(data: Path, cutting: Cutting, screen: Screen) -> Recording:
    """Read a file, and say how a table was understood."""
    recording = read(data, key=cutting.key, separator=cutting.separator, decimal=cutting.decimal)
    if recording.dialect is not None:
        screen.note(f"Read {data.name}: {recording.dialect}.", table=asdict(recording.dialect))
    return recording


def excerpt_of(recording: Recording, cutting: Cutting, rate: float | None) -> Recording:
    """Return what --from and --to leave of a recording at so many samples per second."""
    if cutting.begin is None and cutting.end is None:
        return recording
    begin, end = in_samples(cutting.begin, rate), in_samples(cutting.end, rate)
    return replace(recording, rate=rate).excerpt(begin, end)


def windows_for(
    model: OrbitDictionaryLearning, data: Path, cutting: Cutting, screen: Screen
) -> Windows:
    """Read data and make windows of them as the model says; options go before that."""
    recording = read_and_tell(data, cutting, screen)
    rate = cutting.rate or common_rate(model, recording)
    return prepare_for(
        model,
        excerpt_of(recording, cutting, rate),
        step=in_samples(cutting.step, rate),
        channel=cutting.channel,
        rate=rate,
        layout=cutting.layout,
    )


def encode_windows(
    model: OrbitDictionaryLearning,
    windows: Windows,
    screen: Screen,
    *,
    alpha: float | None = None,
    debias: bool = False,
    team: Team | None = None,
) -> Codes:
    """Code all windows, a chunk at a time, under a progress bar; here, or by others."""
    parts: list[Codes] = []
    with screen.working("Coding", len(windows)) as done:
        if team is not None:
            return team.encode_windows(model, team.chunks(windows.values), done, alpha, debias)
        for k in range(0, len(windows), CHUNK):
            chunk = windows.values[k : k + CHUNK]
            parts.append(model.encode(chunk, alpha=alpha, debias=debias))
            done(len(parts[-1]))
    return Codes.concatenate(parts)


def map_windows(
    change: Callable[[Floats], Floats],
    windows: Windows,
    what: str,
    screen: Screen,
    *,
    chosen: NDArray[np.bool_] | None = None,
    at_once: bool = False,
) -> Floats:
    """Change all windows, or the chosen ones, and put them back together.

    They are taken a chunk at a time, under a progress bar, unless all are needed at once.
    """
    result = windows.values.copy()
    places = np.arange(len(windows)) if chosen is None else np.flatnonzero(chosen)
    size = max(len(places), 1) if at_once else CHUNK
    with screen.working(what, len(places)) as done:
        for k in range(0, len(places), size):
            part = places[k : k + size]
            result[part] = change(windows.values[part])
            done(len(part))
    return windows.restore(result)
