"""Growth of a dictionary: a waveform at a time from the residual, tested, split, until none recurs.

A candidate is put on trial: three rounds of coding and averaging together with all waveforms. It is
accepted if its events predict each other and it is a kind of its own; otherwise all is as before.
When two candidates in a row are rejected, components are split where they hold two kinds. Where a
number of components is requested that the tests do not yield, more are added without them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from orbitdl.discovery.candidates import RECURS, candidate, loudest
from orbitdl.discovery.coding import Coded, Detector, Whitened, code, with_waveforms
from orbitdl.discovery.kinds import halves, is_own_kind, recurrences, sides
from orbitdl.discovery.misfit import learned, updated_waveforms
from orbitdl.discovery.occurrences import is_event
from orbitdl.groups.base import Floats

GENUINE = 2 / 3
"""Part of a component's atoms that decoys and bursts of noise leave at least."""
MOST, REJECTIONS, ROUNDS = 12, 2.0, 3
"""Components at most, rejected candidates in a row that end growth, and rounds of a trial."""
RARE, HALF = f"the next candidate occurs fewer than {RECURS} times", 0.5
"""A candidate that is too rare to be judged counts for half a rejection: a single artefact draws
one or two of them, and rejecting these takes one coding each."""


@dataclass(frozen=True, eq=False)
class Grown:
    """A dictionary in the course of growth.

    Attributes
    ----------
    coded : Coded
        The recording coded by it.
    detector : Detector
        With what that coding teaches.
    sigma : ndarray of shape (P,)
        The local noise level.
    """

    coded: Coded
    detector: Detector
    sigma: Floats


def grow(w: Whitened, rng: np.random.Generator, most: int = MOST) -> tuple[Grown, str]:
    """Grow a dictionary of components that pass all tests; return it, and why growth ended."""
    now, reason = recurring(w, rng, most)
    return genuine(w, now, rng), reason


def grow_exactly(
    w: Whitened, rng: np.random.Generator, number: int, *, signed: bool
) -> tuple[Grown, int, str]:
    """Grow a dictionary of so many components.

    Returns it, how many of them pass the tests, and why no more do. What is found upside down as
    often passes where events may have either sign.
    """
    now, reason = recurring(w, rng, number)
    own = len(now.detector) if signed else int(np.sum(now.coded.share >= GENUINE))
    if own < len(now.detector):
        reason = "what recurs is found upside down, or in bursts of noise, as often"
    while len(now.detector) < number:
        now = forced(w, now, rng)
    return now, own, reason


def recurring(w: Whitened, rng: np.random.Generator, most: int) -> tuple[Grown, str]:
    """Add and split components as long as they recur and are kinds of their own."""
    sigma = w.level(w.y)
    empty = Detector.start(np.zeros((0, w.length, w.y.shape[1])))
    now = Grown(code(w, empty, sigma), empty, sigma)
    while len(now.detector) < most:
        now, reason = extended(w, now, rng, most)
        before = len(now.detector)
        now = divided(w, now, rng, most)
        if len(now.detector) == before:
            break
    if len(now.detector) >= most:
        reason = f"the largest number, {most}, was reached"
    return now, reason


def forced(w: Whitened, now: Grown, rng: np.random.Generator) -> Grown:
    """Add a component without the tests, if possible such that every component has atoms."""
    for detector in additions(now, rng):
        coded = averaged(w, detector, now.sigma, rng)
        after = Grown(coded, *learned(w, coded, rng))
        if np.all(after.detector.counts > 0):
            break
    return after


def additions(now: Grown, rng: np.random.Generator) -> Iterator[Detector]:
    """Yield detectors with one more component.

    The best candidate; the component with most events divided in two; the loudest stretch.
    """
    a, counts = candidate(now.coded, now.sigma, rng), now.detector.counts
    if a is not None:
        yield now.detector.with_more(a[None])
    if counts.max(initial=0.0) > 1:
        j = int(np.argmax(counts))
        others = now.detector.take(np.delete(np.arange(len(counts)), j))
        yield others.with_more(sides(now.coded, j, rng))
    yield now.detector.with_more(loudest(now.coded, now.sigma)[None])


def extended(w: Whitened, now: Grown, rng: np.random.Generator, most: int) -> tuple[Grown, str]:
    """Add candidates until two in a row are rejected; return why the last one was."""
    rejected, reason = 0.0, ""
    while rejected < REJECTIONS and len(now.detector) < most:
        a = candidate(now.coded, now.sigma, rng)
        if a is None:
            return now, "nothing in the residual recurs"
        after, reason = trial(w, now, now.detector.with_more(a[None]), 1, rng)
        rejected += HALF if reason == RARE else 1.0
        now, rejected = (now, rejected) if after is None else (after, 0.0)
    return now, reason


def divided(w: Whitened, now: Grown, rng: np.random.Generator, most: int) -> Grown:
    """Split components that hold several kinds, until none does."""
    while len(now.detector) < most:
        trials = (trial(w, now, pair, 2, rng)[0] for pair in splits(now, rng))
        after = next((one for one in trials if one is not None), None)
        if after is None or len(after.detector) <= len(now.detector):
            break
        now = after
    return now


def genuine(w: Whitened, now: Grown, rng: np.random.Generator) -> Grown:
    """Drop components that decoys leave little of: noise is found upside down as often.

    Of the first one at the end only: before, decoys may be events of waveforms still to be found.
    """
    used = np.flatnonzero(now.coded.share >= GENUINE)
    if len(used) == len(now.detector):
        return now
    return coded_by(w, now.detector.take(used), now.sigma, rng)


def splits(now: Grown, rng: np.random.Generator) -> Iterator[Detector]:
    """Yield detectors in which one component is replaced by two."""
    every = np.arange(len(now.detector))
    for j in range(len(every)):
        for pair in halves(now.coded, j, rng):
            yield now.detector.take(every[every != j]).with_more(pair)


def trial(
    w: Whitened, now: Grown, detector: Detector, new: int, rng: np.random.Generator
) -> tuple[Grown | None, str]:
    """Code and average a few times; return what it led to, or None and why it is rejected."""
    coded, added = averaged(w, detector, now.sigma, rng, new), range(len(detector))[-new:]
    if any(len(coded.own(j)) < RECURS for j in added):
        return None, RARE
    listed = is_event(coded, w.samples)
    for j in added:
        count = recurrences(w, coded, j, listed)
        if count < RECURS:
            return None, f"the next candidate recurs {count} times, fewer than {RECURS}"
        if len(now.detector) and coded.share[j] < GENUINE:
            return None, "the next candidate is found upside down, or in bursts of noise, as often"
        if not is_own_kind(coded, j):
            return None, "the next candidate is a variant of a component, not a kind of its own"
    return without_unused(w, Grown(coded, *learned(w, coded, rng)), rng), ""


def averaged(
    w: Whitened, detector: Detector, sigma: Floats, rng: np.random.Generator, new: int = 0
) -> Coded:
    """Code and average a few times; return the last coding.

    Or one in which one of the `new` components at the end has too few atoms to recur.
    """
    for _ in range(ROUNDS):
        coded = code(w, detector, sigma)
        if any(len(coded.own(len(detector) - j)) < RECURS for j in range(1, new + 1)):
            return coded
        detector, sigma = learned(w, coded, rng)
        detector = with_waveforms(detector, updated_waveforms(coded, rng))
    return code(w, detector, sigma)


def coded_by(
    w: Whitened,
    detector: Detector,
    sigma: Floats,
    rng: np.random.Generator,
    *,
    signed: bool = False,
    chance: float = 0.0,
) -> Grown:
    """Return a recording coded by a detector, and what that teaches."""
    coded = code(w, detector, sigma, signed=signed)
    return Grown(coded, *learned(w, coded, rng, chance))


def without_unused(w: Whitened, after: Grown, rng: np.random.Generator) -> Grown:
    """Drop components whose events a new one has taken."""
    listed, every = is_event(after.coded, w.samples), range(len(after.detector))
    counts = np.array([recurrences(w, after.coded, j, listed) for j in every])
    used = np.flatnonzero(counts >= RECURS)
    if len(used) == len(counts):
        return after
    return coded_by(w, after.detector.take(used), after.sigma, rng)
