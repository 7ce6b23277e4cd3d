"""Simulated artefacts with known positions."""

import math
from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from orbitdl.recordings.artefacts import Artefact, Segment, artefact_table

CEILING = 3.0
"""Absolute value at saturation."""
BURST_SIZE = 2.0
"""Standard deviation of the noise that a burst adds."""
SHORTEST, LONGEST = 0.5, 2.0
"""Duration of an artefact in seconds."""


def require_duration(counts: Mapping[Artefact, int], duration: float) -> None:
    """Raise ValueError for more artefacts than fit into a recording."""
    count = sum(counts.values())
    if duration < 2 * LONGEST * count:
        raise ValueError(
            f"{count} artefacts need a recording of at least {2 * LONGEST * count:g} seconds, but "
            f"this one has {duration:g}: pass a longer duration or fewer artefacts."
        )


def plant_artefacts(
    rng: np.random.Generator,
    signal: NDArray[np.float64],
    sfreq: float,
    counts: Mapping[Artefact, int],
) -> pd.DataFrame:
    """Add artefacts to a signal (n_times, channels), in place, and list them.

    The signal is divided into equal segments with one artefact each, so that they never overlap.
    Values are missing in all channels at once; other artefacts affect one channel.
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
    """Add an artefact to a segment of one channel or all, in place."""
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
