"""Warnings about implausible codes: duplicate, few or too many events.

A certificate bounds the suboptimality of a code for given waveforms, not the error of these.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

import numpy as np

from orbitdl.arrays.blocks import Floats
from orbitdl.arrays.warnings import warn_user
from orbitdl.coding.atoms import Atoms
from orbitdl.coding.codes import Codes
from orbitdl.domains.time.atoms import in_order
from orbitdl.domains.time.waveforms import Waveforms
from orbitdl.events.code_events import merged, resolution_of, thresholds
from orbitdl.events.prominence import peaks_of

COINCIDENCE, ENOUGH = 0.4, 8
"""Minimum fraction of coincident events in excess of chance, and minimum number of events."""
NEAR, FAR = 1 / 16, 1 / 2
"""Tolerance and maximum of that lag, in waveform lengths."""
FEW, LONG = 2, 20
"""Number of events considered few, and minimum duration of a recording in waveform lengths."""
DENSE = 16.0
"""Maximum atoms per waveform length: twice the limit of an automatic alpha."""
LITTLE, HALF = 0.01, 0.5
"""Explained fractions of the energy considered small: for any number of events, and for few."""


def warn_of_codes(codes: Codes, waveforms: Waveforms, samples: int) -> None:
    """Warn if components occur together, if hardly anything is explained, or if codes are dense."""
    events = listed_events(codes.atoms, waveforms)
    said = list(sentences_of_pairs(events, waveforms, samples))
    if samples >= LONG * waveforms.length:
        said += [
            *sentence_of_few(codes, events, samples),
            *sentence_of_many(codes, waveforms, samples),
        ]
    for sentence in said:
        warn_user(sentence)


def listed_events(atoms: Atoms, waveforms: Waveforms) -> Atoms:
    """Return the events of the table, at the peaks of their waveforms."""
    events, strongest = merged(atoms, resolution_of(waveforms))
    events = events.select(strongest >= thresholds(atoms, len(waveforms), None)[events.component])
    time = events.time + peaks_of(waveforms)[events.component]
    return in_order(replace(events, element=time[:, None]))


def sentences_of_pairs(events: Atoms, waveforms: Waveforms, samples: int) -> Iterator[str]:
    """Yield warnings about components with coincident events."""
    times = [events.time[events.component == j] for j in range(len(waveforms))]
    for i, j in combinations(range(len(times)), 2):
        rare, other = (i, j) if len(times[i]) <= len(times[j]) else (j, i)
        share = coincidence_fraction(times[rare], times[other], waveforms.length, samples)
        if len(times[rare]) >= ENOUGH and share > COINCIDENCE:
            yield (
                f"components {i} and {j} occur together: many of the {len(times[rare])} events of "
                f"component {rare} are at one lag from one of component {other}, so that one event "
                "is listed twice; learn fewer components, or longer ones, or choose their number "
                "by cross-validation (select)."
            )


def coincidence_fraction(time: Floats, others: Floats, length: int, samples: int) -> float:
    """Return the fraction of events at one lag from others, in excess of chance.

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


def sentence_of_few(codes: Codes, events: Atoms, samples: int) -> Iterator[str]:
    """Yield a warning if a long recording has hardly any events."""
    count, share = len(events.time), 1.0 if codes.explained is None else codes.explained[0]
    if count and share < (HALF if count <= FEW else LITTLE):
        yield (
            f"hardly anything was found: {count} event{'s' * (count != 1)} "
            f"explain{'s' * (count == 1)} {100 * share:.2g} % of the energy of "
            f"{samples} samples, whatever the certificate says; take a smaller alpha, another "
            "length, or remove what is slow and large first (highpass)."
        )


def sentence_of_many(codes: Codes, waveforms: Waveforms, samples: int) -> Iterator[str]:
    """Yield a warning if atoms are denser than events can be."""
    count = len(codes.atoms.time) * waveforms.length / samples
    if count > DENSE:
        yield (
            f"codes are dense, {count:.0f} atoms per waveform length: most of them mend what the "
            'waveforms miss, and coding takes long; take a larger alpha, or alpha="auto".'
        )
