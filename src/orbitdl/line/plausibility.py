"""Codes that are certified and still say little: one event listed twice, or hardly any at all.

A certificate tells how good a code is for given waveforms, not whether these are what happened.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations

import numpy as np

from orbitdl.groups.base import Floats
from orbitdl.line.atoms import LineAtoms
from orbitdl.line.codes import RecordingCodes
from orbitdl.line.events import merged, peaks_of, resolution_of, thresholds
from orbitdl.line.waveforms import Waveforms
from orbitdl.user_warnings import warn_user

TOGETHER = 0.5
"""Share of the events of a component, beyond chance, that are close to those of another."""
NEAR = 0.25
"""Of the length of a waveform: so close are events that may be one."""
FEW, LONG = 2, 20
"""So few events are hardly any in a recording of so many waveforms' length."""
LITTLE, HALF = 0.01, 0.5
"""Shares of the energy below which hardly anything is explained: by any, and by few events."""


def warn_of_codes(codes: RecordingCodes, waveforms: Waveforms, samples: int) -> None:
    """Warn if components occur together, or if hardly anything in a recording is explained."""
    events = salient(codes.atoms, waveforms)
    said = list(sentences_of_pairs(events, waveforms, samples))
    if samples >= LONG * waveforms.length:
        said += few(codes, events, samples)
    for sentence in said:
        warn_user(sentence)


def salient(atoms: LineAtoms, waveforms: Waveforms) -> LineAtoms:
    """Return the events that would be listed, each where its waveform is largest."""
    events, strongest = merged(atoms, resolution_of(waveforms))
    events = events.take(strongest >= thresholds(atoms, len(waveforms), None)[events.component])
    time = events.time + peaks_of(waveforms)[events.component]
    return LineAtoms(events.component, time, events.coefficient).in_order()


def sentences_of_pairs(events: LineAtoms, waveforms: Waveforms, samples: int) -> Iterator[str]:
    """Say which components share most of their events."""
    near = NEAR * waveforms.length
    times = [events.time[events.component == j] for j in range(len(waveforms))]
    for i, j in combinations(range(len(times)), 2):
        rare, other = (i, j) if len(times[i]) <= len(times[j]) else (j, i)
        share = share_close(times[rare], times[other], near, samples)
        if len(times[rare]) > FEW and share > TOGETHER:
            yield (
                f"components {i} and {j} occur together: most of the {len(times[rare])} events of "
                f"component {rare} lie within {near:.0f} samples of one of component {other}, so "
                "that one event is listed twice; learn fewer components, or longer ones, or choose "
                "their number by cross-validation (select)."
            )


def share_close(time: Floats, others: Floats, near: float, samples: int) -> float:
    """Return which part of some events is close to others, beyond what chance would bring."""
    if not len(time) or not len(others):
        return 0.0
    place = np.searchsorted(others, time)
    before, after = others[np.maximum(place - 1, 0)], others[np.minimum(place, len(others) - 1)]
    close = np.minimum(np.abs(time - before), np.abs(time - after)) <= near
    alone = math.exp(-2.0 * near * len(others) / samples)  # if others came at random
    return 1.0 - (1.0 - float(close.mean())) / alone


def few(codes: RecordingCodes, events: LineAtoms, samples: int) -> Iterator[str]:
    """Say if hardly anything was found in a recording that is long enough for more."""
    if len(events) and codes.explained < (HALF if len(events) <= FEW else LITTLE):
        yield (
            f"hardly anything was found: {len(events)} event{'s' * (len(events) != 1)} "
            f"explain{'s' * (len(events) == 1)} {100 * codes.explained:.2g} % of the energy of "
            f"{samples} samples, whatever the certificate says; take a smaller alpha, another "
            "length, or remove what is slow and large first (highpass)."
        )
