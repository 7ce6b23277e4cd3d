"""Artefacts of a recording, and their table."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple

import numpy as np
import pandas as pd


class Artefact(StrEnum):
    """Types of artefacts."""

    missing = "missing"
    """Values that are NaN or infinite."""
    saturation = "saturation"
    """Values clipped at the limits of the recorder."""
    flat = "flat line"
    """Constant values."""
    burst = "burst"
    """Energy far above that of the rest."""


class Segment(NamedTuple):
    """An artefact in a channel, at samples ``[start, end)``."""

    start: int
    end: int
    channel: int
    reason: Artefact
    description: str


def artefact_table(segments: Iterable[Segment], sfreq: float | None) -> pd.DataFrame:
    """Return segments sorted by time; times in seconds are NaN without a sampling rate."""
    table = pd.DataFrame(sorted(segments), columns=list(Segment._fields))
    for k, name in enumerate(("start", "end")):
        table[name] = table[name].astype(np.int64)
        seconds = table[name] / (np.nan if sfreq is None else sfreq)
        table.insert(2 + k, f"{name}_time", seconds)
    return table.astype({"channel": np.int64, "reason": object, "description": object})
