"""Artefacts planted in a simulated recording, and where they are."""

import math
from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from orbitdl.recordings.artefacts import Artefact, Segment, artefact_table

CEILING = 3.0
"""Where a saturated amplifier stands, above or below zero."""
BURST_SIZE = 2.0
"""Standard deviation of the noise that a burst adds."""
SHORTEST, LONGEST = 0.5, 2.0
"""Seconds that an artefact lasts."""


def require_room(counts: Mapping[Artefact, int], duration: float) -> None:
    """Refuse more artefacts than a recording of so many seconds has room for."""
    count = sum(counts.values())
    if duration < 2 * LONGEST * count:
        raise ValueError(
            f"{count} artefacts need a recording of at least {2 * LONGEST * count:g} seconds, and "
            f"this one has {duration:g}: pass a longer duration or fewer artefacts."
        )


def plant_artefacts(
    rng: np.random.Generator,
    signal: NDArray[np.float64],
    sfreq: float,
    counts: Mapping[Artefact, int],
) -> pd.DataFrame:
    """Spoil segments of a signal (n_times, channels), in place, and list them.

    The signal is divided into as many equal parts as there are artefacts: each has one, so that
    they never meet. Values are missing in all channels at once, other artefacts hit one of them.
    """
    kinds = rng.permutation([kind for kind, count in counts.items() for _ in range(count)])
    part = len(signal) / max(len(kinds), 1)
    segments: list[Segment] = []
    for k, kind in enumerate(kinds):
        length = math.ceil(rng.uniform(SHORTEST, LONGEST) * sfreq)
        start = math.floor(k * part + rng.uniform(0.1, 0.9) * (part - length))
        segments += _spoil(rng, signal, start, start + length, Artefact(kind))
    return artefact_table(segments, sfreq)


def _spoil(
    rng: np.random.Generator, signal: NDArray[np.float64], start: int, end: int, kind: Artefact
) -> Iterator[Segment]:
    """Spoil a stretch of one channel or all, in place."""
    n_channels = signal.shape[1]
    hit = range(n_channels) if kind is Artefact.missing else [int(rng.integers(n_channels))]
    for channel in hit:
        stretch = signal[start:end, channel]
        match kind:
            case Artefact.missing:
                stretch[:] = np.nan
            case Artefact.saturation:
                stretch[:] = rng.choice([-CEILING, CEILING])
            case Artefact.flat:
                stretch[:] = stretch[0]
            case Artefact.burst:
                stretch += BURST_SIZE * rng.standard_normal(len(stretch))
        yield Segment(start, end, channel, kind, f"planted {kind}")
