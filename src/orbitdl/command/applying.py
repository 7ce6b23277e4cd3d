"""Doing to new data what was done to the data that a model was learned from."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from orbitdl import Codes, OrbitDictionaryLearning
from orbitdl.codes import Atoms
from orbitdl.command.display import Screen
from orbitdl.command.lengths import Length, in_samples
from orbitdl.groups.base import Floats
from orbitdl.recordings.content import Content
from orbitdl.recordings.dialect import AS_FOUND, Dialect
from orbitdl.recordings.preprocessing import Preprocessing
from orbitdl.recordings.reading import read_and_tell
from orbitdl.recordings.windows import Windows, prepare

CHUNK = 2048
"""Windows handled at a time: progress is shown after each."""


def windows_for(
    model: OrbitDictionaryLearning,
    data: Path,
    screen: Screen,
    *,
    key: str | None = None,
    written: Dialect = AS_FOUND,
    layout: str = "auto",
    channel: str | None = None,
    rate: float | None = None,
    step: Length | None = None,
) -> Windows:
    """Read data and make windows of them as the model's preprocessing says.

    Options go before what the model says. The last window of a recording is filled up with missing
    values. Windows that were apart in learning adjoin here, so that nothing is left out.
    """
    content = read_and_tell(data, screen, key, written)
    kept = Preprocessing.of(model.preprocessing_)
    shape = model.components_.shape[1:]
    known = rate or _common_rate(content.rate, kept.rate, data)
    steps = Preprocessing(
        window=kept.window,
        step=in_samples(step, known) or _step_again(kept),
        normalize=kept.normalize,
        channel=channel or (kept.channel if _has_channels(content, shape) else None),
        rate=known,
    )
    windows = prepare(content, steps, layout=layout, shape=shape, to_end=True)
    if windows.values.shape[1:] != shape:
        raise ValueError(
            f"{data} gives windows of shape {windows.values.shape[1:]}, but the model was learned "
            f"from shape {shape}; choose what fits with --channel or --layout."
        )
    return windows


def _step_again(kept: Preprocessing) -> int | None:
    """Return how far apart windows start if nothing else is said; None: they adjoin."""
    if kept.step is None or kept.window is None:
        return None
    return min(kept.step, kept.window)


def _has_channels(content: Content, shape: tuple[int, ...]) -> bool:
    values = content.values
    return values.ndim > 1 and values.shape[-1] > 1 and values.shape[1:] != shape


def _common_rate(found: float | None, learned: float | None, data: Path) -> float | None:
    """Return the rate that file and model agree on."""
    if found and learned and abs(found - learned) > 1e-3 * learned:
        raise ValueError(
            f"{data} has {found:g} samples a second, but the model was learned at {learned:g}; "
            f"resample the data, or insist with --rate {learned:g}."
        )
    return found or learned


def encode_windows(model: OrbitDictionaryLearning, windows: Windows, screen: Screen) -> Codes:
    """Code all windows, a chunk at a time, under a progress bar."""
    parts: list[Codes] = []
    with screen.working("Coding", len(windows)) as done:
        for k in range(0, len(windows), CHUNK):
            parts.append(model.encode(windows.values[k : k + CHUNK]))
            done(len(parts[-1]))
    return Codes(
        parts[0].representation,
        Atoms.concatenate([part.atoms for part in parts]),
        np.concatenate([part.objective for part in parts]),
        np.concatenate([part.gap for part in parts]),
        np.concatenate([part.status for part in parts]),
    )


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
