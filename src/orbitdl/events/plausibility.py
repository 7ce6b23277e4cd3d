"""Codes that are certified and still say little: events listed twice, hardly any, or too many.

A certificate tells how good a code is for given waveforms, not whether these are what happened.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from orbitdl.arrays.warnings import warn_user
from orbitdl.domains.time.atoms import LineAtoms
from orbitdl.domains.time.codes import RecordingCodes
from orbitdl.domains.time.waveforms import Waveforms
from orbitdl.events.code_events import merged, resolution_of, thresholds
from orbitdl.events.prominence import peaks_of
from orbitdl.groups.base import Floats

TOGETHER, ENOUGH = 0.4, 8
"""Share of the events of a component, beyond chance, at one lag from another's; of so many."""
NEAR, FAR = 1 / 16, 1 / 2
"""Of the length of a waveform: by how much that lag may vary, and how long it may be."""
FEW, LONG = 2, 20
"""So few events are hardly any in a recording of so many waveforms' length."""
DENSE = 16.0
"""Atoms per length of a waveform, twice what an automatic alpha allows."""
LITTLE, HALF = 0.01, 0.5
"""Shares of the energy below which hardly anything is explained: by any, and by few events."""


def warn_of_codes(codes: RecordingCodes, waveforms: Waveforms, samples: int) -> None:
    """Warn if components occur together, if hardly anything is explained, or if codes are dense."""
    events = salient(codes.atoms, waveforms)
    said = list(sentences_of_pairs(events, waveforms, samples))
    if samples >= LONG * waveforms.length:
        said += [*few(codes, events, samples), *many(codes, waveforms, samples)]
    for sentence in said:
        warn_user(sentence)


def salient(atoms: LineAtoms, waveforms: Waveforms) -> LineAtoms:
    """Return the events that would be listed, each where its waveform is largest."""
    events, strongest = merged(atoms, resolution_of(waveforms))
    events = events.take(strongest >= thresholds(atoms, len(waveforms), None)[events.component])
    time = events.time + peaks_of(waveforms)[events.component]
    return LineAtoms(events.component, time, events.coefficient).in_order()


def sentences_of_pairs(events: LineAtoms, waveforms: Waveforms, samples: int) -> Iterator[str]:
    """Say which components share many of their events."""
    times = [events.time[events.component == j] for j in range(len(waveforms))]
    for i, j in combinations(range(len(times)), 2):
        rare, other = (i, j) if len(times[i]) <= len(times[j]) else (j, i)
        share = share_together(times[rare], times[other], waveforms.length, samples)
        if len(times[rare]) >= ENOUGH and share > TOGETHER:
            yield (
                f"components {i} and {j} occur together: many of the {len(times[rare])} events of "
                f"component {rare} are at one lag from one of component {other}, so that one event "
                "is listed twice; learn fewer components, or longer ones, or choose their number "
                "by cross-validation (select)."
            )


def share_together(time: Floats, others: Floats, length: int, samples: int) -> float:
    """Return which part of some events is at one lag from others, beyond what chance would bring.

    Both are sorted by time.
    """
    far, near = FAR * length, NEAR * length
    first, last = np.searchsorted(others, time - far), np.searchsorted(others, time + far, "right")
    pairs = zip(time, first, last, strict=True)
    lags = np.sort(np.concatenate([np.zeros(0), *(others[a:b] - t for t, a, b in pairs)]))
    if not len(lags):
        return 0.0
    most = np.max(np.searchsorted(lags, lags + 2 * near, "right") - np.arange(len(lags)))
    return float(most / len(time) - 2 * near * len(others) / samples)


def few(codes: RecordingCodes, events: LineAtoms, samples: int) -> Iterator[str]:
    """Say if hardly anything was found in a recording that is long enough for more."""
    if len(events) and codes.explained < (HALF if len(events) <= FEW else LITTLE):
        yield (
            f"hardly anything was found: {len(events)} event{'s' * (len(events) != 1)} "
            f"explain{'s' * (len(events) == 1)} {100 * codes.explained:.2g} % of the energy of "
            f"{samples} samples, whatever the certificate says; take a smaller alpha, another "
            "length, or remove what is slow and large first (highpass)."
        )


def many(codes: RecordingCodes, waveforms: Waveforms, samples: int) -> Iterator[str]:
    """Say if codes are dense: atoms then follow each other faster than events can."""
    count = len(codes.atoms) * waveforms.length / samples
    if count > DENSE:
        yield (
            f"codes are dense, {count:.0f} atoms per waveform length: most of them mend what the "
            'waveforms miss, and coding takes long; take a larger alpha, or alpha="auto".'
        )
