"""Artefacts of a recording: what they are called, and the table that lists them."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple

import numpy as np
import pandas as pd


class Artefact(StrEnum):
    """What may spoil a stretch of a recording."""

    missing = "missing"
    """Values that are NaN or infinite."""
    saturation = "saturation"
    """Values cut at a ceiling or a floor."""
    flat = "flat line"
    """A value that does not change."""
    burst = "burst"
    """Energy far above that of the rest."""


class Stretch(NamedTuple):
    """A spoilt stretch of a channel: samples from `start`, up to but without `end`."""

    start: int
    end: int
    channel: int
    reason: Artefact
    words: str


def artefact_table(stretches: Iterable[Stretch], sfreq: float | None) -> pd.DataFrame:
    """List stretches in the order of time; times in seconds are NaN if the rate is unknown."""
    table = pd.DataFrame(sorted(stretches), columns=list(Stretch._fields))
    for place, name in enumerate(("start", "end")):
        table[name] = table[name].astype(np.int64)
        seconds = table[name] / (np.nan if sfreq is None else sfreq)
        table.insert(2 + place, f"{name}_time", seconds)
    return table.astype({"channel": np.int64, "reason": object, "words": object})
