"""Recordings under `$ORBITDL_DATA`, and fits of the library to them."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from orbitdl import WaveformLearning


class MissingDataError(Exception):
    """Data or a package that a section needs are not there."""


@dataclass(frozen=True)
class Fit:
    """What the library found in a recording, untuned.

    Attributes
    ----------
    events : DataFrame
        As `WaveformLearning.events` returns them; empty if the fit failed.
    components : ndarray of shape (q, length) or (q, length, channels)
    seconds : float
        CPU seconds of learning and events together.
    reason : str
        Why no more components were added, or how the fit failed.
    model : WaveformLearning or None
        None if the fit failed.
    """

    events: pd.DataFrame
    components: np.ndarray
    seconds: float
    reason: str = ""
    model: Any = None


def folder(name: str) -> Path:
    """Return a folder of `$ORBITDL_DATA`."""
    root = os.environ.get("ORBITDL_DATA")
    if not root:
        raise MissingDataError("set ORBITDL_DATA to the folder of recordings")
    if not (Path(root) / name).is_dir():
        raise MissingDataError(f"$ORBITDL_DATA has no folder {name}")
    return Path(root) / name


def fit(x: np.ndarray, length: int, sfreq: float = 1.0) -> Fit:
    """Learn from a recording and list its events; a failure becomes a fit without events."""
    began = time.process_time()
    try:
        compile_once()
        began = time.process_time()
        model = WaveformLearning(length=length, random_state=0).fit(x)
        events = model.events(x, sfreq=sfreq)
    except Exception as error:  # one record that fails must count, not end the run
        nothing = pd.DataFrame({name: [] for name in ("onset", "sample", "component")})
        reason = f"failed: {type(error).__name__}: {error}"
        return Fit(nothing, np.zeros((0, length)), time.process_time() - began, reason)
    seconds = time.process_time() - began
    reason = str(model.provenance_.get("components", ""))
    return Fit(events, model.components_, seconds, reason, model)


@cache
def compile_once() -> None:
    """Fit a short recording, so that compilation is not part of any time."""
    rng = np.random.default_rng(0)
    for channels in (1, 4):
        x = 0.1 * rng.standard_normal((3000, channels))
        for start in rng.permutation(np.arange(50, 2900, 60))[:30]:
            x[start : start + 20] += np.hanning(20)[:, None]
        model = WaveformLearning(length=20, random_state=0).fit(x if channels > 1 else x[:, 0])
        model.events(x if channels > 1 else x[:, 0], sfreq=1.0)
